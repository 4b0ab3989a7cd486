import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { KeptRows } from '#reports/text-score/formats'
import { cliErrors } from '../errors.ts'

/** Text that waits until the whole input is read: nothing is printed of an input that turns out to be wrong. */
export interface RowSpool extends KeptRows {
  /** @throws BenchError ROWS_UNWRITABLE where the folder for temporary files is full or cannot be written */
  add(text: string): Promise<void>
  close(): Promise<void>
}

/** So much is kept in memory before a file is opened. */
const inMemoryCharacters = 1_048_576
// Longer texts are garbage that only a full collection takes away.
const chunkBytes = 65_536

/** Starts a spool: in memory as long as it is small, then in a temporary file that no other program sees. */
export function startSpool(inMemory: number = inMemoryCharacters): RowSpool {
  let pieces: string[] = []
  let length = 0
  let file: SpoolFile | null = null
  const flush = async (): Promise<void> => {
    file ??= await openSpoolFile()
    for (const piece of pieces) await file.append(piece)
    pieces = []
    length = 0
  }
  async function* texts(): AsyncGenerator<string> {
    if (file !== null) yield* file.texts()
    yield* pieces
  }
  return {
    async add(text) {
      pieces.push(text)
      length += text.length
      if (length > inMemory) await flush()
    },
    texts,
    lines: () => wholeLines(texts()),
    close: async () => await file?.close(),
  }
}

async function* wholeLines(texts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let begun = ''
  for await (const text of texts) {
    const lines = (begun + text).split('\n')
    begun = lines.pop() ?? ''
    yield lines
  }
}

interface SpoolFile {
  append(text: string): Promise<void>
  texts(): AsyncGenerator<string>
  close(): Promise<void>
}

async function openSpoolFile(): Promise<SpoolFile> {
  // Loaded when it is needed: it takes a tenth of the time of a short command.
  const { randomUUID } = await import('node:crypto')
  const folder = tmpdir()
  const path = join(folder, `transcribench-rows-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600).catch(fail(folder))
  // Without a name it is gone when the process is, however that ends. Windows keeps the name until it is closed.
  const isNamed = await unlink(path).then(
    () => false,
    () => true,
  )
  let size = 0
  return {
    async append(text) {
      const bytes = Buffer.from(text)
      await handle.writeFile(bytes).catch(fail(folder))
      size += bytes.length
    },
    texts: () => readTexts(handle, size),
    async close() {
      await handle.close()
      if (isNamed) await unlink(path)
    },
  }
}

async function* readTexts(handle: FileHandle, size: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  const buffer = Buffer.alloc(chunkBytes)
  for (let position = 0; position < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position)
    if (bytesRead === 0) throw new TypeError('the rows that were kept are shorter than they were written')
    position += bytesRead
    yield decoder.write(buffer.subarray(0, bytesRead))
  }
}

function fail(folder: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    const reason = /^\w+: ([^,]+)/.exec(cause.message)?.[1] ?? cause.message
    throw cliErrors.make('ROWS_UNWRITABLE', {
      message: `the rows could not be kept in ${folder}: ${reason} (${cause.code})`,
      hint: 'name a folder with free space for temporary files: TMPDIR=/path transcribench wer …',
      cause,
    })
  }
}
