import { createHash } from 'node:crypto'
import { access, type FileHandle, open } from 'node:fs/promises'
import { relative } from 'node:path'
import type { AudioLength } from '#audio'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Utterance, VerifiedUtterance } from '../utterances/utterance.ts'
import type { KnownAudio } from './audio-memory.ts'

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
const decoders = (): Promise<typeof import('#audio')> => import('#audio')

const pieceBytes = 1 << 20
/** Buffers end here, and no utterance is as long. */
const maxDecodedBytes = 2 ** 31 - 1
/** A manifest's duration is allowed to differ by more of one, but not by more of both. */
const allowedDifference = { share: 0.02, seconds: 0.1 }

/** Opens, hashes and measures the audio of one utterance. */
export async function checkAudio(
  utterance: Utterance,
  options: CheckOptions,
): Promise<Outcome<VerifiedUtterance, AudioProblem>> {
  const shown = showPath(options.folder, utterance.audioPath)
  try {
    await using file = await open(utterance.audioPath)
    const found = await file.stat()
    if (!found.isFile()) return unusable(`${shown} is not a file`)
    if (found.size === 0) return unusable(`${shown} is empty (0 bytes)`)
    return judge(utterance, options.folder, await measure(file, found.size, options))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
      return failed({
        kind: 'missing',
        what: `${shown} is missing${await otherSpelling(utterance.audioPath)}`,
      })
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
    const isThere = spelling !== path && (await access(spelling).then(...truth))
    if (isThere) return ` as it is written, ${words}`
  }
  return ''
}

const truth = [(): boolean => true, (): boolean => false] as const

/** As the manifest would name it; a path far away is shown whole. */
function showPath(folder: string, path: string): string {
  const shown = relative(folder, path)
  return shown.startsWith('..') ? path : shown
}

function unusable(what: string): Outcome<never, AudioProblem> {
  return failed({ kind: 'unusable', what })
}

interface Measured {
  readonly sizeBytes: number
  readonly sha256: string
  readonly probe: Outcome<AudioLength, { readonly reason: string }>
}

/** The file is read once: in pieces where its head says enough, else whole. */
async function measure(file: FileHandle, sizeBytes: number, options: CheckOptions): Promise<Measured> {
  const { probeAudioHead, statedLength } = await decoders()
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes))
  const head = await readInto(piece, file, 0)
  const known = probeAudioHead(head, sizeBytes)
  const isEnough = known !== null && !options.isFull
  if (isEnough || sizeBytes > maxDecodedBytes) {
    const probe = known === null ? failed({ reason: 'this is longer than 2 GiB' }) : succeeded(known)
    return { sizeBytes, sha256: await hashOf(file, head, piece), probe }
  }
  return await options.decodeInTurn(async () => {
    const whole = head.length === sizeBytes ? head : await readInto(Buffer.allocUnsafe(sizeBytes), file, 0)
    const sha256 = createHash('sha256').update(whole).digest('hex')
    const stated = options.isFull ? null : statedLength(whole)
    return { sizeBytes: whole.length, sha256, probe: stated ?? (await lengthOf(whole, options.isFull)) }
  })
}

/** A WAV file's length is in its header; decoding it in full shows whether its samples are numbers. */
async function lengthOf(
  bytes: Uint8Array,
  isFull: boolean,
): Promise<Outcome<AudioLength, { readonly reason: string }>> {
  const { pcmStream, probeAudio } = await decoders()
  const probe = await probeAudio(bytes)
  if (!isFull || !probe.ok) return probe
  for await (const part of pcmStream(bytes, null)) if (!part.ok) return part
  return probe
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

async function hashOf(file: FileHandle, head: Buffer, piece: Buffer): Promise<string> {
  const hash = createHash('sha256')
  let position = 0
  for (let part = head; part.length > 0; part = await readInto(piece, file, position)) {
    hash.update(part)
    position += part.length
  }
  return hash.digest('hex')
}

/** The same judgement for a file that is known from before. */
export function judgeKnown(
  utterance: Utterance,
  { sizeBytes, sha256, durationSeconds, mimeType }: KnownAudio,
  folder: string,
): Outcome<VerifiedUtterance, AudioProblem> {
  const probe = succeeded({ durationSeconds, mimeType })
  return judge(utterance, folder, { sizeBytes, sha256, probe })
}

function judge(
  utterance: Utterance,
  folder: string,
  { sizeBytes, sha256, probe }: Measured,
): Outcome<VerifiedUtterance, AudioProblem> {
  const shown = (): string => showPath(folder, utterance.audioPath)
  if (utterance.sha256 !== null && utterance.sha256 !== sha256) {
    const [expected, found] = [utterance.sha256, sha256].map((digits) => `${digits.slice(0, 8)}…`)
    const reason = probe.ok ? '' : ` (${probe.failure.reason})`
    return failed({
      kind: 'changed',
      what: `${shown()} has changed: expected sha256 ${expected}, found ${found}${reason}`,
    })
  }
  if (!probe.ok) return unusable(`${shown()}: ${probe.failure.reason}`)
  const { durationSeconds, mimeType } = probe.value
  if (utterance.durationSeconds !== null && differs(utterance.durationSeconds, durationSeconds)) {
    const [said, measured] = [utterance.durationSeconds, durationSeconds].map((seconds) => seconds.toFixed(2))
    return unusable(`${shown()} lasts ${measured} s, the manifest says ${said} s`)
  }
  // The text of the manifest, where it has one: the other is a copy.
  return succeeded({ ...utterance, durationSeconds, sha256: utterance.sha256 ?? sha256, sizeBytes, mimeType })
}

function differs(saidSeconds: number, measuredSeconds: number): boolean {
  const difference = Math.abs(saidSeconds - measuredSeconds)
  return difference > allowedDifference.seconds && difference > measuredSeconds * allowedDifference.share
}
