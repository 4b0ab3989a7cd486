import { randomUUID } from 'node:crypto'
import { chmod, lstat, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '#installation/files'
import { failed, type Outcome, shellWord, succeeded } from '#prelude'
import { serviceErrors } from '../errors.ts'

/** Exclusive use of a folder, until it is released or this process ends. */
export interface Hold {
  release(): Promise<void>
}

/**
 * Acquires a folder exclusively, against other processes and other callers in this one. A separate file has the
 * holder's process id, because the locked file has to stay empty.
 *
 * @param folder existing folder
 * @param name name of the lock; creates `<name>.lock` and `<name>.pid` in the folder
 * @returns a failure with the holder's process id, if known
 */
export async function holdFolder(
  folder: string,
  name: string,
): Promise<Outcome<Hold, { readonly pid: number | null }>> {
  const pidPath = join(folder, `${name}.pid`)
  const lock = await lockFile(join(folder, `${name}.lock`))
  if (lock === null) return failed({ pid: await readPid(pidPath) })
  try {
    await writeFile(pidPath, `${process.pid}\n`)
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
  return succeeded({
    async release() {
      await rm(pidPath, { force: true })
      lock[Symbol.dispose]()
    },
  })
}

async function readPid(path: string): Promise<number | null> {
  // The file may be missing briefly, while the holder acquires or releases the lock.
  const text = await readFile(path, 'utf8').catch(() => '')
  return /^\d+\n$/.test(text) ? Number(text) : null
}

const ownerOnly = 0o700
const ownerReadsAndWrites = 0o600
const permissionBits = 0o777
const othersMayWrite = 0o022
const stickyBit = 0o1000

/**
 * Restricts the files of a data directory to their owner, whichever program made them, because they hold
 * transcripts and the token.
 *
 * @param isOurs which files of the directory belong to the service; all recordings do
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE for recordings or files that others own or can write to
 */
export async function keepFilesPrivate(
  dataDir: string,
  recordingsFolder: string,
  isOurs: (name: string) => boolean,
): Promise<void> {
  // Windows has no permission bits, and user folders are private.
  if (process.platform === 'win32') return
  await keepFolderPrivate(recordingsFolder)
  const ours = (await readdir(dataDir)).filter(isOurs).map((name) => join(dataDir, name))
  const recordings = (await readdir(recordingsFolder)).map((name) => join(recordingsFolder, name))
  for (const path of ours) await closeFile(path, true)
  for (const path of recordings) await closeFile(path, false)
}

/**
 * Restricts a folder to its owner. A folder that others can write to is refused, because they may have
 * planted a token.
 *
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE for a folder that others own or can write to
 */
export async function keepFolderPrivate(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const { mode, uid } = await lstat(path)
  // A folder with the sticky bit is shared by all users, as /tmp is, so its mode must not change.
  if ((mode & stickyBit) !== 0) {
    throw unusable(
      path,
      'all users of this machine share it',
      'Name a directory of your own with --data-dir.',
    )
  }
  if (uid !== process.geteuid?.()) throw unusable(path, 'it belongs to another user')
  if ((mode & othersMayWrite) !== 0) {
    throw unusable(
      path,
      'other users can write to it, and may have put a token of theirs there',
      `If you trust what is in it: chmod -R go-w ${shellWord(path)}. Otherwise name a new directory with --data-dir.`,
    )
  }
  if ((mode & permissionBits) !== ownerOnly) await chmod(path, ownerOnly)
}

/** @param isTrusted whether the service relies on the file's content: the token, or Modes */
async function closeFile(path: string, isTrusted: boolean): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null || !found.isFile()) return
  if (isTrusted && found.uid !== process.geteuid?.()) throw unusable(path, 'it belongs to another user')
  if (isTrusted && (found.mode & othersMayWrite) !== 0) {
    throw unusable(
      path,
      'other users can write to it',
      `If you trust what is in it: chmod go-w ${shellWord(path)}`,
    )
  }
  if ((found.mode & permissionBits) !== ownerReadsAndWrites) await chmod(path, ownerReadsAndWrites)
}

function unusable(
  path: string,
  why: string,
  hint = `Name a directory of your own with --data-dir, or take this one over: sudo chown -R "$(id -un)" ${shellWord(path)}`,
): Error {
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${path} cannot be used: ${why}.`,
    hint,
  })
}

/**
 * Writes a file in one step that only its owner can ever read; replaces an existing one.
 *
 * @param temporaryPath an unused path, to which the file is written first
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array,
  temporaryPath: string = `${path}.${randomUUID()}`,
): Promise<void> {
  try {
    const file = await open(temporaryPath, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporaryPath, path)
  } catch (error) {
    await rm(temporaryPath, { force: true })
    throw error
  }
}
