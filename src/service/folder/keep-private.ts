import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { shellWord } from '#prelude'
import { serviceErrors } from '../errors.ts'

const ownerOnly = 0o700
const ownerReadsAndWrites = 0o600
const permissionBits = 0o777
const othersMayWrite = 0o022
const stickyBit = 0o1000

/**
 * Restricts the files of a data directory to its owner: the recordings, and every file of the service, whichever program made
 * them. They hold transcripts and the token.
 *
 * @param isOurs which files of the directory belong to the service; in the recordings all do
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE for recordings or files that others own or can write to
 */
export async function keepFilesPrivate(
  dataDir: string,
  recordingsFolder: string,
  isOurs: (name: string) => boolean,
): Promise<void> {
  // Windows has no such bits; the folder of a user is that user's there.
  if (process.platform === 'win32') return
  await keepFolderPrivate(recordingsFolder)
  const ours = (await readdir(dataDir)).filter(isOurs).map((name) => join(dataDir, name))
  const recordings = (await readdir(recordingsFolder)).map((name) => join(recordingsFolder, name))
  for (const path of ours) await closeFile(path, true)
  for (const path of recordings) await closeFile(path, false)
}

/**
 * Restricts a folder to its owner. One that others can write to is refused instead: they may have put a token into it that they
 * know.
 *
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE for a folder that others own or can write to
 */
export async function keepFolderPrivate(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const { mode, uid } = await lstat(path)
  // All users share it, as they do /tmp: it must stay as it is.
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

/** @param isTrusted whether the service does what is in it: it has a token, or Modes */
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
