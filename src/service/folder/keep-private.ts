import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceErrors } from '../errors.ts'

const ownerOnly = 0o700
const ownerReadsAndWrites = 0o600
const permissionBits = 0o777
const stickyBit = 0o1000

/**
 * Restricts a data directory to its owner: the directory, the recordings in it, and every file of the service, whichever
 * program made them. They hold transcripts and the token.
 *
 * @param isOurs which files of the directory belong to the service; in the recordings all do
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE for a directory that belongs to another user, or is shared by all
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
  for (const path of [...ours, ...recordings]) await closeFile(path)
}

async function closeFolder(path: string): Promise<void> {
  const { mode } = await lstat(path)
  if ((mode & permissionBits) === ownerOnly) return
  if ((mode & stickyBit) !== 0) throw sharedFolder(path, 'all users can write to it')
  await chmod(path, ownerOnly).catch((error: Error) => {
    throw sharedFolder(path, error.message)
  })
}

async function closeFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null || !found.isFile() || (found.mode & permissionBits) === ownerReadsAndWrites) return
  await chmod(path, ownerReadsAndWrites)
}

function sharedFolder(path: string, why: string): Error {
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${path} cannot be kept from other users: ${why}.`,
    hint: 'Name a directory of your own with --data-dir; it is made where it is missing.',
  })
}
