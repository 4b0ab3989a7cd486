import type { Json, RunRecord } from '#journal'

/** Keys of a config that a comparison shows elsewhere, or that change no figure. */
const shownElsewhere =
  /^(name|results|failIf|margins|seed|exclude|corpus|target|rounds|load|scoring|skipUnready|\$schema)(\.|$)|^contenders\.[^.]+\.(id|engine|model|language|mode)$/

/** A setting that differs between two runs and stands in no table. */
export interface HiddenSetting {
  /** As `contenders.tiny.settings.threads`. */
  readonly key: string
  readonly base: string
  readonly run: string
}

/**
 * Settings that differ without being what is compared: threads, quantisation, a transport. Contenders are held
 * against each other by id, so that a new order of them is no difference.
 */
export function hiddenSettings(base: RunRecord, run: RunRecord): readonly HiddenSetting[] {
  const [left, right] = [settingsOf(base), settingsOf(run)]
  const contendersOf = (settings: ReadonlyMap<string, string>): ReadonlySet<string> =>
    new Set([...settings.keys()].flatMap((key) => /^contenders\.([^.]+)\./.exec(key)?.[1] ?? []))
  const [ours, theirs] = [contendersOf(left), contendersOf(right)]
  const isComparable = (key: string): boolean => {
    const contender = /^contenders\.([^.]+)\./.exec(key)?.[1]
    return contender === undefined || (ours.has(contender) && theirs.has(contender))
  }
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((key) => left.get(key) !== right.get(key) && !shownElsewhere.test(key) && isComparable(key))
    .sort()
    .map((key) => ({ key, base: left.get(key) ?? 'not set', run: right.get(key) ?? 'not set' }))
}

function settingsOf({ config, target, contenders }: RunRecord): ReadonlyMap<string, string> {
  const settings = new Map<string, string>()
  const add = (path: string, value: Json): void => {
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) add(`${path}.${nameOf(each) ?? index}`, each)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, each)
    } else settings.set(path, String(value))
  }
  add('', config)
  for (const { id, model } of contenders) {
    const size = target.models.find((entry) => entry.id === model)?.size_mb ?? null
    if (size !== null) settings.set(`contenders.${id}.model size`, `${size} MB`)
  }
  return settings
}

function nameOf(value: Json): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { id } = value as { readonly id?: Json }
  return typeof id === 'string' ? id : null
}
