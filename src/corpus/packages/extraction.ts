import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar'
import { corpusErrors } from '../errors.ts'
import { hashFile } from '../hash-file.ts'
import { debianData } from './debian.ts'

export interface FileToExtract {
  /** Path inside the package, without the leading `package/` of npm or `./` of Debian; with `/` on every platform. */
  readonly from: string
  /** Path below `into`. */
  readonly to: string
  /** 64 lower-case hexadecimal digits; checked before anything is placed. */
  readonly sha256?: string | undefined
}

export interface ExtractionOptions {
  /** Path of a `.tgz` of npm, or of a `.deb`. */
  readonly tarball: string
  readonly files: readonly FileToExtract[]
  /** Folder that the files are placed in; made if it is not there. */
  readonly into: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Takes the named files out of an npm or Debian package. All of them are unpacked next to their destination and checked before the
 * first is moved there, so a wrong package leaves nothing behind. Files that are there already are replaced.
 *
 * @throws BenchError PACKAGE_CORRUPT, with every file that is missing or has another hash; the signal's reason; file
 *   system errors as they are
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
