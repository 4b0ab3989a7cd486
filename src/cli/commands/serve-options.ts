import { platforms } from '#contract/enums'
import { dataDirectory as defaultDataDir } from '#installation/installation'
import { parseDuration } from '#load/loads/keys'
import { assertNever, type Problem } from '#prelude'
import type { LoggedEvent, ServiceEvent } from '#service/service-event'
import { defaultModelsDir, type ServiceOptions, serviceDefaults } from '#service/settings'
import { processContext } from '../command-context.ts'
import { choice, type OptionsOf, option, readOption, type TypedOption } from '../typed-options.ts'

/** The flag of each option of the service; null if the command sets it itself. */
export const flagOf: Readonly<Record<keyof ServiceOptions, string | null>> = {
  profile: '--platform',
  port: '--port',
  dataDir: '--data-dir',
  modelsDir: '--models-dir',
  allowDirs: '--allow-dir',
  concurrency: '--concurrency',
  threads: '--threads',
  instances: '--instances',
  warmUp: '--warm-up',
  idleUnloadSeconds: '--idle-unload',
  enginesFile: '--engines',
  maxQueue: '--max-queue',
  memoryBytes: '--memory',
  requestTimeoutSeconds: '--request-timeout',
  anyLanguage: '--any-language',
  record: '--record',
  recordAudio: '--record-audio',
  microphoneFile: '--microphone-file',
  keepAudioSeconds: '--keep-audio',
  maxAudioBytes: '--max-audio',
  metricsPort: '--metrics-port',
  logTexts: '--log-texts',
  env: null,
  askProviders: null,
  catalogue: null,
  log: null,
}

const stopWithinSeconds = 30

/**
 * The options of `transcribench serve`.
 *
 * @param misread receives every invalid value, so that all of them can be reported at once
 */
export function serveOptions(misread: Problem[]) {
  const { env, home } = processContext()
  const folder = (path: string): string => (path.startsWith(home) ? `~${path.slice(home.length)}` : path)
  const defaults = serviceDefaults()
  const reader =
    <Value>(flags: string, { name, read }: Expected<Value>) =>
    (text: string): Value | undefined => {
      const value = read(text)
      if (value !== null) return value
      const [where = flags] = flags.split(' ', 1)
      misread.push({ where, what: `is ${name}, not ${JSON.stringify(text)}` })
      return undefined
    }
  const measured = <const Flags extends string>(flags: Flags, says: string, expected: Expected<number>) =>
    readOption(flags, says, reader(flags, expected))
  const number = <const Flags extends string>(flags: Flags, says: string) =>
    measured(flags, says, { name: 'a whole number', read: parseWhole })
  const oneOf = <const Flags extends string, Word extends string>(
    flags: Flags,
    says: string,
    words: readonly Word[],
  ) => {
    const read = (text: string): Word | null => words.find((word) => word === text) ?? null
    return choice(flags, says, words).argParser(reader(flags, { name: `one of ${words.join(', ')}`, read }))
  }
  return [
    number('--port <number>', 'port to listen on (default: a free one)'),
    option(
      '--data-dir <folder>',
      `Modes, token, discovery file and recordings (default: ${folder(defaultDataDir(env))})`,
    ),
    option('--models-dir <folder>', `where models are installed (default: ${folder(defaultModelsDir(env))})`),
    option(
      '--allow-dir <folder...>',
      'folders whose files a request may name by path (default: only the recordings in the data directory)',
    ),
    oneOf(
      '--platform <platform>',
      `platform to behave as (default: ${defaults.profile}, that of this machine)`,
      platforms,
    ),
    number(
      '--concurrency <count>',
      `concurrent decodes per model (default: one per processor, ${defaults.concurrency} here)`,
    ),
    number('--threads <number>', `threads per decode (default: ${defaults.threads})`),
    number('--instances <number>', `copies of each model in memory (default: ${defaults.instances})`),
    option('--warm-up <model...>', 'models to load before the first request (default: none)'),
    number('--idle-unload <seconds>', 'free a model that is idle for this long (default: never)'),
    option('--engines <file>', 'programs and servers that transcribe, see docs/engines.md (default: none)'),
    measured(
      '--max-queue <number>',
      `max queued requests, one more is RATE_LIMITED; none: no limit (default: ${defaults.maxQueue})`,
      {
        name: 'a whole number',
        read: (text) => (text === 'none' ? Number.POSITIVE_INFINITY : parseWhole(text)),
      },
    ),
    number(
      '--memory <megabytes>',
      'memory for recordings in flight, without models (default: by --concurrency)',
    ),
    number(
      '--request-timeout <seconds>',
      `time-out of a transcription, answered TIMEOUT (default: ${defaults.requestTimeoutSeconds})`,
    ),
    option('--any-language', 'also pass unsupported languages to a model (default: refuse such a request)'),
    option('--record', 'keep the text of every transcription as a recording (default: no)'),
    option('--record-audio', 'keep the text and the sound of every transcription (default: no)'),
    option(
      '--microphone-file <audio>',
      'recording that the recorder receives as its microphone, on Linux only (default: no microphone)',
    ),
    measured('--keep-audio <duration>', 'remove recorded sounds that are older, as 30d (default: never)', {
      name: 'a duration such as 30d, 12h or 90min',
      read: parseDuration,
    }),
    measured('--max-audio <size>', 'remove the oldest sounds past that size, as 2GB (default: no limit)', {
      name: 'a size such as 2GB or 500MB',
      read: parseSize,
    }),
    number('--metrics-port <number>', 'serve Prometheus metrics on that port of 127.0.0.1 (default: off)'),
    number('--stop-within <seconds>', 'grace period for requests in flight at shutdown').default(
      stopWithinSeconds,
    ) as TypedOption<'stopWithin', number>,
    oneOf('--log <format>', 'format of the event log on stderr', logFormats).default('text') as TypedOption<
      'log',
      LogFormat
    >,
    option('--log-texts', 'also log the transcribed texts (default: no)'),
  ]
}
export type ServeOptions = OptionsOf<typeof serveOptions>

/** A type of values with its parser. */
interface Expected<Value> {
  /** Name of the type in messages. */
  readonly name: string
  /** @returns null for an invalid text */
  read(text: string): Value | null
}

function parseWhole(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null
}

const unitBytes: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

/** @returns bytes; null if the text is not a size */
function parseSize(text: string): number | null {
  const [, figure, unit = ''] = /^(\d+(?:\.\d+)?) ?([KMGT]B)$/i.exec(text) ?? []
  const factor = unitBytes[unit.toUpperCase()]
  return figure === undefined || factor === undefined ? null : Number(figure) * factor
}

const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** One line of the log, without a line end; null for an event that is reported elsewhere. */
export function logLine(event: LoggedEvent, format: LogFormat, at: Date): string | null {
  const time = at.toISOString()
  if (format === 'json') {
    // Only the description of an exception is logged, because an error object does not survive as JSON.
    const plain = event.kind === 'fault' ? { ...event, error: describe(event.error) } : event
    return JSON.stringify({ time, ...plain })
  }
  const text = inWords(event)
  if (text === null) return null
  return event.requestId === null ? `${time} ${text}` : `${time} ${event.requestId} ${text}`
}

function inWords(event: ServiceEvent): string | null {
  switch (event.kind) {
    case 'answered': {
      const { method, route, httpStatus, code, durationMs, isDelivered } = event
      const end = isDelivered ? '' : ', not delivered: the client had disconnected'
      return `${method} ${route ?? '(unknown route)'} ${httpStatus} ${code ?? 'ok'} ${durationMs.toFixed(1)} ms${end}`
    }
    case 'transcribed': {
      const { engine, model, audioSeconds, decodeMs, text } = event
      const said = text === null ? '' : `: ${JSON.stringify(text)}`
      return `${engine}:${model} transcribed ${audioSeconds.toFixed(1)} s in ${decodeMs.toFixed(0)} ms${said}`
    }
    case 'engineFailed': {
      const { engine, model, code, reason, detail } = event
      const said = detail === null ? '' : `; it said: ${JSON.stringify(detail)}`
      return `${engine}:${model} failed ${code}: ${reason}${said}`
    }
    case 'modelLoaded':
      return `loaded ${event.model} in ${event.durationMs.toFixed(0)} ms`
    case 'unparsed':
      return `unreadable request ${event.httpStatus} ${event.reason}`
    case 'starting':
      return `starting transcribench ${event.version} ${settingsInWords(event.settings)}`
    case 'metricsListening':
      return `metrics on ${event.address}`
    case 'modelLost':
      return `lost ${event.model}, its process ended: ${event.reason}`
    case 'warmUpFailed':
      return `not loaded ${event.model}: ${event.reason}`
    case 'postProcessingFailed':
      return `no post-processing by ${event.provider ?? 'any provider'}: ${event.reason}`
    case 'notRecorded':
      return `recording not kept: ${event.reason}`
    case 'fault':
      return `fault ${describe(event.error)}`
    // The command reports these events itself.
    case 'listening':
    case 'stopped':
      return null
    default:
      return assertNever(event)
  }
}

function settingsInWords(settings: Extract<ServiceEvent, { kind: 'starting' }>['settings']): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') || 'none' : (value ?? 'none')}`)
    .join(' ')
}

/** Maximum length of a logged error, which may repeat megabytes of a request. */
const maxFaultCharacters = 4_000

function describe(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return text.length <= maxFaultCharacters ? text : `${text.slice(0, maxFaultCharacters)}… (cut)`
}
