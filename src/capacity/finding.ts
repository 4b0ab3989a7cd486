import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { costs, fleet, habit } from './cost.ts'
import {
  bounds,
  capacity,
  cold,
  count,
  interference,
  level,
  load,
  overload,
  positive,
  simulation,
  sweep,
  verdict,
} from './found-loads.ts'
import { missRateOf } from './level.ts'

/** Version of `CapacityFinding`. */
export const capacityFormatVersion = 5

const text = z.string()
const nullableText = text.nullable()
const milliseconds = z.number().nullable()

/** Why a search ended. */
const endings = ['precise', 'budget', 'saturated', 'hopeless', 'interrupted'] as const
export type SearchEnding = (typeof endings)[number]

const contender = z
  .strictObject({
    id: text.describe('Short name.'),
    engine: nullableText.describe('Engine; null where a Mode decides.'),
    model: nullableText.describe('Model; null where a Mode decides.'),
    capacity: capacity
      .nullable()
      .describe(
        'Null where no load was measured and no simulation could be made, where no load meets the objectives, where it was ' +
          'given: see `ended`, or where the speed of the server changed: see `change`.',
      ),
    change: z
      .strictObject({
        times: positive.describe(
          'Service time of a request alone at the end of the search over that at its beginning.',
        ),
        firstEstimate: positive
          .nullable()
          .describe('First estimate of the capacity in requests per second; null without one.'),
        lastEstimate: positive.nullable().describe('Last one.'),
      })
      .nullable()
      .optional()
      .describe(
        'How the speed of the server changed during the search: there is then no single capacity, and no bound is without doubt. ' +
          'Null where it did not; absent in older documents.',
      ),
    bounds: bounds.describe('Loads without doubt.'),
    ended: z
      .enum([...endings, 'given'])
      .describe(
        'Why the search ended. `precise`: the interval is as narrow as requested, and confirmed. `budget`: the time is used. ' +
          '`saturated`: the objectives are met up to the max of the server. `hopeless`: they are violated at the lowest load. ' +
          '`interrupted`: stopped, or the target is gone. `given`: the capacity was given and not searched.',
      ),
    levels: z.array(level).describe('In order of load.'),
    confirmation: z
      .strictObject({
        load: load.describe('Load.'),
        verdict: verdict.describe('Verdict by this stretch alone.'),
      })
      .nullable()
      .describe('A long stretch with new random arrivals; null where there was none.'),
    sweep: sweep.describe('How the server scales.'),
    simulation: simulation.nullable().describe('Null where too little was measured to make one.'),
    overloads: z.array(overload).describe('Stretches above the capacity.'),
    interference: interference.nullable().describe('Null where it was not measured.'),
    cold: cold.describe('Cold start.'),
    fleet: fleet.nullable().describe('Null where no number of users was given.'),
    costs: costs.nullable().describe('Null where no prices were given.'),
  })
  .meta({ id: 'ContenderCapacity', description: 'Everything that was found of one contender.' })
export type ContenderCapacity = DeepReadonly<z.infer<typeof contender>>

const remark = z
  .strictObject({
    severity: z.enum(['invalid', 'decisive', 'warning', 'note']).describe('How much it matters.'),
    message: text.describe('In words.'),
  })
  .meta({ id: 'CapacityRemark', description: 'A limit of the finding.' })
export type CapacityRemark = DeepReadonly<z.infer<typeof remark>>

const speedIndex = z
  .strictObject({
    integerMillionsPerSecond: positive.describe('Millions of rounds of an integer hash per second.'),
    floatBillionsPerSecond: positive.describe(
      'Billions of floating-point operations per second of a 32-bit matrix product.',
    ),
    memoryBillionsPerSecond: positive.describe('Billions of bytes copied in memory per second.'),
  })
  .meta({ id: 'HostSpeedIndex', description: 'Speed of one thread of the host; more is faster.' })
export type HostSpeedIndex = DeepReadonly<z.infer<typeof speedIndex>>

export const capacityFinding = z.strictObject({
  formatVersion: z.literal(capacityFormatVersion).describe('Version of this document.'),
  id: text.describe('Name of its folder.'),
  startedAt: text.describe('Start, ISO 8601, UTC.'),
  endedAt: text.describe('End, ISO 8601, UTC.'),
  command: z.array(text).describe('Command line, word by word.'),
  programVersion: text.describe('Version of transcribench.'),
  seed: count.describe('Seed of all random choices.'),
  budgetSeconds: positive.describe('Time that the measurement was allowed, in seconds.'),
  spentSeconds: positive.describe('Time that it took, in seconds.'),
  host: z
    .strictObject({
      platform: text.describe('Operating system.'),
      cpuModel: text.describe('Model of the processor.'),
      cpuCount: count.describe('Processors.'),
      memoryBytes: count.describe('Memory in bytes.'),
      speedIndex: speedIndex.nullable().describe('Null where it was not measured.'),
    })
    .describe('The machine that measured.'),
  target: z
    .strictObject({
      kind: text.describe('How the target was named.'),
      baseUrl: text.describe('Address, without credentials.'),
      version: nullableText.describe('Version of the service; null where it reports none.'),
    })
    .describe('The service that was measured.'),
  corpus: z
    .strictObject({
      name: text.describe('Name.'),
      fingerprint: text.describe('Fingerprint of its recordings and references.'),
      utteranceCount: count.describe('Utterances.'),
      meanAudioSeconds: positive.describe('Mean length of a recording in seconds.'),
    })
    .describe('What was sent.'),
  habit: habit.describe('What a concurrent user does.'),
  objectives: z.array(text).describe('Service-level objectives as the user wrote them.'),
  contenders: z.array(contender).describe('One for each contender.'),
  instrument: z
    .strictObject({
      lateP99Ms: milliseconds.describe(
        '99th percentile of the send lag in milliseconds; null without open loads.',
      ),
      lateMaxMs: milliseconds.describe('Max send lag in milliseconds; null without open loads.'),
    })
    .describe('Error of the instrument itself.'),
  remarks: z.array(remark).describe('Limits of the finding.'),
})
/** The one document of a capacity measurement; every screen and file renders it. */
export type CapacityFinding = DeepReadonly<z.infer<typeof capacityFinding>>

/** Reads what `transcribench capacity` wrote, in this format version or an older one. */
export const capacityFindingSchema: z.ZodType<CapacityFinding> = z.preprocess(upgradeFinding, capacityFinding)

/** For `docs/schemas`. */
export function capacityJsonSchema(): object {
  return z.toJSONSchema(capacityFinding)
}

/**
 * Turns a document of an older format version into one of today's, so that old runs still open and report. Anything else is
 * handed on as it is: the schema says what is wrong with it.
 *
 *   1 → 2   objectives were called promises, met and violated kept and broken, and users people; what predicted other machines and
 *           other degrees of parallelism is left out; machines for so many users belong to a contender
 *   2 → 3   the project was called asrbench
 *   3 → 4   error rates were always of words; a sweep says now what they are of
 *   4 → 5   the response time next to long recordings is named as the part of the measurement that gives it
 */
function upgradeFinding(value: unknown): unknown {
  if (!isObject(value)) return value
  if (value['formatVersion'] === 1) return upgradeFinding(withObjectives(value))
  if (value['formatVersion'] === 2) {
    const { asrbenchVersion, ...rest } = value
    return upgradeFinding({ ...rest, formatVersion: 3, programVersion: asrbenchVersion })
  }
  if (value['formatVersion'] === 3) return upgradeFinding(withNamedRates(value))
  return value['formatVersion'] === 4 ? withNamedInterference(value) : value
}

function withNamedInterference(value: Fields): Fields {
  return {
    ...value,
    formatVersion: 5,
    contenders: mapList(value['contenders'], (contender) => ({
      ...contender,
      interference: mapObject(contender['interference'], ({ besideP95Ms, ...rest }) => ({
        ...rest,
        withLongP95Ms: besideP95Ms,
      })),
    })),
  }
}

function withNamedRates(value: Fields): Fields {
  const renamed = ({ wordErrorRate, ...rest }: Fields): Fields => ({ ...rest, errorRate: wordErrorRate })
  return {
    ...value,
    formatVersion: 4,
    contenders: mapList(value['contenders'], (contender) => ({
      ...contender,
      sweep: mapObject(contender['sweep'], (sweep) => ({
        ...sweep,
        leads: 'words',
        levels: mapList(sweep['levels'], ({ wordErrorRateDifference, ...level }) => ({
          ...renamed(level),
          errorRateDifference: wordErrorRateDifference,
        })),
      })),
      costs: mapObject(contender['costs'], (costs) => ({
        ...costs,
        cloud: mapList(costs['cloud'], renamed),
        offers: mapList(costs['offers'], renamed),
      })),
    })),
  }
}

function withObjectives(value: Fields): Fields {
  const { host, contenders, fleet, promises, command, ...rest } = value
  return {
    ...rest,
    formatVersion: 2,
    command: Array.isArray(command)
      ? command.map((word: unknown) => flags.get(String(word)) ?? word)
      : command,
    host: mapObject(host, (known) => ({
      ...known,
      speedIndex: mapObject(known['speedIndex'], (index) => without(index, 'allAtOnce')),
    })),
    objectives: promises,
    contenders: mapList(contenders, (contender, index) =>
      upgradeContender(contender, index === 0 ? fleet : null),
    ),
  }
}

/** What the flags of older commands are called today. */
const flags: ReadonlyMap<string, string> = new Map([
  ['--promise', '--slo'],
  ['--people', '--users'],
  ['--people-pause', '--pause'],
  ['--user-pause', '--pause'],
  ['--bears', '--known-capacity'],
])

type Fields = Readonly<Record<string, unknown>>

function upgradeContender(contender: Fields, fleet: unknown): Fields {
  const { capacity, confirmation, levels, sweep, simulation, overloads, ...rest } = contender
  const upgraded = mapList(levels, upgradeLevel)
  const confirmed = mapObject(confirmation, ({ load, verdict }) => ({
    load: mapObject(load, upgradeFigure),
    verdict: upgradeVerdict(verdict),
  }))
  return {
    ...rest,
    capacity: mapObject(capacity, ({ estimate, low, high, limitedBy }) => ({
      basis: 'measured',
      estimate: mapObject(estimate, upgradeFigure),
      low: mapObject(low, upgradeFigure),
      high: mapObject(high, upgradeFigure),
      limitedBy,
    })),
    bounds: boundsOf(upgraded, confirmed),
    levels: upgraded,
    overloads: mapList(overloads, (overload) => ({ ...overload, tooFewAfterwards: null })),
    confirmation: confirmed,
    sweep: mapObject(sweep, (known) => ({
      ...known,
      scalingReason: known['scaling'] === null ? 'it was not recorded' : null,
    })),
    simulation: mapObject(simulation, upgradeSimulation),
    fleet: mapObject(fleet, ({ people, machines, machinesWithSpare, peoplePerMachine }) => ({
      users: people,
      size: {
        machines,
        machinesWithSpare,
        usersPerMachine: peoplePerMachine,
        basis: isObject(capacity) && capacity['low'] !== null ? 'measured' : 'confirmed',
      },
      yearly: null,
    })),
  }
}

function upgradeFigure({ people, ...rest }: Fields): Fields {
  return { ...rest, concurrentUsers: people }
}

function upgradeVerdict(verdict: unknown): unknown {
  return verdict === 'kept' ? 'met' : verdict === 'broken' ? 'violated' : verdict
}

function upgradeLevel(level: Fields): Fields {
  const { promises, verdict, stability, ...rest } = upgradeFigure(level)
  return {
    ...rest,
    stability: upgradeVerdict(stability),
    objectives: mapList(promises, ({ promise, verdict: each, ...figures }) => {
      const { misses, requests, designEffect } = figures
      return {
        ...figures,
        objective: promise,
        verdict: upgradeVerdict(each),
        missRate: missRateOf(Number(misses), Number(requests), Number(designEffect)),
      }
    }),
    verdict: upgradeVerdict(verdict),
  }
}

function boundsOf(levels: unknown, confirmation: unknown): Fields {
  const all = (Array.isArray(levels) ? levels : []).filter(isObject)
  const violated = all.find(({ verdict }) => verdict === 'violated')
  const below = all.slice(0, violated === undefined ? all.length : all.indexOf(violated))
  const confirmed =
    isObject(confirmation) && confirmation['verdict'] === 'met' ? confirmation['load'] : undefined
  return {
    met: figureOf(confirmed ?? below.findLast(({ verdict }) => verdict === 'met')),
    violated: figureOf(violated),
  }
}

function figureOf(value: unknown): unknown {
  return isObject(value)
    ? {
        requestsPerSecond: value['requestsPerSecond'],
        audioSecondsPerSecond: value['audioSecondsPerSecond'],
        concurrentUsers: value['concurrentUsers'],
      }
    : null
}

function upgradeSimulation(simulation: Fields): Fields {
  const { workers, whatIfs } = simulation
  const kept = (Array.isArray(whatIfs) ? whatIfs : []).filter(
    (whatIf: unknown) =>
      isObject(whatIf) &&
      whatIf['workers'] === workers &&
      whatIf['refusedBecause'] === null &&
      whatIf['question'] !== 'a machine twice as fast',
  )
  return {
    idleSlowdown: 1,
    ...without(simulation, 'pace', 'processorsPerWorker', 'copies'),
    whatIfs: mapList(kept, ({ capacity, ...whatIf }) => ({
      ...without(whatIf, 'workers', 'evidence', 'refusedBecause'),
      capacity: mapObject(capacity, upgradeFigure),
    })),
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Changes an object; null stays null. */
function mapObject(value: unknown, change: (fields: Fields) => Fields): unknown {
  return isObject(value) ? change(value) : value === undefined ? null : value
}

function mapList(value: unknown, change: (fields: Fields, index: number) => Fields): unknown {
  return Array.isArray(value)
    ? value.map((each: unknown, index) => mapObject(each, (fields) => change(fields, index)))
    : value
}

function without(fields: Fields, ...keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)))
}
