import {
  nearest,
  ownValue,
  type Problem,
  serverAddressIn,
  settingsInWords,
  withoutCredentials,
} from '#prelude'
import {
  type OptionValue,
  type OptionValues,
  optionExpects,
  type ProviderOption,
  readOptionValue,
} from '#providers/options'
import { findProvider, sentByDefault } from '#providers/providers'
import { type ConfigFile, defaults, type MatrixFile } from './config-file.ts'
import type { ContenderFile } from './contender-file.ts'
import { refuseConfig } from './errors.ts'

/** Whether a target has models but no engines, so that a contender only names a model. */
export function isModelServer(target: string | undefined): boolean {
  if (target === undefined) return false
  return serverAddressIn(target) !== null || findProvider(target.trim()) !== null
}

/**
 * Reads a contender in the syntax of the command line: `engine:model`, `model`, or either after a target and a `#`.
 * Options of the provider follow like a query. Only the first colon is a separator, because model ids may contain
 * colons.
 *
 *   openai:http://127.0.0.1:8000/v1#large-v3     auto#moonshine:moonshine-tiny     deepgram#nova-3?smart_format=true
 */
export function readContender(text: string): ContenderFile {
  // Without a model, a query belongs to the address itself.
  if (!text.includes('#') && isModelServer(text) && text.includes('://')) return { target: text }
  const mark = text.indexOf('?', text.lastIndexOf('#') + 1)
  if (mark < 0) return withoutQuery(text)
  return { ...withoutQuery(text.slice(0, mark)), options: queryOptions(text.slice(mark + 1)) }
}

/** Options from a query; an option with several values is a list. */
function queryOptions(query: string): OptionValues {
  const values = Map.groupBy(new URLSearchParams(query), ([name]) => name)
  return Object.fromEntries(
    [...values].map(([name, pairs]) => {
      const texts = pairs.map(([, value]) => value)
      return [name, texts.length === 1 ? (texts[0] ?? '') : texts]
    }),
  )
}

function withoutQuery(text: string): ContenderFile {
  const hash = text.lastIndexOf('#')
  if (hash < 0) return engineAndModel(text)
  const [target, rest] = [text.slice(0, hash), text.slice(hash + 1)]
  return { target, ...(isModelServer(target) ? parseModel(rest) : engineAndModel(rest)) }
}

function engineAndModel(text: string): ContenderFile {
  const colon = text.indexOf(':')
  return colon < 0 ? parseModel(text) : { engine: text.slice(0, colon), model: text.slice(colon + 1) }
}

function parseModel(text: string): ContenderFile {
  return text.trim() === '' ? {} : { model: text }
}

/**
 * Names of contenders: their own ids, or their models or Modes. If several have the same name, the target is
 * appended, then options, threads, requests in flight and transport.
 */
export function contenderIds(contenders: readonly ContenderFile[]): readonly string[] {
  const plain = contenders.map(({ id, model, mode }) => id ?? model ?? mode ?? '')
  const placed = contenders.map(({ id, target }, index) => {
    const name = plain[index] ?? ''
    const isShared =
      new Set(contenders.flatMap((other, place) => (plain[place] === name ? [other.target ?? ''] : [])))
        .size > 1
    return id === undefined && target !== undefined && isShared ? `${name}@${shortName(target)}` : name
  })
  return placed.map((name, index) => {
    const isShared = placed.filter((other) => other === name).length > 1
    return isShared ? [name, ...nameConditions(contenders[index] ?? {})].join(' ') : name
  })
}

/** Suffixes of a name, such as `smart_format=true`, `t2`, `c4`, `base64`. */
function nameConditions({ options, threads, concurrency, transport }: ContenderFile): readonly string[] {
  return [
    ...(options === undefined || Object.keys(options).length === 0 ? [] : [settingsInWords(options)]),
    ...(threads === undefined ? [] : [`t${threads}`]),
    ...(concurrency === undefined ? [] : [`c${concurrency}`]),
    ...(transport === undefined ? [] : [transport]),
  ]
}

/** `gpu:8000` for `openai:http://gpu:8000/v1`; any other target is unchanged. */
function shortName(target: string): string {
  const address = serverAddressIn(target) ?? target
  return URL.canParse(address) && new URL(address).host !== '' ? new URL(address).host : target
}

/**
 * Assigns a target to every contender if there are several. If all have the same one, it becomes the target of the
 * run, which is then like any run with one target.
 */
export function withTargets<File extends ConfigFile>(file: File): File {
  const { contenders = defaults.contenders } = file
  if (contenders.every(({ target, keyFrom }) => target === undefined && keyFrom === undefined)) return file
  const completed = targetedContenders(file)
  const [first, ...others] = completed
  if (first === undefined || others.some(({ target }) => target !== first.target)) {
    return { ...file, contenders: completed }
  }
  return {
    ...file,
    target: first.target,
    keyFrom: first.keyFrom,
    contenders: withIds(contenders).map(({ target: _, keyFrom: __, ...contender }) => contender),
  }
}

function targetedContenders({
  contenders = defaults.contenders,
  target: common = defaults.target,
  keyFrom: commonKey,
}: ConfigFile): readonly (ContenderFile & { readonly target: string })[] {
  const servers = new Set(
    contenders.map(({ target = common }) => target).filter((target) => serverAddressIn(target) !== null),
  )
  return contenders.map((contender) => {
    const { target = common, keyFrom } = contender
    // A key is sent only to the server that it belongs to.
    const isMeant =
      contender.target === undefined
        ? isModelServer(target)
        : serverAddressIn(target) !== null && servers.size === 1
    return { ...contender, target, keyFrom: keyFrom ?? (isMeant ? commonKey : undefined) }
  })
}

/** Finds targets whose contenders name different keys. */
export function keyProblems(file: ConfigFile): readonly Problem[] {
  return [...Map.groupBy(targetedContenders(file), ({ target }) => target)].flatMap(
    ([target, sameTarget]) => {
      const keys = [...new Set(sameTarget.map(({ keyFrom }) => keyFrom ?? 'none'))]
      return keys.length === 1 ? [] : [severalKeys(target, keys)]
    },
  )
}

/** Keeps names that contain a target when the target becomes that of the run. */
function withIds(contenders: readonly ContenderFile[]): readonly ContenderFile[] {
  const ids = contenderIds(contenders)
  return contenders.map((contender, index) => ({ ...contender, id: contender.id ?? ids[index] }))
}

function severalKeys(target: string, keys: readonly string[]): Problem {
  return {
    where: 'contenders',
    what: `${withoutCredentials(target)} has one key, and its contenders name several: ${keys.join(', ')}`,
    hint: 'give all contenders of a target the same keyFrom, or name it once for the run',
  }
}

interface OptionFault {
  readonly option: string
  /** Whether the target has this option, so that only its value is wrong. */
  readonly isKnown: boolean
  readonly what: string
  readonly advice: string
}

/** Options of a provider; null for any other target. */
function listTargetOptions(target: string): readonly ProviderOption[] | null {
  return findProvider(target.trim())?.options ?? null
}

/** Fields of a request to a transcription server that are not set by options, with the reason. */
const ownFields: Readonly<Record<string, string>> = {
  model: 'the contender names its model',
  language: 'the contender has a "language"',
  file: 'that is the recording',
}

const answerFormats = ['json', 'verbose_json', 'text']

/** Faults in options of an unknown server, which receives any other option unchanged. */
function serverFaults(options: OptionValues, target: string): readonly OptionFault[] {
  return Object.entries(options).flatMap(([option, value]): OptionFault[] => {
    const fieldAdvice = ownValue(ownFields, option)
    if (fieldAdvice !== undefined) {
      return [{ option, isKnown: false, what: `${option} is no option of ${target}`, advice: fieldAdvice }]
    }
    if (!/^[\w.[\]-]{1,100}$/.test(option)) {
      const advice = 'a name has letters, digits, and _ . - [ ]'
      return [{ option, isKnown: false, what: `"${option}" is not the name of an option`, advice }]
    }
    if (option !== 'response_format' || answerFormats.includes(String(value))) return []
    const what = `response_format of ${target} must be ${answerFormats.join(', ')}, not ${JSON.stringify(value)}`
    return [{ option, isKnown: true, what, advice: 'subtitles are no transcripts' }]
  })
}

/** `true` or a number for a text of the command line that has the same characters. */
function plainValue(value: OptionValue): OptionValue {
  if (value === 'true' || value === 'false') return value === 'true'
  return typeof value === 'string' && String(Number(value)) === value && Number.isFinite(Number(value))
    ? Number(value)
    : value
}

/**
 * All faults in the options of a contender.
 *
 * @param model null if it is not known
 */
export function optionFaults(
  options: OptionValues,
  { target, model }: { readonly target: string; readonly model: string | null },
): readonly OptionFault[] {
  const targetOptions = listTargetOptions(target)
  const shown = withoutCredentials(target)
  if (targetOptions === null && isModelServer(target)) return serverFaults(options, shown)
  return Object.entries(options).flatMap(([name, value]): OptionFault[] => {
    if (targetOptions === null) return [{ option: name, isKnown: false, ...noOptions(name, shown) }]
    const option = targetOptions.find((one) => one.name === name)
    if (option === undefined)
      return [{ option: name, isKnown: false, ...unknownOption(name, shown, targetOptions) }]
    if (model !== null && option.refusedBy?.test(model) === true) {
      const advice = `leave it out, or name another model: ${option.meaning} (${option.source})`
      return [{ option: name, isKnown: true, what: `${model} of ${shown} does not take ${name}`, advice }]
    }
    if (readOptionValue(option, value) !== null) return []
    const what = `${name} of ${shown} must be ${optionExpects(option)}, not ${JSON.stringify(value)}`
    return [{ option: name, isKnown: true, what, advice: `${option.meaning} (${option.source})` }]
  })
}

/** Options that are sent to a provider by default, because they change what is measured. */
export function findDefaultOptions({ options = {}, target }: ContenderFile, common: string): OptionValues {
  const provider = findProvider((target ?? common).trim())
  const sent = Object.entries(provider === null ? {} : sentByDefault(provider))
  return Object.fromEntries(sent.filter(([name]) => options[name] === undefined))
}

function noOptions(name: string, target: string): Pick<OptionFault, 'what' | 'advice'> {
  return {
    what: `the option ${name} means nothing to ${target}`,
    advice: 'options are for providers and transcription servers; fields of a Mode belong in "settings"',
  }
}

function unknownOption(
  name: string,
  target: string,
  targetOptions: readonly ProviderOption[],
): Pick<OptionFault, 'what' | 'advice'> {
  const names = targetOptions.map((option) => option.name)
  const meant = nearest(name, names)
  return {
    what: `${target} has no option "${name}"`,
    advice: meant === null ? `its options: ${names.join(', ')}` : `did you mean "${meant}"?`,
  }
}

/** Finds options that the target of their contender does not have, and values that it does not take. */
export function optionProblems({ contenders = [], target: common = defaults.target }: ConfigFile): Problem[] {
  const ids = contenderIds(contenders)
  return contenders.flatMap(({ options = {}, target = common, model = null }, index) =>
    optionFaults(options, { target, model }).map(({ what, advice }) => ({
      where: ids[index] ?? '',
      what,
      hint: advice,
    })),
  )
}

/** Converts option values to the types of the API, such as the text "true" to `true`. */
export function withOptions<File extends ConfigFile>(file: File): File {
  const { contenders, target: common = defaults.target } = file
  const read = contenders?.map((contender) => {
    const { options, target = common } = contender
    return options === undefined ? contender : { ...contender, options: readOptions(options, target) }
  })
  return read === undefined ? file : { ...file, contenders: read }
}

function readOptions(options: OptionValues, target: string): OptionValues {
  const targetOptions = listTargetOptions(target)
  const read = Object.entries(options).map(([name, value]) => {
    const option = targetOptions?.find((one) => one.name === name)
    return [name, option === undefined ? plainValue(value) : (readOptionValue(option, value) ?? value)]
  })
  return Object.fromEntries(read)
}

/** Maximum number of contenders of a matrix; more are usually a mistake. */
const maxCells = 48

/**
 * Makes a contender of each combination of the dimensions: every model, or every contender of the config, with every
 * number of threads, every number of requests in flight, and every transport.
 *
 *   model: [tiny, base] × threads: [1, 2, 4] × concurrency: [1, 2] ─► tiny t1 c1, tiny t1 c2, …, base t4 c2
 *
 * @throws BenchError CONFIG_INVALID for an invalid matrix
 */
export function withMatrix<File extends ConfigFile>(file: File): File {
  const { matrix, ...rest } = file
  if (matrix === undefined) return file
  const bases = matrix.model?.map(readContender) ?? file.contenders ?? defaults.contenders
  const { threads, concurrency, transport } = matrix
  const sizes = [bases, threads, concurrency, transport].flatMap((values) => values?.length ?? [])
  const cellCount = sizes.reduce((product, size) => product * size, 1)
  const problems = [
    ...(matrix.model !== undefined && file.contenders !== undefined ? [bothNamed] : []),
    ...repeatedValues(matrix),
    ...(cellCount > maxCells ? [tooMany(sizes, cellCount)] : []),
  ]
  refuseConfig(problems, 'the config', 'see what a matrix takes: docs/targets.md#matrix')
  const contenders = Object.entries({ threads, concurrency, transport }).reduce<readonly ContenderFile[]>(
    (cells, [dimension, values]) =>
      values === undefined
        ? cells
        : cells.flatMap((cell) => values.map((value) => ({ ...cell, [dimension]: value }))),
    bases,
  )
  return { ...(rest as File), contenders }
}

const bothNamed: Problem = {
  where: 'matrix.model',
  what: 'the config names contenders as well, and the models of a matrix take their place',
  hint: 'name them in one of the two',
}

function repeatedValues(matrix: MatrixFile): readonly Problem[] {
  return Object.entries(matrix).flatMap(([dimension, values]) => {
    const list: readonly unknown[] = values ?? []
    const twice = list.filter((value, place) => list.indexOf(value) !== place)
    return twice.map((value) => ({
      where: `matrix.${dimension}`,
      what: `names ${String(value)} twice`,
      hint: 'each value makes contenders once',
    }))
  })
}

function tooMany(sizes: readonly number[], cellCount: number): Problem {
  return {
    where: 'matrix',
    what: `${sizes.join(' × ')} = ${cellCount} contenders, and ${maxCells} are the most`,
    hint: 'leave out values, or measure one dimension after the other',
  }
}
