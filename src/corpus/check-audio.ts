import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join, parse, relative } from 'node:path'
import type { AudioLength } from '#audio/probing'
import type { AudioFailure } from '#audio/structure'
import { exists } from '#installation/files'
import { failed, grouped, type Outcome, shellWord, succeeded } from '#prelude'
import type { KnownAudio } from './audio-memory.ts'
import type { Utterance, VerifiedUtterance } from './utterance.ts'

/** A problem of an utterance's audio, in words; `kind` shows whether the file exists. */
export interface AudioProblem {
  readonly kind: 'missing' | 'changed' | 'unusable'
  readonly what: string
}

interface CheckOptions {
  /** Absolute path that shown paths are relative to. */
  readonly folder: string
  /** Queues decodings, because one takes a multiple of the file's size in memory. */
  readonly decodeInTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Whether to decode files even if their headers state a duration. */
  readonly isFull: boolean
}

/** Loads the module with the first opened file, because most files are known from before. */
const probing = (): Promise<typeof import('#audio/probing')> => import('#audio/probing')

const pieceBytes = 1 << 20
/** Tolerance of the manifest's duration; only a difference above both limits is a problem. */
const allowedDifference = { share: 0.02, seconds: 0.1 }

/** The result of reading a file, which has a hash even if the audio is unusable. */
type Measured =
  /** `isInverted`: one channel has the inverted polarity of the other. */
  | { readonly known: KnownAudio & { readonly isInverted: boolean } }
  | { readonly sha256: string; readonly failure: AudioFailure }

/** The result of opening a file, for all utterances that name it. */
export type OpenedFile = Outcome<Measured, AudioProblem>

/** Opens, hashes and measures an audio file. A pipe is rejected, because reading it could block. */
export async function openFile(path: string, options: CheckOptions): Promise<OpenedFile> {
  const shown = showPath(options.folder, path)
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const found = await file.stat()
    if (!found.isFile()) return unusable(`${shown} is not a file`)
    if (found.size === 0) return unusable(`${shown} is empty (0 bytes)`)
    const { maxFileBytes } = await import('#audio/structure')
    if (found.size > maxFileBytes) {
      return unusable(`${shown} has ${grouped(found.size)} bytes, and ${grouped(maxFileBytes)} are the most`)
    }
    return succeeded(await measure(file, found.size, options))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
      return failed({ kind: 'missing', what: `${shown} is missing${await otherSpelling(path)}` })
    }
    return unusable(`${shown} cannot be read: ${error.message}`)
  }
}

/** How the name of a missing file differs from an existing one, to follow “is missing”; else empty. */
export async function otherSpelling(path: string): Promise<string> {
  const spellings = [
    [path.replaceAll('\\', '/'), 'with backslashes as on Windows; with slashes it is there'],
    [path.normalize('NFD'), 'with accented letters as one character (NFC); on the disk they are two (NFD)'],
    [path.normalize('NFC'), 'with accented letters as two characters (NFD); on the disk they are one (NFC)'],
  ] as const
  for (const [spelling, words] of spellings) {
    if (spelling !== path && (await exists(spelling))) return ` as it is written, ${words}`
  }
  return ''
}

/** The path relative to the folder, as in the manifest; absolute for a path outside of it. */
function showPath(folder: string, path: string): string {
  const shown = relative(folder, path)
  return shown.startsWith('..') ? path : shown
}

function unusable(what: string): Outcome<never, AudioProblem> {
  return failed({ kind: 'unusable', what })
}

/** Reads the file once: in pieces if its head has all facts, otherwise as a whole. */
async function measure(file: FileHandle, sizeBytes: number, options: CheckOptions): Promise<Measured> {
  const { probeAudio, probeAudioHead, startsInverted, statedLength } = await probing()
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes))
  const head = await readInto(piece, file, 0)
  const isInverted = async ({ channelCount }: AudioLength, bytes: Uint8Array): Promise<boolean> =>
    channelCount === 2 && (await startsInverted(bytes, sizeBytes))
  const probed = options.isFull ? null : probeAudioHead(head, sizeBytes)
  if (probed !== null) {
    const { durationSeconds, mimeType } = probed
    const found = { sizeBytes, durationSeconds, mimeType, isInverted: await isInverted(probed, head) }
    return { known: { ...found, sha256: await hashPieces(file, head, piece) } }
  }
  return await options.decodeInTurn(async () => {
    const whole = head.length === sizeBytes ? head : await readInto(Buffer.allocUnsafe(sizeBytes), file, 0)
    const sha256 = createHash('sha256').update(whole).digest('hex')
    const stated = options.isFull ? null : statedLength(whole)
    const probe = stated ?? (await probeAudio(whole, options.isFull))
    if (!probe.ok) return { sha256, failure: probe.failure }
    const { durationSeconds, mimeType } = probe.value
    const found = { sizeBytes: whole.length, sha256, durationSeconds, mimeType }
    const decoded = 'isInverted' in probe.value ? probe.value.isInverted === true : null
    return { known: { ...found, isInverted: decoded ?? (await isInverted(probe.value, whole)) } }
  })
}

/** @returns the filled part of the buffer, which is shorter at the end of the file */
async function readInto(buffer: Buffer, file: FileHandle, position: number): Promise<Buffer> {
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, position + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

async function hashPieces(file: FileHandle, head: Buffer, piece: Buffer): Promise<string> {
  const hash = createHash('sha256')
  let position = 0
  for (let part = head; part.length > 0; part = await readInto(piece, file, position)) {
    hash.update(part)
    position += part.length
  }
  return hash.digest('hex')
}

/** Compares an utterance with the facts about its file. */
export function judge(
  utterance: Utterance,
  measured: Measured,
  folder: string,
): Outcome<VerifiedUtterance, AudioProblem> {
  const shown = (): string => showPath(folder, utterance.audioPath)
  const failure = 'failure' in measured ? measured.failure : null
  const { sha256 } = 'failure' in measured ? measured : measured.known
  if (utterance.sha256 !== null && utterance.sha256 !== sha256) {
    const [expected, found] = [utterance.sha256, sha256].map((digits) => `${digits.slice(0, 8)}…`)
    const reason = failure === null ? '' : ` (${failure.reason})`
    return failed({
      kind: 'changed',
      what: `${shown()} has changed: expected sha256 ${expected}, found ${found}${reason}`,
    })
  }
  if ('failure' in measured) {
    const { reason, isForeign } = measured.failure
    return unusable(`${shown()}: ${reason}${isForeign === true ? conversion(utterance.audioPath) : ''}`)
  }
  const { durationSeconds, mimeType, sizeBytes } = measured.known
  if (utterance.durationSeconds !== null && differs(utterance.durationSeconds, durationSeconds)) {
    const [said, found] = [utterance.durationSeconds, durationSeconds].map((seconds) => seconds.toFixed(2))
    return unusable(`${shown()} lasts ${found} s, the manifest says ${said} s`)
  }
  // The manifest's string is kept if there is one, because the new one is an equal copy.
  return succeeded({ ...utterance, durationSeconds, sha256: utterance.sha256 ?? sha256, sizeBytes, mimeType })
}

function conversion(path: string): string {
  const { dir, name } = parse(path)
  const [from, to] = [path, join(dir, `${name}.pcm.wav`)].map((file) => shellWord(file))
  return `; convert it: ffmpeg -i ${from} ${to}`
}

function differs(saidSeconds: number, measuredSeconds: number): boolean {
  const difference = Math.abs(saidSeconds - measuredSeconds)
  return difference > allowedDifference.seconds && difference > measuredSeconds * allowedDifference.share
}
