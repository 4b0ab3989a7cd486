import { createHash } from 'node:crypto'
import { appendFile, type FileHandle, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { AsyncBuffer } from 'hyparquet'
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
  /** Parquet files. */
  readonly files: readonly HubFile[]
  /** Files next to them, by path: audio that rows name. */
  readonly others: ReadonlyMap<string, HubFile>
  /** @returns the path of the file in the context's folder, with its hash checked; at once when it is there already */
  fetch(file: HubFile, context: PartContext): Promise<string>
  /**
   * Where only a part of a large file may be needed, the parts that are read are fetched, and its hash is not compared.
   * Otherwise as `fetch`.
   */
  read(file: HubFile, context: PartContext): Promise<AsyncBuffer>
  /** Where the data set lies on this machine: an audio file at an absolute path that a row names. Rejects where it may not be read. */
  readNamed?(path: string): Promise<Uint8Array>
  /** Removes what was fetched of a file. */
  discard(file: HubFile, context: PartContext): Promise<void>
}

/** Smaller files are fetched as a whole. */
const minRangedBytes = 8 << 20

/** Where the hub keeps Parquet files that it made of data sets in other forms. */
const convertedRevision = 'refs/convert/parquet'

const codes = {
  unknown: 'IMPORT_SOURCE_UNKNOWN',
  refused: 'IMPORT_REFUSED',
  unreachable: 'IMPORT_UNREACHABLE',
} as const

/**
 * Asks the hub for a data set and its Parquet files.
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
  const own = (await repository.list()) ?? []
  // What the hub cannot convert has no such branch.
  const listed = own.some(isParquet) ? own : ((await repository.list(convertedRevision)) ?? own)
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
 * The same of a folder that holds Parquet files, as the library `datasets` writes them. Links in it are not followed.
 *
 * @param root a folder, or one Parquet file; null is returned for all others
 * @param audioRoot a folder that audio files may lie below too
 */
export async function openLocalDataset(root: string, audioRoot: string | null): Promise<HubDataset | null> {
  const isFile = isParquet({ path: root }) && (await stat(root).catch(() => null))?.isFile() === true
  const top = isFile ? dirname(root) : root
  const names = await listFiles(top).catch(() => [])
  // A folder of another form may have a million files, which are not looked at one by one.
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

/** A server that a part of a data set comes from was not reached. */
export function unreachable(what: string, cause: unknown): BenchError {
  return corpusErrors.make('IMPORT_UNREACHABLE', unreachableWords(what, cause))
}

function isParquet({ path }: Pick<HubFile, 'path'>): boolean {
  return path.endsWith('.parquet')
}

/**
 * Paths of a data set may be longer than a name on disk may be. Another version of a file has another place, so that no
 * parts of both are put together.
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
  // The end of a Parquet file is what is read of it first.
  try {
    await ranged.slice(file.sizeBytes - 1)
    return ranged
  } catch (error) {
    if (error instanceof PartsRefused) return await whole()
    throw error
  }
}

/** What is fetched at a time. Blocks that lie next to each other are one request. */
const blockBytes = 1 << 18

/** The server only sends whole files. */
class PartsRefused extends Error {}

/**
 * A file of a server of which parts are read. What was fetched is on disk before it is used, and is not fetched again,
 * also by a later call.
 *
 *   file     ├──block──┼──block──┼──block──┼──block──┼─block─┤
 *   fetched            ██████████                    ████████     the footer of a Parquet file, and one of its row groups
 *
 * @param path absolute; of the copy, of which only the blocks that were fetched have content
 * @param fetch returns null where the server only sends whole files
 */
async function openRangeFile(
  { path: name, sizeBytes }: HubFile,
  path: string,
  fetch: (range: Pick<RangeOptions, 'from' | 'to' | 'version'>) => Promise<FilePart | null>,
): Promise<AsyncBuffer> {
  const listPath = `${path}.blocks`
  const known = new Set(
    (await readFile(listPath, 'utf8').catch(() => ''))
      .split('\n')
      .slice(0, -1)
      .map((line) => Number(line)),
  )
  if (known.size === 0) {
    await (await open(path, 'w')).close()
    await keepVersion(path, null)
  }
  let version = await readVersion(path)
  /** One after the other: two readers of the same block would fetch it twice. */
  let waiting: Promise<unknown> = Promise.resolve()

  async function fetchMissing(from: number, to: number): Promise<void> {
    for (let block = Math.floor(from / blockBytes); block * blockBytes < to; ) {
      const first = block
      while (block * blockBytes < to && !known.has(block)) block += 1
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
    await file.write(part.bytes, 0, part.bytes.length, from)
    const blocks = Array.from({ length: end - first }, (_, index) => first + index)
    await appendFile(listPath, blocks.map((block) => `${block}\n`).join(''))
    for (const block of blocks) known.add(block)
  }

  async function fetchPart(from: number, to: number): Promise<FilePart | null> {
    try {
      return await fetch({ from, to, version })
    } catch (error) {
      if (!(error instanceof OtherVersion)) throw error
      // What is here is of a file that the server no longer has.
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

/** A file on disk. It is opened for each read: a shard is read over hours, and nothing has to be closed behind an error. */
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
