import { type FileHandle, open } from 'node:fs/promises'
import { Header, Pax } from 'tar'

/** The files in a tar archive on disk, read one by one where they lie. */
export interface TarIndex {
  /** What is wrong with the archive; the entries before the fault can be read. */
  readonly problems: readonly string[]
  /** @returns null where there is no file of that name */
  read(name: string): (() => Promise<Uint8Array>) | null
}

interface Entry {
  readonly start: number
  readonly bytes: number
}

const blockBytes = 512
/** Names longer than this are made to exhaust memory. */
const maxNameBytes = 1 << 16

/** Lists a tar archive without reading its files. Links and devices are no files, and are not listed. */
export async function indexTar(path: string): Promise<TarIndex> {
  const entries = new Map<string, Entry>()
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
    if (header.type === 'File' || header.type === 'OldFile') {
      entries.set((header.path ?? '').replace(/^\.\//, ''), { start, bytes })
    }
  }
  return {
    problems,
    read(name) {
      const entry = entries.get(name)
      return entry === undefined ? null : () => readEntry(path, entry)
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
