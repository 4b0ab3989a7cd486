export type {
  Access,
  ConformanceCase,
  Exchange,
  Header,
  RawReply,
  RawRequest,
  ReadableFolder,
  Verdict,
} from './conformance-case.ts'
export { conformanceRules, type Rule, type RuleId, type RuleSubject, ruleSubjects } from './rules.ts'
export {
  type CaseResult,
  type ConformanceOptions,
  type ConformanceReport,
  conformanceCases,
  type RuleResult,
  runConformanceCases,
} from './run-conformance-cases.ts'
