/**
 * Text of a config file, flags and environment to a checked `BenchConfig`: text in, values out. Never reads a
 * file, an environment or a command line by itself, and never guesses what a misspelt key meant.
 *
 *   const file = readConfig(text, 'configs/nightly.yaml')
 *   const { config, sources } = resolveConfig({ file, flags: command.opts(), env: process.env })
 *   sources['load.concurrency']                                                   // 'flag'
 */
export type { BenchConfig, ContenderConfig, RetryConfig } from './bench-config.ts'
export { recordedConfig } from './bench-config.ts'
export { configErrors } from './errors.ts'
export type { ThresholdCheck } from './faults.ts'
export type { ConfigFile } from './files/config-file.ts'
export type { ContenderFile } from './files/contender-file.ts'
export { detectedLanguage } from './files/contender-file.ts'
export type { ScoringFile } from './files/scoring-file.ts'
export { automaticProfile } from './files/scoring-file.ts'
export type { Flag, FlagTable, Setting } from './files/setting.ts'
export { flagTable } from './flag-table.ts'
export type { FlagRow } from './flags.ts'
export { listFlags } from './flags.ts'
export { configJsonSchema } from './json-schema.ts'
export { corpusNamedIn, readConfig, readScoring } from './read-config.ts'
export type { ConfigLayers, ResolvedConfig, ValueSource } from './resolve-config.ts'
export { resolveConfig } from './resolve-config.ts'
