import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceErrors } from '../errors.ts'
import { writePrivateFile } from './private-file.ts'

const tokenBytes = 32
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** The token of a service that runs: always the one that its file holds now. */
export type CurrentToken = () => string

/** Reads the service's bearer token, or makes it at the first start: 32 random bytes as base64url. */
export async function keepToken(dataDir: string): Promise<CurrentToken> {
  const path = tokenPath(dataDir)
  return follow(path, await readOrMake(path))
}

/** Replaces the token. A service that runs on the folder takes the new one from its next request on, and no other. */
export async function replaceToken(dataDir: string): Promise<string> {
  const token = newToken()
  await writePrivateFile(tokenPath(dataDir), `${token}\n`)
  return token
}

function tokenPath(dataDir: string): string {
  return join(dataDir, 'token')
}

function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url')
}

/** Looks at the file whenever it is asked: microseconds, and no moment at which the old token still counts. */
function follow(path: string, first: string): CurrentToken {
  let token = first
  let seen = stateOf(path)
  return () => {
    const state = stateOf(path)
    if (state === seen || state === null) return token
    const found = readFileSync(path, 'utf8').trim()
    // A file that is being edited, or is damaged, changes nothing yet.
    if (!tokenPattern.test(found)) return token
    token = found
    seen = state
    return token
  }
}

/** @returns null while there is no such file */
function stateOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join()
}

async function readOrMake(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (kept === null) {
    const token = newToken()
    await writePrivateFile(path, `${token}\n`)
    return token
  }
  const token = kept.trim()
  if (!tokenPattern.test(token)) {
    throw serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
      message: `${path} does not hold a token: 43 base64url characters are expected.`,
      hint: `rm '${path}', and the next start makes a new token`,
    })
  }
  await chmod(path, 0o600)
  return token
}

/** Whether an `Authorization` header carries the token. The time it takes does not depend on the token. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
