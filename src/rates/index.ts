/**
 * Error counts to rates: pooled, with intervals, by group and by system, and the tests of whether systems differ. Never
 * reads files, never aligns in its own way, never prints.
 *
 *   const scorer = startPairScorer({ seed: 1 })
 *   const tally = startTextTally({ seed: 1 }, scorer.scoring)
 *   tally.add(scorer.score({ id: 'a', reference: 'the cat sat', hypothesis: 'the cat sad' }))
 *   tally.result().words.rate                                     // 0.333…
 */
export type { Clustered, Clustering } from './clustering.ts'
export { byHost, clusteringsOf, speakerCountOf } from './clustering.ts'
export type {
  ErrorRate,
  Interval,
  ProfileChoice,
  ScoredText,
  ScStatsTests,
  SystemComparison,
  SystemsScore,
  SystemTests,
  TextGroup,
  TextGrouping,
  TextScore,
} from './documents.ts'
export type { ErrorTerm } from './error-rate.ts'
export { pooledErrorRate, widestInterval } from './error-rate.ts'
export { ratesErrors } from './errors.ts'
export type { MatchedSegment } from './matched-segments.ts'
export { matchedSegments, operationsOf } from './matched-segments.ts'
export type { ExtendedProfile, NamedRules } from './named-rules.ts'
export { extended } from './named-rules.ts'
export type { PairScorer, ScoredPair } from './scored-pair.ts'
export { rowOf, startPairScorer, writtenText } from './scored-pair.ts'
export type { AlignedSummary, System } from './system-columns.ts'
export { summariseSteps } from './system-columns.ts'
export type { TextScoreOptions } from './text-score.ts'
export { systemsScoreFormatVersion, textScoreFormatVersion } from './text-score.ts'
export type { TextTally } from './text-tally.ts'
export { startTextTally } from './text-tally.ts'
