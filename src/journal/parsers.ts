import { z } from 'zod'
import { healthSnapshot, mode, modelEntry, modePatch, noSpeechRule } from '#contract'
import { loadShape, plannedSend } from '#load'
import {
  type AttemptLine,
  type Json,
  type ModeLine,
  type PlanLine,
  phases,
  type RunRecord,
  type StagingLine,
  type TelemetryLine,
} from './format.ts'

const text = z.string()
const nullableText = z.string().nullable()
const count = z.int().min(0)
const milliseconds = z.number()

const counts = z.object({ planned: count, answered: count, failed: count, dropped: count, notSent: count })

/** Parser of `run.json`. */
export const runRecord: z.ZodType<RunRecord> = z.object({
  formatVersion: z.int(),
  id: text,
  name: text,
  status: z.enum(['started', 'finished', 'interrupted', 'failed']),
  resume: text.optional(),
  startedAt: text,
  endedAt: nullableText,
  pid: z.int(),
  processStartedAt: nullableText.optional(),
  resumedAt: z.array(text).optional(),
  command: z.array(text),
  config: z.json() as z.ZodType<Json>,
  settingSources: z.record(z.string(), z.enum(['default', 'file', 'environment', 'flag'])).optional(),
  workload: z.enum(['transcribe', 'post-process']).optional(),
  seed: z.int(),
  rounds: z.int(),
  load: loadShape,
  scoringProfile: text,
  scoringRules: z
    .object({
      fillers: z.array(text),
      replacements: z.array(
        z.object({ from: text, to: text, before: text.optional(), after: text.optional() }),
      ),
      equivalences: z.array(z.array(text)),
      vocabulary: z.array(text),
    })
    .optional(),
  noSpeech: z.array(noSpeechRule).optional(),
  contenders: z.array(
    z.object({
      id: text,
      engine: nullableText,
      model: nullableText,
      language: nullableText,
      patchedMode: nullableText,
      usdPerMinute: z.number().nullable().optional(),
      priceSource: nullableText.optional(),
      priceDate: nullableText.optional(),
      billing: z
        .object({
          stepSeconds: z.number().nullable(),
          rounding: z.enum(['up', 'nearest']),
          minimumSeconds: z.number(),
        })
        .optional(),
    }),
  ),
  ownPrices: z
    .object({
      machine: z.object({
        price: z.number(),
        lifeYears: z.number(),
        idleWatts: z.number(),
        wattsPerBusyProcessor: z.number(),
        source: text,
        date: text,
      }),
      electricity: z.object({ perKilowattHour: z.number(), source: text, date: text }),
    })
    .optional(),
  skipped: z.array(z.object({ id: text, reason: text })).default([]),
  target: z.object({
    kind: z.enum(['embedded', 'discovered', 'address', 'openai']),
    baseUrl: text,
    health: healthSnapshot.nullable(),
    models: z.array(modelEntry),
  }),
  host: z.object({
    platform: text,
    release: text,
    architecture: text,
    cpuModel: text,
    cpuCount: z.int(),
    memoryBytes: z.number(),
    nodeVersion: text,
    programVersion: text,
    speed: z
      .object({
        integerMillionsPerSecond: z.number(),
        floatBillionsPerSecond: z.number(),
        memoryBillionsPerSecond: z.number(),
        allAtOnce: z.number().optional(),
      })
      .optional(),
    power: z.enum(['mains', 'battery']).nullable().optional(),
  }),
  corpus: z.object({
    name: text,
    fingerprint: text,
    utteranceCount: count,
    sampledFrom: count.nullable().optional(),
    audioSeconds: z.number(),
    excluded: z.array(text),
  }),
  counts: counts.nullable(),
  ending: z.object({ code: text, message: text, hint: text }).nullable(),
  givenUp: z
    .array(z.object({ id: text, phase: z.enum(['warmup', 'measure']), reason: text, hint: nullableText }))
    .optional(),
})

/** Parser of one line of `plan.jsonl`. */
export const planLine: z.ZodType<PlanLine> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('utterance'),
    id: text,
    reference: text,
    alternatives: z.array(text).optional(),
    hasChoices: z.boolean().optional(),
    keywords: z.array(text).optional(),
    durationSeconds: z.number(),
    sha256: text,
    language: nullableText,
    speaker: nullableText,
    tags: z.array(text),
    source: nullableText,
    audio: text,
  }),
  z.object({
    kind: z.literal('request'),
    index: count,
    phase: z.enum(phases),
    round: z.int(),
    block: z.int(),
    contenderId: text,
    utteranceId: text,
    send: plannedSend.nullable().default(null),
  }),
])

const callStage = z.enum(['connecting', 'waiting', 'receiving'])

const failure = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('refused'),
    code: text,
    message: text,
    hint: nullableText,
    httpStatus: z.int(),
    retryAfterSeconds: z.number().optional(),
    isOversize: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('timedOut'), afterMs: milliseconds, during: callStage.optional() }),
  z.object({ kind: z.literal('unreachable'), cause: text, during: callStage.optional() }),
  z.object({
    kind: z.literal('malformed'),
    httpStatus: z.int(),
    excerpt: text,
    retryAfterSeconds: z.number().optional(),
  }),
  z.object({ kind: z.literal('unsendable'), reason: text }),
  z.object({ kind: z.literal('dropped') }),
])

const answer = z.object({
  text,
  rawText: nullableText,
  engine: text,
  model: text,
  language: nullableText,
  serverLoadMs: milliseconds.nullable(),
  serverDecodeMs: milliseconds.nullable(),
  serverLatencyMs: milliseconds.nullable(),
  cutsSeconds: z.array(z.number()).optional(),
  isPostProcessed: z.boolean().optional(),
})

const usedTransport = z.enum(['path', 'staged', 'base64', 'multipart', 'text'])

/** Parser of one line of `journal.jsonl`. */
export const attemptLine: z.ZodType<AttemptLine> = z.object({
  index: count,
  attempt: z.int().min(1),
  sitting: count.optional(),
  phase: z.enum(phases),
  round: z.int(),
  block: z.int(),
  contenderId: text,
  utteranceId: text,
  modeId: nullableText,
  transport: usedTransport,
  refusedTransport: usedTransport.optional(),
  pacedMs: milliseconds.optional(),
  audioSeconds: z.number(),
  bodyBytes: count,
  dueAtMs: milliseconds,
  sentAtMs: milliseconds,
  firstByteAtMs: milliseconds.nullable(),
  endedAtMs: milliseconds,
  socket: z
    .object({
      startedAtMs: milliseconds,
      connectMs: milliseconds,
      uploadedAtMs: milliseconds.nullable(),
    })
    .optional(),
  outcome: z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), answer }),
    z.object({ ok: z.literal(false), failure }),
  ]),
})

/** Parser of one line of `modes.jsonl`. */
export const modeLine: z.ZodType<ModeLine> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('creating'), lease: text, name: text }),
  z.object({ kind: z.literal('created'), lease: text, mode }),
  z.object({ kind: z.literal('patching'), lease: text, before: mode, patch: modePatch }),
  z.object({ kind: z.literal('patched'), lease: text, after: mode }),
  z.object({ kind: z.literal('released'), lease: text, note: nullableText }),
  z.object({ kind: z.literal('left'), lease: text, reason: text }),
])

/** Parser of one line of `staged.jsonl`. */
export const stagingLine: z.ZodType<StagingLine> = z.object({
  kind: z.enum(['staging', 'removed']),
  folder: text,
})

/** Parser of one line of `telemetry.jsonl`. */
export const telemetryLine: z.ZodType<TelemetryLine> = z.object({
  atMs: milliseconds,
  sitting: count.optional(),
  serverCpuSeconds: z.number().nullable(),
  serverResidentBytes: z.number().nullable(),
  ownCpuSeconds: z.number().nullable().default(null),
  ownLoopDelayMs: z.number().nullable().optional(),
  wallAtMs: z.number().nullable().optional(),
  hostCpuSeconds: z.number().nullable().default(null),
  hostLoad1: z.number().nullable(),
  serverPeakResidentBytes: z.number().nullable().optional(),
  serverThreadCount: z.number().nullable().optional(),
  serverProcessCount: z.number().nullable().optional(),
  hostCpuStalledSeconds: z.number().nullable().optional(),
  hostMemoryStalledSeconds: z.number().nullable().optional(),
  hostIoStalledSeconds: z.number().nullable().optional(),
  hostSwappedPages: z.number().nullable().optional(),
  gpuBusyRate: z.number().nullable().optional(),
  gpuMemoryBytes: z.number().nullable().optional(),
})

/** JSON Schema of every file of a run that the recorder writes; of a `.jsonl` file, that of its lines. */
export function journalJsonSchemas(): Readonly<
  Record<'run' | 'plan' | 'journal' | 'modes' | 'staged' | 'telemetry', unknown>
> {
  return {
    run: z.toJSONSchema(runRecord, { io: 'input' }),
    plan: z.toJSONSchema(planLine, { io: 'input' }),
    journal: z.toJSONSchema(attemptLine),
    modes: z.toJSONSchema(modeLine, { io: 'input' }),
    staged: z.toJSONSchema(stagingLine),
    telemetry: z.toJSONSchema(telemetryLine, { io: 'input' }),
  }
}
