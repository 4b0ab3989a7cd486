import { type FileHandle, open } from 'node:fs/promises'
import { failed, type Outcome, succeeded } from '#prelude'

export interface FileName {
  readonly pattern: RegExp
  /** The same for people, with `*` for anything. */
  readonly like: string
}

/** What a model consists of: for each role, its file. */
export type Roles = Readonly<Record<string, FileName>>

export type RoleFiles = Readonly<Record<string, string>>

/** Why a folder is not the model that it was said to be; for each role, what was looked for and what is there. */
export interface UnclearRole {
  readonly role: string
  readonly like: string
  /** Several that fit; none where it is missing. */
  readonly candidates: readonly string[]
}

/**
 * Finds the files of a model by their usual names. Where a file is there quantised to 8 bits (`.int8.onnx`) and
 * as it was trained, the quantised one is taken.
 *
 * @param names all files of the folder
 * @returns one file for each role, or every role for which there is none or more than one
 */
export function findFiles(
  names: readonly string[],
  roles: Roles,
): Outcome<RoleFiles, readonly UnclearRole[]> {
  const files: Record<string, string> = {}
  const unclear: UnclearRole[] = []
  for (const [role, { pattern, like }] of Object.entries(roles)) {
    const fitting = names.filter((name) => pattern.test(name)).toSorted()
    const quantised = fitting.filter((name) => name.includes('.int8.'))
    const candidates = quantised.length > 0 ? quantised : fitting
    const [file] = candidates
    if (file === undefined || candidates.length > 1) {
      unclear.push({ role, like, candidates })
    } else {
      files[role] = file
    }
  }
  return unclear.length > 0 ? failed(unclear) : succeeded(files)
}

/**
 * Large exports keep their weights next to the graph, in files of its name: `large-v3-encoder.weights` of
 * `large-v3-encoder.onnx`.
 */
export function findCompanions(names: readonly string[], files: RoleFiles): readonly string[] {
  const graphs = Object.values(files).filter((name) => name.endsWith('.onnx'))
  return names.filter((name) =>
    graphs.some((graph) => {
      const stem = graph.slice(0, -'.onnx'.length)
      return [`${stem}.weights`, `${stem}.data`, `${graph}.data`, `${graph}_data`].includes(name)
    }),
  )
}

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
        const [key, value] = readEntry(await readAt(file, at, head.length))
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

function readEntry(bytes: Buffer): readonly [key: string, value: string] {
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
