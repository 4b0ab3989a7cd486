import { sessionErrors } from '../errors.ts'

/** The fault of a disk in words; any other error as it is. */
export function folderUnwritable(output: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error
  return sessionErrors.make('EXPORT_UNWRITABLE', {
    message: `${output} cannot be written: ${error.message}`,
    hint: 'name a folder on a disk with space that may be written to',
    cause: error,
  })
}
