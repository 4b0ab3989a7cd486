import { type FileHandle, open } from 'node:fs/promises'
import { Header, Pax } from 'tar'

/** The files in a tar archive on disk, read one by one where they lie. */
export interface TarIndex {
  /** What is wrong with the archive; the entries before the fault can be read. */
  readonly problems: readonly string[]
  /** @returns how to read a file; why it is not read, in words that follow its name; null where there is none of that name */
  find(name: string): (() => Promise<Uint8Array>) | string | null
}

interface Entry {
  readonly start: number
  readonly bytes: number
}

const blockBytes = 512
/** Buffers end here: a file that is longer is made to exhaust memory. */
const maxFileBytes = 2 ** 31 - 1
/** Names longer than this are made to exhaust memory. */
const maxNameBytes = 1 << 16

/** Lists a tar archive without reading its files. Links are not followed, and devices are not listed. */
export async function indexTar(path: string): Promise<TarIndex> {
  const entries = new Map<string, Entry | string>()
  const problems: string[] = []
  await using file = await open(path)
  const { size } = await file.stat()
  let attributes: Pax | undefined
  for (let position = 0; position + blockBytes <= size; ) {
    const header = new Header(await readAt(file, position, blockBytes), 0, attributes)
    if (header.nullBlock) break
    const start = position + blockBytes
    const bytes = header.size ?? 0
    if (!header.cksumValid || start + bytes > size) {
      problems.push(`is cut short or damaged at byte ${position}, after ${entries.size} files`)
      break
    }
    position = start + Math.ceil(bytes / blockBytes) * blockBytes
    const isName = header.type === 'ExtendedHeader' || header.type === 'NextFileHasLongPath'
    if (isName && bytes <= maxNameBytes) {
      const text = (await readAt(file, start, bytes)).toString('utf8')
      attributes =
        header.type === 'ExtendedHeader' ? Pax.parse(text) : new Pax({ path: text.replace(/\0.*$/s, '') })
      continue
    }
    attributes = undefined
    const name = (header.path ?? '').replace(/^\.\//, '')
    if (header.type === 'Link' || header.type === 'SymbolicLink') {
      entries.set(name, 'is a link, and no link is followed')
    }
    if (header.type === 'File' || header.type === 'OldFile') {
      const isOutside = name.startsWith('/') || name.split(/[\\/]/).includes('..')
      const isTooLong = `is ${(bytes / 1e9).toFixed(1)} GB long, and no file of more than 2 GB is read`
      const entry = bytes > maxFileBytes ? isTooLong : { start, bytes }
      entries.set(name, isOutside ? 'leaves the folder of the archive' : entry)
    }
  }
  return {
    problems,
    find(name) {
      const entry = entries.get(name) ?? null
      return entry === null || typeof entry === 'string' ? entry : () => readEntry(path, entry)
    },
  }
}

async function readEntry(path: string, { start, bytes }: Entry): Promise<Uint8Array> {
  await using file = await open(path)
  return await readAt(file, start, bytes)
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}
