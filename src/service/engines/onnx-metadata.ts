import { type FileHandle, open } from 'node:fs/promises'

/** No export has as many fields at its top, or as much text in one of them. */
const maxFields = 10_000
const maxEntryBytes = 1 << 20

/** Fields of `ModelProto` and of its entries of text. @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
const metadataField = 14
const [keyField, valueField] = [1, 2]

/** The longest number of Protocol Buffers in bytes, twice: the head of a field is its tag and its length. */
const maxHeadBytes = 20

/**
 * Reads what the exporter of an ONNX file wrote about it: kind of model, languages, sizes. The weights are stepped over,
 * not read.
 *
 * @returns empty for a file that is missing or no ONNX file, which only the loading reports
 */
export async function readOnnxMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>()
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    let at = 0
    for (let count = 0; at < size && count < maxFields; count += 1) {
      const head = fieldAt(await readAt(file, at, maxHeadBytes), 0)
      if (head === null) break
      at += head.start
      if (head.field === metadataField && head.length <= maxEntryBytes) {
        const [key, value] = entryOf(await readAt(file, at, head.length))
        entries.set(key, value)
      }
      at += head.length
    }
  } catch {
    // Missing or unreadable, which the loading reports.
  }
  return entries
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

function entryOf(bytes: Buffer): readonly [key: string, value: string] {
  const texts = new Map<number, string>()
  for (let at = 0; at < bytes.length; ) {
    const head = fieldAt(bytes, at)
    if (head === null) break
    texts.set(head.field, bytes.toString('utf8', head.start, head.start + head.length))
    at = head.start + head.length
  }
  return [texts.get(keyField) ?? '', texts.get(valueField) ?? '']
}

interface Field {
  readonly field: number
  /** Of its content. */
  readonly start: number
  /** Of its content; 0 for a number, which is part of the head. */
  readonly length: number
}

/** @returns null for what is no field */
function fieldAt(bytes: Buffer, at: number): Field | null {
  const tag = numberAt(bytes, at)
  if (tag === null) return null
  const [field, wireType] = [Math.floor(tag.value / 8), tag.value % 8]
  if (wireType === 1) return { field, start: tag.end, length: 8 }
  if (wireType === 5) return { field, start: tag.end, length: 4 }
  const number = wireType === 0 || wireType === 2 ? numberAt(bytes, tag.end) : null
  if (number === null || field === 0) return null
  return { field, start: number.end, length: wireType === 2 ? number.value : 0 }
}

function numberAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (let index = 0; index < 10; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) return null
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return null
}
