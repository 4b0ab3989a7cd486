import type { z } from 'zod'
import { configFile } from './config-file.ts'
import type { ContenderFile } from './contender-file.ts'
import { keysUnder, knownKey } from './keys.ts'
import { nearest } from './nearest.ts'

/** Says what is wrong with a limit such as `wer <= 8%`, to follow the limit; null when nothing is. */
export type LimitCheck = (text: string) => { readonly what: string; readonly hint?: string } | null

/** For a caller that checks limits by itself. */
export const anyLimit: LimitCheck = () => null

/** Something wrong with a config, by its place among the keys: the caller knows where those stand. */
export interface Fault {
  readonly path: readonly PropertyKey[]
  /** The unknown key of the object at `path`; null where the value at `path` is wrong. */
  readonly key: string | null
  readonly what: string
  readonly advice: string
}

/** Everything that is wrong with a config, whatever it holds. */
export function findFaults(value: unknown, checkLimit: LimitCheck): readonly Fault[] {
  const parsed = configFile.safeParse(value)
  const issues = parsed.success ? [] : parsed.error.issues
  return [
    ...issues.flatMap((issue) => faultsOf(issue, value)),
    ...contenderFaults(value),
    ...limitFaults(value, checkLimit),
  ]
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown): Fault[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key))
  const found = valueAt(value, path)
  const known = knownKey(path)
  const expects = known?.expects ?? issue.message
  const meant =
    'values' in issue && typeof found === 'string' ? nearest(found, issue.values.map(String)) : null
  const advice =
    meant === null ? (known?.advise?.(found) ?? known?.description ?? '') : `did you mean "${meant}"?`
  return [{ path, key: null, what: `${nameOf(path)} must be ${expects}, not ${show(found)}`, advice }]
}

function unknownKey(path: readonly PropertyKey[], key: string): Fault {
  const keys = keysUnder(path)
  const meant = nearest(key, keys)
  const what = `unknown key "${key}"${path.length === 0 ? '' : ` in ${nameOf(path)}`}`
  if (meant === null) {
    const remark = key === '<<' ? 'merge keys are not read; ' : ''
    return { path, key, what, advice: `${remark}known here: ${keys.join(', ')}` }
  }
  const known = knownKey([...path, meant])
  const explained = known === null ? '' : `  ${known.expects}: ${known.description}`
  return { path, key, what, advice: `did you mean "${meant}"?${explained}` }
}

/** A contender names an engine with its model, or a Mode; and no two go by the same name. */
function contenderFaults(value: unknown): Fault[] {
  const contenders = valueAt(value, ['contenders'])
  if (!Array.isArray(contenders)) return []
  const seen = new Set<string>()
  const faults: Fault[] = []
  for (const [index, contender] of (contenders as unknown[]).entries()) {
    if (typeof contender !== 'object' || contender === null) continue
    const id = contenderId(contender)
    const remark = missingFields(contender) ?? (seen.has(id) ? sameName(id) : null)
    if (remark !== null) faults.push({ path: ['contenders', index], key: null, ...remark })
    seen.add(id)
  }
  return faults
}

interface Remark {
  readonly what: string
  readonly advice: string
}

function missingFields({ engine, model, mode }: ContenderFile): Remark | null {
  if (mode !== undefined || (engine !== undefined && model !== undefined)) return null
  if (engine === undefined && model === undefined) {
    return {
      what: 'a contender needs "engine" and "model", or "mode"',
      advice: 'such as { engine: moonshine, model: moonshine-tiny }, or { mode: "My notes" }',
    }
  }
  const [present, absent] = engine === undefined ? [model, 'engine'] : [engine, 'model']
  return {
    what: `the contender ${show(present)} needs "${absent}" too`,
    advice: 'engines and models of the target: asrbench doctor',
  }
}

function sameName(id: string): Remark {
  return { what: `a second contender is called "${id}"`, advice: 'give it an "id" of its own' }
}

/** The name a contender goes by: its own, or that of its model, or of its Mode. */
export function contenderId({ id, model, mode }: ContenderFile): string {
  return id ?? model ?? mode ?? ''
}

function limitFaults(value: unknown, checkLimit: LimitCheck): Fault[] {
  const limits = valueAt(value, ['failIf'])
  if (!Array.isArray(limits)) return []
  return limits.flatMap((limit: unknown, index) => {
    const problem = typeof limit === 'string' && limit.trim() !== '' ? checkLimit(limit) : null
    if (problem === null) return []
    const advice = problem.hint ?? ''
    return [{ path: ['failIf', index], key: null, what: `${show(limit)}: ${problem.what}`, advice }]
  })
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null
        ? (found as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    value,
  )
}

/** `contenders[1].language`; the config as a whole has no name. */
function nameOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'a config'
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('')
}

/** A value as somebody wrote it, cut where it gets long. */
function show(value: unknown): string {
  if (value === undefined || value === null) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}
