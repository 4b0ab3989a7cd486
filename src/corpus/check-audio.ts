import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join, parse, relative } from 'node:path'
import type { AudioLength } from '#audio/probing'
import type { AudioFailure } from '#audio/structure'
import { exists } from '#installation/files'
import { failed, type Outcome, shellWord, succeeded } from '#prelude'
import type { KnownAudio } from './audio-memory.ts'
import type { Utterance, VerifiedUtterance } from './utterance.ts'

/** What is wrong with an utterance's audio, in words, and whether the file is there at all. */
export interface AudioProblem {
  readonly kind: 'missing' | 'changed' | 'unusable'
  readonly what: string
}

interface CheckOptions {
  /** Absolute path that shown paths start from. */
  readonly folder: string
  /** Decoding takes memory, a multiple of the file's size, so decodings run one after the other. */
  readonly decodeInTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Decodes also what says in its headers how long it is. */
  readonly isFull: boolean
}

/** Loaded with the first file that is opened: most are known from before. */
const probing = (): Promise<typeof import('#audio/probing')> => import('#audio/probing')

const pieceBytes = 1 << 20
/** A manifest's duration is allowed to differ by more of one, but not by more of both. */
const allowedDifference = { share: 0.02, seconds: 0.1 }

/** A file that was opened: its hash also where its sound cannot be used. */
type Measured =
  /** One channel may be the other upside down. */
  | { readonly known: KnownAudio & { readonly isInverted: boolean } }
  | { readonly sha256: string; readonly failure: AudioFailure }

/** What came of opening a file, for every utterance that names it. */
export type OpenedFile = Outcome<Measured, AudioProblem>

/** Opens, hashes and measures an audio file. A pipe, which would be waited for, is no file. */
export async function openFile(path: string, options: CheckOptions): Promise<OpenedFile> {
  const shown = showPath(options.folder, path)
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const found = await file.stat()
    if (!found.isFile()) return unusable(`${shown} is not a file`)
    if (found.size === 0) return unusable(`${shown} is empty (0 bytes)`)
    const { maxFileBytes } = await import('#audio/structure')
    if (found.size > maxFileBytes) {
      return unusable(`${shown} has ${(found.size / 2 ** 30).toFixed(1)} GiB, and 2 are the most`)
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

/** How a file that is not there is called on the disk, where only the writing differs; fits behind “is missing”, or empty. */
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

/** As the manifest would name it; a path far away is shown whole. */
function showPath(folder: string, path: string): string {
  const shown = relative(folder, path)
  return shown.startsWith('..') ? path : shown
}

function unusable(what: string): Outcome<never, AudioProblem> {
  return failed({ kind: 'unusable', what })
}

/** The file is read once: in pieces where its head says enough, else whole. */
async function measure(file: FileHandle, sizeBytes: number, options: CheckOptions): Promise<Measured> {
  const { probeAudio, probeAudioHead, startsInverted, statedLength } = await probing()
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes))
  const head = await readInto(piece, file, 0)
  const isInverted = async ({ channelCount }: AudioLength, bytes: Uint8Array): Promise<boolean> =>
    channelCount === 2 && (await startsInverted(bytes, sizeBytes))
  const known = options.isFull ? null : probeAudioHead(head, sizeBytes)
  if (known !== null) {
    const { durationSeconds, mimeType } = known
    const found = { sizeBytes, durationSeconds, mimeType, isInverted: await isInverted(known, head) }
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

/** @returns the part of the buffer that could be filled: less than the whole at the end of the file */
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

/** Holds an utterance to what its file was found to be. */
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
  // The text of the manifest, where it has one: the other is a copy.
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
