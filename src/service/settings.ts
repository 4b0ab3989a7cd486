import { readdir, realpath, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { hostPlatform, type Platform, platforms, timeouts } from '#contract/enums'
import { dataDirectory } from '#installation/installation'
import type { Problem } from '#prelude'
import type { Catalogue } from './engines/engine.ts'
import { serviceErrors } from './errors.ts'
import { openCatalogue } from './models/open-catalogue.ts'
import type { LoggedEvent, ServiceEvent } from './service-event.ts'
import { minMemoryBytes, usualMemoryBytes } from './waiting.ts'

/** Options of a reference service. Each has a default. */
export interface ServiceOptions {
  /** The platform build to imitate. Default: that of the host. */
  readonly profile?: Platform | undefined
  /** Port on 127.0.0.1. Default: 0, any free port. */
  readonly port?: number | undefined
  /** Folder of Modes, token, discovery file and recordings. Default: `defaultDataDir(process.env)`. */
  readonly dataDir?: string | undefined
  /** Folder of installed models, which services may share. Default: `models` in the data folder. */
  readonly modelsDir?: string | undefined
  /** Folders, in addition to the recordings folder, whose files a request may name in `file`. Default: none. */
  readonly allowDirs?: readonly string[] | undefined
  /** Maximum number of concurrent decodes on each loaded model. Default: the number of processors. */
  readonly concurrency?: number | undefined
  /** Threads of one decode. Default: 1, because more decodes give more throughput than more threads. */
  readonly threads?: number | undefined
  /** Copies of each model in memory, each with `concurrency` decodes. Default: 1, which saturates most machines. */
  readonly instances?: number | undefined
  /** Models to load before the service answers; a failure is logged. Default: none. */
  readonly warmUp?: readonly string[] | undefined
  /** Time without requests after which a model is unloaded. Default: never. */
  readonly idleUnloadSeconds?: number | undefined
  /** A YAML file that defines programs and servers as engines, see docs/engines.md. Default: none. */
  readonly enginesFile?: string | undefined
  /**
   * Maximum number of queued requests; further ones are answered RATE_LIMITED. With Infinity all of them
   * queue, for up to `requestTimeoutSeconds`. Default: 256.
   */
  readonly maxQueue?: number | undefined
  /**
   * Memory for request bodies and decoded audio, without models; more of it allows more concurrent long
   * recordings. Default: 384 MiB, plus 112 MiB for each of `concurrency`, at least four.
   */
  readonly memoryBytes?: number | undefined
  /** Time after which a transcription is answered TIMEOUT. Default: 600. */
  readonly requestTimeoutSeconds?: number | undefined
  /**
   * Whether a model accepts languages that it does not support, and answers in its own. Default: false, such
   * a request is refused.
   */
  readonly anyLanguage?: boolean | undefined
  /**
   * Whether transcripts of `POST /transcribe` are saved as recordings, which the API cannot delete. The
   * recorder always saves them. Default: false.
   */
  readonly record?: boolean | undefined
  /** Whether such a recording also keeps its audio in the recordings folder. Implies `record`. Default: false. */
  readonly recordAudio?: boolean | undefined
  /** Age at which recorded audio is deleted; the texts stay. Default: no limit. */
  readonly keepAudioSeconds?: number | undefined
  /** Maximum size of all recorded audio; the oldest is deleted first, the texts stay. Default: no limit. */
  readonly maxAudioBytes?: number | undefined
  /** Port on 127.0.0.1 for `GET /metrics` (Prometheus), without a token; 0 takes a free one. Default: none. */
  readonly metricsPort?: number | undefined
  /** An audio file that replaces the recorder's microphone (Linux profile). Default: no microphone. */
  readonly microphoneFile?: string | undefined
  /**
   * Variables with addresses and keys of providers, such as `OPENAI_API_KEY` and `OLLAMA_BASE_URL`. Default:
   * `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Whether `/health` checks the providers that have a key. Default: false, so that no data leaves the
   * machine unrequested.
   */
  readonly askProviders?: boolean | undefined
  /** Engines and models to offer. Default: `defaultCatalogue`. */
  readonly catalogue?: Catalogue | undefined
  /** Whether `log` receives the texts of transcripts. Default: false. */
  readonly logTexts?: boolean | undefined
  /** Receives log events, which never hold a token; see `ServiceEvent`. Default: events are dropped. */
  readonly log?: ((event: LoggedEvent) => void) | undefined
}

/** How to end requests when a service stops. */
export interface StopOptions {
  /** Time for requests to finish. Default: 0, they are aborted at once. */
  readonly finishWithinSeconds?: number | undefined
  /** Aborting this signal aborts the requests. */
  readonly hurry?: AbortSignal | undefined
}

/** A service that answers requests. Stop it, or use it with `await using`. */
export interface RunningService extends AsyncDisposable {
  /** Base address: `http://127.0.0.1:39201`. */
  readonly baseUrl: string
  readonly port: number
  readonly pid: number
  readonly profile: Platform
  readonly dataDir: string
  /** Absolute path of `local-api.json`, which holds the port and the token. */
  readonly discoveryPath: string
  /** The current bearer token. Not enumerable, so that printing or serialising a service does not show it. */
  readonly token: string
  /**
   * Removes the discovery file, stops accepting connections, ends current requests, and unloads the models. A
   * repeated call waits for the same end.
   */
  stop(options?: StopOptions): Promise<void>
}

/** The checked options of a service, with all defaults and absolute paths. */
export type Settings = {
  readonly [Option in Exclude<keyof ServiceOptions, Nullable>]-?: NonNullable<ServiceOptions[Option]>
} & { readonly [Option in Nullable]: NonNullable<ServiceOptions[Option]> | null }

/** Options that may be unset. */
type Nullable =
  | 'microphoneFile'
  | 'idleUnloadSeconds'
  | 'enginesFile'
  | 'keepAudioSeconds'
  | 'maxAudioBytes'
  | 'metricsPort'

/** Maximum delay of a timer in Node, 2^31 - 1 milliseconds, in seconds. */
export const maxTimeoutSeconds = 2_147_483

/** Defaults of the options that do not depend on another option. */
export function serviceDefaults() {
  return {
    profile: hostPlatform(process.platform),
    port: 0,
    concurrency: availableParallelism(),
    threads: 1,
    instances: 1,
    maxQueue: 256,
    requestTimeoutSeconds: timeouts.serviceSeconds,
  }
}

/** An option with an invalid value. */
export interface OptionProblem {
  readonly option: keyof ServiceOptions
  readonly what: string
}

/** Finds all invalid options. The content of an engines file is checked only when a service starts. */
export async function findOptionProblems(options: ServiceOptions): Promise<OptionProblem[]> {
  const filled = fillIn(options)
  return [
    ...rangeProblems(filled),
    ...(await folderProblems(filled.allowDirs)),
    ...(await modelsDirProblems(filled.modelsDir)),
    ...(await fileProblems('microphoneFile', filled.microphoneFile)),
    ...(await fileProblems('enginesFile', filled.enginesFile)),
  ]
}

export function optionsInvalid(problems: readonly Problem[]): Error {
  return serviceErrors.make('SERVICE_OPTIONS_INVALID', {
    message: `${problems.length === 1 ? 'An option' : `${problems.length} options`} of the service cannot be used.`,
    hint: 'see what each flag takes: transcribench serve --help',
    problems,
  })
}

/** @throws BenchError SERVICE_OPTIONS_INVALID with every invalid option, and what `openCatalogue` throws */
export async function checkOptions(options: ServiceOptions): Promise<Settings> {
  const problems = await findOptionProblems(options)
  if (problems.length > 0) throw optionsInvalid(problems.map(({ option, what }) => ({ where: option, what })))
  const filled = fillIn(options)
  const { modelsDir, enginesFile, env } = filled
  return { ...filled, catalogue: options.catalogue ?? (await openCatalogue(modelsDir, enginesFile, env)) }
}

/** The settings for the log: without paths, keys and values that are not plain. */
export function loggedSettings(settings: Settings): LoggedSettings {
  const { dataDir: _data, modelsDir: _models, allowDirs, enginesFile, microphoneFile, ...rest } = settings
  const { catalogue, env: _env, log: _log, maxQueue, ...plain } = rest
  return {
    ...plain,
    // JSON has no Infinity.
    maxQueue: Number.isFinite(maxQueue) ? maxQueue : 'none',
    allowDirCount: allowDirs.length,
    hasEnginesFile: enginesFile !== null,
    hasMicrophoneFile: microphoneFile !== null,
    models: catalogue.models.map(({ family, id }) => `${family}:${id}`),
  }
}

type LoggedSettings = Extract<ServiceEvent, { kind: 'starting' }>['settings']

type FilledIn = Omit<Settings, 'catalogue'>

function fillIn(options: ServiceOptions): FilledIn {
  const defaults = serviceDefaults()
  const dataDir = resolve(options.dataDir ?? dataDirectory(process.env))
  return {
    profile: options.profile ?? defaults.profile,
    port: options.port ?? defaults.port,
    dataDir,
    modelsDir: resolve(options.modelsDir ?? modelsDirIn(dataDir)),
    allowDirs: (options.allowDirs ?? []).map((folder) => resolve(folder)),
    concurrency: options.concurrency ?? defaults.concurrency,
    threads: options.threads ?? defaults.threads,
    instances: options.instances ?? defaults.instances,
    warmUp: options.warmUp ?? [],
    idleUnloadSeconds: options.idleUnloadSeconds ?? null,
    enginesFile: options.enginesFile === undefined ? null : resolve(options.enginesFile),
    maxQueue: options.maxQueue ?? defaults.maxQueue,
    memoryBytes: options.memoryBytes ?? usualMemoryBytes(options.concurrency ?? defaults.concurrency),
    requestTimeoutSeconds: options.requestTimeoutSeconds ?? defaults.requestTimeoutSeconds,
    anyLanguage: options.anyLanguage ?? false,
    record: options.record === true || options.recordAudio === true,
    recordAudio: options.recordAudio ?? false,
    keepAudioSeconds: options.keepAudioSeconds ?? null,
    maxAudioBytes: options.maxAudioBytes ?? null,
    metricsPort: options.metricsPort ?? null,
    microphoneFile: options.microphoneFile === undefined ? null : resolve(options.microphoneFile),
    env: options.env ?? process.env,
    askProviders: options.askProviders ?? false,
    logTexts: options.logTexts ?? false,
    log: options.log ?? (() => undefined),
  }
}

const isPort = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 65_535
const isPositive = (value: number): boolean => Number.isSafeInteger(value) && value >= 1
const isTimeout = (value: number): boolean => value > 0 && value <= maxTimeoutSeconds
const timeoutRule = `must be a number of seconds above 0, up to ${maxTimeoutSeconds}`

/** The check of each option, and the rule in words. */
const optionRules: {
  readonly [Option in keyof FilledIn]?: readonly [
    isGood: (value: NonNullable<FilledIn[Option]>) => boolean,
    rule: string,
  ]
} = {
  profile: [(value) => platforms.includes(value), `must be one of ${platforms.join(', ')}`],
  port: [isPort, 'must be a whole number from 0 to 65535'],
  metricsPort: [isPort, 'must be a whole number from 0 to 65535'],
  concurrency: [isPositive, 'must be a whole number, 1 or more'],
  threads: [isPositive, 'must be a whole number, 1 or more'],
  instances: [isPositive, 'must be a whole number, 1 or more'],
  idleUnloadSeconds: [isTimeout, timeoutRule],
  maxQueue: [
    (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value >= 0),
    'must be a whole number, 0 or more, or Infinity',
  ],
  memoryBytes: [
    (value) => Number.isSafeInteger(value) && value >= minMemoryBytes,
    `must be ${inMebibytes(minMemoryBytes)} or more`,
  ],
  requestTimeoutSeconds: [isTimeout, timeoutRule],
  keepAudioSeconds: [(value) => value > 0, 'must be a number of seconds above 0'],
  maxAudioBytes: [(value) => value >= 0, 'must be a number of bytes, 0 or more'],
}

function rangeProblems(settings: FilledIn): OptionProblem[] {
  const rules = Object.entries(optionRules) as [
    keyof FilledIn,
    readonly [(value: unknown) => boolean, string],
  ][]
  return rules
    .filter(([option, [isGood]]) => settings[option] !== null && !isGood(settings[option]))
    .map(([option, [, rule]]) => ({
      option,
      what: `${rule}, not ${option === 'memoryBytes' ? inMebibytes(settings[option]) : String(settings[option])}`,
    }))
}

function inMebibytes(bytes: number): string {
  return `${bytes / 2 ** 20} MiB`
}

async function folderProblems(folders: readonly string[]): Promise<OptionProblem[]> {
  const problems: OptionProblem[] = []
  for (const folder of folders) {
    const found = await stat(folder).catch(() => null)
    if (found === null) problems.push({ option: 'allowDirs', what: `${folder} does not exist` })
    else if (!found.isDirectory())
      problems.push({ option: 'allowDirs', what: `${folder} is not a directory` })
  }
  return problems
}

/** A missing folder is valid, because a model may be installed while the service runs. */
async function modelsDirProblems(folder: string): Promise<OptionProblem[]> {
  const found = await stat(folder).catch(() => null)
  if (found === null) return []
  if (!found.isDirectory()) return [{ option: 'modelsDir', what: `${folder} is not a directory` }]
  const problem = await readdir(folder).then(
    () => null,
    (error: Error) => error.message,
  )
  return problem === null ? [] : [{ option: 'modelsDir', what: `cannot be read: ${problem}` }]
}

async function fileProblems(option: keyof ServiceOptions, path: string | null): Promise<OptionProblem[]> {
  if (path === null) return []
  const found = await stat(path).catch(() => null)
  return found?.isFile() ? [] : [{ option, what: `${path} is not a file` }]
}

/** Canonical paths of the folders, for comparison with the canonical paths of requested files. */
export function realFolders(folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map((folder) => realpath(folder)))
}

/** Default folder of installed models: `models` in the default data directory. */
export function defaultModelsDir(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  return modelsDirIn(dataDirectory(env, platform))
}

function modelsDirIn(dataDir: string): string {
  return join(dataDir, 'models')
}
