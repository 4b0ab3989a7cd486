import { BenchError } from '#prelude'
import { serviceErrors } from './errors.ts'
import type { Settings } from './settings.ts'

/** Turns what stopped a service from starting into words for a person, where a person can change it. */
export function inWords(error: unknown, settings: Settings): unknown {
  if (error instanceof BenchError || !(error instanceof Error && 'code' in error)) return error
  if ('syscall' in error && error.syscall === 'listen') {
    return serviceErrors.make('SERVICE_PORT_TAKEN', {
      message: `Port ${settings.port} on 127.0.0.1 cannot be used: ${error.message}.`,
      hint: 'Leave --port out to take a free one.',
      cause: error,
    })
  }
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${settings.dataDir} cannot be used: ${error.message}.`,
    hint: 'Make it a directory that you may write to, or name another one with --data-dir.',
    cause: error,
  })
}
