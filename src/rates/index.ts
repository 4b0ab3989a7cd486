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
export { compareSystems } from './compare-systems.ts'
export type { ErrorRate, ErrorTerm } from './error-rate.ts'
export { errorRateSchema, pooledErrorRate, widestInterval } from './error-rate.ts'
export { ratesErrors } from './errors.ts'
export type { Interval } from './interval.ts'
export { intervalSchema } from './interval.ts'
export { ratesJsonSchemas } from './json-schemas.ts'
export type { MatchedSegment } from './matched-segments.ts'
export { matchedSegments, operationsOf } from './matched-segments.ts'
export type { ExtendedProfile, NamedRules } from './named-rules.ts'
export { extended } from './named-rules.ts'
export type { ScStatsTests } from './sc-stats.ts'
export type { PairScorer, ScoredPair } from './scored-pair.ts'
export { rowOf, startPairScorer, writtenText } from './scored-pair.ts'
export type { AlignedSummary, System } from './system-columns.ts'
export { summariseSteps } from './system-columns.ts'
export type { SystemComparison, SystemsScore, SystemTests } from './systems-score.ts'
export { systemsScoreFormatVersion } from './systems-score.ts'
export type { TextGroup, TextGrouping } from './text-groups.ts'
export type { ProfileChoice, ScoredText, TextScore, TextScoreOptions } from './text-score.ts'
export { textScoreFormatVersion } from './text-score.ts'
export type { TextTally } from './text-tally.ts'
export { startTextTally } from './text-tally.ts'
