import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet'
import { compressors as libraryCompressors } from 'hyparquet-compressors'
import { BenchError, failed, isFileError, type Outcome, parseJson, succeeded } from '#prelude'

/** A Parquet file whose sizes were checked before any decompression. */
export interface ParquetFile {
  /** Names of the top-level columns; a group such as `audio` counts as one. */
  readonly columns: readonly string[]
  /** The audio column: by the metadata of `datasets`, else by its form (bytes and path, or samples and their rate). */
  readonly audioColumn: string | null
  /** Reads columns of all rows; not meant for audio. */
  read(columns: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Reads one cell. Its row group is cached, because the next row is usually in it. */
  cell(column: string, row: number): Promise<unknown>
}

/** Maximum decompressed size of a row group, to bound memory. */
const maxGroupBytes = 2 ** 31
const maxPageBytes = 2 ** 30
const maxRows = 20_000_000
/** Number of cached row groups, because reading ahead crosses their borders. */
const keptGroups = 2

/** @returns why a file cannot be read, worded to follow its name; errors of reading its bytes are thrown */
export async function openParquet(
  file: AsyncBuffer,
): Promise<Outcome<ParquetFile, { readonly reason: string }>> {
  try {
    const metadata = await parquetMetadataAsync(file)
    const fault = findFault(metadata)
    if (fault !== null) return failed({ reason: fault })
    return succeeded(createReader(file, metadata))
  } catch (error) {
    if (error instanceof BenchError || isFileError(error)) throw error
    return failed({ reason: `cannot be read as Parquet: ${(error as Error).message}` })
  }
}

function createReader(file: AsyncBuffer, metadata: FileMetaData): ParquetFile {
  const groups = new Map<string, Promise<readonly Readonly<Record<string, unknown>>[]>>()
  const options = { file, metadata, compressors, utf8: false }
  return {
    columns: topColumns(metadata).map(({ name }) => name),
    audioColumn: findAudioColumn(metadata),
    read: async (columns) => await parquetReadObjects({ ...options, utf8: true, columns: [...columns] }),
    async cell(column, row) {
      const { start, end } = groupAround(metadata, row)
      const key = `${column} ${start}`
      const group =
        groups.get(key) ?? parquetReadObjects({ ...options, columns: [column], rowStart: start, rowEnd: end })
      groups.delete(key)
      groups.set(key, group)
      for (const [oldest] of groups) if (groups.size > keptGroups) groups.delete(oldest)
      return (await group)[row - start]?.[column]
    },
  }
}

function groupAround(
  { row_groups: groups }: FileMetaData,
  row: number,
): { readonly start: number; readonly end: number } {
  let start = 0
  for (const { num_rows: rows } of groups) {
    if (row < start + Number(rows)) return { start, end: start + Number(rows) }
    start += Number(rows)
  }
  throw new RangeError(`the file has no row ${row}`)
}

/** The schema is a flat list, in which the children of a node follow it. */
function topColumns({ schema }: FileMetaData): readonly { name: string; children: readonly string[] }[] {
  const columns: { name: string; children: readonly string[] }[] = []
  const endOf = (at: number): number => {
    let next = at + 1
    for (let child = 0; child < (schema[at]?.num_children ?? 0); child += 1) next = endOf(next)
    return next
  }
  for (let at = 1; at < schema.length; at = endOf(at)) {
    const children = schema.slice(at + 1, endOf(at)).map(({ name }) => name)
    columns.push({ name: schema[at]?.name ?? '', children })
  }
  return columns
}

/** @see https://huggingface.co/docs/datasets/about_dataset_features: features are JSON in the file's metadata */
function findAudioColumn(metadata: FileMetaData): string | null {
  const infoJson = metadata.key_value_metadata?.find(({ key }) => key === 'huggingface')?.value ?? ''
  const { info } = (parseJson(infoJson) ?? {}) as {
    info?: { features?: Readonly<Record<string, unknown>> | null }
  }
  const features = Object.entries(info?.features ?? {}).map(([name, feature]) => ({
    name,
    type: (feature as { readonly _type?: unknown } | null)?._type,
  }))
  const named = features.find(({ type }) => type === 'Audio')
  if (named !== undefined) return named.name
  const others = new Set(features.map(({ name, type }) => (type === 'Image' ? name : null)))
  const isSound = (children: readonly string[]): boolean =>
    ['bytes', 'path'].every((name) => children.includes(name)) ||
    ['array', 'sampling_rate'].every((name) => children.includes(name))
  const formed = topColumns(metadata).filter(({ name, children }) => isSound(children) && !others.has(name))
  return formed.length === 1 ? (formed[0]?.name ?? null) : null
}

function findFault({ num_rows: rows, row_groups: groups }: FileMetaData): string | null {
  if (Number(rows) > maxRows) return `says that it has ${rows} rows, and ${maxRows} are the most`
  for (const [index, group] of groups.entries()) {
    const bytes = group.columns.reduce(
      (sum, { meta_data: column }) => sum + Number(column?.total_uncompressed_size ?? 0),
      0,
    )
    if (bytes > maxGroupBytes) return `unpacks to ${(bytes / 1e9).toFixed(1)} GB in row group ${index + 1}`
  }
  const counted = groups.reduce((sum, group) => sum + Number(group.num_rows), 0)
  return counted === Number(rows) ? null : `says that it has ${rows} rows, and its row groups have ${counted}`
}

type Unpack = (input: Uint8Array, length: number) => Uint8Array

const fromLibrary =
  (codec: 'SNAPPY' | 'LZ4' | 'LZ4_RAW'): Unpack =>
  (input, length) => {
    const unpack = libraryCompressors[codec]
    if (unpack === undefined) throw new Error(`pages in ${codec} cannot be read`)
    return unpack(input, length)
  }

/** Node's decompressors have an output limit, which those of the library lack. */
const unpackers: Readonly<Record<string, Unpack>> = {
  GZIP: (input, maxOutputLength) => gunzipSync(input, { maxOutputLength }),
  BROTLI: (input, maxOutputLength) => brotliDecompressSync(input, { maxOutputLength }),
  ZSTD: (input, maxOutputLength) => zstdDecompressSync(input, { maxOutputLength }),
  SNAPPY: fromLibrary('SNAPPY'),
  LZ4: fromLibrary('LZ4'),
  LZ4_RAW: fromLibrary('LZ4_RAW'),
}

const compressors: Compressors = Object.fromEntries(
  Object.entries(unpackers).map(([codec, unpack]) => [
    codec,
    (input: Uint8Array, length: number) => {
      // A column without values has empty pages.
      if (length === 0) return new Uint8Array()
      if (length > 0 && length <= maxPageBytes) return unpack(input, length)
      throw new Error(`a page says that it unpacks to ${length} bytes`)
    },
  ]),
)
