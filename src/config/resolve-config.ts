import { isDeepStrictEqual } from 'node:util'
import { parseDuration } from '#load/loads/keys'
import { endsByItself } from '#load/loads/registry'
import { type Problem, shellWord, withoutCredentials, withoutUndefined } from '#prelude'
import {
  automaticReuse,
  automaticReuseSeconds,
  type BenchConfig,
  type ContenderConfig,
} from './bench-config.ts'
import { type ConfigFile, configFile, configKeys, defaults } from './config-file.ts'
import { completedLoad, findKind, type LoadFile, loadStandards, overrideLoad } from './configured-load.ts'
import type { ContenderFile } from './contender-file.ts'
import {
  contenderIds,
  findDefaultOptions,
  isModelServer,
  keyProblems,
  optionProblems,
  withMatrix,
  withOptions,
  withTargets,
} from './contenders.ts'
import { refuseConfig } from './errors.ts'
import { anyThreshold, findFaults, loadFaults, type ThresholdCheck } from './faults.ts'
import { nameAttribute, nameVariable, readFlag, readVariable, settings } from './flags.ts'
import type { Setting } from './settings.ts'

type ValueSource = 'default' | 'file' | 'environment' | 'flag'

export interface ConfigLayers {
  /** Result of `readConfig`; null without a file. */
  readonly file: ConfigFile | null
  /** The file as typed, for problems of all settings together. */
  readonly path?: string | undefined
  /** Whether the file could not be read; the load of the flags may then only seem incomplete. */
  readonly isFileMissing?: boolean
  /** Values by attribute, as in commander's `opts()`; attributes of no setting are ignored. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Check of thresholds, as for `readConfig`. */
  readonly checkThreshold?: ThresholdCheck | undefined
}

export interface ResolvedConfig {
  readonly config: BenchConfig
  /** Origins by key path, such as `load.concurrency`, in the order of importance. */
  readonly sources: Readonly<Record<string, ValueSource>>
  /** Values as in a file, by the same key paths; keys without a value are omitted. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Values by key path. */
type Layer = ReadonlyMap<string, unknown>

/**
 * Merges defaults, file, environment and flags, each overriding the one before it. A list is replaced as a whole,
 * never added to.
 *
 * @throws BenchError `CONFIG_INVALID` with every problem of flags and environment at once
 */
export function resolveConfig({
  file,
  path,
  isFileMissing = false,
  flags,
  env,
  checkThreshold = anyThreshold,
}: ConfigLayers): ResolvedConfig {
  const problems: Problem[] = []
  const givenTargets = [
    fromFlags(configKeys.target, flags),
    fromEnvironment('target', configKeys.target, env),
  ]
  const commonTarget =
    givenTargets.map((given) => given?.value).find(isNamed) ?? file?.target ?? defaults.target
  const readGiven = (findGiven: (setting: Setting, keyPath: string) => Given | null): Layer =>
    new Map(
      [...settings].flatMap(([keyPath, setting]) => {
        const found = findGiven(setting, keyPath)
        if (found === null) return []
        // Options are checked against the target.
        const context: Layer = keyPath === 'contenders' ? new Map([['target', commonTarget]]) : new Map()
        const faults = findFaults(nested(new Map([...context, [keyPath, found.value]])), checkThreshold)
        problems.push(...faults.map(({ what, advice }) => ({ where: found.where, what, hint: advice })))
        return [[keyPath, found.value] as const]
      }),
    )
  const environment = readGiven((setting, keyPath) => fromEnvironment(keyPath, setting, env))
  const flag = readGiven((setting) => fromFlags(setting, flags))
  const givenLoads = [environment, flag].map(loadIn)
  const load = [file?.load ?? {}, ...givenLoads.filter((given) => given !== null)].reduce(overrideLoad)
  // A load with an invalid value is not checked further.
  if (!isFileMissing && !givenLoads.includes(null)) {
    const typed = [...flag.keys()].filter((keyPath) => keyPath.startsWith('load.'))
    const where = (key: string | null): string => {
      const keyPath = key === null && typed.length === 1 ? typed[0] : `load.${key}`
      return settings.get(keyPath ?? '')?.flag?.syntax.split(' ')[0] ?? 'load'
    }
    problems.push(
      ...loadFaults(load).map(({ key, what, advice }) => ({ where: where(key), what, hint: advice })),
    )
  }
  refuseConfig(problems, 'the command line')
  const layers = { file: flattened(file ?? {}), environment, flag }
  const merged: ConfigFile = configFile.parse(nested(new Map([...layers.file, ...environment, ...flag])))
  const expanded = withMatrix({ ...merged, load })
  const targeted = withTargets(expanded)
  const complete = withLargestConcurrency(withOptions(targeted))
  refuseConfig(
    [
      // `withTargets` removes the keys of contenders that share a target, so keys are compared before it.
      ...keyProblems(expanded),
      ...optionProblems(targeted),
      ...conditionProblems(complete),
      ...waitingProblems(complete),
      ...engineProblems(complete),
    ],
    path && `the config (${path})`,
  )
  const values = writtenValues(complete)
  // A target that all contenders name becomes the run's, so it has the origin of the contenders.
  const isFromContenders = complete.target !== merged.target
  const asGiven = writtenValues({ ...merged, load })
  const isFromMatrix = merged.matrix !== undefined
  const sources = Object.fromEntries(
    [...settings.keys()].map((keyPath) => [
      keyPath,
      isFromMatrix && keyPath === 'contenders'
        ? 'file'
        : findSource(isFromContenders && keyPath === 'target' ? 'contenders' : keyPath, asGiven, layers),
    ]),
  )
  return { config: withDefaults(complete), sources, values }
}

function isNamed(target: unknown): target is string {
  return typeof target === 'string' && target.trim() !== ''
}

/** The load in a layer; null if one of its values is invalid. */
function loadIn(layer: Layer): LoadFile | null {
  const loadEntries = [...layer].filter(([keyPath]) => keyPath.startsWith('load.'))
  const parsed = configFile.safeParse(nested(new Map(loadEntries)))
  return parsed.success ? (parsed.data.load ?? {}) : null
}

/** Sets the run's requests in flight to the maximum of its contenders, because it determines the length of turns. */
function withLargestConcurrency<File extends ConfigFile & { readonly load: LoadFile }>(file: File): File {
  const concurrencies = (file.contenders ?? []).flatMap(({ concurrency }) => concurrency ?? [])
  if (concurrencies.length === 0 || findKind(file.load) !== 'closed') return file
  const isAll = concurrencies.length === file.contenders?.length
  const concurrency = Math.max(...concurrencies, ...(isAll ? [] : [file.load.concurrency ?? 1]))
  return { ...file, load: { ...file.load, concurrency } }
}

/** Finds threads, requests in flight and transports that do not apply. */
function conditionProblems(file: ConfigFile & { readonly load: LoadFile }): readonly Problem[] {
  const { contenders = [], target: common = defaults.target, load } = file
  const ids = contenderIds(contenders)
  return contenders.flatMap(({ target = common, threads, concurrency, transport }, index) => {
    const where = ids[index] ?? ''
    const shown = withoutCredentials(target)
    return [
      ...(threads !== undefined && target !== 'embedded'
        ? [{ where, what: `threads are those of the built-in service, and its target is ${shown}` }]
        : []),
      ...(concurrency !== undefined && findKind(load) !== 'closed'
        ? [{ where, what: `a ${findKind(load)} load keeps no number of requests in flight` }]
        : []),
      ...(transport !== undefined && isModelServer(target)
        ? [{ where, what: `${shown} takes forms only, so that it has no transport to choose` }]
        : []),
    ]
  })
}

/** Finds rate limits with a load that sends at planned times, because waiting would change the load. */
function waitingProblems(file: ConfigFile & { readonly load: LoadFile }): readonly Problem[] {
  const { rateLimit, load, contenders = [] } = file
  const kind = findKind(load)
  const isPaced = contenders.some(({ requestsPerMinute }) => requestsPerMinute !== undefined)
  if ((rateLimit !== 'wait' && !isPaced) || kind === 'closed') return []
  return [
    {
      where: isPaced ? 'requestsPerMinute' : 'rateLimit',
      what: `a ${kind} load sends when it is due and cannot wait for a rate limit`,
      hint: 'count the refusals: --rate-limit fail; or send again with the waiting in the latency: --retry RATE_LIMITED',
    },
  ]
}

/** Finds an engines file for another service, which has the engines that it was started with. */
function engineProblems({
  engines,
  target = defaults.target,
  contenders = [],
}: ConfigFile): readonly Problem[] {
  if (engines === undefined || target === 'embedded') return []
  if (contenders.some((contender) => contender.target === 'embedded')) return []
  return [
    {
      where: 'engines',
      what: `only the built-in service is started with an engines file, and the target is ${withoutCredentials(target)}`,
      hint: `start the service with it: transcribench serve --engines ${shellWord(engines)}; then transcribench run --target <the discovery file that it prints>`,
    },
  ]
}

/** All settings with a value, as in a file. */
function writtenValues(file: ConfigFile & { readonly load: LoadFile }): Readonly<Record<string, unknown>> {
  const kind = findKind(file.load)
  const load = { ...loadStandards(kind), ...file.load, kind }
  const complete = flattened({ ...defaults, rounds: defaultRounds(file), ...withoutUndefined(file), load })
  return Object.fromEntries(
    [...settings.keys()].flatMap((key) => (complete.has(key) ? [[key, complete.get(key)]] : [])),
  )
}

interface Given {
  /** Flag or variable, such as `--rounds` or `TRANSCRIBENCH_TARGET`. */
  readonly where: string
  readonly value: unknown
}

function fromEnvironment(keyPath: string, setting: Setting, env: ConfigLayers['env']): Given | null {
  const variable = nameVariable(keyPath, setting)
  const text = env[variable]
  // An empty variable counts as unset, as usual on a command line.
  if (text === undefined || text === '') return null
  return { where: variable, value: readVariable(setting, text) }
}

function fromFlags({ flag }: Setting, flags: ConfigLayers['flags']): Given | null {
  const value = flag === null ? undefined : flags[nameAttribute(flag)]
  if (flag === null || value === undefined) return null
  const where = flag.syntax.split(' ')[0] ?? flag.syntax
  return { where, value: readFlag(flag, value as string | boolean | readonly string[]) }
}

function findSource(
  keyPath: string,
  values: Readonly<Record<string, unknown>>,
  layers: Readonly<Record<Exclude<ValueSource, 'default'>, Layer>>,
): ValueSource {
  if (layers.flag.has(keyPath)) return 'flag'
  if (layers.environment.has(keyPath)) return 'environment'
  // A flag that replaced the load also removed its file values. Lists were parsed again, so they are compared deeply.
  const isOfFile = layers.file.has(keyPath) && isDeepStrictEqual(layers.file.get(keyPath), values[keyPath])
  return isOfFile ? 'file' : 'default'
}

function flattened(file: ConfigFile): Layer {
  const entries = Object.entries(file).flatMap(([key, value]): [string, unknown][] =>
    settings.has(key)
      ? [[key, value]]
      : Object.entries(value as object).map(([inner, held]) => [`${key}.${inner}`, held]),
  )
  return new Map(entries.filter(([, value]) => value !== undefined))
}

function nested(layer: Layer): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {}
  for (const [keyPath, value] of layer) {
    const [group = '', key] = keyPath.split('.')
    result[group] = key === undefined ? value : { ...(result[group] as object | undefined), [key]: value }
  }
  return result
}

/** One round for a load with a fixed duration, and for a sample, which is meant as a quick look. */
function defaultRounds({ load, sample }: ConfigFile & { readonly load: LoadFile }): number {
  return sample !== undefined || endsByItself(completedLoad(load)) ? 1 : defaults.rounds
}

/** The config with all defaults filled in. */
function withDefaults(file: ConfigFile & { readonly load: LoadFile }): BenchConfig {
  return {
    name: file.name ?? defaults.name,
    target: file.target ?? defaults.target,
    platform: file.platform ?? null,
    engines: file.engines ?? null,
    keyFrom: file.keyFrom ?? null,
    maxBilledMinutes: file.maxBilledMinutes ?? defaults.maxBilledMinutes,
    reuseSeconds: reuseSeconds(file.reuse),
    corpus: file.corpus ?? defaults.corpus,
    workload: file.workload ?? defaults.workload,
    exclude: file.exclude ?? defaults.exclude,
    sample: file.sample ?? null,
    contenders: contendersWithDefaults(
      file.contenders ?? defaults.contenders,
      file.target ?? defaults.target,
    ),
    skipUnready: file.skipUnready ?? defaults.skipUnready,
    ...(file.parallel === true ? { parallel: true } : {}),
    load: completedLoad(file.load),
    rounds: file.rounds ?? defaultRounds(file),
    warmupRequests: file.warmupRequests ?? defaults.warmupRequests,
    maxWarmupRequests: file.maxWarmupRequests ?? defaults.maxWarmupRequests,
    requestTimeoutSeconds: file.timeout === undefined ? null : parseDuration(file.timeout),
    retries: {
      codes: file.retries?.codes ?? defaults.retries.codes,
      most: file.retries?.most ?? defaults.retries.most,
      backOffSeconds: parseDuration(file.retries?.backOff ?? defaults.retries.backOff) ?? 0,
      budget: file.retries?.budget ?? defaults.retries.budget,
    },
    rateLimit: file.rateLimit ?? defaults.rateLimit,
    transport: file.transport ?? defaults.transport,
    stage: file.stage ?? null,
    scoring: { ...defaults.scoring, ...withoutUndefined(file.scoring ?? {}) },
    thresholds: file.thresholds ?? defaults.thresholds,
    margins: file.margins ?? defaults.margins,
    seed: file.seed ?? defaults.seed,
    results: file.results ?? defaults.results,
  }
}

/** Fields of a resolved config that are not called as their settings, by the key paths of these. */
const renamedFields: Readonly<Record<string, string>> = {
  timeout: 'requestTimeoutSeconds',
  reuse: 'reuseSeconds',
  'retries.backOff': 'retries.backOffSeconds',
  'load.duration': 'load.forSeconds',
  'load.pause': 'load.pauses.meanSeconds',
}

/** The settings that are not defaults: their values by their paths in a resolved config, as `load.forSeconds`. */
export function givenFields({ config, sources }: ResolvedConfig): ReadonlyMap<string, unknown> {
  const given = Object.keys(sources).filter((keyPath) => sources[keyPath] !== 'default')
  return new Map(
    given.map((keyPath) => fieldPath(keyPath, config)).map((path) => [path, fieldAt(config, path)]),
  )
}

function fieldPath(keyPath: string, { load }: BenchConfig): string {
  if (keyPath.startsWith('matrix.')) return 'contenders'
  // Only users have pauses, which are what varies there.
  if (keyPath === 'load.intervals' && load.kind === 'users') return 'load.pauses.intervals'
  return renamedFields[keyPath] ?? keyPath
}

/** The value at a path of a resolved config, such as `retries.most`; undefined where it has none. */
export function fieldAt(config: BenchConfig, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((held, key) => (held as Readonly<Record<string, unknown>> | undefined)?.[key], config)
}

function reuseSeconds(reuse: ConfigFile['reuse']): number | null {
  if (reuse === undefined) return null
  return reuse === automaticReuse ? automaticReuseSeconds : parseDuration(reuse)
}

function contendersWithDefaults(
  contenders: readonly ContenderFile[],
  common: string,
): readonly ContenderConfig[] {
  const ids = contenderIds(contenders)
  return contenders.map((contender, index) => {
    const { id: _, engine = null, model = null, language = null, mode = null, ...others } = contender
    const { settings = {}, usdPerMinute = null, priceSource = null, priceDate = null, ...rest } = others
    const { options = {}, ...conditions } = rest
    const defaultOptions = findDefaultOptions(contender, common)
    return {
      id: ids[index] ?? '',
      ...withoutUndefined(conditions),
      ...(Object.keys(options).length === 0 ? {} : { options }),
      ...(Object.keys(defaultOptions).length === 0 ? {} : { defaultOptions }),
      engine,
      model,
      language,
      mode,
      settings,
      usdPerMinute,
      priceSource,
      priceDate,
    }
  })
}
