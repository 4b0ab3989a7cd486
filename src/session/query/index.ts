/** Answers SQL about runs and exported tables. */

export type { QueryOptions, QueryResult } from './query-runs.ts'
export { queryRuns } from './query-runs.ts'
export type { QuerySources } from './query-sources.ts'
export { findSources } from './query-sources.ts'
