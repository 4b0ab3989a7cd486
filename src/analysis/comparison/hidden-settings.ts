import { type Json, type RecordedTarget, type RunRecord, targetOf } from '#journal'

/** Keys of a config that a comparison shows elsewhere, or that change no figure. */
const shownElsewhere =
  /^(name|results|thresholds|margins|seed|exclude|corpus|target|rounds|load|scoring|skipUnready|parallel|\$schema)(\.|$)|^contenders\.[^.]+\.(id|target|keyFrom|engine|model|language|mode)$/

/** A setting that differs between the runs of a comparison and is in no table. */
export interface HiddenSetting {
  /** As `contenders.tiny.settings.threads`, or `service.threads` for what the service says of itself. */
  readonly key: string
  /** `1`; `1 or 2` where the runs of one side differ among themselves. */
  readonly base: string
  readonly run: string
}

/**
 * Settings that differ without being what is compared: threads, quantisation, a transport. Contenders are held
 * against each other by id, so that a new order of them is no difference.
 */
export function hiddenSettings(
  base: readonly RunRecord[],
  run: readonly RunRecord[],
): readonly HiddenSetting[] {
  const [left, right] = [base.map(settingsOf), run.map(settingsOf)]
  const contendersOf = (side: readonly Settings[]): ReadonlySet<string> =>
    new Set(side.flatMap((one) => [...one.keys()].flatMap((key) => contenderOf(key) ?? [])))
  const [ours, theirs] = [contendersOf(left), contendersOf(right)]
  const isComparable = (key: string): boolean => {
    const contender = contenderOf(key)
    return contender === null || (ours.has(contender) && theirs.has(contender))
  }
  const valuesOf = (side: readonly Settings[], key: string): readonly string[] =>
    [...new Set(side.map((settings) => settings.get(key) ?? absent(key)))].sort()
  return [...new Set([...left, ...right].flatMap((settings) => [...settings.keys()]))]
    .filter((key) => !shownElsewhere.test(key) && isComparable(key))
    .filter((key) => valuesOf([...left, ...right], key).length > 1)
    .sort()
    .map((key) => ({
      key,
      base: valuesOf(left, key).join(' or '),
      run: valuesOf(right, key).join(' or '),
    }))
}

type Settings = ReadonlyMap<string, string>

function settingsOf(record: RunRecord): Settings {
  const settings = new Map<string, string>()
  const add = (path: string, value: Json): void => {
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) add(`${path}.${nameOf(each) ?? index}`, each)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, each)
    } else settings.set(path, String(value))
  }
  const { config, contenders } = record
  add('', config)
  // The concurrency of the built-in service comes from the load, which is shown elsewhere.
  for (const { name, target } of targetsOf(record)) {
    for (const [key, value] of Object.entries(target.health?.service_settings ?? {})) {
      if (target.kind !== 'embedded' || key !== 'concurrency') settings.set(`${name}.${key}`, String(value))
    }
  }
  for (const contender of contenders) {
    const { id, model } = contender
    const size = targetOf(record, contender).models.find((entry) => entry.id === model)?.size_mb ?? null
    if (size !== null) settings.set(`contenders.${id}.model size`, `${size} MB`)
  }
  return settings
}

function targetsOf({ target, targets }: RunRecord): readonly {
  readonly name: string
  readonly target: RecordedTarget
}[] {
  return targets?.map((one) => ({ name: `service.${one.id}`, target: one })) ?? [{ name: 'service', target }]
}

/** What a config does not say is not set; what a service does not say may be anything. */
function absent(key: string): string {
  return /^service\.|\.model size$/.test(key) ? 'not known' : 'not set'
}

function contenderOf(key: string): string | null {
  return /^contenders\.([^.]+)\./.exec(key)?.[1] ?? null
}

function nameOf(value: Json): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { id } = value as { readonly id?: Json }
  return typeof id === 'string' ? id : null
}
