import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { TranscriptionOptions } from '#contract'
import type { AudioInput } from './connection.ts'
import type { HttpBody } from './exchange.ts'

/** A body that is ready to be sent, and what became of the file while it was. */
export interface AudioBody extends AsyncDisposable {
  readonly body: HttpBody
  /** Why the file could not be sent as it was planned; null while nothing is wrong. */
  problem(): string | null
}

/** The file that a request should carry is not there as planned. */
export class UnsendableAudio extends Error {
  override readonly name = 'UnsendableAudio'
  /** Told apart by its code after it has gone through the HTTP library. */
  readonly code = 'AUDIO_UNSENDABLE'
}

/** 48 KiB in, 64 KiB out: a multiple of 3 bytes, so that the pieces of base64 join without padding. */
const pieceBytes = 49_152

type RecordingInput = Extract<AudioInput, { readonly transport: 'base64' }>

/**
 * Makes the JSON body of a transcription request. Base64 is made piece by piece while the socket takes it, so
 * memory does not grow with the recording. A recording of one piece is read before the request begins.
 *
 * @throws UnsendableAudio when the file cannot be read or is not as long as planned
 */
export async function openAudioBody(
  { path, sizeBytes, mimeType }: RecordingInput,
  options: TranscriptionOptions,
): Promise<AudioBody> {
  const recording = await openRecording(path, sizeBytes)
  const head = JSON.stringify({ ...options, mime_type: mimeType, audio_base64: '' }).slice(0, -2)
  if (sizeBytes > pieceBytes) return streamedBody(recording, head)
  await using only = recording
  const content = `${head}${(await only.read(0)).toString('base64')}"}`
  return {
    body: { content, sizeBytes: Buffer.byteLength(content) },
    problem: () => null,
    [Symbol.asyncDispose]: async () => {},
  }
}

function streamedBody(recording: Recording, head: string): AudioBody {
  let problem: string | null = null
  async function* pieces(): AsyncGenerator<string> {
    try {
      yield head
      for (let position = 0; position < recording.sizeBytes; position += pieceBytes) {
        yield (await recording.read(position)).toString('base64')
      }
      // The closing bytes are kept back until the file is known not to have changed under the reader.
      await recording.checkUnchanged()
      yield '"}'
    } catch (error) {
      if (error instanceof UnsendableAudio) problem = error.message
      throw error
    }
  }
  const encodedBytes = Math.ceil(recording.sizeBytes / 3) * 4
  return {
    body: {
      content: Readable.from(pieces(), { highWaterMark: 1 }),
      sizeBytes: Buffer.byteLength(head, 'utf8') + encodedBytes + 2,
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
