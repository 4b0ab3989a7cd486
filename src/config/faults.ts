import type { z } from 'zod'
import { nearest, shellWord } from '#prelude'
import { configFile } from './config-file.ts'
import {
  completedLoad,
  findKind,
  listKeys,
  loadProblem,
  missingKeys,
  strangeKeys,
} from './configured-load.ts'
import {
  type ContenderFile,
  contenderFile,
  contenderOption,
  isWithheld,
  withheldModeFields,
} from './contender-file.ts'
import { contenderIds, isModelServer, optionFaults, readContender } from './contenders.ts'
import { knownKey, nameAttribute, settings } from './flags.ts'
import { scoringFile } from './scoring-file.ts'

/** Checks a threshold such as `wer <= 8%`: the fault, as a predicate to its text; null if there is none. */
export type ThresholdCheck = (text: string) => { readonly what: string; readonly hint?: string } | null

/** A check that accepts everything, for callers that check thresholds themselves. */
export const anyThreshold: ThresholdCheck = () => null

/** A fault in a config, located by its key path; the caller knows the position in the text. */
export interface Fault {
  readonly path: readonly PropertyKey[]
  /** The unknown key of the object at `path`; null if the value at `path` is wrong. */
  readonly key: string | null
  readonly what: string
  readonly advice: string
}

/** All faults in a config of any form. */
export function findFaults(value: unknown, checkThreshold: ThresholdCheck): readonly Fault[] {
  const parsed = configFile.safeParse(value)
  return [
    ...issueFaults(parsed.error, value),
    ...contenderFaults(value),
    ...contenderOptionFaults(value),
    ...matrixFaults(value),
    ...thresholdFaults(value, checkThreshold),
  ]
}

/** All faults in a separate file with a scoring section. */
export function findScoringFaults(value: unknown): readonly Fault[] {
  const parsed = scoringFile.safeParse(value)
  return issueFaults(parsed.error, value, ['scoring'])
}

/** @param section of the value, if it is not a whole config */
function issueFaults(
  error: z.ZodError | undefined,
  value: unknown,
  section: readonly PropertyKey[] = [],
): readonly Fault[] {
  const faults = (error?.issues ?? []).flatMap((issue) => explainIssue(issue, value, section))
  // One wrong number may break several rules with the same message, so duplicates are removed.
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]
}

function explainIssue(issue: z.core.$ZodIssue, value: unknown, section: readonly PropertyKey[]): Fault[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, section))
  const found = valueAt(value, path)
  const setting = knownKey([...section, ...path])
  const expects = setting?.expects ?? issue.message
  const meant =
    'values' in issue && typeof found === 'string' ? nearest(found, issue.values.map(String)) : null
  const advice =
    meant === null ? (setting?.advise?.(found) ?? setting?.description ?? '') : `did you mean "${meant}"?`
  return [{ path, key: null, what: `${namePath(path)} must be ${expects}, not ${show(found)}`, advice }]
}

function unknownKey(path: readonly PropertyKey[], key: string, section: readonly PropertyKey[]): Fault {
  const keys = Object.keys(knownKey([...section, ...path])?.keys ?? {})
  const flag = keyOfFlag(key)
  const meant = flag === null ? nearest(key, keys) : null
  const what = `unknown key "${key}"${path.length === 0 ? '' : ` in ${namePath(path)}`}`
  if (meant === null) {
    const advice = flag ?? reasonForUnknown(key) ?? `known here: ${keys.join(', ')}`
    return { path, key, what, advice }
  }
  const setting = knownKey([...section, ...path, meant])
  const explained = setting === null ? '' : `\n${setting.expects}: ${setting.description}`
  return { path, key, what, advice: `did you mean "${meant}"?${explained}` }
}

/** The key of the setting with this flag: `warmup` is `warmupRequests`, `rate` is a key of the load. */
function keyOfFlag(key: string): string | null {
  for (const [keyPath, { flag }] of settings) {
    if (flag === null || nameAttribute(flag) !== key || keyPath === key) continue
    const inner = keyPath.split('.').reverse()
    const written = inner.slice(1).reduce((text, outer) => `${outer}: { ${text} }`, `${inner[0]}: …`)
    return `the flag ${flag.syntax.split(' ')[0]} is written ${written} in a config`
  }
  return null
}

/** Why a key from elsewhere is not valid here. */
function reasonForUnknown(key: string): string | null {
  if (key === '<<') return 'merge keys are not read: write the keys out'
  return isWithheld(key) ? withheldModeFields[key] : null
}

/**
 * Faults of a load whose keys are valid by themselves: keys that do not belong together or are missing, or values
 * that make no load. Not for a part of a load.
 *
 * @param load as in a config, of any form
 */
export function loadFaults(load: unknown): readonly Fault[] {
  const parsed = configFile.safeParse({ load })
  const loadFile = parsed.success ? parsed.data.load : undefined
  if (loadFile === undefined) return []
  const kind = findKind(loadFile)
  const belonging = listKeys(kind)
    .map((key) => `"${key}"`)
    .join(', ')
  const faults: Fault[] = [
    ...strangeKeys(loadFile).map((key) => ({
      path: ['load'],
      key,
      what: `"${key}" does not belong to a ${kind} load`,
      advice: `a ${kind} load has ${belonging}; another one is named by "kind"`,
    })),
    ...missingKeys(loadFile).map((key) => ({
      path: ['load'],
      key: null,
      what: `a ${kind} load needs "${key}"`,
      advice: knownKey(['load', key])?.description ?? '',
    })),
  ]
  if (faults.length > 0) return faults
  const problem = loadProblem(completedLoad(loadFile))
  return problem === null
    ? []
    : [{ path: ['load'], key: null, what: `the load makes no sense: ${problem}`, advice: '' }]
}

/** Faults of contenders: each needs an engine with its model, or a Mode, and a unique name. */
function contenderFaults(value: unknown): Fault[] {
  const contenders = listAt(value, ['contenders'])
  const seen = new Set<string>()
  const faults: Fault[] = []
  // A contender with an invalid value has no certain name. The parser reports that value.
  const read = contenders.map((contender) => contenderFile.safeParse(contender))
  const ids = contenderIds(read.map(({ data }) => data ?? {}))
  for (const [index, contender] of contenders.entries()) {
    if (typeof contender !== 'object' || contender === null) continue
    const id = read[index]?.success === true ? (ids[index] ?? '') : null
    const remark =
      missingFields(contender, valueAt(value, ['target'])) ??
      (id !== null && seen.has(id) ? sameName(id) : null)
    if (remark !== null) faults.push({ path: ['contenders', index], key: null, ...remark })
    if (id !== null) seen.add(id)
  }
  return faults
}

/** Faults in options, as far as the file itself names the target. */
function contenderOptionFaults(value: unknown): Fault[] {
  const common = valueAt(value, ['target'])
  return listAt(value, ['contenders']).flatMap((contender, index) => {
    const target = valueAt(contender, ['target']) ?? common
    const options = valueAt(contender, ['options'])
    const named = valueAt(contender, ['model'])
    if (typeof target !== 'string' || typeof options !== 'object' || options === null) return []
    const path = ['contenders', index, 'options']
    // Values that no option accepts are reported by the parser.
    const validOptions = Object.entries(options).flatMap(([name, option]) => {
      const read = contenderOption.safeParse(option)
      return read.success ? [[name, read.data] as const] : []
    })
    const model = typeof named === 'string' ? named : null
    return optionFaults(Object.fromEntries(validOptions), { target, model }).map(
      ({ option, isKnown, what, advice }) =>
        isKnown ? { path: [...path, option], key: null, what, advice } : { path, key: option, what, advice },
    )
  })
}

/** Faults in the models of a matrix, which are contenders in the syntax of the command line. */
function matrixFaults(value: unknown): Fault[] {
  const models = listAt(value, ['matrix', 'model']).map((model) =>
    typeof model === 'string' ? readContender(model) : null,
  )
  const ids = contenderIds(models.map((model) => model ?? {}))
  return models.flatMap((model, index) => {
    if (model === null) return []
    const id = ids[index] ?? ''
    const remark = missingFields(model) ?? (ids.indexOf(id) < index ? sameName(id) : null)
    return remark === null ? [] : [{ path: ['matrix', 'model', index], key: null, ...remark }]
  })
}

interface Remark {
  readonly what: string
  readonly advice: string
}

/** @param contender of which no value has been checked */
function missingFields(
  { target, engine, model, mode }: { readonly [Key in keyof ContenderFile]?: unknown },
  common?: unknown,
): Remark | null {
  if (mode !== undefined || (engine !== undefined && model !== undefined)) return null
  if (typeof target === 'string' && isModelServer(target)) {
    return model === undefined ? noModelNamed(target) : null
  }
  if (engine === undefined && model === undefined) {
    return {
      what: 'a contender needs "engine" and "model", or "mode"',
      advice: 'such as { engine: moonshine, model: moonshine-tiny }, or { mode: "My notes" }',
    }
  }
  const [present, absent] = engine === undefined ? [model, 'engine'] : [engine, 'model']
  return {
    what: `the contender ${show(present)} needs "${absent}" too`,
    advice:
      absent === 'engine' && target === undefined && typeof common === 'string' && isModelServer(common)
        ? `write any:${model}: ${common} has models and no engines`
        : 'such as moonshine with moonshine-tiny; `transcribench doctor` lists what the target has',
  }
}

function noModelNamed(target: string): Remark {
  return {
    what: `the contender on ${target} needs "model"`,
    advice: `such as ${target}#whisper-1; \`transcribench doctor ${shellWord(target)}\` lists its models`,
  }
}

function sameName(id: string): Remark {
  return { what: `a second contender is called "${id}"`, advice: 'under "contenders", give it another "id"' }
}

function thresholdFaults(value: unknown, checkThreshold: ThresholdCheck): Fault[] {
  return listAt(value, ['thresholds']).flatMap((threshold, index) => {
    const isText = typeof threshold === 'string' && threshold.trim() !== ''
    const problem = isText ? checkThreshold(threshold) : null
    if (problem === null) return []
    const advice = problem.hint ?? ''
    const join = problem.what.startsWith('"') ? ': ' : ' '
    return [
      { path: ['thresholds', index], key: null, what: `${show(threshold)}${join}${problem.what}`, advice },
    ]
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

function listAt(value: unknown, path: readonly PropertyKey[]): readonly unknown[] {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found : []
}

/** `contenders[1].language`; `a config` for the config as a whole. */
function namePath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'a config'
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('')
}

/** A value as it was written, cut off if it is long. */
function show(value: unknown): string {
  if (value === undefined || value === null) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}
