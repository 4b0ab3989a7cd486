/** Writes stored runs as tables, or for the trackers of benchmarks. */

export type { ExportFormat } from './export-format.ts'
export type { ExportOptions } from './export-runs.ts'
export { exportRuns } from './export-runs.ts'
export { exportFormats } from './formats/registry.ts'
