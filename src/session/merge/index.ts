/** Makes one run of the runs of several hosts. */

export { hostName } from './host-name.ts'
export { mergeParts } from './merge-parts.ts'
export type { HostFolder, MergedRun, MergeOptions } from './merge-runs.ts'
export { mergeRuns } from './merge-runs.ts'
