import type { z } from 'zod'
import { defaultNoSpeechRules } from '#contract'
import { type ConfigFile, configParsers } from './files/config-file.ts'
import { fileObject } from './files/file-object.ts'
import { type LoadFile, loadDefaults } from './files/load-file.ts'
import { automaticProfile, type ScoringFile, scoringParsers } from './files/scoring-file.ts'
import { flagTable } from './flag-table.ts'

/** A shape in which nothing is left out. */
type Complete<Shape> = { readonly [Key in keyof Shape]-?: Exclude<Shape[Key], undefined> }

/** Everything is said but the time-out, which then follows the length of the audio, and what is found out by itself. */
type CompleteFile = Complete<
  Omit<
    ConfigFile,
    | 'sample'
    | 'matrix'
    | 'reuse'
    | 'timeout'
    | 'engines'
    | 'stage'
    | 'platform'
    | 'keyFrom'
    | 'load'
    | 'scoring'
    | 'retries'
  >
> & {
  readonly retries: Complete<NonNullable<ConfigFile['retries']>>
  readonly load: LoadFile
  readonly scoring: Complete<ScoringFile>
}

/** The quick run: what is measured by default. */
export const defaults: CompleteFile = {
  name: 'quick',
  target: 'embedded',
  corpus: 'quick',
  workload: 'transcribe',
  exclude: [],
  contenders: [
    { engine: 'moonshine', model: 'moonshine-tiny', language: 'en' },
    { engine: 'moonshine', model: 'moonshine-base', language: 'en' },
  ],
  skipUnready: false,
  parallel: false,
  load: loadDefaults,
  rounds: 8,
  warmupRequests: 2,
  retries: { codes: [], most: 2, backOff: '1s', budget: 0.1 },
  rateLimit: 'auto',
  transport: 'auto',
  maxBilledMinutes: 60,
  scoring: {
    profile: automaticProfile,
    fillers: [],
    replacements: [],
    equivalences: [],
    vocabulary: [],
    noSpeech: defaultNoSpeechRules,
  },
  thresholds: [],
  margins: [],
  seed: 1,
  results: 'results',
}

/** Contenders and thresholds have further rules, which are checked apart, as is which keys of a load belong together. */
export const configFile: z.ZodType<ConfigFile> = fileObject(configParsers, {
  keys: flagTable,
  defaults,
  groups: {
    load: 'when requests are sent',
    matrix: 'dimensions of a sweep: each combination of their values is a contender',
    retries: 'which failed requests are sent again',
    scoring: 'how transcripts are compared with references',
  },
})

/** The scoring section, which may also be a separate file. */
export const scoringFile: z.ZodType<ScoringFile> = fileObject(scoringParsers, {
  keys: flagTable.scoring,
  defaults: defaults.scoring,
})
