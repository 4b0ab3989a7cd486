import { type ExecFileException, execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { extract } from 'tar'
import { knownHome } from '#installation/installation'
import { errorCode, isFileError } from '#prelude'
import { corpusErrors } from '../errors.ts'
import { claimPartial, hashFile } from '../files.ts'
import { type NpmPackage, npmPackage } from '../provenance.ts'
import { debianData, type PackageDownload } from './debian-package.ts'
import { downloadResumably } from './resumable-download.ts'

/**
 * Fetches an npm package from the configured registry, and checks its integrity. An interrupted download
 * (`<tarball>.partial`) is resumed. If a direct download fails, `npm pack` is tried.
 *
 * @returns absolute path of the tarball in `into`, also if it existed already; the caller deletes it
 * @throws BenchError PACKAGE_UNREACHABLE, PACKAGE_CORRUPT; the signal's reason; unchanged file system errors
 */
export async function downloadNpmPackage(options: NpmPackage & PackageDownload): Promise<string> {
  const { name, version, integrity, signal } = options
  if (!npmPackage.omit({ integrity: true }).safeParse({ name, version }).success)
    throw new TypeError(`not a package: ${name}@${version}`)
  const into = resolve(options.into)
  await mkdir(into, { recursive: true })
  const tarball = tarballPath(into, options)
  if (await hasIntegrity(tarball, integrity)) return tarball
  await using partial = await claimPartial(tarball)
  // A partial download may be damaged; then the package is fetched once more from the first byte.
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

/** The file that `downloadNpmPackage` makes in a folder. */
export function tarballPath(into: string, { name, version }: Pick<NpmPackage, 'name' | 'version'>): string {
  return join(resolve(into), `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
}

async function fetchTarball(options: NpmPackage & PackageDownload, path: string): Promise<void> {
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
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
  return `sha512-${hash.digest('base64')}` === integrity
}

interface NpmCall {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Working directory of npm; a `.npmrc` in it applies. */
  readonly directory: string
  readonly signal?: AbortSignal | undefined
}

const maxAnswerMs = 10 * 60_000
const run = promisify(execFile)

/**
 * Runs npm, because only npm knows the registry, proxy and credentials of this machine.
 *
 * @returns npm's stdout
 * @throws Error with the first lines of npm's message
 */
async function runNpm(args: readonly string[], call: NpmCall): Promise<string> {
  const isWindows = process.platform === 'win32'
  await using cache = await cacheFor(call)
  try {
    const { stdout } = await run(isWindows ? 'npm.cmd' : 'npm', args, {
      cwd: call.directory,
      env: {
        ...call.environment,
        ...cache.environment,
        npm_config_update_notifier: 'false',
        npm_config_loglevel: 'error',
      },
      // Windows runs .cmd files only through the shell; the arguments are checked names and versions.
      shell: isWindows,
      timeout: maxAnswerMs,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    })
    return stdout
  } catch (error) {
    call.signal?.throwIfAborted()
    throw new Error(describeNpmFailure(error as ExecFileException), { cause: error })
  }
}

/** A temporary cache for users without a writable home folder, because npm does not work without a cache. */
async function cacheFor({
  environment,
  directory,
}: NpmCall): Promise<AsyncDisposable & { readonly environment: Readonly<Record<string, string>> }> {
  const home = knownHome(environment)
  const isSet = environment['npm_config_cache'] !== undefined
  if (
    process.platform === 'win32' ||
    isSet ||
    (home !== null && ((await isWritable(join(home, '.npm'))) || (await isWritable(home))))
  ) {
    return { environment: {}, [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = await mkdtemp(join(directory, '.npm-cache-'))
  return {
    environment: { npm_config_cache: folder },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

function describeNpmFailure(error: ExecFileException): string {
  if (error.code === 'ENOENT') return 'npm was not found; it comes with Node.js'
  if (error.killed === true) return `npm did not answer within ${maxAnswerMs / 60_000} minutes`
  const said = (error.stderr ?? '')
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('A complete log'))
  return `npm: ${said.slice(0, 3).join(' ') || error.message}`
}

export interface FileToExtract {
  /** Path in the package, without the leading `package/` of npm or `./` of Debian; with `/` on every platform. */
  readonly from: string
  /** Path relative to `into`. */
  readonly to: string
  /** 64 lower-case hexadecimal digits; checked before any file is placed. */
  readonly sha256?: string | undefined
}

export interface ExtractionOptions {
  /** Path of a `.tgz` of npm, or of a `.deb`. */
  readonly tarball: string
  readonly files: readonly FileToExtract[]
  /** Destination folder; made if it does not exist. */
  readonly into: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Extracts files from an npm or Debian package. All are unpacked next to their destination and checked before
 * the first is moved, so a wrong package leaves no files. Existing files are replaced.
 *
 * @throws BenchError PACKAGE_CORRUPT with all missing or differing files; the signal's reason; file system errors
 */
export async function extractPackageFiles(options: ExtractionOptions): Promise<void> {
  const { files, tarball, signal } = options
  const into = resolve(options.into)
  const escaping = files.find(({ to }) => isAbsolute(to) || normalize(to).split(sep).includes('..'))
  if (escaping !== undefined) throw new TypeError(`${escaping.to} leaves the folder`)
  await mkdir(into, { recursive: true })
  const staging = await mkdtemp(join(into, '.unpacking-'))
  try {
    await unpack(tarball, staging, new Set(files.map(({ from }) => from)))
    signal?.throwIfAborted()
    const problems = (await Promise.all(files.map((file) => check(file, staging)))).filter(
      (what) => what !== null,
    )
    if (problems.length > 0) {
      throw corpusErrors.make('PACKAGE_CORRUPT', {
        message: `${problems.length} of ${files.length} files cannot be taken from ${tarball}`,
        hint: 'no file was written; the list of files does not fit this version of the package',
        problems,
      })
    }
    signal?.throwIfAborted()
    for (const { from, to } of files) {
      await mkdir(dirname(join(into, to)), { recursive: true })
      await rename(join(staging, from), join(into, to))
    }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function unpack(tarball: string, folder: string, wanted: ReadonlySet<string>): Promise<void> {
  try {
    const isDebian = tarball.endsWith('.deb')
    const options = {
      cwd: folder,
      strict: true,
      strip: 1,
      preserveOwner: false,
      noMtime: true,
      filter: (path: string, entry: object) =>
        'type' in entry && entry.type === 'File' && wanted.has(path.split('/').slice(1).join('/')),
    }
    if (isDebian) await pipeline(await debianData(tarball), extract(options))
    else await extract({ ...options, file: tarball })
  } catch (error) {
    if (!(error instanceof Error && 'tarCode' in error)) throw error
    throw corpusErrors.make('PACKAGE_CORRUPT', {
      message: `${tarball} cannot be unpacked: ${error.message}`,
      hint: 'remove it and fetch it again',
      cause: error,
    })
  }
}

async function check(
  { from, sha256 }: FileToExtract,
  folder: string,
): Promise<{ where: string; what: string } | null> {
  const path = join(folder, from)
  const isThere = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isThere) return { where: from, what: 'is not in the package' }
  if (sha256 === undefined) return null
  const found = await hashFile(path)
  return found === sha256 ? null : { where: from, what: `has sha256 ${found}, expected ${sha256}` }
}
