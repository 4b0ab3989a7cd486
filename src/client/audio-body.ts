import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { formFrame } from '#contract/transcription'
import type { Clock } from '#load/clock'
import { failed, lazily } from '#prelude'
import { type Exchange, type HttpBody, unsentTimes } from './exchange.ts'

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

/**
 * Buffers that the pieces of one body take turns in. A socket that holds 64 KiB asks the stream to pause until it holds nothing,
 * so that at most two pieces are in the socket and one waits in the stream when the next is made.
 */
const bufferCount = 4

/** The encoding of a recording in a body: the bytes around it, and the transformation of each piece. */
export interface Framing {
  readonly contentType: string
  readonly head: Buffer
  readonly tail: Buffer
  /** Length of the whole recording in the body. */
  encodedBytes(sizeBytes: number): number
  /** Writes a piece as it is sent, and returns its length there. Pieces before the last are a multiple of 3 bytes long. */
  encode(piece: Buffer, out: Buffer): number
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
    encode: encodeBase64,
  }
}

/** The two digits of each 12 bits, as the two bytes of one number. */
const digitPairs: () => Uint16Array = lazily(() => {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const pairs = new Uint16Array(4_096)
  const bytes = Buffer.from(pairs.buffer)
  for (let bits = 0; bits < pairs.length; bits += 1) {
    bytes.write(digits.charAt(bits >> 6) + digits.charAt(bits & 63), 2 * bits, 'latin1')
  }
  return pairs
})

/** Node encodes base64 to strings only: those of a long recording make the heap grow by more than half. */
function encodeBase64(piece: Buffer, out: Buffer): number {
  const pairs = digitPairs()
  const encoded = new Uint16Array(out.buffer, out.byteOffset, out.length >> 1)
  const wholeBytes = piece.length - (piece.length % 3)
  let count = 0
  for (let at = 0; at < wholeBytes; at += 3) {
    const bits = ((piece[at] as number) << 16) | ((piece[at + 1] as number) << 8) | (piece[at + 2] as number)
    encoded[count] = pairs[bits >> 12] as number
    encoded[count + 1] = pairs[bits & 4_095] as number
    count += 2
  }
  return 2 * count + out.write(piece.toString('base64', wholeBytes), 2 * count, 'latin1')
}

/** A recording as a form names it. */
interface FormFile {
  readonly name: string
  readonly fileName: string
  readonly mimeType: string
}

/**
 * How a recording is uploaded in a form. Servers know a format by the ending, and the one of Ogg files with Opus in them is not on
 * their lists, while that of their container is.
 */
export function describeFile(
  audio: { readonly path: string; readonly mimeType: string },
  name: string,
): FormFile {
  const fileName = basename(audio.path)
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/\.(opus|oga)$/i, '.ogg')
  return { name, fileName, mimeType: audio.mimeType }
}

/** A recording as the last part of a form, behind its fields. */
export function formFraming(
  fields: readonly (readonly [name: string, value: string])[],
  file: FormFile,
): Framing {
  const { contentType, head, tail } = formFrame(`transcribench-${randomUUID()}`, fields, file)
  return {
    contentType,
    head: Buffer.from(head),
    tail: Buffer.from(tail),
    encodedBytes: (sizeBytes) => sizeBytes,
    encode: (piece, out) => piece.copy(out),
  }
}

/** Recordings that a client has in memory to send them again, together: 32 MiB. The first that fit stay there. */
const keptBytes = 33_554_432

/** A longer one than 4 MiB is not kept. */
const maxKeptBytes = 4_194_304

/**
 * The bodies of one client, which sends a recording once for each contender and round: opening and reading it takes as much processor
 * time as sending it. What is kept is sent as it was read first, whatever becomes of the file.
 */
export class AudioBodies {
  readonly #kept = new Map<string, Buffer>()
  #freeBytes = keptBytes

  /**
   * Makes a body that carries a recording. One that is not kept and is longer than a piece is read piece by piece while the socket
   * takes it, so that memory does not grow with the recording.
   *
   * @throws UnsendableAudio when the file cannot be read or is not as long as planned
   */
  async open(
    { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number },
    framing: Framing,
  ): Promise<AudioBody> {
    const encodedBytes = framing.encodedBytes(sizeBytes)
    // The same recording has another length in base64.
    const key = `${encodedBytes} ${path}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) return wholeBody(framing, kept)
    const recording = await openRecording(path, sizeBytes)
    const mayBeKept = encodedBytes <= Math.min(maxKeptBytes, this.#freeBytes)
    if (sizeBytes > pieceBytes && !mayBeKept) return streamedBody(recording, framing)
    await using only = recording
    const encoded = await readWhole(only, framing)
    if (encodedBytes <= Math.min(maxKeptBytes, this.#freeBytes) && !this.#kept.has(key)) {
      this.#kept.set(key, encoded)
      this.#freeBytes -= encodedBytes
    }
    return wholeBody(framing, encoded)
  }
}

async function readWhole(recording: Recording, framing: Framing): Promise<Buffer> {
  const encoded = Buffer.allocUnsafeSlow(framing.encodedBytes(recording.sizeBytes))
  let filledBytes = 0
  for (let position = 0; position < recording.sizeBytes; position += pieceBytes) {
    filledBytes += framing.encode(await recording.read(position), encoded.subarray(filledBytes))
  }
  await recording.checkUnchanged()
  return encoded
}

function wholeBody({ head, tail, contentType }: Framing, encoded: Buffer): AudioBody {
  return {
    body: {
      content: [head, encoded, tail],
      sizeBytes: head.length + encoded.length + tail.length,
      contentType,
    },
    problem: () => null,
    [Symbol.asyncDispose]: async () => {},
  }
}

/**
 * Sends a request with a recording. Where its file cannot be read, or changes while it is sent, the request is unsendable: a body that
 * cannot be finished breaks the connection, which is not the server's doing.
 */
export async function sendAudio(
  opening: Promise<AudioBody>,
  clock: Clock,
  send: (body: HttpBody) => Promise<Exchange>,
): Promise<Exchange & { readonly bodyBytes: number }> {
  let opened: AudioBody
  try {
    opened = await opening
  } catch (error) {
    if (!(error instanceof UnsendableAudio)) throw error
    const reply = failed({ kind: 'unsendable', reason: error.message } as const)
    return { reply, times: unsentTimes(clock), metClosedConnection: false, bodyBytes: 0 }
  }
  await using audio = opened
  const sent = await send(audio.body)
  const reason = audio.problem()
  const isFaulty = !sent.reply.ok && sent.reply.failure.kind === 'unreachable' && reason !== null
  const reply = isFaulty ? failed({ kind: 'unsendable', reason } as const) : sent.reply
  return { ...sent, reply, bodyBytes: audio.body.sizeBytes }
}

/** Does what opening a body does to the file of a recording. What is wrong with the file is said when it is sent. */
export async function rehearseAudio(given: {
  readonly path: string
  readonly sizeBytes: number
}): Promise<void> {
  const { path, sizeBytes } = given
  try {
    await using recording = await openRecording(path, sizeBytes)
    await recording.read(0)
  } catch (error) {
    if (!(error instanceof UnsendableAudio)) throw error
  }
}

function streamedBody(recording: Recording, framing: Framing): AudioBody {
  const { head, tail, contentType } = framing
  let problem: string | null = null
  const buffers = Array.from({ length: bufferCount }, () =>
    Buffer.allocUnsafeSlow(framing.encodedBytes(pieceBytes)),
  )
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      yield head
      for (let position = 0; position < recording.sizeBytes; position += pieceBytes) {
        const out = buffers[(position / pieceBytes) % bufferCount] as Buffer
        yield out.subarray(0, framing.encode(await recording.read(position), out))
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
