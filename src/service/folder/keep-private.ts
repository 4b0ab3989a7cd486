import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceErrors } from '../errors.ts'

const ownerOnly = 0o700
const ownerReadsAndWrites = 0o600
const permissionBits = 0o777
const othersMayWrite = 0o022

/**
 * Restricts a data directory to its owner: the directory, the recordings in it, and every file of the service, whichever
 * program made them. They hold transcripts and the token.
 *
 * A directory that others can write to is not restricted but refused: they may have put a token into it that they know.
 *
 * @param isOurs which files of the directory belong to the service; in the recordings all do
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE for a directory, or a file in it, that others own or can write to
 */
export async function keepPrivate(
  dataDir: string,
  recordingsFolder: string,
  isOurs: (name: string) => boolean,
): Promise<void> {
  // Windows has no such bits; the folder of a user is that user's there.
  if (process.platform === 'win32') return
  await closeFolder(dataDir)
  await closeFolder(recordingsFolder)
  const ours = (await readdir(dataDir)).filter(isOurs).map((name) => join(dataDir, name))
  const recordings = (await readdir(recordingsFolder)).map((name) => join(recordingsFolder, name))
  for (const path of ours) await closeFile(path, true)
  for (const path of recordings) await closeFile(path, false)
}

async function closeFolder(path: string): Promise<void> {
  const { mode, uid } = await lstat(path)
  if (uid !== process.geteuid?.()) throw unusable(path, 'it belongs to another user')
  if ((mode & othersMayWrite) !== 0) {
    throw unusable(
      path,
      'other users can write to it, and may have put a token of theirs there',
      `If nobody else uses this machine: chmod -R go-w ${path}. Otherwise name a new directory with --data-dir.`,
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
    throw unusable(path, 'other users can write to it', `If that is a mistake: chmod go-w ${path}`)
  }
  if ((found.mode & permissionBits) !== ownerReadsAndWrites) await chmod(path, ownerReadsAndWrites)
}

function unusable(
  path: string,
  why: string,
  hint = `Name a directory of your own with --data-dir, or take this one over: sudo chown -R "$(id -un)" ${path}`,
): Error {
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${path} cannot be used: ${why}.`,
    hint,
  })
}
