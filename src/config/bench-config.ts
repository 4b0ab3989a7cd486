import { z } from 'zod'
import { platforms } from '#contract/enums'
import { defaultNoSpeechRules, noSpeechRule } from '#contract/failures'
import { modePatch } from '#contract/modes'
import { loadConfig } from '#load/loads/registry'
import type { DeepReadonly } from '#prelude'
import { contenderKeys, contenderOptions } from './contender-file.ts'
import { scoringKeys } from './scoring-file.ts'
import { configuredTransports, listParsers } from './settings.ts'

export const workloads = ['transcribe', 'post-process'] as const

/** Reactions to a refusal for a rate limit. */
export const rateLimitReactions = ['auto', 'wait', 'fail'] as const

/** Value that reuses answers of the last 30 days. */
export const automaticReuse = 'auto'
export const automaticReuseSeconds = 30 * 86_400

const text = z.string()
const nullableText = text.nullable()
const number = z.number()

/** Resolved contender. Keys that the run, the service or the provider may decide stay optional. */
const contender = z.object({
  ...z.object(listParsers(contenderKeys)).partial().shape,
  id: text.describe('Short name in every table; unique.'),
  engine: nullableText.describe("The service's id for the engine; null where a named Mode decides."),
  model: nullableText.describe("The service's id for the model; null where a named Mode decides."),
  language: nullableText.describe(
    'BCP 47 tag or `auto`; null: a named Mode keeps its own, and a model is asked for that of the corpus.',
  ),
  mode: nullableText.describe('Mode to patch for the run and restore after it; null for a temporary Mode.'),
  settings: modePatch.describe('Mode fields that differ from a plain transcription.'),
  defaultOptions: contenderOptions
    .optional()
    .describe(
      'Options that are sent although the contender sets none of them, as its provider is known; absent without any.',
    ),
  usdPerMinute: number.nullable().default(null).describe('Price of a minute of audio; null where not given.'),
  priceSource: nullableText.default(null).describe('Source of the price; null where not given.'),
  priceDate: nullableText
    .default(null)
    .describe('When it was read there, `2026-11-21`; null where not given.'),
})
/** One contender of a run, fully specified. */
export type ContenderConfig = DeepReadonly<z.infer<typeof contender>>

const retries = z.object({
  codes: z.array(text).describe('Failures by their labels, as RATE_LIMITED or HTTP_503; empty: no retries.'),
  most: number.describe('Max retries of one request.'),
  backOffSeconds: number.describe('Length of the first wait; each further one is twice as long.'),
  budget: number.describe('Share of all measured requests of the plan that may be sent again, 0..1.'),
})
/** Rules for repeating failed requests. */
export type RetryConfig = DeepReadonly<z.infer<typeof retries>>

/**
 * Parser of the config in a run record: resolved, with every default filled in. Settings that are newer than the run
 * default to the earlier behaviour.
 */
export const recordedConfig = z.object({
  name: text.describe('Names the run folder.'),
  target: text.describe("`embedded`, `auto`, a discovery file's path, an address, or a cloud provider."),
  engines: nullableText.default(null).describe('Engines file of the built-in service; null for none.'),
  keyFrom: nullableText
    .default(null)
    .describe(
      'Environment variable with the key of a transcription server or a provider; null without a key.',
    ),
  maxBilledMinutes: number
    .default(60)
    .describe('Max minutes of audio for contenders that are billed, in all.'),
  reuseSeconds: number
    .nullable()
    .default(null)
    .describe('Max age of answers of earlier runs that are scored again, in seconds; null for none.'),
  platform: z
    .enum(platforms)
    .nullable()
    .default(null)
    .describe("Build of the target; null: this machine's own where the target runs here, else unknown."),
  corpus: text.describe('A corpus name (looked up in `corpora/`) or the path of a manifest.'),
  workload: z
    .enum(workloads)
    .default('transcribe')
    .describe('What requests ask for: `transcribe` sends audio, `post-process` texts.'),
  exclude: z.array(text).describe('Ids of utterances to exclude; recorded in the run.'),
  sample: number
    .nullable()
    .default(null)
    .describe('Utterances to draw from the others, balanced by length; null for all.'),
  contenders: z.array(contender),
  skipUnready: z
    .boolean()
    .describe('Contenders that the target does not have are skipped instead of refused.'),
  parallel: z
    .literal(true)
    .optional()
    .describe('Contenders on different machines are measured at the same time; absent where they are not.'),
  load: loadConfig,
  rounds: number.describe(
    'Passes of each contender over the corpus, or repetitions of a load that ends by itself.',
  ),
  warmupRequests: number.describe('Requests sent to each contender before anything is measured.'),
  maxWarmupRequests: number
    .default(0)
    .describe(
      'Max requests of a warm-up that goes on until latencies settle, for each in flight; 0: it has `warmupRequests`.',
    ),
  requestTimeoutSeconds: number.nullable().describe("Null: 60 s plus twice the audio's length."),
  retries: retries.default({ codes: [], most: 2, backOffSeconds: 1, budget: 0.1 }),
  rateLimit: z
    .enum(rateLimitReactions)
    .default('fail')
    .describe('`auto`: `wait` for what does not run on this machine, under a closed load.'),
  transport: z.enum(configuredTransports),
  stage: nullableText
    .default(null)
    .describe('Folder that the target may read, for copies of recordings; `auto` finds it; null: no copies.'),
  scoring: z
    .object({
      ...listParsers(scoringKeys),
      profile: text,
      noSpeech: z.array(noSpeechRule).default([...defaultNoSpeechRules]),
    })
    .describe("The profile's id, or `auto` for the language's own, and what is added to it."),
  thresholds: z.array(text).describe('What must hold, such as `wer <= 8%`; otherwise exit code 3.'),
  margins: z.array(text).default([]).describe('Margins such as `speed=5%`, for comparisons with this run.'),
  seed: number,
  results: text.describe('Folder that run folders are written to.'),
})
/**
 * A benchmark, validated, with every default filled in. Keys that the run, the service or the provider decides stay
 * absent.
 */
export type BenchConfig = DeepReadonly<z.infer<typeof recordedConfig>>
