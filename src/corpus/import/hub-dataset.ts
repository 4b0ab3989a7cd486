import { createHash } from 'node:crypto'
import { appendFile, type FileHandle, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { AsyncBuffer } from 'hyparquet'
import { writeAt } from '#installation/files'
import type { BenchError } from '#prelude'
import { listFiles } from '#transcripts/documents'
import { corpusErrors } from '../errors.ts'
import { keepVersion, readVersion } from '../files.ts'
import type { CorpusEnvironment } from '../locate.ts'
import {
  type HubFile,
  type HubRepository,
  openHubRepository,
  unreachableWords,
} from '../packages/hub-repository.ts'
import { type FilePart, OtherVersion, type RangeOptions } from '../packages/resumable-download.ts'
import { pathFault } from './layouts/layout.ts'
import type { PartContext } from './source.ts'

export interface HubDataset {
  readonly name: string
  readonly licence: string | null
  /** Parquet files of the data set. */
  readonly files: readonly HubFile[]
  /** Other files of the data set by path: audio that rows refer to. */
  readonly others: ReadonlyMap<string, HubFile>
  /** @returns path of the file in the context's folder, with its hash checked; an existing one is kept */
  fetch(file: HubFile, context: PartContext): Promise<string>
  /**
   * Opens a file. If only a part of a large file may be needed, parts are fetched on reading, without
   * checking the hash; otherwise like `fetch`.
   */
  read(file: HubFile, context: PartContext): Promise<AsyncBuffer>
  /** For local data sets: reads an audio file at an absolute path in a row; rejects for paths that are not allowed. */
  readNamed?(path: string): Promise<Uint8Array>
  /** Removes a fetched file. */
  discard(file: HubFile, context: PartContext): Promise<void>
}

/** Size from which only parts of a file are fetched. */
const minRangedBytes = 8 << 20

/** Branch in which the hub keeps Parquet files that it converted from other formats. */
const convertedRevision = 'refs/convert/parquet'

const codes = {
  unknown: 'IMPORT_SOURCE_UNKNOWN',
  refused: 'IMPORT_REFUSED',
  unreachable: 'IMPORT_UNREACHABLE',
} as const

/**
 * Opens a data set of the hub, with its Parquet files.
 *
 * @throws BenchError IMPORT_SOURCE_UNKNOWN, IMPORT_REFUSED, IMPORT_UNREACHABLE
 */
export async function openHubDataset(name: string, { env }: CorpusEnvironment): Promise<HubDataset> {
  const repository = await openHubRepository({
    kind: 'dataset',
    name,
    env,
    fail: (problem, words) => corpusErrors.make(codes[problem], words),
  })
  const originals = (await repository.list()) ?? []
  // A data set that the hub cannot convert has no such branch.
  const listed = originals.some(isParquet)
    ? originals
    : ((await repository.list(convertedRevision)) ?? originals)
  return {
    name,
    licence: repository.licence,
    ...divideFiles(listed),
    fetch: (file, context) => fetchFile(repository, file, context),
    read: (file, context) => openFile(repository, file, context),
    async discard(file, context) {
      const path = placeFor(file, context)
      for (const each of [path, `${path}.blocks`]) await rm(each, { force: true })
      await keepVersion(path, null)
    },
  }
}

/**
 * Opens a folder with Parquet files, as the library `datasets` writes them. Links in it are not followed.
 *
 * @param root a folder or a Parquet file; others return null
 * @param audioRoot another folder that may contain the audio files
 */
export async function openLocalDataset(root: string, audioRoot: string | null): Promise<HubDataset | null> {
  const isFile = isParquet({ path: root }) && (await stat(root).catch(() => null))?.isFile() === true
  const top = isFile ? dirname(root) : root
  const names = await listFiles(top).catch(() => [])
  // The files of other folders are not examined, because there may be a million.
  if (!names.some((path) => isParquet({ path }))) return null
  const listed = await Promise.all(
    names.map(async (path): Promise<HubFile> => {
      const { size: sizeBytes } = await stat(join(top, path))
      return { path, sizeBytes, sha256: null, gitSha1: null, revision: '' }
    }),
  )
  const { files, others } = divideFiles(listed)
  return {
    name: basename(root, '.parquet'),
    licence: null,
    files: isFile ? files.filter(({ path }) => join(top, path) === root) : files,
    others,
    fetch: async (file) => join(top, file.path),
    read: (file) => openLocalFile(join(top, file.path)),
    async readNamed(path) {
      const fault = await pathFault(path, audioRoot === null ? [top] : [top, audioRoot])
      if (fault === null) return await readFile(path)
      const named = `${path}${fault.startsWith('which') ? ',' : ''} ${fault}`
      throw new Error(`${named} (--audio-root names the folder of the audio)`)
    },
    discard: async () => undefined,
  }
}

function divideFiles(listed: readonly HubFile[]): Pick<HubDataset, 'files' | 'others'> {
  return {
    files: listed.filter(isParquet).sort((left, right) => (left.path < right.path ? -1 : 1)),
    others: new Map(listed.filter((file) => !isParquet(file)).map((file) => [file.path, file])),
  }
}

/** The error for an unreachable server of a data set. */
export function unreachable(what: string, cause: unknown): BenchError {
  return corpusErrors.make('IMPORT_UNREACHABLE', unreachableWords(what, cause))
}

function isParquet({ path }: Pick<HubFile, 'path'>): boolean {
  return path.endsWith('.parquet')
}

/**
 * The local path of a fetched file. It is a hash, because paths may exceed the limits of the disk; it depends
 * on the version, so that parts of different versions are never mixed.
 */
function placeFor({ path, sha256, gitSha1 }: HubFile, { workFolder }: PartContext): string {
  const name = createHash('sha256')
    .update(`${path} ${sha256 ?? gitSha1}`)
    .digest('hex')
  return join(workFolder, 'fetched', name)
}

async function fetchFile(repository: HubRepository, file: HubFile, context: PartContext): Promise<string> {
  const { onDownload, signal } = context
  const path = placeFor(file, context)
  await repository.fetch(file, path, {
    onProgress: ({ receivedBytes, totalBytes }) => onDownload(file.path, receivedBytes, totalBytes),
    signal,
  })
  return path
}

async function openFile(
  repository: HubRepository,
  file: HubFile,
  context: PartContext,
): Promise<AsyncBuffer> {
  const whole = async (): Promise<AsyncBuffer> => openLocalFile(await fetchFile(repository, file, context))
  if (!context.isPartial || file.sizeBytes < minRangedBytes) return await whole()
  const path = placeFor(file, context)
  await mkdir(dirname(path), { recursive: true })
  let receivedBytes = 0
  const ranged = await openRangeFile(file, path, async (range) => {
    const part = await repository.fetchRange(file, { ...range, signal: context.signal })
    receivedBytes += part?.bytes.length ?? 0
    context.onDownload(`parts of ${file.path}`, receivedBytes, null)
    return part
  })
  // The last byte is read first, as for the footer of a Parquet file, to test whether the server sends parts.
  try {
    await ranged.slice(file.sizeBytes - 1)
    return ranged
  } catch (error) {
    if (error instanceof PartsRefused) return await whole()
    throw error
  }
}

/** Size of a fetched block; adjacent blocks are fetched by one request. */
const blockBytes = 1 << 18

/** The server only sends whole files. */
class PartsRefused extends Error {}

/**
 * Reads parts of a file on a server. Fetched blocks are stored on disk before use, and not fetched again,
 * even by later calls.
 *
 *   file     ├──block──┼──block──┼──block──┼──block──┼─block─┤
 *   fetched            ██████████                    ████████     the footer of a Parquet file, and one of its row groups
 *
 * @param path absolute path of the copy, in which only fetched blocks have content
 * @param fetch returns null where the server only sends whole files
 */
async function openRangeFile(
  { path: name, sizeBytes }: HubFile,
  path: string,
  fetch: (range: Pick<RangeOptions, 'from' | 'to' | 'version'>) => Promise<FilePart | null>,
): Promise<AsyncBuffer> {
  const listPath = `${path}.blocks`
  const fetchedBlocks = new Set(
    (await readFile(listPath, 'utf8').catch(() => ''))
      .split('\n')
      .slice(0, -1)
      .map((line) => Number(line)),
  )
  if (fetchedBlocks.size === 0) {
    await (await open(path, 'w')).close()
    await keepVersion(path, null)
  }
  let version = await readVersion(path)
  /** Queues the fetches, because two readers of a block would fetch it twice. */
  let waiting: Promise<unknown> = Promise.resolve()

  async function fetchMissing(from: number, to: number): Promise<void> {
    for (let block = Math.floor(from / blockBytes); block * blockBytes < to; ) {
      const first = block
      while (block * blockBytes < to && !fetchedBlocks.has(block)) block += 1
      if (block === first) block += 1
      else await fetchBlocks(first, block)
    }
  }

  async function fetchBlocks(first: number, end: number): Promise<void> {
    const from = first * blockBytes
    const part = await fetchPart(from, Math.min(end * blockBytes, sizeBytes))
    if (part === null) throw new PartsRefused('the server only sends whole files')
    version = part.version
    await keepVersion(path, version)
    await using file = await open(path, 'r+')
    await writeAt(file, part.bytes, from)
    const blocks = Array.from({ length: end - first }, (_, index) => first + index)
    await appendFile(listPath, blocks.map((block) => `${block}\n`).join(''))
    for (const block of blocks) fetchedBlocks.add(block)
  }

  async function fetchPart(from: number, to: number): Promise<FilePart | null> {
    try {
      return await fetch({ from, to, version })
    } catch (error) {
      if (!(error instanceof OtherVersion)) throw error
      // The stored blocks are of a version that the server no longer has.
      await rm(listPath, { force: true })
      throw corpusErrors.make('IMPORT_REFUSED', {
        message: `${name} has changed on the server since its first part was fetched`,
        hint: 'type the same command again: it begins with what the server has now',
        cause: error,
      })
    }
  }

  return {
    byteLength: sizeBytes,
    async slice(start, end = sizeBytes) {
      const to = Math.min(end, sizeBytes)
      const fetching = waiting.then(() => fetchMissing(start, to))
      waiting = fetching.catch(() => undefined)
      await fetching
      return await readPart(path, start, to)
    },
  }
}

/** A file on disk. It is opened for each read, so that nothing has to be closed after an error. */
async function openLocalFile(path: string): Promise<AsyncBuffer> {
  await using handle = await open(path)
  const { size } = await handle.stat()
  return { byteLength: size, slice: (start, end = size) => readPart(path, start, Math.min(end, size)) }
}

async function readPart(path: string, start: number, end: number): Promise<ArrayBuffer> {
  await using file: FileHandle = await open(path)
  const buffer = new ArrayBuffer(Math.max(0, end - start))
  await file.read(new Uint8Array(buffer), 0, buffer.byteLength, start)
  return buffer
}
