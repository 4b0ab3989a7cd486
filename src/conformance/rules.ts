import rules from './rules.json' with { type: 'json' }

/** Ids of the rules of the Local Transcription API that a client can check. The first part of an id is the subject. */
export type RuleId = keyof typeof rules.specification | keyof typeof rules.decision

/** Headings of the subjects, in reading order. */
export const ruleSubjects = {
  service: 'Service',
  authentication: 'Authentication',
  guard: 'Host, Origin and Sec-Fetch-Site',
  errors: 'Errors',
  head: 'Request head',
  health: 'Health',
  models: 'Models',
  modes: 'Modes',
  recordings: 'Recordings',
  recorder: 'Recorder',
  transcription: 'Transcription',
  'post-processing': 'Post-processing',
  limits: 'Limits',
  discovery: 'Discovery file',
} as const
export type RuleSubject = keyof typeof ruleSubjects

/** One rule, as reports and documentation show it. */
export interface Rule {
  readonly id: RuleId
  readonly subject: RuleSubject
  /** Whether the specification states the rule, or this project decided what the specification leaves open. */
  readonly origin: 'specification' | 'decision'
  readonly sentence: string
}

export const conformanceRules: readonly Rule[] = Object.keys(ruleSubjects).flatMap((subject) =>
  (['specification', 'decision'] as const).flatMap((origin) =>
    Object.entries(rules[origin])
      .filter(([id]) => id.split('.')[0] === subject)
      .map(([id, sentence]) => ({ id: id as RuleId, subject: subject as RuleSubject, origin, sentence })),
  ),
)
