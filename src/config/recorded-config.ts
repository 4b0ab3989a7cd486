import { z } from 'zod'
import { defaultNoSpeechRules, modePatch, noSpeechRule, platforms } from '#contract'
import { loadShape } from '#load'
import {
  type BenchConfig,
  type ContenderConfig,
  configuredTransports,
  rateLimitReactions,
  workloads,
} from './bench-config.ts'
import type { LoadConfig } from './load-file.ts'
import { scoringParsers } from './scoring-file.ts'

const text = z.string()
const nullableText = text.nullable()
const number = z.number()

const contender: z.ZodType<ContenderConfig> = z.object({
  id: text,
  engine: nullableText,
  model: nullableText,
  language: nullableText,
  mode: nullableText,
  settings: modePatch,
  usdPerMinute: number.nullable().default(null),
  priceSource: nullableText.default(null),
  priceDate: nullableText.default(null),
})

const load: z.ZodType<LoadConfig> = z.union([
  z.strictObject({ kind: z.literal('trace'), trace: text, speed: number }),
  loadShape.transform((shape, context) => {
    if (shape.kind !== 'trace') return shape
    context.addIssue('a trace is named by its file')
    return z.NEVER
  }),
])

/**
 * Parser of a config as a run keeps it: resolved, every default filled in. Settings that are younger than the run
 * do what was done before there was a choice.
 */
export const recordedConfig: z.ZodType<BenchConfig> = z.object({
  name: text,
  target: text,
  engines: nullableText.default(null),
  keyFrom: nullableText.default(null),
  maxBilledMinutes: number.default(60),
  platform: z.enum(platforms).nullable().default(null),
  corpus: text,
  workload: z.enum(workloads).default('transcribe'),
  exclude: z.array(text),
  sample: number.nullable().default(null),
  contenders: z.array(contender),
  skipUnready: z.boolean(),
  load,
  rounds: number,
  warmupRequests: number,
  requestTimeoutSeconds: number.nullable(),
  retries: z
    .object({ codes: z.array(text), most: number, backOffSeconds: number, budget: number })
    .default({ codes: [], most: 2, backOffSeconds: 1, budget: 0.1 }),
  rateLimit: z.enum(rateLimitReactions).default('fail'),
  transport: z.enum(configuredTransports),
  stage: nullableText.default(null),
  scoring: z.object({
    ...scoringParsers,
    profile: text,
    noSpeech: z.array(noSpeechRule).default([...defaultNoSpeechRules]),
  }),
  failIf: z.array(text),
  margins: z.array(text).default([]),
  seed: number,
  results: text,
})
