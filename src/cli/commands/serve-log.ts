import { assertNever } from '#prelude'
import type { ServiceEvent } from '#service'

export const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** One line of the log, without an end; null for what is told elsewhere. */
export function logLine(event: ServiceEvent, format: LogFormat, at: Date): string | null {
  const time = at.toISOString()
  if (format === 'json') {
    // What an exception holds besides is its own affair, and does not survive as JSON.
    const plain = event.kind === 'fault' ? { ...event, error: describe(event.error) } : event
    return JSON.stringify({ time, ...plain })
  }
  const text = inWords(event)
  return text === null ? null : `${time} ${text}`
}

function inWords(event: ServiceEvent): string | null {
  switch (event.kind) {
    case 'answered': {
      const { method, route, httpStatus, code, durationMs, isDelivered } = event
      const end = isDelivered ? '' : ', to nobody: the client had gone'
      return `${method} ${route ?? '(unknown route)'} ${httpStatus} ${code ?? 'ok'} ${durationMs.toFixed(1)} ms${end}`
    }
    case 'transcribed': {
      const { engine, model, audioSeconds, decodeMs, text } = event
      const said = text === null ? '' : `: ${JSON.stringify(text)}`
      return `${engine}:${model} heard ${audioSeconds.toFixed(1)} s in ${decodeMs.toFixed(0)} ms${said}`
    }
    case 'modelLoaded':
      return `loaded ${event.model} in ${event.durationMs.toFixed(0)} ms`
    case 'warmUpFailed':
      return `not loaded ${event.model}: ${event.reason}`
    case 'postProcessingFailed':
      return `no post-processing by ${event.provider ?? 'anybody'}: ${event.reason}`
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

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
