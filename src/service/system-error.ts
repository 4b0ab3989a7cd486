import { BenchError } from '#prelude'
import { serviceErrors } from './errors.ts'
import type { Settings } from './settings.ts'

/** Turns what stopped a service from starting into words for a person, where a person can change it. */
export function inWords(error: unknown, settings: Settings): unknown {
  if (!isOfTheSystem(error)) return error
  if ('syscall' in error && error.syscall === 'listen') {
    const port = 'port' in error ? Number(error.port) : settings.port
    const option = port === settings.metricsPort ? '--metrics-port' : '--port'
    return serviceErrors.make('SERVICE_PORT_TAKEN', {
      message: `Port ${port} on 127.0.0.1 cannot be used: ${error.message}.`,
      hint:
        option === '--port'
          ? 'Leave --port out to take a free one.'
          : 'Name another port with --metrics-port; 0 takes a free one.',
      cause: error,
    })
  }
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${settings.dataDir} cannot be used: ${error.message}.`,
    hint: 'Make it a directory that you may write to, or name another one with --data-dir.',
    cause: error,
  })
}

/** Whether the operating system or the database refused; anything else is a bug in transcribench, or is already reported. */
export function isOfTheSystem(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof BenchError) return false
  return 'syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR')
}
