import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A question to the registry is answered in a second or two; this is for the slowest of networks. */
const questionTimeoutMs = 60_000

/**
 * Asks npm where a package's archive lies. npm knows the registry, mirror or proxy that the person at this
 * machine has configured.
 */
export async function tarballAddress(source: string, signal: AbortSignal | undefined): Promise<string> {
  const output = await npm(['view', source, 'dist.tarball', '--json'], signal, questionTimeoutMs)
  const address: unknown = JSON.parse(output)
  if (typeof address !== 'string') throw new TypeError(`npm does not know where ${source} lies`)
  return address
}

/** Lets npm itself fetch the archive, with the credentials that it has for a private registry. */
export async function packByNpm(
  source: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const folder = await mkdtemp(join(dirname(path), '.installing-'))
  try {
    await npm(['pack', source, '--pack-destination', folder, '--silent'], signal)
    const [archive] = await readdir(folder)
    if (archive === undefined) throw new Error(`npm pack ${source} left no file`)
    await rename(join(folder, archive), path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function npm(args: readonly string[], signal: AbortSignal | undefined, timeoutMs = 0): Promise<string> {
  // On Windows npm is a script, which only a shell starts. Every argument comes from the catalogue.
  const shell = process.platform === 'win32'
  const { stdout } = await run('npm', args, { shell, signal, timeout: timeoutMs })
  return stdout
}
