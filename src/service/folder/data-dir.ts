import { join } from 'node:path'
import { serviceErrors } from '../errors.ts'
import { type Hold, holdFolder } from './hold.ts'
import { keepFilesPrivate, keepFolderPrivate } from './keep-private.ts'
import { makeFolder } from './make-folder.ts'
import { type CurrentToken, keepToken } from './token.ts'

/** A data directory that this service has to itself. */
export interface DataDir {
  readonly hold: Hold
  readonly token: CurrentToken
  /** Files in it may be named by requests. */
  readonly recordingsFolder: string
}

const ownerOnly = 0o700

/** The models may lie in the same directory; they are no secret. */
function isOurs(name: string): boolean {
  return /^(?:service\.(?:lock|pid|sqlite)|token$|local-api\.json)/.test(name)
}

/** @throws BenchError SERVICE_DATA_DIR_HELD where another service runs on it, SERVICE_DATA_DIR_UNUSABLE where others can write to it */
export async function openDataDir(dataDir: string): Promise<DataDir> {
  const recordingsFolder = join(dataDir, 'recordings')
  await makeFolder(dataDir, ownerOnly)
  // Before anything is written: it may be a folder that is not the service's.
  await keepFolderPrivate(dataDir)
  await makeFolder(recordingsFolder, ownerOnly)
  const hold = await holdFolder(dataDir, 'service')
  if (!hold.ok) {
    const { pid } = hold.failure
    throw serviceErrors.make('SERVICE_DATA_DIR_HELD', {
      message: `A service${pid === null ? '' : ` (process ${pid})`} is running on ${dataDir} already.`,
      hint: `Use it, stop it${pid === null ? '' : ` (kill ${pid})`}, or start this one with another --data-dir.`,
    })
  }
  try {
    await keepFilesPrivate(dataDir, recordingsFolder, isOurs)
    return { hold: hold.value, token: await keepToken(dataDir), recordingsFolder }
  } catch (error) {
    await hold.value.release()
    throw error
  }
}
