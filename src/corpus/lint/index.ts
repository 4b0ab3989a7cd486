/** Finds utterances of a corpus that a person should listen to. */

export type { LintReport, LocatedFinding } from './lint-corpus.ts'
export { lintChecks, lintCorpus } from './lint-corpus.ts'
