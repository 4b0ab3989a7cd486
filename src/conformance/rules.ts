import rules from './rules.json' with { type: 'json' }

/**
 * The rules of the Local Transcription API that a client can see kept or broken, in our own words. The first
 * part of an id names the subject.
 */
export type RuleId = keyof typeof rules.specification | keyof typeof rules.decision

/** Headings for the first parts of the ids, in reading order. */
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

/** One rule, as reports and pages show it. */
export interface Rule {
  readonly id: RuleId
  readonly subject: RuleSubject
  /** What the interface specification says, or what this project decided where it is silent. */
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
