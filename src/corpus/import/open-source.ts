import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { nearest, type Problem } from '#prelude'
import { corpusErrors } from '../errors.ts'
import type { CorpusEnvironment } from '../locate.ts'
import { type CatalogueEntry, catalogue } from './catalogue.ts'
import type { Layout } from './layouts/layout.ts'
import type { ImportSource, SourceOptions } from './source.ts'

/** Data sets that can be imported by name. */
export const importableNames: readonly string[] = catalogue.map(({ name }) => name)

/** Named data sets whose size is known without asking their server. */
export const importableArchives: readonly {
  readonly name: string
  readonly split: string
  readonly sizeBytes: number
}[] = catalogue.flatMap(({ name, archives }) =>
  Object.entries(archives).map(([split, { sizeBytes }]) => ({ name, split, sizeBytes })),
)

/**
 * Opens a source: a data set by name, `hf:<dataset>`, or a path, optionally with its layout.
 *
 * @throws BenchError IMPORT_SOURCE_UNKNOWN
 */
export async function openImportSource(
  source: string,
  options: SourceOptions,
  environment: CorpusEnvironment,
): Promise<ImportSource> {
  const { cwd = process.cwd() } = environment
  const entry = catalogue.find(({ name }) => name === source)
  if (entry !== undefined) return await openNamed(entry, options, environment)
  if (source.startsWith('hf:')) {
    const { openHubSource, parseHubName } = await import('./hub-source.ts')
    const named = parseHubName(source.slice('hf:'.length))
    return await openHubSource({ ...named, columns: {}, language: null }, options, environment)
  }
  const [, prefix, named] = /^([a-z-]+):(.+)$/s.exec(source) ?? []
  const { layouts } = await import('./layouts/registry.ts')
  const layout = layouts.find(({ name }) => name === prefix)
  if (layout !== undefined && named !== undefined) {
    return await openOnDisk(layout, resolve(cwd, named), cwd, options)
  }
  return await openOnDisk(null, resolve(cwd, source), cwd, options)
}

async function openNamed(
  entry: CatalogueEntry,
  options: SourceOptions,
  environment: CorpusEnvironment,
): Promise<ImportSource> {
  const { name, title, licence, termsAt, archives } = entry
  if (termsAt !== null && !options.acceptsLicence) {
    throw corpusErrors.make('IMPORT_REFUSED', {
      message: `${title} asks for consent to its terms: ${licence}`,
      hint: `read ${termsAt}, then: transcribench corpus import ${name} --accept-licence`,
    })
  }
  const split = options.split ?? entry.split
  const archive = archives[split]
  if (archive !== undefined) {
    const { archiveSource } = await import('./archive-source.ts')
    return archiveSource(entry, split, archive, options, environment)
  }
  const { openHubSource } = await import('./hub-source.ts')
  const opened = await openHubSource(entry, { ...options, split }, environment)
  return { ...opened, name: `${name}-${split}`, licence }
}

async function openOnDisk(
  namedLayout: Layout | null,
  path: string,
  cwd: string,
  options: SourceOptions,
): Promise<ImportSource> {
  const root = options.split === null ? path : join(path, options.split)
  const found = await stat(root).catch(() => null)
  const { detectLayout, layouts, sourceOnDisk } = await import('./layouts/registry.ts')
  const layout = namedLayout ?? (found === null ? null : await detectLayout(root))
  if (layout !== null && (namedLayout === null || (await namedLayout.matches(root))))
    return await sourceOnDisk(layout, root, cwd, options)
  const parquet = namedLayout === null ? await openParquet(path, options) : null
  if (parquet !== null) return parquet
  if (found === null) throw await missing(path, options.split)
  const marks = layouts.map(({ name, mark }) => ({ where: name, what: mark }))
  throw corpusErrors.make('IMPORT_SOURCE_UNKNOWN', {
    message:
      namedLayout === null
        ? `${root} is none of the layouts that can be imported`
        : `${root} is no ${namedLayout.title}: it lacks ${namedLayout.mark}`,
    hint: 'name the folder that holds these files, or a subfolder with --split',
    problems: namedLayout === null ? [...(await otherFormsAt(path)), ...marks] : [],
  })
}

/** Opens Parquet files that the library `datasets` saved; its default format, Arrow, is not supported. */
async function openParquet(path: string, options: SourceOptions): Promise<ImportSource | null> {
  const names: readonly string[] = await readdir(path).catch(() => [])
  if (names.includes('dataset_info.json') || names.includes('dataset_dict.json')) {
    throw corpusErrors.make('IMPORT_SOURCE_UNKNOWN', {
      message: `${path} was saved by the library datasets as Arrow files, which are not read`,
      hint: `write Parquet files: datasets.load_from_disk(${JSON.stringify(path)}).to_parquet("test.parquet")`,
    })
  }
  const { openParquetSource } = await import('./hub-source.ts')
  return await openParquetSource(path, options)
}

/** Unsupported formats of data sets by file extension, with advice. */
const otherForms: Readonly<Record<string, string>> = {
  '.tar': 'archives of WebDataset or others: unpack each into a folder with tar -xf',
  '.zip': 'archives: unpack them',
  '.gz': 'archives or packed tables: unpack them',
  '.arrow': 'files of the library datasets: write Parquet with to_parquet',
  '.tfrecord': 'records of TensorFlow: write the audio as files and a CSV with file_name and text',
  '.h5': 'HDF5: write the audio as files and a CSV with file_name and text',
  '.ark': 'archives of Kaldi: write files with wav-copy, and their paths into wav.scp',
}

async function otherFormsAt(path: string): Promise<readonly Problem[]> {
  const names = await readdir(path).catch(() => [basename(path)])
  return Object.entries(otherForms).flatMap(([ending, what]): Problem[] => {
    const name = names.find((each) => each.toLowerCase().endsWith(ending))
    return name === undefined ? [] : [{ where: name, what: `belongs to ${what}` }]
  })
}

async function missing(path: string, split: string | null): Promise<Error> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null)
  if (split !== null && entries !== null) {
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    const meant = nearest(split, folders)
    return corpusErrors.make('IMPORT_SOURCE_UNKNOWN', {
      message: `${path} has no folder "${split}"${meant === null ? '' : `; did you mean "${meant}"?`}`,
      hint: `it has ${folders.join(', ') || 'no folders'}`,
    })
  }
  return corpusErrors.make('IMPORT_SOURCE_UNKNOWN', {
    message: `there is nothing at ${path}`,
    hint: `name a folder or manifest on disk, hf:<owner>/<name>, or one of ${importableNames.join(', ')}`,
  })
}
