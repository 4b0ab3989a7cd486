import { z } from 'zod'
import { errorRateSchema, intervalSchema } from '#rates'
import { errorCountsSchema } from '#scoring'
import { boundsSchema, fittedValueSchema } from '#statistics'
import type { Comparison } from './comparison.ts'
import type { Evaluation } from './evaluation.ts'
import { type Finding, type FindingCode, findingDefinitions } from './finding.ts'
import { auditSchema, insightSchema, scoringIdentitySchema } from './insight-schema.ts'
import type { ThresholdResult } from './threshold-result.ts'

const text = z.string()
const nullableText = z.string().nullable()
const count = z.int().min(0)
const number = z.number()
const nullableNumber = z.number().nullable()
const share = z.number().min(0).max(1)

const interval = intervalSchema.nullable()
const errorCounts = errorCountsSchema
const errorRate = errorRateSchema
const absent = z.strictObject({ value: z.null(), reason: text })
const percentile = z.union([z.strictObject({ value: number, interval, sampleCount: count }), absent])
const percentileSet = z.strictObject({
  sampleCount: count,
  p50: percentile,
  p90: percentile,
  p95: percentile,
  p99: percentile,
})

const findingSchema: z.ZodType<Finding> = z.strictObject({
  code: z.enum(Object.keys(findingDefinitions) as [FindingCode, ...FindingCode[]]),
  severity: z.enum(['invalid', 'warning', 'note']),
  message: text,
  advice: nullableText,
  utteranceIds: z.array(text).optional(),
})

// Documents of older versions do not say which rate leads: it was that of words.
const profile = z.strictObject({
  id: text,
  fingerprint: text,
  leads: z.enum(['words', 'characters']).default('words'),
})
const validity = z.enum(['valid', 'invalid', 'short'])

const cpuCost = z.union([z.strictObject({ value: number, cpuSeconds: number, audioSeconds: number }), absent])
const bounds = boundsSchema.nullable()
const modelPart = fittedValueSchema
const latencyModel = z.union([
  z.strictObject({
    value: number,
    fixedMs: modelPart,
    perSecondMs: modelPart,
    perWindowMs: nullableNumber,
    utteranceCount: count,
    shortestSeconds: number,
    longestSeconds: number,
    predictions: z.array(
      z.strictObject({
        audioSeconds: number,
        p50Ms: number,
        p50Interval: bounds,
        p95Ms: number,
        isExtrapolated: z.boolean(),
      }),
    ),
  }),
  absent,
])

const contender = z.strictObject({
  contender: z.strictObject({
    id: text,
    engine: nullableText,
    model: nullableText,
    language: nullableText,
    patchedMode: nullableText,
    usdPerMinute: z.number().nullable().optional(),
    priceSource: nullableText.optional(),
    priceDate: nullableText.optional(),
    billing: z
      .strictObject({
        stepSeconds: nullableNumber,
        rounding: z.enum(['up', 'nearest']),
        minimumSeconds: number,
      })
      .optional(),
  }),
  counts: z.strictObject({
    planned: count,
    answered: count,
    failed: count,
    dropped: count,
    notSent: count,
  }),
  failures: z.array(
    z.strictObject({
      label: text,
      count,
      reasons: z.array(z.strictObject({ message: text, hint: nullableText, count })),
    }),
  ),
  failureRate: share.nullable(),
  scoredCount: count,
  noSpeechCount: count,
  utteranceCount: count,
  speakerCount: count.nullable(),
  coverage: share.nullable(),
  words: errorRate,
  characters: errorRate,
  sentenceErrorRate: share.nullable(),
  wordsWithFailuresAsEmpty: errorRate,
  charactersWithFailuresAsEmpty: errorRate.optional(),
  meanUtteranceWordErrorRate: nullableNumber,
  leftOut: z.strictObject({ rampCount: count, drainCount: count }),
  latencyMs: percentileSet,
  firstAttemptMs: percentileSet,
  sentAgain: z.strictObject({ requestCount: count, answeredCount: count }),
  rateLimit: z.strictObject({ refusedCount: count, waitedSeconds: number }),
  serviceMs: percentileSet,
  latencyByDuration: z.array(
    z.strictObject({ bucket: text, utteranceCount: count, latencyMs: percentileSet }),
  ),
  latencyModel,
  realTimeFactor: percentileSet,
  systemSpeed: z.union([
    z.strictObject({
      value: number,
      audioSeconds: number,
      windowSeconds: number,
      blockCount: count,
      shortBlockCount: count,
      meanInFlight: number,
      completedCount: count,
      predictedInFlight: number,
    }),
    absent.extend({ moreAnswers: count.nullable() }),
  ]),
  serverDecodeMs: percentileSet,
  serverLatencyMs: percentileSet,
  cpuSecondsPerAudioSecond: cpuCost,
  postProcessedRate: share.nullable(),
  firstRequestMs: nullableNumber,
  modelLoadingMs: z.union([
    z.strictObject({ value: number, from: z.enum(['server', 'difference']) }),
    absent,
  ]),
  untilSteadyMs: z.union([z.strictObject({ value: number }), absent]),
  phases: z.strictObject({
    queueMs: percentileSet,
    connectMs: percentileSet,
    uploadMs: percentileSet,
    waitMs: percentileSet,
    downloadMs: percentileSet,
    uploadBytesPerSecond: z.union([z.strictObject({ value: number, sampleCount: count }), absent]),
  }),
  cost: z.strictObject({ usdPerAudioHour: number, audioSeconds: number, usd: number }).nullable(),
})

const evenFrom = z.union([
  z.strictObject({ contenderId: nullableText, kind: z.literal('never') }),
  z.strictObject({
    contenderId: nullableText,
    kind: z.enum(['at', 'beyondOneMachine']),
    audioHoursPerDay: number,
  }),
])

const costs = z.strictObject({
  machine: z.strictObject({ usdPerDay: number, idleEnergyUsdPerDay: number, source: text, date: text }),
  local: z.array(
    z.strictObject({ contenderId: text, energyUsdPerAudioHour: number, maxAudioHoursPerDay: number }),
  ),
  providers: z.array(
    z.strictObject({
      contenderId: text,
      usdPerAudioHour: number,
      usd: number,
      source: text,
      date: text,
      breakEven: z.array(evenFrom),
    }),
  ),
})

const resources = z.strictObject({
  server: z.strictObject({
    cpuSecondsPerAudioSecond: cpuCost,
    residentBytes: nullableNumber,
    peakResidentBytes: nullableNumber,
    threadCount: count.nullable(),
    processCount: count.nullable(),
    megabytesPerAudioHour: z.union([
      z.strictObject({
        value: number,
        interval: z.strictObject({ low: number, high: number }).nullable(),
        sampleCount: count,
        audioHours: number,
      }),
      absent,
    ]),
  }),
  host: z.strictObject({
    foreignProcessors: nullableNumber,
    cpuStalledRate: nullableNumber,
    memoryStalledRate: nullableNumber,
    ioStalledRate: nullableNumber,
    swappedPages: nullableNumber,
  }),
  gpu: z.strictObject({ busyRate: number, memoryBytes: number }).nullable(),
})

const utterance = z.strictObject({
  requestIndex: count,
  contenderId: text,
  utteranceId: text,
  round: count,
  status: z.enum(['scored', 'failed', 'dropped', 'notSent']),
  window: z.enum(['ramp', 'steady', 'drain']).nullable(),
  failure: nullableText,
  failureMessage: nullableText,
  failureHint: nullableText,
  saidNoSpeech: z.boolean(),
  audioSeconds: number,
  latencyMs: nullableNumber,
  attemptCount: count,
  firstAttemptMs: nullableNumber,
  serviceMs: nullableNumber,
  phases: z
    .strictObject({
      queueMs: number,
      connectMs: number,
      uploadMs: number,
      waitMs: number,
      downloadMs: number,
    })
    .nullable(),
  realTimeFactor: nullableNumber,
  serverDecodeMs: nullableNumber,
  serverLatencyMs: nullableNumber,
  reference: text,
  hypothesis: nullableText,
  words: errorCounts.nullable(),
  characters: errorCounts.nullable(),
  wordErrorRate: nullableNumber,
})

const rateDifference = z.strictObject({ value: number, interval })
const difference = z.strictObject({
  better: text,
  worse: text,
  wordErrorRate: rateDifference,
  characterErrorRate: rateDifference.nullable().default(null),
  isResolved: z.boolean(),
  utteranceCount: count,
  differingCount: count,
})

const ranking = z
  .strictObject({
    metric: z.enum(['wer.all', 'cer.all']),
    confidence: share,
    comparisonCount: count,
    bands: z.array(z.strictObject({ contenderId: text, firstPlace: count, lastPlace: count })),
    resolved: z.array(z.strictObject({ better: text, worse: text })),
  })
  .nullable()

const crossover = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('at'),
    audioSeconds: number,
    interval: bounds,
    fasterBelow: z.enum(['first', 'second']),
  }),
  z.strictObject({ kind: z.literal('none'), faster: z.enum(['first', 'second']) }),
  z.strictObject({ kind: z.literal('unresolved'), reason: text }),
])

const speeds = z
  .strictObject({
    withheld: nullableText,
    margin: number,
    turnCount: count,
    roundsNeeded: count.nullable(),
    pairs: z.array(
      z.strictObject({
        faster: text,
        slower: text,
        basis: z.enum(['speed', 'latency']),
        ratio: number,
        interval,
        verdict: z.enum(['faster', 'alike', 'unresolved']),
        reason: nullableText,
      }),
    ),
    crossovers: z.array(z.strictObject({ first: text, second: text, crossover })),
  })
  .nullable()

/** The form of `evaluation.json`. */
export const evaluationSchema: z.ZodType<Evaluation> = z.strictObject({
  formatVersion: z.int(),
  run: z.strictObject({
    id: text,
    name: text,
    status: z.enum(['started', 'finished', 'interrupted', 'failed']),
    startedAt: text,
    endedAt: nullableText,
    targetBaseUrl: text,
    serviceVersion: text.nullable(),
    programVersion: text,
    cpuModel: text,
    cpuCount: count,
    givenUp: z.array(
      z.strictObject({
        id: text,
        phase: z.enum(['warmup', 'measure']),
        reason: text,
        hint: nullableText,
      }),
    ),
  }),
  validity,
  missing: z.array(z.strictObject({ contenderId: text, metric: text, moreRequests: count })),
  instrument: z.strictObject({
    sendLagMs: z.strictObject({ p50: number, p99: number, max: number, sampleCount: count }).nullable(),
    loopDelayMaxMs: nullableNumber,
    ownProcessors: nullableNumber,
    foreignProcessors: nullableNumber,
    clockStepMaxMs: nullableNumber,
  }),
  findings: z.array(findingSchema),
  profile,
  alignment: z.literal('canonical'),
  scoring: scoringIdentitySchema,
  seed: z.int(),
  corpus: z.strictObject({
    name: text,
    fingerprint: text,
    utteranceCount: count,
    sampledFrom: count.nullable().optional(),
    audioSeconds: number,
    excluded: z.array(text),
  }),
  load: z.strictObject({
    kind: z.enum(['closed', 'constant', 'poisson', 'gamma', 'ramp', 'steps', 'trace', 'speakers']),
    description: text,
    concurrency: z.int().min(1).nullable(),
    latencyCountsFrom: z.enum(['due', 'sent']),
  }),
  rounds: count,
  resources,
  contenders: z.array(contender),
  costs: costs.nullable(),
  difference: difference.nullable(),
  ranking,
  speeds,
  insights: z.array(insightSchema),
  audit: auditSchema,
  utterances: z.array(utterance),
})

const pairedRate = z.strictObject({ rate: nullableNumber, errors: number, referenceLength: count })

const alignedWords = z.array(
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('hit'), reference: text, hypothesis: text }),
    z.strictObject({ kind: z.literal('substitution'), reference: text, hypothesis: text }),
    z.strictObject({ kind: z.literal('deletion'), reference: text, hypothesis: z.null() }),
    z.strictObject({ kind: z.literal('insertion'), reference: z.null(), hypothesis: text }),
  ]),
)

const distribution = z.strictObject({ count, quantilesMs: z.array(number) })

const judgement = {
  verdict: z.enum(['better', 'worse', 'equivalent', 'unresolved']).nullable(),
  judgedBy: z.strictObject({ low: number, high: number, confidence: share }).nullable(),
  direction: z.enum(['better', 'worse']).nullable(),
  moreNeeded: count.nullable(),
}

const contenderComparison = z.strictObject({
  baseContenderId: text,
  runContenderId: text,
  pairedUtteranceCount: count,
  unpaired: z.array(z.strictObject({ utteranceId: text, reason: text })),
  identicalTextCount: count,
  rates: z.array(
    z.strictObject({
      metric: z.enum(['wer', 'cer']),
      base: pairedRate,
      run: pairedRate,
      difference: nullableNumber,
      interval,
      differingCount: count,
      margin: number,
      isExact: z.boolean(),
      ...judgement,
    }),
  ),
  significance: z
    .strictObject({
      matchedPairs: z.strictObject({ z: nullableNumber, pValue: share, adjustedPValue: share }).nullable(),
      wilcoxon: share.nullable(),
      sign: share,
      mcnemar: share,
      speakers: z.strictObject({ count, pValue: share }).nullable(),
    })
    .nullable()
    .default(null),
  speed: z.array(
    z.strictObject({
      metric: z.enum(['latency', 'latency.p50', 'latency.p95', 'latency.fixed', 'latency.slope', 'rtfx']),
      unit: z.enum(['ms', 'ms/s', 'x']),
      base: nullableNumber,
      run: nullableNumber,
      relativeChange: nullableNumber,
      interval: bounds,
      basis: z.enum(['pairs of runs', 'runs', 'runs of one side', 'calibration']).nullable(),
      margin: number,
      ranks: z
        .strictObject({ relativeChange: number, interval: bounds, pValue: share, delta: number })
        .nullable()
        .default(null),
      reason: nullableText,
      note: nullableText,
      ...judgement,
    }),
  ),
  byDuration: z.array(
    z.strictObject({
      bucket: text,
      utteranceCount: count,
      baseP50Ms: nullableNumber,
      runP50Ms: nullableNumber,
      baseP95Ms: nullableNumber,
      runP95Ms: nullableNumber,
    }),
  ),
  crossover,
  speedsWithheld: nullableText,
  latencies: z.strictObject({ base: distribution, run: distribution }),
  failures: z.strictObject({
    base: count,
    run: count,
    baseRequests: count,
    runRequests: count,
    pairedCount: count,
    onlyBase: count,
    onlyRun: count,
    difference: nullableNumber,
    interval,
    margin: number,
    ...judgement,
  }),
  betterCount: count,
  worseCount: count,
  sameCount: count,
  changed: z.array(
    z.strictObject({
      utteranceId: text,
      audioSeconds: number,
      reference: text,
      referenceLength: count,
      baseHypothesis: text,
      runHypothesis: text,
      errorDifference: number,
      baseWords: alignedWords,
      runWords: alignedWords,
    }),
  ),
  textOnly: z.array(text),
  textOnlyCount: count,
  confusions: z.array(
    z.strictObject({ reference: nullableText, hypothesis: nullableText, base: count, run: count }),
  ),
  intruders: z.array(z.strictObject({ hypothesis: text, replacedCount: count, base: count, run: count })),
  groups: z.array(
    z.strictObject({
      by: z.enum(['duration', 'speaker', 'tag']),
      name: text,
      utteranceCount: count,
      base: nullableNumber,
      run: nullableNumber,
      difference: nullableNumber,
      qValue: share.nullable().default(null),
    }),
  ),
  failureChanges: z.array(
    z.strictObject({ utteranceId: text, failedIn: z.enum(['base', 'run']), failure: text }),
  ),
})

const comparedRun = z.strictObject({ id: text, startedAt: text, validity })
const comparedSide = z.strictObject({ id: text, startedAt: text, validity, runs: z.array(comparedRun) })

const thresholdResult: z.ZodType<ThresholdResult> = z.strictObject({
  threshold: text,
  metric: text,
  contenderId: text,
  group: nullableText,
  measured: nullableNumber,
  interval,
  limit: number,
  outcome: z.enum(['passed', 'failed', 'invalid']),
  isResolved: z.boolean(),
  reason: nullableText,
})

/** A comparison as `transcribench compare --json` prints it. */
export type ComparisonOutput = Comparison & { readonly thresholds?: readonly ThresholdResult[] | undefined }

/** The form of a comparison, with the thresholds that it was held to. */
export const comparisonSchema: z.ZodType<ComparisonOutput> = z.strictObject({
  formatVersion: z.int(),
  base: comparedSide,
  run: comparedSide,
  profile,
  seed: z.int(),
  conditions: z.array(
    z.strictObject({
      key: z.enum(['corpus', 'load', 'rounds', 'contender', 'machine', 'service', 'target', 'transcribench']),
      base: text,
      run: text,
    }),
  ),
  findings: z.array(findingSchema),
  family: z.strictObject({ confidence: share, comparisonCount: count }),
  contenders: z.array(contenderComparison),
  ranking: z.strictObject({ base: ranking, run: ranking }),
  unpairedContenders: z.array(z.strictObject({ side: z.enum(['base', 'run']), id: text })),
  thresholds: z.array(thresholdResult).optional(),
})

/** JSON Schemas of the documents, by name, for editors and other programs. */
export function documentJsonSchemas(): Readonly<Record<'evaluation' | 'comparison', unknown>> {
  return { evaluation: z.toJSONSchema(evaluationSchema), comparison: z.toJSONSchema(comparisonSchema) }
}
