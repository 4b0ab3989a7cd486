/** What each kind of refusal of the file system asks of the person, by the code of the system. */
const remedies = {
  ENOSPC: 'make room on this disk, then give the command again; TMPDIR moves temporary files to another one',
  EDQUOT: 'make room within your quota of this disk, then give the command again',
  EACCES: 'allow this user to read and write there, or name another folder',
  EPERM: 'allow this user to read and write there, or name another folder',
  EROFS: 'name a folder on a disk that can be written; TMPDIR names the one of temporary files',
  EIO: 'the disk or the network drive fails: look into the log of the system',
  EMFILE: 'allow more open files, then give the command again: ulimit -n 4096',
  ENFILE: 'close programs that hold many files open, then give the command again',
  EFBIG: 'name a folder on a disk that holds files of this size',
  ENOTDIR: 'name a folder where a file is named now; TMPDIR names the one of temporary files',
  EISDIR: 'name a file where a folder is named now',
} as const

export interface FileError extends NodeJS.ErrnoException {
  readonly code: keyof typeof remedies
}

/** A full disk, a folder without permission, too many open files: errors of system calls on files that are no bug. */
export function isFileError(error: unknown): error is FileError {
  return (
    error instanceof Error &&
    'code' in error &&
    !('port' in error) &&
    Object.hasOwn(remedies, String(error.code))
  )
}

/** `/srv/results cannot be read or written: read-only file system (EROFS)`. */
export function describeFileError({ code, path, message }: FileError): string {
  const reason = /^[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message
  return `${path ?? 'a file'} cannot be read or written: ${reason} (${code})`
}

/** What can be done about it. */
export function remedyOf({ code }: FileError): string {
  return remedies[code]
}
