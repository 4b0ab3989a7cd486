import { z } from 'zod'
import { type CapacityFinding, capacityFormatVersion } from './finding.ts'
import { upgradeFinding } from './upgrade-finding.ts'

const text = z.string()
const nullableText = text.nullable()
const number = z.number()
const positive = z.number().min(0)
const nullable = z.number().nullable()
const count = z.int().min(0)
const share = z.number().min(0).max(1)
const verdict = z.enum(['met', 'violated', 'undecided'])
const interval = z.strictObject({ low: number, high: number })
const load = z.strictObject({
  requestsPerSecond: positive,
  audioSecondsPerSecond: positive,
  concurrentUsers: positive,
})

const objective = z.strictObject({
  objective: text,
  verdict,
  misses: count,
  requests: count,
  missRate: z.strictObject({ estimate: share, interval }).nullable(),
  designEffect: z.number().min(1),
  moreNeeded: z.int().nullable(),
})

const level = z.strictObject({
  ...load.shape,
  achievedPerSecond: positive,
  requests: count,
  failureRate: share,
  p50Ms: nullable,
  p95Ms: nullable,
  p99Ms: nullable,
  meanInSystem: positive,
  backlogGrowth: number,
  stability: verdict,
  objectives: z.array(objective),
  verdict,
  measuredSeconds: positive,
  differingTexts: count,
  comparedTexts: count,
})

const estimate = z.strictObject({ estimate: number, interval }).nullable()
const sweep = z.strictObject({
  leads: z.enum(['words', 'characters']),
  levels: z.array(
    z.strictObject({
      inFlight: count,
      requestsPerSecond: nullable,
      speed: nullable,
      p50Ms: nullable,
      p95Ms: nullable,
      comparedTexts: count,
      differingTexts: count,
      failed: count,
      errorRate: nullable,
      errorRateDifference: z.strictObject({ estimate: number, interval: interval.nullable() }).nullable(),
      cpuSecondsPerAudioSecond: nullable,
      peakResidentBytes: nullable,
    }),
  ),
  scaling: z.enum(['serialised', 'thrashing', 'scaling', 'levelling']).nullable(),
  scalingReason: nullableText,
  effectiveServers: nullable,
  serialShare: estimate,
  crosstalk: estimate,
  peak: z.strictObject({ inFlight: number, interval }).nullable(),
  peakReason: nullableText,
})

const simulation = z.strictObject({
  fixedMs: number,
  perAudioSecondMs: number,
  ratios: z.array(positive),
  workers: count,
  atWorkShare: share,
  slowdowns: z.array(positive),
  idleSlowdown: positive,
  reproductions: z.array(
    z.strictObject({
      perSecond: positive,
      requests: count,
      measuredP50Ms: number,
      simulatedP50Ms: number,
      measuredP95Ms: number,
      simulatedP95Ms: number,
      isReproduced: z.boolean(),
    }),
  ),
  silentBecause: nullableText,
  whatIfs: z.array(
    z.strictObject({
      question: text,
      meanAudioSeconds: positive,
      capacity: load.nullable(),
      check: nullableText,
    }),
  ),
})

const overload = z.strictObject({
  times: positive,
  perSecond: positive,
  forSeconds: positive,
  requests: count,
  answered: count,
  turnedAway: count,
  failed: count,
  backlogAtEnd: count,
  backlogPerSecond: number,
  recoverySeconds: nullable,
  tooFewAfterwards: z.strictObject({ requests: count, misses: count }).nullable(),
  isAlive: z.boolean(),
  differing: count,
  crossed: count,
  emptied: count,
  compared: count,
})

const interference = z.strictObject({
  perSecond: positive,
  longAudioSeconds: positive,
  longRequests: count,
  aloneP95Ms: nullable,
  besideP95Ms: nullable,
  requests: count,
})

const cold = z.strictObject({
  startMs: nullable,
  firstAnswerMs: nullable,
  steadyAnswerMs: nullable,
  twoWhileLoadingMs: z.tuple([number, number]).nullable(),
  untilSteadyMs: nullable,
  untilSteadyReason: nullableText,
  afterIdleMs: nullable,
  idleSeconds: nullable,
})

const breakEven = z.union([
  z.strictObject({ kind: z.literal('at'), audioHoursPerDay: positive }),
  z.strictObject({ kind: z.literal('never') }),
  z.strictObject({ kind: z.literal('beyondOneMachine'), audioHoursPerDay: positive }),
])

const costs = z.strictObject({
  currency: text,
  local: z
    .strictObject({
      utilisation: share,
      audioHoursPerDay: positive,
      machinePerDay: positive,
      idleEnergyPerDay: positive,
      energyPerAudioHour: positive,
      energyIs: z.enum(['measured', 'estimated']),
      perAudioHour: positive,
      perThousandCorrectWords: nullable,
    })
    .nullable(),
  cloud: z.array(
    z.strictObject({
      id: text,
      name: text,
      source: text,
      date: text,
      billedShare: positive,
      perAudioHour: positive,
      perThousandCorrectWords: nullable,
      errorRate: nullable,
      breakEven: breakEven.nullable(),
    }),
  ),
  offers: z.array(z.strictObject({ id: text, errorRate: nullable, p95Ms: nullable, perAudioHour: nullable })),
  paretoFront: z.array(text),
})

const origin = { source: text, date: text }
const fleet = z.strictObject({
  users: count,
  size: z
    .strictObject({
      machines: count,
      machinesWithSpare: count,
      usersPerMachine: count,
      basis: z.enum(['confirmed', 'measured', 'simulated']),
    })
    .nullable(),
  yearly: z
    .strictObject({
      currency: text,
      utilisation: share,
      audioHours: positive,
      own: z.strictObject({ machines: count, amount: positive, ...origin }).nullable(),
      providers: z.array(z.strictObject({ id: text, name: text, amount: positive, ...origin })),
    })
    .nullable(),
})

const contender = z.strictObject({
  id: text,
  engine: nullableText,
  model: nullableText,
  capacity: z
    .strictObject({
      basis: z.enum(['measured', 'simulated']),
      estimate: load,
      low: load.nullable(),
      high: load.nullable(),
      limitedBy: nullableText,
    })
    .nullable(),
  bounds: z.strictObject({ met: load.nullable(), violated: load.nullable() }),
  ended: z.enum(['precise', 'budget', 'saturated', 'hopeless', 'interrupted', 'given']),
  levels: z.array(level),
  confirmation: z.strictObject({ load, verdict }).nullable(),
  sweep,
  simulation: simulation.nullable(),
  overloads: z.array(overload),
  interference: interference.nullable(),
  cold,
  fleet: fleet.nullable(),
  costs: costs.nullable(),
})

const finding: z.ZodType<CapacityFinding> = z.strictObject({
  formatVersion: z.literal(capacityFormatVersion),
  id: text,
  startedAt: text,
  endedAt: text,
  command: z.array(text),
  programVersion: text,
  seed: count,
  budgetSeconds: positive,
  spentSeconds: positive,
  host: z.strictObject({
    platform: text,
    cpuModel: text,
    cpuCount: count,
    memoryBytes: count,
    speedIndex: z
      .strictObject({
        integerMillionsPerSecond: positive,
        floatBillionsPerSecond: positive,
        memoryBillionsPerSecond: positive,
      })
      .nullable(),
  }),
  target: z.strictObject({ kind: text, baseUrl: text, version: nullableText }),
  corpus: z.strictObject({
    name: text,
    fingerprint: text,
    utteranceCount: count,
    meanAudioSeconds: positive,
  }),
  habit: z.strictObject({ meanAudioSeconds: positive, meanPauseSeconds: positive }),
  objectives: z.array(text),
  contenders: z.array(contender),
  instrument: z.strictObject({ lateP99Ms: nullable, lateMaxMs: nullable }),
  remarks: z.array(z.strictObject({ severity: z.enum(['invalid', 'warning', 'note']), message: text })),
})

/** Reads what `transcribench capacity` wrote, in this format version or an older one. */
export const capacityFindingSchema: z.ZodType<CapacityFinding> = z.preprocess(upgradeFinding, finding)

/** For `docs/schemas`. */
export function capacityJsonSchema(): object {
  return z.toJSONSchema(finding, { target: 'draft-2020-12' })
}
