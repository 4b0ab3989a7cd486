import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { formFrame } from '#contract'
import type { HttpBody } from './connection/exchange.ts'

/** A body that is ready to be sent, and what became of the file while it was. */
export interface AudioBody extends AsyncDisposable {
  readonly body: HttpBody
  /** Why the file could not be sent as it was planned; null while nothing is wrong. */
  problem(): string | null
}

/** The file that a request should carry is not there as planned. */
export class UnsendableAudio extends Error {
  override readonly name = 'UnsendableAudio'
  /** Recognised by its code after it has passed through the HTTP library. */
  readonly code = 'AUDIO_UNSENDABLE'
}

/** 48 KiB in, 64 KiB out: a multiple of 3 bytes, so that the pieces of base64 join without padding. */
const pieceBytes = 49_152

/** The encoding of a recording in a body: the bytes around it, and the transformation of each piece. */
export interface Framing {
  readonly contentType: string
  readonly head: Buffer
  readonly tail: Buffer
  /** Length of the whole recording in the body. */
  encodedBytes(sizeBytes: number): number
  /** Pieces before the last are a multiple of 3 bytes long. What comes back shares no memory with the piece. */
  encode(piece: Buffer): Buffer | string
}

/** A recording as base64 in a JSON document: three bytes become four characters. */
export function base64Framing(fields: Readonly<Record<string, unknown>>): Framing {
  const head = JSON.stringify({ ...fields, audio_base64: '' }).slice(0, -2)
  return textFraming(head, '"}')
}

/** A recording as base64 between two parts of a JSON text. */
export function textFraming(head: string, tail: string): Framing {
  return {
    contentType: 'application/json',
    head: Buffer.from(head),
    tail: Buffer.from(tail),
    encodedBytes: (sizeBytes) => Math.ceil(sizeBytes / 3) * 4,
    encode: (piece) => piece.toString('base64'),
  }
}

/** A recording as the last part of a form, behind its fields. */
export function formFraming(
  fields: readonly (readonly [name: string, value: string])[],
  file: { readonly name: string; readonly fileName: string; readonly mimeType: string },
): Framing {
  const { contentType, head, tail } = formFrame(`transcribench-${randomUUID()}`, fields, file)
  return {
    contentType,
    head: Buffer.from(head),
    tail: Buffer.from(tail),
    encodedBytes: (sizeBytes) => sizeBytes,
    encode: (piece) => Buffer.from(piece),
  }
}

/**
 * Makes a body that carries a recording. It is read piece by piece while the socket takes it, so memory does not
 * grow with the recording. A recording of one piece is read before the request begins.
 *
 * @throws UnsendableAudio when the file cannot be read or is not as long as planned
 */
export async function openAudioBody(
  { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number },
  framing: Framing,
): Promise<AudioBody> {
  const recording = await openRecording(path, sizeBytes)
  if (sizeBytes > pieceBytes) return streamedBody(recording, framing)
  await using only = recording
  const encoded = framing.encode(await only.read(0))
  const content = Buffer.concat([framing.head, Buffer.from(encoded), framing.tail])
  return {
    body: { content, sizeBytes: content.length, contentType: framing.contentType },
    problem: () => null,
    [Symbol.asyncDispose]: async () => {},
  }
}

function streamedBody(recording: Recording, framing: Framing): AudioBody {
  const { head, tail, contentType } = framing
  let problem: string | null = null
  async function* pieces(): AsyncGenerator<Buffer | string> {
    try {
      yield head
      for (let position = 0; position < recording.sizeBytes; position += pieceBytes) {
        yield framing.encode(await recording.read(position))
      }
      // The closing bytes are kept back until the file is known not to have changed under the reader.
      await recording.checkUnchanged()
      yield tail
    } catch (error) {
      if (error instanceof UnsendableAudio) problem = error.message
      throw error
    }
  }
  return {
    body: {
      content: Readable.from(pieces(), { highWaterMark: 1 }),
      sizeBytes: head.length + framing.encodedBytes(recording.sizeBytes) + tail.length,
      contentType,
    },
    problem: () => problem,
    [Symbol.asyncDispose]: () => recording[Symbol.asyncDispose](),
  }
}

/** An open file of known length. */
interface Recording extends AsyncDisposable {
  readonly sizeBytes: number
  /** The bytes from `position`: one piece, or what is left of the file. Valid until the next reading. */
  read(position: number): Promise<Buffer>
  checkUnchanged(): Promise<void>
}

async function openRecording(path: string, sizeBytes: number): Promise<Recording> {
  const unreadable = (error: NodeJS.ErrnoException): never => {
    throw new UnsendableAudio(`${path} cannot be read (${error.code})`)
  }
  const changed = (what: string): UnsendableAudio => new UnsendableAudio(`${path} has changed: ${what}`)
  const file = await open(path, 'r').catch(unreadable)
  const before = await file.stat({ bigint: true })
  if (before.size !== BigInt(sizeBytes)) {
    await file.close()
    throw changed(`${sizeBytes} bytes planned, ${before.size} found`)
  }
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes))
  return {
    sizeBytes,
    async read(position) {
      const piece = buffer.subarray(0, Math.min(pieceBytes, sizeBytes - position))
      const isFull = await fill(file, piece, position).catch(unreadable)
      if (!isFull) throw changed(`it became shorter than ${sizeBytes} bytes while it was read`)
      return piece
    },
    async checkUnchanged() {
      const after = await file.stat({ bigint: true }).catch(unreadable)
      if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) {
        throw changed('it was written to while it was sent')
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  }
}

/** @returns whether the file went on long enough. A read may return less than was asked for. */
async function fill(file: FileHandle, piece: Buffer, position: number): Promise<boolean> {
  let filledBytes = 0
  while (filledBytes < piece.length) {
    const left = piece.length - filledBytes
    const { bytesRead } = await file.read(piece, filledBytes, left, position + filledBytes)
    if (bytesRead === 0) return false
    filledBytes += bytesRead
  }
  return true
}
