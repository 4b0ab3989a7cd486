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
export {
  byHost,
  type Clustered,
  type Clustering,
  clusteringsOf,
  type ErrorTerm,
  pooledErrorRate,
  speakerCountOf,
  widestInterval,
} from './error-rate.ts'
export {
  type ExtendedProfile,
  extended,
  type NamedRules,
  type PairScorer,
  rowOf,
  type ScoredPair,
  startPairScorer,
  systemsScoreFormatVersion,
  type TextScoreOptions,
  textScoreFormatVersion,
  writtenText,
} from './scored-pair.ts'
export {
  type AlignedSummary,
  type MatchedSegment,
  matchedSegments,
  operationsOf,
  type System,
  summariseSteps,
} from './system-columns.ts'
export { ratesErrors, startTextTally, type TextTally } from './text-tally.ts'
