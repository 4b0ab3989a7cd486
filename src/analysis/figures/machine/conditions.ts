import {
  findRecordedTarget,
  type HostSpeed,
  type Json,
  type RecordedContender,
  type RecordedTarget,
  type RunRecord,
} from '#journal/run-record'
import { counted } from '#prelude'
import { median } from '#statistics/quantiles'
import type { Condition } from '../../documents/comparison.ts'
import { evaluatedLoad } from '../../requests/evaluated-load.ts'

/** Conditions that affect speed. */
export const speedConditions = {
  load: (record) => evaluatedLoad(record).description,
  machine: ({ host }) => describeMachine(host),
  target: (record) => targetWords(record),
} satisfies Partial<Record<Condition['key'], (record: RunRecord) => string>>

/**
 * Lists the conditions of the runs of two sides as texts, to show what differs apart from the contender. Where runs
 * of one side differ, all variants are named.
 */
export function listConditions(
  base: readonly RunRecord[],
  run: readonly RunRecord[],
  contenders: { readonly base: readonly RecordedContender[]; readonly run: readonly RecordedContender[] },
): readonly Condition[] {
  const both = (key: Condition['key'], describe: (record: RunRecord) => string): Condition => ({
    key,
    base: [...new Set(base.map(describe))].join(' or '),
    run: [...new Set(run.map(describe))].join(' or '),
  })
  return [
    {
      key: 'contender',
      base: contenders.base.map(describeContender).join(' · '),
      run: contenders.run.map(describeContender).join(' · '),
    },
    both('corpus', ({ corpus }) => `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`),
    both('load', speedConditions.load),
    both('rounds', ({ rounds }) => counted(rounds, 'round')),
    both('machine', speedConditions.machine),
    both('service', (record) =>
      listTargets(record)
        .map(({ health }) => `service ${health?.app_version ?? 'of unknown version'}`)
        .join(', '),
    ),
    both('target', speedConditions.target),
    both('transcribench', ({ host }) => `transcribench ${host.programVersion}`),
  ]
}

/**
 * Describes the target with its address: `openai http://10.0.0.5:8000/v1`. The query is omitted, because it may hold
 * a key. The address of built-in and discovered services is omitted, because their port changes at each start.
 */
export function targetWords(record: Pick<RunRecord, 'target' | 'targets'>): string {
  const words = listTargets(record).map(({ kind, baseUrl }) => {
    if (kind === 'embedded' || kind === 'discovered' || !URL.canParse(baseUrl)) return kind
    const { origin, pathname } = new URL(baseUrl)
    return `${kind} ${origin}${pathname.replace(/\/$/, '')}`
  })
  return words.join(', ')
}

function listTargets({ target, targets }: Pick<RunRecord, 'target' | 'targets'>): readonly RecordedTarget[] {
  return targets ?? [target]
}

/** Describes a machine as `AMD Ryzen 7, 8 processors, linux`. */
export function describeMachine({ cpuModel, cpuCount, platform }: RunRecord['host']): string {
  return `${cpuModel}, ${cpuCount} processors, ${platform}`
}

function describeContender({ id, engine, model, language }: RecordedContender): string {
  const parts = [engine, model === id ? null : model, language].filter((part) => part !== null)
  return parts.length === 0 ? id : `${id} (${parts.join(', ')})`
}

/** Keys of a config, and of its contenders, that a comparison shows elsewhere, or that change no figure. */
const shownElsewhere = {
  config:
    /^(?:name|results|thresholds|margins|seed|exclude|corpus|target|rounds|load|scoring|skipUnready|parallel|\$schema)$/,
  contender: /^(?:id|target|keyFrom|engine|model|language|mode)$/,
}

function isShownElsewhere({ path, contenderId }: Setting): boolean {
  const [key = '', , ofContender = ''] = path
  if (contenderId === null) return shownElsewhere.config.test(key)
  return path.length === 3 && shownElsewhere.contender.test(ofContender)
}

/** A setting that differs between the runs of a comparison and is in no table. */
export interface HiddenSetting {
  /** Such as `contenders.tiny.threads`, or `service.threads` for a setting that the service reports. */
  readonly key: string
  /** `1`; or `1 or 2` where runs of one side differ. */
  readonly base: string
  readonly run: string
}

/**
 * Returns settings that differ besides the compared ones, such as threads, quantisation or transport. Contenders are
 * matched by id, so their order does not matter.
 */
export function hiddenSettings(
  base: readonly RunRecord[],
  run: readonly RunRecord[],
): readonly HiddenSetting[] {
  const [baseSettings, runSettings] = [base.map(flattenSettings), run.map(flattenSettings)]
  const contendersOf = (side: readonly Settings[]): ReadonlySet<string | null> =>
    new Set(side.flatMap((settings) => [...settings.values()].map(({ contenderId }) => contenderId)))
  const [baseContenders, runContenders] = [contendersOf(baseSettings), contendersOf(runSettings)]
  const isComparable = ({ contenderId }: Setting): boolean =>
    contenderId === null || (baseContenders.has(contenderId) && runContenders.has(contenderId))
  const valuesOf = (side: readonly Settings[], key: string): readonly string[] =>
    [...new Set(side.map((settings) => settings.get(key)?.value ?? absent(key)))].sort()
  const compared = [...baseSettings, ...runSettings]
    .flatMap((settings) => [...settings])
    .filter(([, setting]) => !isShownElsewhere(setting) && isComparable(setting))
    .map(([key]) => key)
  return [...new Set(compared)]
    .filter((key) => valuesOf([...baseSettings, ...runSettings], key).length > 1)
    .sort()
    .map((key) => ({
      key,
      base: valuesOf(baseSettings, key).join(' or '),
      run: valuesOf(runSettings, key).join(' or '),
    }))
}

interface Setting {
  /** Keys from the outermost one; those of a contender may have dots. */
  readonly path: readonly string[]
  /** Null for a setting of the run or of its service. */
  readonly contenderId: string | null
  readonly value: string
}

/** By the joined path. */
type Settings = ReadonlyMap<string, Setting>

function flattenSettings(record: RunRecord): Settings {
  const settings = new Map<string, Setting>()
  const set = (path: readonly string[], value: unknown): void => {
    const [first, id = null] = path
    const contenderId = first === 'contenders' && path.length > 2 ? id : null
    settings.set(path.join('.'), { path, contenderId, value: String(value) })
  }
  const add = (path: readonly string[], value: Json): void => {
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) add([...path, describeName(each) ?? String(index)], each)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) add([...path, key], each)
    } else set(path, value)
  }
  const { config, contenders } = record
  add([], config)
  // The concurrency of the built-in service comes from the load, which is shown elsewhere.
  for (const { name, target } of namedTargets(record)) {
    for (const [key, value] of Object.entries(target.health?.service_settings ?? {})) {
      if (target.kind !== 'embedded' || key !== 'concurrency') set([name, key], value)
    }
  }
  for (const contender of contenders) {
    const { id, model } = contender
    const size =
      findRecordedTarget(record, contender).models.find((entry) => entry.id === model)?.size_mb ?? null
    if (size !== null) set(['contenders', id, 'model size'], `${size} MB`)
  }
  return settings
}

function namedTargets({ target, targets }: RunRecord): readonly {
  readonly name: string
  readonly target: RecordedTarget
}[] {
  return targets?.map((one) => ({ name: `service.${one.id}`, target: one })) ?? [{ name: 'service', target }]
}

/** A setting that a config lacks is not set; one that a service does not report is unknown. */
function absent(key: string): string {
  return /^service\.|\.model size$/.test(key) ? 'not known' : 'not set'
}

function describeName(value: Json): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { id } = value as { readonly id?: Json }
  return typeof id === 'string' ? id : null
}

/** Max relative difference of the machines' speeds: several times the difference between runs on one machine. */
const speedTolerance = 0.15

/** Difference of the machines' speeds, measured by the same short work before the runs of both sides. */
export interface HostSpeedDifference {
  /** Run / base, of the value that differs less; below 1 where the run's machine was slower. */
  readonly ratio: number
  readonly base: ComputingSpeed
  readonly run: ComputingSpeed
}

/** The values of a host speed index that engines depend on. */
type ComputingSpeed = Pick<HostSpeed, 'integerMillionsPerSecond' | 'floatBillionsPerSecond'>

/**
 * Compares the host speed indexes of two sides. A throttled or another machine is slower in integers and in floats,
 * so both must differ in the same direction. The median run represents its side, so that a single bad moment has no
 * effect.
 *
 * @returns null where the machines were equally fast, and where a side has no index
 */
export function hostSpeedDifference(
  base: readonly RunRecord[],
  run: readonly RunRecord[],
): HostSpeedDifference | null {
  const [baseSpeed, runSpeed] = [middleSpeed(base), middleSpeed(run)]
  if (baseSpeed === null || runSpeed === null) return null
  const ratios = [
    runSpeed.integerMillionsPerSecond / baseSpeed.integerMillionsPerSecond,
    runSpeed.floatBillionsPerSecond / baseSpeed.floatBillionsPerSecond,
  ]
  const [lower, higher] = [Math.min(...ratios), Math.max(...ratios)]
  if (higher < 1 - speedTolerance) return { ratio: higher, base: baseSpeed, run: runSpeed }
  return lower > 1 / (1 - speedTolerance) ? { ratio: lower, base: baseSpeed, run: runSpeed } : null
}

function middleSpeed(side: readonly RunRecord[]): ComputingSpeed | null {
  const middle = (figure: keyof ComputingSpeed): number =>
    median(side.map(({ host }) => host.speed[figure])) ?? 0
  const [integerMillionsPerSecond, floatBillionsPerSecond] = [
    middle('integerMillionsPerSecond'),
    middle('floatBillionsPerSecond'),
  ]
  return integerMillionsPerSecond > 0 && floatBillionsPerSecond > 0
    ? { integerMillionsPerSecond, floatBillionsPerSecond }
    : null
}
