import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { formFrame } from '#contract/transcription'
import type { Clock } from '#load/clock'
import { failed, lazily } from '#prelude'
import { type Exchange, type HttpBody, unsentTimes } from './exchange.ts'

/** A body that is ready to be sent, and the state of its file during the transfer. */
export interface AudioBody extends AsyncDisposable {
  readonly body: HttpBody
  /** Why the file could not be sent as planned; null if it was. */
  problem(): string | null
}

/** The file of a request cannot be read, or differs from the plan. */
class UnsendableAudio extends Error {
  override readonly name = 'UnsendableAudio'
  /** The code identifies the error after it has passed through the HTTP library. */
  readonly code = 'AUDIO_UNSENDABLE'
}

/** 48 KiB of audio, 64 KiB of base64: a multiple of 3 bytes, so that encoded pieces join without padding. */
const pieceBytes = 49_152

/**
 * Buffers that the pieces of one body reuse in rotation. A socket that holds 64 KiB pauses the stream until
 * it is empty, so at most two pieces are in the socket and one in the stream while the next is made.
 */
const bufferCount = 4

/** The encoding of a recording in a body: the bytes around it, and the encoding of each piece. */
export interface Framing {
  readonly contentType: string
  readonly head: Buffer
  readonly tail: Buffer
  /** Length of the encoded recording in bytes. */
  encodedBytes(sizeBytes: number): number
  /** Writes an encoded piece to `out`, and returns its length. All pieces but the last have 3n bytes. */
  encode(piece: Buffer, out: Buffer): number
}

/** Encodes a recording as base64 in a JSON document: three bytes become four characters. */
export function base64Framing(fields: Readonly<Record<string, unknown>>): Framing {
  const head = JSON.stringify({ ...fields, audio_base64: '' }).slice(0, -2)
  return textFraming(head, '"}')
}

/** Encodes a recording as base64 between two parts of a JSON text. */
export function textFraming(head: string, tail: string): Framing {
  return {
    contentType: 'application/json',
    head: Buffer.from(head),
    tail: Buffer.from(tail),
    encodedBytes: (sizeBytes) => Math.ceil(sizeBytes / 3) * 4,
    encode: encodeBase64,
  }
}

/** The two base64 digits of each 12-bit value, as the two bytes of a 16-bit number. */
const digitPairs: () => Uint16Array = lazily(() => {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const pairs = new Uint16Array(4_096)
  const bytes = Buffer.from(pairs.buffer)
  for (let bits = 0; bits < pairs.length; bits += 1) {
    bytes.write(digits.charAt(bits >> 6) + digits.charAt(bits & 63), 2 * bits, 'latin1')
  }
  return pairs
})

/** Encodes base64 without strings: those that Node makes of a long recording grow the heap by over a half. */
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

/** Names and media type of a recording in a form. */
interface FormFile {
  readonly name: string
  readonly fileName: string
  readonly mimeType: string
}

/**
 * Describes a recording for upload in a form. Servers detect the format by the file extension, and reject
 * `.opus` and `.oga`, but accept `.ogg`, the extension of the container.
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

/** Places a recording as the last part of a form, after the fields. */
export function formFraming(
  fields: readonly (readonly [name: string, value: string])[],
  file: FormFile,
): Framing {
  const { contentType, head, tail } = formFrame(`transcribench-${randomUUID()}`, fields, file)
  return rawFraming(contentType, head, tail)
}

/** Places a recording as it is between two texts; without them it is the whole body. */
export function rawFraming(contentType: string, head = '', tail = ''): Framing {
  return {
    contentType,
    head: Buffer.from(head),
    tail: Buffer.from(tail),
    encodedBytes: (sizeBytes) => sizeBytes,
    encode: (piece, out) => piece.copy(out),
  }
}

/** Memory for recordings that a client sends repeatedly: 32 MiB. The first recordings that fit are kept. */
const keptBytes = 33_554_432

/** Maximum encoded size of a kept recording: 4 MiB. */
const maxKeptBytes = 4_194_304

/**
 * The bodies of one client, which sends each recording many times. Opening and reading a file takes as much
 * processor time as sending it. A kept recording is sent as first read, even if its file changes.
 */
export class AudioBodies {
  readonly #encodedBodies = new Map<string, Buffer>()
  #freeBytes = keptBytes

  /**
   * Makes a body that carries a recording. A long recording that is not kept is read in pieces as the socket
   * accepts them, so that memory use does not grow with its length.
   *
   * @throws UnsendableAudio when the file cannot be read or has another length than planned
   */
  async open(
    { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number },
    framing: Framing,
  ): Promise<AudioBody> {
    const encodedBytes = framing.encodedBytes(sizeBytes)
    // The key has the encoded length, because base64 and form encode the same recording differently.
    const key = `${encodedBytes} ${path}`
    const keptBody = this.#encodedBodies.get(key)
    if (keptBody !== undefined) return wholeBody(framing, keptBody)
    const recording = await openRecording(path, sizeBytes)
    const mayBeKept = encodedBytes <= Math.min(maxKeptBytes, this.#freeBytes)
    if (sizeBytes > pieceBytes && !mayBeKept) return streamedBody(recording, framing)
    await using only = recording
    const encoded = await readWhole(only, framing)
    if (encodedBytes <= Math.min(maxKeptBytes, this.#freeBytes) && !this.#encodedBodies.has(key)) {
      this.#encodedBodies.set(key, encoded)
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
 * Sends a request with a recording. A file that cannot be read, or changes during the transfer, makes the
 * request `unsendable`, because an unfinished body breaks the connection without a fault of the server.
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

/** Opens and reads a recording as a request does. Errors of the file are reported only when it is sent. */
export async function rehearseAudio(file: {
  readonly path: string
  readonly sizeBytes: number
}): Promise<void> {
  const { path, sizeBytes } = file
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
      // The closing bytes are sent only once it is certain that the file did not change while it was read.
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

/** An open file of a known length. */
interface Recording extends AsyncDisposable {
  readonly sizeBytes: number
  /** The bytes from `position`: one piece, or the rest of the file. Valid until the next call. */
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

/** @returns false where the file ended early; a single read may return fewer bytes than requested */
async function fill(file: FileHandle, piece: Buffer, position: number): Promise<boolean> {
  let filledBytes = 0
  while (filledBytes < piece.length) {
    const missingBytes = piece.length - filledBytes
    const { bytesRead } = await file.read(piece, filledBytes, missingBytes, position + filledBytes)
    if (bytesRead === 0) return false
    filledBytes += bytesRead
  }
  return true
}
