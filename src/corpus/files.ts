import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { isRunning } from '#installation/processes'
import { errorCode } from '#prelude'
import { corpusErrors } from './errors.ts'

/** @returns SHA-256 of a file as 64 lower-case hexadecimal digits; read in chunks */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The server's version of an unfinished download (ETag or date); null where unknown. */
export async function readVersion(path: string): Promise<string | null> {
  return await readFile(versionPath(path), 'utf8').catch(() => null)
}

/** @param version null deletes the stored version */
export async function keepVersion(path: string, version: string | null): Promise<void> {
  if (version === null) await rm(versionPath(path), { force: true })
  else await writeFile(versionPath(path), version)
}

function versionPath(path: string): string {
  return `${path}.version`
}

/**
 * Claims `<target>.partial` for an unfinished download, so that no other process writes to it and it can be
 * resumed later. If another live process has it, a separate file is used and the download starts anew.
 */
export async function claimPartial(target: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = `${target}.partial`
  const claim = `${path}.pid`
  if (await claimFile(claim)) return { path, [Symbol.asyncDispose]: () => release(claim) }
  const separatePath = `${target}.${process.pid}-${process.hrtime.bigint()}.partial`
  return {
    path: separatePath,
    async [Symbol.asyncDispose]() {
      await rm(separatePath, { force: true })
      await keepVersion(separatePath, null)
    },
  }
}

/** Claims of this process. A claim file with the same process id may be stale: in a container the id is often 1. */
const held = new Set<string>()

/**
 * Makes a claim file with this process's id.
 *
 * @returns false if it has the id of another live process
 */
async function claimFile(path: string): Promise<boolean> {
  // Only `held` separates tasks of this process, because a claim file is empty for a moment while it is written.
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

/**
 * Claims the output of a command by a file, until it is disposed.
 *
 * @throws BenchError of the code while another process has it
 */
export async function claimOutput(
  output: string,
  claim: string,
  code: 'CORPUS_NOT_WRITABLE' | 'IMPORT_NOT_WRITABLE',
): Promise<AsyncDisposable> {
  if (await claimFile(claim)) return { [Symbol.asyncDispose]: () => release(claim) }
  throw corpusErrors.make(code, {
    message: `another process writes into ${output}`,
    hint: 'wait until it has ended, or name another folder with --output',
  })
}

/** Removes a file that `claimFile` made. */
async function release(claim: string): Promise<void> {
  held.delete(claim)
  await rm(claim, { force: true })
}

async function write(claim: string): Promise<boolean> {
  try {
    await writeFile(claim, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function takeOver(claim: string): Promise<boolean> {
  const owner = Number(await readFile(claim, 'utf8').catch(() => ''))
  if (owner !== process.pid && isRunning(owner)) return false
  await rm(claim, { force: true })
  return await write(claim)
}
