import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isFileError } from '#prelude'
import { corpusErrors } from '../errors.ts'
import { claimPartial } from './claim-partial.ts'
import { runNpm } from './npm.ts'
import { type DownloadProgress, downloadResumably } from './resumable-download.ts'

/** One exact, immutable npm package. */
export interface NpmPackage {
  readonly name: string
  /** Exact version, never a range. */
  readonly version: string
  /** Subresource integrity as the registry states it: `sha512-` and 88 base64 digits. */
  readonly integrity: string
}

export interface NpmDownloadOptions extends NpmPackage {
  /** Folder for the tarball and its unfinished part; made if it is not there. */
  readonly into: string
  /** Environment that npm runs in; registry, proxy and credentials are npm's. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called for every piece received; not called while npm itself downloads, which reports no progress. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const exactVersion = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/

/**
 * Fetches one npm package from the registry that this machine is set up with, and proves its integrity.
 * Goes on where an earlier call left off (`<tarball>.partial`). Where the direct way is barred, `npm pack` is tried.
 *
 * @returns absolute path of the tarball in `into`; at once when it is there already. It is the caller's to delete.
 * @throws BenchError PACKAGE_UNREACHABLE, PACKAGE_CORRUPT; the signal's reason; file system errors as they are
 */
export async function downloadNpmPackage(options: NpmDownloadOptions): Promise<string> {
  const { name, version, integrity, signal } = options
  if (!packageName.test(name) || !exactVersion.test(version))
    throw new TypeError(`not a package: ${name}@${version}`)
  const into = resolve(options.into)
  await mkdir(into, { recursive: true })
  const tarball = join(into, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  if (await hasIntegrity(tarball, integrity)) return tarball
  await using partial = await claimPartial(tarball)
  // What an earlier call left may be damaged; then it is fetched once more, from its first byte.
  for (const _attempt of ['with what is there', 'anew']) {
    await fetchTarball(options, partial.path)
    signal?.throwIfAborted()
    if (await hasIntegrity(partial.path, integrity)) {
      await rename(partial.path, tarball)
      return tarball
    }
    await rm(partial.path, { force: true })
  }
  throw corpusErrors.make('PACKAGE_CORRUPT', {
    message: `the registry's ${name}@${version} is not the package that was meant: its integrity is not ${integrity}`,
    hint: 'npm config get registry    shows which registry answered; try the public one, without a proxy that changes packages',
  })
}

async function fetchTarball(options: NpmDownloadOptions, path: string): Promise<void> {
  const { environment, onProgress, signal } = options
  const source = `${options.name}@${options.version}`
  const npm = { environment, directory: resolve(options.into), signal }
  const failures: string[] = []
  try {
    const url = (await runNpm(['view', source, 'dist.tarball'], npm)).trim()
    if (!/^https?:\/\//.test(url)) throw new Error(`npm knows no ${source}`)
    return await downloadResumably({ url, path, environment, onProgress, signal })
  } catch (error) {
    signal?.throwIfAborted()
    if (isFileError(error)) throw error
    failures.push(describe(error))
  }
  try {
    return await packByNpm(source, path, npm)
  } catch (error) {
    signal?.throwIfAborted()
    if (isFileError(error)) throw error
    failures.push(describe(error))
  }
  throw corpusErrors.make('PACKAGE_UNREACHABLE', {
    message: `${source} could not be fetched from the npm registry`,
    hint: `npm view ${source}    shows whether npm reaches its registry; the same command then goes on where this one stopped`,
    problems: [...new Set(failures)].map((what) => ({ where: source, what })),
  })
}

async function packByNpm(source: string, path: string, npm: Parameters<typeof runNpm>[1]): Promise<void> {
  const folder = await mkdtemp(join(npm.directory, '.npm-pack-'))
  try {
    await runNpm(['pack', source, '--pack-destination', folder], npm)
    const packed = (await readdir(folder)).find((file) => file.endsWith('.tgz'))
    if (packed === undefined) throw new Error('npm pack left no file')
    await rename(join(folder, packed), path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? ` (${error.code})` : ''
  return `${error.message || 'the connection failed'}${code}`
}

/** @see https://www.w3.org/TR/SRI/#integrity-metadata-description */
async function hasIntegrity(path: string, integrity: string): Promise<boolean> {
  const hash = createHash('sha512')
  try {
    await pipeline(createReadStream(path), hash)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
  return `sha512-${hash.digest('base64')}` === integrity
}
