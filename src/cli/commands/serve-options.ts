import { sep } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { platforms } from '#contract/enums'
import { dataDirectory as defaultDataDir } from '#installation/installation'
import { assertNever } from '#prelude'
import type { LoggedEvent, ServiceEvent } from '#service/service-event'
import { defaultModelsDir, type ServiceOptions, serviceDefaults } from '#service/settings'
import { parseSeconds } from '../arguments.ts'
import { processContext } from '../command-context.ts'
import { wholeNumber } from '../options.ts'
import { choice, type OptionsOf, option, readOption } from '../typed-options.ts'

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

/** The options of `transcribench serve`. */
export function serveOptions() {
  const { env, home } = processContext()
  const folder = (path: string): string =>
    path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path
  const defaults = serviceDefaults()
  const number = <const Flags extends string>(flags: Flags, says: string) =>
    readOption(flags, says, wholeNumber(0))
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
    choice(
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
    readOption(
      '--max-queue <number>',
      `max queued requests, one more is RATE_LIMITED; none: no limit (default: ${defaults.maxQueue})`,
      (text) => (text === 'none' ? Number.POSITIVE_INFINITY : wholeNumber(0)(text)),
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
    readOption(
      '--keep-audio <duration>',
      'remove recorded sounds that are older, as 30d (default: never)',
      parseSeconds,
    ),
    readOption(
      '--max-audio <size>',
      'remove the oldest sounds past that size, as 2GB (default: no limit)',
      parseSize,
    ),
    number('--metrics-port <number>', 'serve Prometheus metrics on that port of 127.0.0.1 (default: off)'),
    readOption(
      '--stop-within <seconds>',
      'grace period for requests in flight at shutdown',
      wholeNumber(0),
      stopWithinSeconds,
    ),
    choice('--log <format>', 'format of the event log on stderr', logFormats, 'text'),
    option('--log-texts', 'also log the transcribed texts (default: no)'),
  ]
}
export type ServeOptions = OptionsOf<typeof serveOptions>

const unitBytes: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

/** Reads a size in bytes. */
function parseSize(text: string): number {
  const [, figure, unit = ''] = /^(\d+(?:\.\d+)?) ?([KMGT]B)$/i.exec(text) ?? []
  const factor = unitBytes[unit.toUpperCase()]
  if (figure !== undefined && factor !== undefined) return Number(figure) * factor
  throw new InvalidArgumentError('A size is needed, such as 2GB or 500MB.')
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
    case 'diskFull':
      return `nothing written, because the disk is full: ${event.reason}`
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
