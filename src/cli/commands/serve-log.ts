import { assertNever } from '#prelude'
import type { LoggedEvent, ServiceEvent } from '#service'

export const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** One line of the log, without an end; null for an event that is reported elsewhere. */
export function logLine(event: LoggedEvent, format: LogFormat, at: Date): string | null {
  const time = at.toISOString()
  if (format === 'json') {
    // What an exception holds besides is its own affair, and does not survive as JSON.
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
    // The command says these itself.
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

/** What was thrown may repeat megabytes of a request. */
const maxFaultCharacters = 4_000

function describe(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return text.length <= maxFaultCharacters ? text : `${text.slice(0, maxFaultCharacters)}… (cut)`
}
