import { BenchError, defineErrors, type ErrorTable } from '#prelude'

const serviceExits = {
  SERVICE_OPTIONS_INVALID: 'badInput',
  SERVICE_DATA_DIR_HELD: 'badInput',
  SERVICE_DATA_DIR_UNUSABLE: 'badInput',
  SERVICE_PORT_TAKEN: 'badInput',
  BACKUP_UNUSABLE: 'badInput',
  ENGINES_FILE_INVALID: 'badInput',
  MODEL_UNKNOWN: 'badInput',
  MODEL_NOT_ADDED: 'badInput',
  MODEL_REFUSED: 'badInput',
  MODEL_UNREACHABLE: 'badInput',
  MODEL_UNUSABLE: 'badInput',
  MODEL_REGISTER_UNREADABLE: 'badInput',
  MODEL_INSTALL_BUSY: 'badInput',
  MODEL_INSTALL_CANCELLED: 'interrupted',
  MODELS_DISK_FULL: 'badInput',
  MODELS_DIR_UNUSABLE: 'badInput',
} as const

/** Errors of starting the reference service, and of its installed models. */
export const serviceErrors: ErrorTable<keyof typeof serviceExits> = defineErrors(serviceExits)

/** Whether an error comes from the operating system or SQLite; any other is a bug or already a BenchError. */
export function isOfTheSystem(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof BenchError) return false
  return 'syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR')
}
