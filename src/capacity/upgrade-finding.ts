/**
 * Turns a finding of an older format version into one of today's, so that old runs still open and report. Anything else is
 * handed on as it is: the schema says what is wrong with it.
 *
 *   1 → 2   what predicted other machines and other degrees of parallelism is left out
 */
export function upgradeFinding(value: unknown): unknown {
  if (!isObject(value) || value['formatVersion'] !== 1) return value
  const { host, contenders } = value
  return {
    ...value,
    formatVersion: 2,
    host: mapObject(host, (known) => ({
      ...known,
      speedIndex: mapObject(known['speedIndex'], (index) => without(index, 'allAtOnce')),
    })),
    contenders: mapList(contenders, (contender) => ({
      ...contender,
      simulation: mapObject(contender['simulation'], upgradeSimulation),
    })),
  }
}

type Fields = Readonly<Record<string, unknown>>

function upgradeSimulation(simulation: Fields): Fields {
  const { workers } = simulation
  const whatIfs = Array.isArray(simulation['whatIfs']) ? simulation['whatIfs'] : []
  const kept = whatIfs.filter(
    (whatIf: unknown) =>
      isObject(whatIf) &&
      whatIf['workers'] === workers &&
      whatIf['refusedBecause'] === null &&
      whatIf['question'] !== 'a machine twice as fast',
  )
  return {
    idleSlowdown: 1,
    ...without(simulation, 'pace', 'processorsPerWorker', 'copies'),
    whatIfs: mapList(kept, (whatIf) => without(whatIf, 'workers', 'evidence', 'refusedBecause')),
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapObject(value: unknown, change: (fields: Fields) => Fields): unknown {
  return isObject(value) ? change(value) : value
}

function mapList(value: unknown, change: (fields: Fields) => Fields): unknown {
  return Array.isArray(value) ? value.map((each) => mapObject(each, change)) : value
}

function without(fields: Fields, ...keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)))
}
