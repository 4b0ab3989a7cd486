export type { Access, ConformanceCase, Verdict } from './conformance-case.ts'
export { conformanceCases } from './conformance-cases.ts'
export type { Exchange, Header, RawReply, RawRequest, ReadableFolder } from './exchange.ts'
export type { Rule, RuleId, RuleSubject } from './rules.ts'
export { conformanceRules, ruleSubjects } from './rules.ts'
export type {
  CaseResult,
  ConformanceOptions,
  ConformanceReport,
  RuleResult,
} from './run-conformance-cases.ts'
export { runConformanceCases } from './run-conformance-cases.ts'
