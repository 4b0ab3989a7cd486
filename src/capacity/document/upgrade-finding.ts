import { missRateOf } from '../search/level.ts'

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
export function upgradeFinding(value: unknown): unknown {
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
