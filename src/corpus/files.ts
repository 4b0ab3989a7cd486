import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/** @returns SHA-256 of a file as 64 lower-case hexadecimal digits, read in pieces */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The version of a file that an unfinished download of it has, as its server named it; null where that is not known. */
export async function readVersion(path: string): Promise<string | null> {
  return await readFile(versionPath(path), 'utf8').catch(() => null)
}

/** @param version null removes what was kept */
export async function keepVersion(path: string, version: string | null): Promise<void> {
  if (version === null) await rm(versionPath(path), { force: true })
  else await writeFile(versionPath(path), version)
}

function versionPath(path: string): string {
  return `${path}.version`
}

/**
 * Takes `<target>.partial` for an unfinished download of this process that no other writes to, so that it can be gone on from later. While another living process
 * has it, this one gets another file and starts from the beginning.
 */
export async function claimPartial(target: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = `${target}.partial`
  const claim = `${path}.pid`
  if (await claimFile(claim)) return { path, [Symbol.asyncDispose]: () => release(claim) }
  const own = `${target}.${process.pid}-${process.hrtime.bigint()}.partial`
  return {
    path: own,
    async [Symbol.asyncDispose]() {
      await rm(own, { force: true })
      await keepVersion(own, null)
    },
  }
}

/** Claims of this process: another one with its number, such as 1 in a container, may have left a file. */
const held = new Set<string>()

/**
 * Makes a file that names this process as the owner of something.
 *
 * @returns false while it names another living process
 */
export async function claimFile(path: string): Promise<boolean> {
  // Between two tasks of this process nothing else decides: a file that is being written is empty for a moment.
  if (held.has(path)) return false
  held.add(path)
  let isOurs = false
  try {
    isOurs = (await write(path)) || (await takeOver(path))
    return isOurs
  } finally {
    if (!isOurs) held.delete(path)
  }
}

/** Removes a file that `claimFile` made. */
export async function release(claim: string): Promise<void> {
  held.delete(claim)
  await rm(claim, { force: true })
}

async function write(claim: string): Promise<boolean> {
  try {
    await writeFile(claim, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function takeOver(claim: string): Promise<boolean> {
  const owner = Number(await readFile(claim, 'utf8').catch(() => ''))
  if (owner !== process.pid && isAlive(owner)) return false
  await rm(claim, { force: true })
  return await write(claim)
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
