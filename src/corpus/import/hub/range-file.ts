import { appendFile, type FileHandle, open, readFile } from 'node:fs/promises'
import type { AsyncBuffer } from 'hyparquet'

/** What is fetched at a time. Blocks that lie next to each other are one request. */
const blockBytes = 1 << 18

export interface RangeFileOptions {
  /** Absolute path of the copy, of which only the blocks that were fetched have content. */
  readonly path: string
  readonly sizeBytes: number
  /** @returns the bytes from one offset to before another; null where the server only sends whole files */
  fetch(from: number, to: number): Promise<Uint8Array | null>
}

/** The server only sends whole files. */
export class PartsRefused extends Error {}

/**
 * A file of a server of which parts are read. What was fetched is on disk before it is used, and is not fetched again,
 * also by a later call.
 *
 *   file     ├──block──┼──block──┼──block──┼──block──┼─block─┤
 *   fetched            ██████████                    ████████     the footer of a Parquet file, and one of its row groups
 */
export async function openRangeFile({ path, sizeBytes, fetch }: RangeFileOptions): Promise<AsyncBuffer> {
  const listPath = `${path}.blocks`
  const known = new Set(
    (await readFile(listPath, 'utf8').catch(() => ''))
      .split('\n')
      .slice(0, -1)
      .map((line) => Number(line)),
  )
  if (known.size === 0) await (await open(path, 'w')).close()
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
    const bytes = await fetch(from, Math.min(end * blockBytes, sizeBytes))
    if (bytes === null) throw new PartsRefused('the server only sends whole files')
    await using file = await open(path, 'r+')
    await file.write(bytes, 0, bytes.length, from)
    const blocks = Array.from({ length: end - first }, (_, index) => first + index)
    await appendFile(listPath, blocks.map((block) => `${block}\n`).join(''))
    for (const block of blocks) known.add(block)
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
export async function openLocalFile(path: string): Promise<AsyncBuffer> {
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
