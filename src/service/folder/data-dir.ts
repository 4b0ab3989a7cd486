import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { chmod, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { apiVersion } from '#contract/enums'
import { type DiscoveryFile, discoveryFile, discoveryFileName } from '#contract/resources'
import { makeFolder } from '#installation/files'
import { shellWord } from '#prelude'
import { isOfTheSystem, serviceErrors } from '../errors.ts'
import { holdFolder, keepFilesPrivate, keepFolderPrivate, writePrivateFile } from './private-folder.ts'

const ownerOnly = 0o700

/** Files of the service that have to be private; models may be in the same directory, and are not secret. */
function isOurs(name: string): boolean {
  return /^(?:service\.(?:lock|pid|sqlite)|token$|local-api\.json)/.test(name)
}

/**
 * Opens a data directory for exclusive use. Requests may name files of its recordings folder.
 *
 * @throws BenchError SERVICE_DATA_DIR_HELD where another service runs on it, SERVICE_DATA_DIR_UNUSABLE where others can write to it
 */
export async function openDataDir(dataDir: string) {
  const recordingsFolder = join(dataDir, 'recordings')
  await makeFolder(dataDir, ownerOnly)
  // This check precedes all writes, because the folder may not belong to the service.
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
    const tokenPath = join(dataDir, 'token')
    const token = follow(tokenPath, await readOrMake(tokenPath))
    return { hold: hold.value, token, recordingsFolder }
  } catch (error) {
    await hold.value.release()
    throw error
  }
}

const tokenBytes = 32
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** Returns the token of a running service, as its file has it now. */
export type CurrentToken = () => string

/** Writes a new token, which a running service requires from its next request on. */
async function replaceToken(path: string): Promise<string> {
  const token = randomBytes(tokenBytes).toString('base64url')
  await writePrivateFile(path, `${token}\n`)
  return token
}

/** Checks the file on each call, which takes microseconds, so that an old token is invalid at once. */
function follow(path: string, first: string): CurrentToken {
  let token = first
  let seen = readState(path)
  return () => {
    const state = readState(path)
    if (state === seen || state === null) return token
    const found = readFileSync(path, 'utf8').trim()
    // A file that is damaged or being edited does not change the token.
    if (!tokenPattern.test(found)) return token
    token = found
    seen = state
    return token
  }
}

/** @returns null while the file does not exist */
function readState(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join()
}

/** Reads the service's bearer token, or creates it at the first start: 32 random bytes in base64url. */
async function readOrMake(path: string): Promise<string> {
  const stored = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (stored === null) return replaceToken(path)
  const token = stored.trim()
  if (!tokenPattern.test(token)) {
    throw serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
      message: `${path} does not hold a token: 43 base64url characters are expected.`,
      hint: `rm ${shellWord(path)}, and the next start makes a new token`,
    })
  }
  await chmod(path, 0o600)
  return token
}

/** Whether an `Authorization` header has the token. The comparison takes constant time. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const sentToken = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(sentToken), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Replaces the token of a data directory. A running service rejects the old token at once, and its discovery
 * file gets the new one. The token is not returned, because authorised clients read that file.
 *
 * @returns whether there was a discovery file to update; a stopped service has none
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE where no service has run on it
 */
export async function rotateToken(dataDir: string): Promise<{ readonly isAnnounced: boolean }> {
  const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null
  const tokenPath = join(dataDir, 'token')
  if (!(await isFile(tokenPath))) {
    throw serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
      message: `${dataDir} holds no token: no service has run there.`,
      hint: 'Name the directory of the service with --data-dir.',
    })
  }
  // A stopped service has no discovery file.
  const isThere = await isFile(join(dataDir, discoveryFileName))
  const token = await replaceToken(tokenPath).catch((error: unknown) => {
    throw unwritable(error, `${dataDir} cannot be written, and the old token is still valid`)
  })
  if (!isThere) return { isAnnounced: false }
  await renewAnnouncement(dataDir, token).catch((error: unknown) => {
    const what = `The old token is invalid, but ${dataDir} could not be given the new discovery file`
    throw isOfTheSystem(error) ? unwritable(error, what) : damaged(error, what)
  })
  return { isAnnounced: true }
}

function damaged(cause: unknown, what: string): unknown {
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${what}: the one that is there is damaged.`,
    hint: 'Restart the service: it writes a new one.',
    cause,
  })
}

/** Explains errors of the operating system to the user, so that a full disk does not look like a bug. */
function unwritable(error: unknown, what: string): unknown {
  if (!isOfTheSystem(error)) return error
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${what}: ${error.message}.`,
    hint: 'Free some disk space or make it writable, then: transcribench serve token rotate',
    cause: error,
  })
}

/** Writes `local-api.json`, which clients use to find a running service: mode 0600, in one step. */
export async function announce(
  dataDir: string,
  service: { readonly port: number; readonly token: string; readonly appVersion: string },
) {
  const path = join(dataDir, discoveryFileName)
  const ours: DiscoveryFile = {
    port: service.port,
    pid: process.pid,
    started_at: new Date().toISOString(),
    api_version: apiVersion,
    app_version: service.appVersion,
    token: service.token,
  }
  await writePrivateFile(path, `${JSON.stringify(ours, null, 2)}\n`)
  return {
    path,
    /** Removes the file, unless another service has replaced it. */
    async withdraw() {
      if (await isOurAnnouncement(path, ours)) await rm(path, { force: true })
    },
  }
}

/** Writes a new token into the discovery file. */
async function renewAnnouncement(dataDir: string, token: string): Promise<void> {
  const path = join(dataDir, discoveryFileName)
  const found = discoveryFile.parse(JSON.parse(await readFile(path, 'utf8')))
  await writePrivateFile(path, `${JSON.stringify({ ...found, token }, null, 2)}\n`)
}

async function isOurAnnouncement(path: string, ours: DiscoveryFile): Promise<boolean> {
  try {
    const found = discoveryFile.parse(JSON.parse(await readFile(path, 'utf8')))
    return found.pid === ours.pid && found.port === ours.port && found.started_at === ours.started_at
  } catch {
    // The file is missing or no discovery file, so it is not this service's.
    return false
  }
}
