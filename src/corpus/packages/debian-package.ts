import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { isFileError } from '#prelude'
import { corpusErrors } from '../errors.ts'
import { claimPartial, hashFile } from '../files.ts'
import type { DebianPackage } from '../provenance.ts'
import { type DownloadProgress, downloadResumably } from './resumable-download.ts'

/** Options to fetch an npm or Debian package. */
export interface PackageDownload {
  /** Folder of the package and its partial download; made if it does not exist. */
  readonly into: string
  /** Environment variables; npm takes its registry, proxy and credentials from its own configuration. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called for every received chunk; not called while npm downloads, because npm reports no progress. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Fetches a Debian package, on any system, and checks its hash. An interrupted download is resumed.
 *
 * @returns absolute path of the .deb in `into`, also if it existed already; the caller deletes it
 * @throws BenchError PACKAGE_UNREACHABLE, PACKAGE_CORRUPT; the signal's reason; unchanged file system errors
 */
export async function downloadDebianPackage(options: DebianPackage & PackageDownload): Promise<string> {
  const { urls, sha256, environment, onProgress, signal } = options
  const name = basename(new URL(urls[0] ?? '').pathname)
  const path = join(resolve(options.into), name)
  await mkdir(resolve(options.into), { recursive: true })
  if ((await hashFile(path).catch(() => null)) === sha256) return path
  await using partial = await claimPartial(path)
  const failures: { readonly where: string; readonly what: string }[] = []
  for (const url of urls) {
    try {
      await downloadResumably({ url, path: partial.path, environment, onProgress, signal })
      if ((await hashFile(partial.path)) === sha256) {
        await rename(partial.path, path)
        return path
      }
      failures.push({ where: url, what: 'is another file: it has another sha256' })
      await rm(partial.path, { force: true })
    } catch (error) {
      signal?.throwIfAborted()
      if (isFileError(error)) throw error
      failures.push({ where: url, what: (error as Error).message })
    }
  }
  const isCorrupt = failures.every(({ what }) => what.startsWith('is another file'))
  throw corpusErrors.make(isCorrupt ? 'PACKAGE_CORRUPT' : 'PACKAGE_UNREACHABLE', {
    message: `${name} could not be fetched`,
    hint: 'type the same command again: it goes on where it stopped; or check the proxy (http_proxy, https_proxy)',
    problems: failures,
  })
}

const archiveMagic = '!<arch>\n'
const memberHeaderBytes = 60

/**
 * The tar archive of the files that a package installs.
 *
 * @throws Error where the file is no Debian package with an archive in xz format, as Debian's have
 * @see deb(5), ar(5)
 */
export async function debianData(path: string): Promise<Readable> {
  await using file = await open(path)
  const read = async (position: number, length: number): Promise<string> => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
    return buffer.toString('latin1', 0, bytesRead)
  }
  if ((await read(0, archiveMagic.length)) !== archiveMagic) throw new Error('it is no Debian package')
  for (let position = archiveMagic.length; ; ) {
    const header = await read(position, memberHeaderBytes)
    const size = Number(header.slice(48, 58))
    if (header.length < memberHeaderBytes || !Number.isInteger(size)) throw new Error('it has no data.tar.xz')
    const start = position + memberHeaderBytes
    if (header.startsWith('data.tar.xz')) {
      const packed = Readable.toWeb(createReadStream(path, { start, end: start + size - 1 }))
      const { XzReadableStream } = (await import('xz-decompress')).default
      return Readable.fromWeb(new XzReadableStream(packed))
    }
    position = start + size + (size % 2)
  }
}
