import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceErrors } from '../errors.ts'
import { writePrivateFile } from './private-file.ts'

const tokenBytes = 32
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** Reads the service's bearer token, or makes it at the first start: 32 random bytes as base64url. */
export async function keepToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'token')
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (kept === null) {
    const token = randomBytes(tokenBytes).toString('base64url')
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
