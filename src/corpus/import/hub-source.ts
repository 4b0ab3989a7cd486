import { readFile } from 'node:fs/promises'
import { basename, isAbsolute, posix } from 'node:path'
import { audioEndings } from '#audio/format'
import { encodeWav } from '#audio/sound-stream'
import { BenchError, isFileError, nearest, type Problem } from '#prelude'
import { parseLanguage } from '#prelude/languages'
import { corpusErrors } from '../errors.ts'
import type { CorpusEnvironment } from '../locate.ts'
import type { HubFile } from '../packages/hub-repository.ts'
import type { HubReference } from './catalogue.ts'
import { type HubDataset, openHubDataset, openLocalDataset } from './hub-dataset.ts'
import { findColumns } from './layouts/json-rows.ts'
import { cutEnding } from './layouts/layout.ts'
import { openParquet, type ParquetFile } from './parquet-file.ts'
import {
  type ImportSource,
  makeSegment,
  type OpenPart,
  openedPart,
  type PartContext,
  type SourceOptions,
  type SourceRecording,
} from './source.ts'

/** Parses owner, name and optional config of `hf:openslr/librispeech_asr/clean`, without the prefix. */
export function parseHubName(name: string): Pick<HubReference, 'dataset' | 'config'> {
  const [owner, dataset, ...config] = name.split('/')
  if (!/^[\w.-]+$/.test(owner ?? '') || !/^[\w.-]+$/.test(dataset ?? '')) {
    throw corpusErrors.make('IMPORT_SOURCE_UNKNOWN', {
      message: `hf:${name} is no data set of the hub`,
      hint: 'write hf:<owner>/<name>, or hf:<owner>/<name>/<config>',
    })
  }
  return { dataset: `${owner}/${dataset}`, config: config.join('/') || null }
}

/** @throws BenchError IMPORT_SOURCE_UNKNOWN with the existing configs and splits; errors of the hub */
export async function openHubSource(
  reference: HubReference,
  options: SourceOptions,
  environment: CorpusEnvironment,
): Promise<ImportSource> {
  const dataset = await openHubDataset(reference.dataset, environment)
  const source = createSource(dataset, reference, options)
  return { ...source, title: `hf:${source.title}` }
}

/** Opens the Parquet files of a data set on disk; null where the path has none. */
export async function openParquetSource(path: string, options: SourceOptions): Promise<ImportSource | null> {
  const dataset = await openLocalDataset(path, options.audioRoot)
  if (dataset === null) return null
  const { fetchedBytes: _nothing, ...source } = createSource(
    dataset,
    { dataset: dataset.name, config: null, columns: {}, language: null },
    options,
  )
  return { ...source, title: `Parquet files ${path}` }
}

function createSource(dataset: HubDataset, reference: HubReference, options: SourceOptions): ImportSource {
  const { files, split, config } = chooseFiles(dataset, reference.config, options.split)
  return {
    title: [reference.dataset, config, split].filter(Boolean).join('/'),
    name: [reference.dataset.split('/').at(-1), config, split]
      .filter(Boolean)
      .join('-')
      .replace(/[^\w.-]/g, '-'),
    licence: dataset.licence,
    fetchedBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    parts: files.map((file) => ({
      key: file.path,
      open: (context) => openShard(dataset, file, { reference, options, split, context }),
    })),
  }
}

/**
 * Derives config and split from a path: `clean/test-00000-of-00001.parquet`, `data/test-…`,
 * `clean/test/0000.parquet` as the hub names them, or any name in a folder of a split.
 *
 * @see https://huggingface.co/docs/hub/datasets-file-names-and-splits
 */
function findPlace(file: HubFile) {
  const steps = file.path.split('/')
  const name = basename(file.path, '.parquet')
  const named = /^(.+?)-\d{5}-of-\d{5}(?:-[0-9a-f]+)?$/.exec(name)?.[1]
  const folders = steps.slice(0, -1)
  const isOfFolder = named === undefined && (/^\d+$/.test(name) || splitNames.test(folders.at(-1) ?? ''))
  const split = named ?? (isOfFolder ? folders.pop() : null) ?? name
  const config = folders.filter((folder) => folder !== 'data').join('/')
  return { file, config: config || null, split: split.replace(/^partial-/, '') }
}

const splitNames =
  /^(?:partial-)?(?:train(?:ing)?|test(?:ing)?|eval(?:uation)?|val(?:id(?:ation)?)?|dev)(?:[._-].*)?$/i

function chooseFiles(
  { name, files }: HubDataset,
  config: string | null,
  split: string | null,
): { readonly files: readonly HubFile[]; readonly split: string; readonly config: string | null } {
  const placed = files.map(findPlace)
  if (placed.length === 0)
    throw unknown(`the data set ${name} has no Parquet files`, 'its page may name another form of it')
  const configs = [...new Set(placed.map((each) => each.config))]
  // Files outside of config folders belong to the config `default`.
  const isUnnamed = config === 'default' && !configs.includes(config) && configs.includes(null)
  const named = isUnnamed ? null : config
  const chosen = named ?? (configs.length === 1 ? (configs[0] ?? null) : null)
  if (!configs.includes(chosen)) {
    const configNames = configs.map((each) => each ?? 'default').join(', ')
    const meant = nearest(
      chosen ?? '',
      configs.filter((each) => each !== null),
    )
    throw unknown(
      chosen === null ? `${name} has several configs` : `${name} has no config ${chosen}`,
      `write hf:${name}/${meant ?? '<config>'}; it has ${configNames}`,
    )
  }
  const inConfig = placed.filter((each) => each.config === chosen)
  const splits = [...new Set(inConfig.map((each) => each.split))]
  const wanted = split ?? (splits.length === 1 ? splits[0] : splits.find((each) => each === 'test'))
  if (wanted === undefined || !splits.includes(wanted)) {
    throw unknown(
      wanted === undefined ? `${name} has several splits` : `${name} has no split ${wanted}`,
      `name one with --split; it has ${splits.join(', ')}`,
    )
  }
  return {
    files: inConfig.filter((each) => each.split === wanted).map(({ file }) => file),
    split: wanted,
    config: chosen,
  }
}

function unknown(message: string, hint: string): Error {
  return corpusErrors.make('IMPORT_SOURCE_UNKNOWN', { message, hint })
}

interface ShardFacts {
  readonly reference: HubReference
  readonly options: SourceOptions
  readonly split: string
  readonly context: PartContext
}

async function openShard(dataset: HubDataset, file: HubFile, facts: ShardFacts): Promise<OpenPart> {
  const { context } = facts
  const opened = await openParquet(await dataset.read(file, context))
  if (!opened.ok) return openedPart([], [{ where: file.path, what: opened.failure.reason }])
  const problems: Problem[] = []
  const fetched = new Map<HubFile, Promise<string>>()
  const readNamed = async (path: string): Promise<Uint8Array> => {
    if (isAbsolute(path) && dataset.readNamed !== undefined) return await dataset.readNamed(path)
    const found = audioFile(dataset, file, path)
    // Rows that are read concurrently may name the same file.
    const fetching = fetched.get(found) ?? dataset.fetch(found, context)
    fetched.set(found, fetching)
    return await readFile(await fetching)
  }
  const recordings = await readRows(opened.value, file, { ...facts, readNamed }, problems)
  return {
    recordings,
    problems,
    async discard() {
      for (const each of [file, ...fetched.keys()]) await dataset.discard(each, context)
    },
  }
}

/**
 * Finds a file that a row names, relative to the folder of the Parquet file or the top. Only listed files can
 * be named, so no path leads out of the data set.
 */
function audioFile({ others }: HubDataset, { path: shard }: HubFile, named: string): HubFile {
  const places = [posix.join(posix.dirname(shard), named), posix.normalize(named)]
  // Some tables omit the extension.
  const found = ['', '.wav', '.flac', '.mp3', '.ogg', '.opus', '.m4a'].flatMap((ending) =>
    places.map((path) => path + ending),
  )
  const file = found.map((path) => others.get(path)).find((each) => each !== undefined)
  if (file === undefined) throw new Error(`the data set has no file ${named}`)
  return file
}

async function readRows(
  parquet: ParquetFile,
  file: HubFile,
  { reference, split, options, readNamed }: ShardFacts & { readNamed(path: string): Promise<Uint8Array> },
  problems: Problem[],
): Promise<readonly SourceRecording[]> {
  const { audio, text, id, speaker, language } = findColumns(parquet.columns, options, {
    audio: parquet.audioColumn,
    ...reference.columns,
  })
  if (audio === null || text === null) {
    const what = `has no column for ${audio === null ? 'audio' : 'the text'}; it has ${parquet.columns.join(', ')}`
    const hint = `name it with --${audio === null ? 'audio' : 'text'}-column`
    problems.push({ where: file.path, what, hint })
    return []
  }
  const wanted = [text, id, speaker, language].filter((name) => name !== null)
  const rows = await parquet.read(wanted).catch((error: Error) => {
    if (error instanceof BenchError || isFileError(error)) throw error
    problems.push({ where: file.path, what: `cannot be read as Parquet: ${error.message}` })
    return []
  })
  const shard = cutEnding(file.path)
  return rows.flatMap((row, index): SourceRecording[] => {
    const where = `${file.path}:${index + 1}`
    const said = row[text]
    if (typeof said !== 'string') {
      problems.push({ where, what: `has no text in the column ${text}` })
      return []
    }
    const word = id === null ? null : readWord(row[id])
    // Some data sets name a row by its file.
    const rowId = word !== null && audioEndings.test(word) ? cutEnding(word) : word
    const segment = makeSegment({
      text: said,
      speaker: speaker === null ? null : readWord(row[speaker]),
      language: reference.language ?? readLanguage(language === null ? null : row[language]),
    })
    return [
      {
        id:
          rowId ||
          `${shard.startsWith(split) ? shard : `${split}-${shard}`}-${String(index).padStart(6, '0')}`,
        where,
        segments: [segment],
        read: async () => await audioBytes(await parquet.cell(audio, index), readNamed),
      },
    ]
  })
}

/** Converts an id, which may be a text, a number, or a bigint for 64 bits. */
function readWord(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? String(value)
    : null
}

/** The language, if it is a valid name. Some data sets use numbers, which have no meaning elsewhere. */
function readLanguage(value: unknown): string | null {
  return typeof value === 'string' && parseLanguage(value).ok ? value : null
}

/** The audio of a cell: a struct of the library `datasets`, bytes, or the path of a file of the data set. */
async function audioBytes(
  cell: unknown,
  readNamed: (path: string) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  if (cell instanceof Uint8Array) return cell
  if (typeof cell === 'string') return await readNamed(cell)
  const { bytes, path, array, sampling_rate: rateHz } = (cell ?? {}) as Readonly<Record<string, unknown>>
  if (bytes instanceof Uint8Array) return bytes
  if (Array.isArray(array) && array.length > 0) return encodeSamples(array, Number(rateHz))
  if (typeof path === 'string' && path !== '') return await readNamed(path)
  throw new Error('the row holds no audio, and names no file')
}

/** @param array samples in -1..1 or of 16 bits, or a list of them per channel */
function encodeSamples(array: readonly unknown[], rateHz: number): Uint8Array {
  const channels = (Array.isArray(array[0]) ? array : [array]) as readonly (readonly unknown[])[]
  const samples = Float32Array.from(channels[0] ?? [], (_, index) => {
    const values = channels.map((channel) => Number(channel[index]))
    return values.reduce((sum, value) => sum + value, 0) / channels.length
  })
  const peak = samples.reduce((most, sample) => (most >= Math.abs(sample) ? most : Math.abs(sample)), 0)
  if (!(rateHz >= 1) || !Number.isInteger(rateHz)) throw new Error(`the samples have no rate: ${rateHz}`)
  if (!(peak <= 32_768)) throw new Error('the row holds samples that are no numbers')
  const isWhole = peak > 1 && samples.every((sample) => Number.isInteger(sample))
  // Float samples may slightly exceed 1; 16-bit samples are whole numbers.
  return encodeWav(isWhole ? Int16Array.from(samples) : samples, rateHz)
}
