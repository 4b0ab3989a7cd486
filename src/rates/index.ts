/**
 * Error counts to rates: pooled, with intervals, by group and by system, and the tests of whether systems differ. Never
 * reads files, never aligns in its own way, never prints.
 *
 *   const scorer = startPairScorer({ seed: 1 })
 *   const tally = startTextTally({ seed: 1 }, scorer.scoring)
 *   tally.add(scorer.score({ id: 'a', reference: 'the cat sat', hypothesis: 'the cat sad' }))
 *   tally.result().words.rate                                     // 0.333…
 */

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
export type { Clustered, Clustering, ErrorTerm } from './error-rate.ts'
export { byHost, clusteringsOf, pooledErrorRate, speakerCountOf, widestInterval } from './error-rate.ts'
export { ratesErrors } from './errors.ts'
export type { ExtendedProfile, NamedRules, PairScorer, ScoredPair, TextScoreOptions } from './scored-pair.ts'
export {
  extended,
  rowOf,
  startPairScorer,
  systemsScoreFormatVersion,
  textScoreFormatVersion,
  writtenText,
} from './scored-pair.ts'
export type { AlignedSummary, MatchedSegment, System } from './system-columns.ts'
export { matchedSegments, operationsOf, summariseSteps } from './system-columns.ts'
export type { TextTally } from './text-tally.ts'
export { startTextTally } from './text-tally.ts'
