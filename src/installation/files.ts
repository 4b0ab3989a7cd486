import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'

/**
 * Makes a folder, and those above it that are missing. Node's recursive `mkdir` never returns on a file
 * system that answers ENOENT for a folder whose parent exists, as `/proc` does.
 *
 * @param path absolute
 * @throws the system's error of the first folder that cannot be made
 */
export async function makeFolder(path: string, mode: number = 0o777): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) {
    await makeFolder(parent, mode).catch((error: NodeJS.ErrnoException) => {
      // A file is in the way; the `mkdir` of the folder in it fails with the system's error.
      if (error.code !== 'EEXIST') throw error
    })
  }
  try {
    await mkdir(path, { mode })
  } catch (error) {
    // Another process may have made the folder meanwhile.
    if (!(await isFolder(path))) throw error
  }
}

/** Whether a file or folder exists at the path and is visible to this user. */
export async function exists(...path: readonly string[]): Promise<boolean> {
  return (await stat(join(...path)).catch(() => null)) !== null
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() ?? false
}

/**
 * Replaces a file in one step: a reader sees the old file or the new one, and a failed write leaves no draft.
 *
 * @param write writes the new content to the path that it is given, which is next to the replaced file
 */
export async function replaceFile(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${process.pid}.draft`
  try {
    await write(draft)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/**
 * Locks a file against other processes and other callers in this one. It is a file lock of SQLite on an empty database:
 * the operating system releases it with the process, so no stale lock remains, and it holds across containers. The
 * file stays empty, because reading it would drop the lock on POSIX systems.
 *
 * @param path file in an existing folder; made when missing
 * @returns null where another one holds the lock
 * @throws the system's error where the file cannot be made or its file system has no locks
 */
export async function lockFile(path: string): Promise<Disposable | null> {
  // Imported here because the module prints a warning when it is loaded.
  const { DatabaseSync } = await import('node:sqlite')
  const lock = new DatabaseSync(path)
  try {
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) return null
    throw error
  }
}

/** Whether `lockFile` holds a file, here or in another process. */
export async function isLocked(path: string): Promise<boolean> {
  if (!(await exists(path))) return false
  const { DatabaseSync } = await import('node:sqlite')
  try {
    using database = new DatabaseSync(path, { readOnly: true })
    // Readers do not exclude each other, so two processes that ask are not taken for holders.
    database.exec('PRAGMA busy_timeout = 0; SELECT count(*) FROM sqlite_schema')
    return false
  } catch (error) {
    return isBusy(error)
  }
}

const sqliteBusy = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}

/** Writes all bytes at a position. On a full disk, one call of `write` writes a part of them and succeeds. */
export async function writeAt(
  file: Pick<FileHandle, 'write'>,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

/** Flushes the names in a folder to the disk; call it after the files themselves are flushed. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and its file system flushes names by itself.
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
