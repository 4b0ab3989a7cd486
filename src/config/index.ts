/**
 * Text of a config file, flags and environment to a checked `BenchConfig`: text in, values out. Never reads a
 * file, an environment or a command line by itself, and never guesses what a misspelt key meant.
 *
 *   const file = readConfig(text, 'configs/nightly.yaml')
 *   const { config, sources } = resolveConfig({ file, flags: command.opts(), env: process.env })
 *   sources['load.concurrency']                                                   // 'flag'
 */
export { type BenchConfig, type ContenderConfig, type RetryConfig, recordedConfig } from './bench-config.ts'
export type { ConfigFile } from './config-file.ts'
export { configJsonSchema, flagTable } from './config-schema.ts'
export { type ContenderFile, detectedLanguage } from './contender-file.ts'
export type { ThresholdCheck } from './faults.ts'
export { type FlagRow, listFlags } from './flags.ts'
export { configErrors, corpusNamedIn, readConfig, readScoring } from './read-config.ts'
export { type ConfigLayers, type ResolvedConfig, resolveConfig, type ValueSource } from './resolve-config.ts'
export { automaticProfile, type ScoringFile } from './scoring-file.ts'
export type { Flag, FlagTable, Setting } from './settings.ts'
