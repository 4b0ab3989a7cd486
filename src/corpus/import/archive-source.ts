import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { extract } from 'tar'
import { exists } from '#installation/files'
import { isFileError } from '#prelude'
import { corpusErrors } from '../errors.ts'
import { hashFile } from '../files.ts'
import type { CorpusEnvironment } from '../locate.ts'
import { downloadResumably } from '../packages/resumable-download.ts'
import type { ArchiveFile, CatalogueEntry } from './catalogue.ts'
import { unreachable } from './hub-dataset.ts'
import { layouts, sourceOnDisk } from './layouts/registry.ts'
import type { ImportSource, PartContext, SourceOptions } from './source.ts'

/** Maximum ratio of unpacked to packed size; more than audio reaches indicates an archive made to fill the disk. */
const maxGrowth = 50
const maxEntries = 5_000_000

/** A data set in one archive: fetched, checked, unpacked next to the corpus, and imported like a folder. */
export function archiveSource(
  entry: CatalogueEntry,
  split: string,
  archive: ArchiveFile,
  options: SourceOptions,
  environment: CorpusEnvironment,
): ImportSource {
  return {
    title: archive.url,
    name: `${entry.name}-${split}`,
    licence: entry.licence,
    ...(entry.language === null ? {} : { usualLanguage: entry.language }),
    fetchedBytes: archive.sizeBytes,
    parts: [
      {
        key: basename(archive.url),
        async open(context) {
          const folder = await unpacked(archive, context, environment)
          const layout = layouts.find(({ name }) => name === archive.layout)
          if (layout === undefined) throw new TypeError(`no layout ${archive.layout}`)
          const { parts } = await sourceOnDisk(layout, folder, folder, options)
          const [part] = parts as [ImportSource['parts'][number]]
          const opened = await part.open(context)
          return { ...opened, discard: () => rm(folder, { recursive: true, force: true }) }
        },
      },
    ],
  }
}

async function unpacked(
  archive: ArchiveFile,
  context: PartContext,
  { env }: CorpusEnvironment,
): Promise<string> {
  const file = join(context.workFolder, basename(archive.url))
  const folder = `${file}.unpacked`
  if (await exists(folder)) return folder
  if (!(await exists(file))) await fetchArchive(archive, file, context, env)
  const partial = `${folder}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  await unpackArchive(file, partial)
  await rename(partial, folder)
  await rm(file, { force: true })
  return folder
}

async function fetchArchive(
  { url, sha256 }: ArchiveFile,
  file: string,
  { onDownload, signal }: PartContext,
  environment: CorpusEnvironment['env'],
): Promise<void> {
  const partial = `${file}.partial`
  for (const _attempt of ['with what is there', 'anew']) {
    try {
      await downloadResumably({
        url,
        path: partial,
        environment,
        onProgress: ({ receivedBytes, totalBytes }) => onDownload(basename(url), receivedBytes, totalBytes),
        signal,
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw isFileError(error) ? error : unreachable(url, error)
    }
    if ((await hashFile(partial)) === sha256) return await rename(partial, file)
    await rm(partial, { force: true })
  }
  throw corpusErrors.make('IMPORT_REFUSED', {
    message: `${url} is not the archive that was meant: its sha256 is not ${sha256}`,
    hint: 'a proxy or a mirror may have changed it; type the same command again on another connection',
  })
}

/**
 * Unpacks the regular files of an untrusted archive.
 *
 * @param into an empty folder
 * @throws BenchError IMPORT_REFUSED for a path outside of the folder, a link, or an excessive size
 */
export async function unpackArchive(file: string, into: string): Promise<void> {
  const maxBytes = Math.max(2 ** 30, (await stat(file)).size * maxGrowth)
  let [bytes, entries] = [0, 0]
  const refuse = (what: string): never => {
    throw corpusErrors.make('IMPORT_REFUSED', {
      message: `${basename(file)} is not unpacked: ${what}`,
      hint: 'nothing of it was imported; take the data set from its publisher',
    })
  }
  let refusal: unknown = null
  try {
    await extract({
      file,
      cwd: into,
      strict: true,
      preserveOwner: false,
      noMtime: true,
      filter(path, entry) {
        if (refusal !== null || !('type' in entry)) return false
        try {
          entries += 1
          bytes += entry.size
          if (path.startsWith('/') || path.split(/[\\/]/).includes('..')) refuse(`${path} leaves the folder`)
          if (entry.type === 'SymbolicLink' || entry.type === 'Link') refuse(`${path} is a link`)
          if (bytes > maxBytes || entries > maxEntries)
            refuse(`it unpacks to more than ${Math.round(maxBytes / 1e9)} GB`)
        } catch (error) {
          refusal = error
          return false
        }
        return entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'Directory'
      },
    })
  } catch (error) {
    // A full disk is no fault of the archive, although `tar` marks that error with a `tarCode`, too.
    const isOfArchive = error instanceof Error && 'tarCode' in error && !isFileError(error)
    if (refusal === null && !isOfArchive) throw error
    refusal ??= corpusErrors.make('IMPORT_REFUSED', {
      message: `${basename(file)} cannot be unpacked: ${(error as Error).message}`,
      hint: 'remove it and type the same command again',
      cause: error,
    })
  }
  if (refusal !== null) throw refusal
}
