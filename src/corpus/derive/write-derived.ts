import { createHash } from 'node:crypto'
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { probeAudioHead } from '#audio/probing'
import { encodeWav } from '#audio/sound-stream'
import { makeFolder, replaceFile } from '#installation/files'
import { type BenchError, findRemedy, fingerprint, isFileError, shellWord } from '#prelude'
import { corpusErrors } from '../errors.ts'
import { manifestEntry } from '../manifest/manifest-row.ts'
import type { DerivedUtterance } from './plan.ts'

export interface DerivedFolder {
  /** Absolute. */
  readonly manifestPath: string
  readonly utteranceCount: number
  readonly audioSeconds: number
  /** Recordings that were written now; the others were there from an interrupted or earlier call. */
  readonly writtenCount: number
}

interface WriteOptions {
  /** Absolute. */
  readonly folder: string
  /** Everything that the bytes depend on. */
  readonly identity: Readonly<Record<string, unknown>>
  readonly onProgress?: (doneCount: number, utteranceCount: number) => void
  readonly signal?: AbortSignal
}

/** Says what a folder was derived from. Its fingerprint decides whether a call may go on with what is there. */
const recordName = 'derivation.json'
/** Changes when a transformation makes other bytes from the same parameters. */
const recordVersion = 2

/**
 * Writes recordings and manifest into a folder that appears when it is complete.
 *
 * @throws BenchError DERIVATION_EXISTS, CORPUS_NOT_WRITABLE; the signal's reason
 */
export async function writeDerived(
  utterances: readonly DerivedUtterance[],
  { folder, identity, onProgress, signal }: WriteOptions,
): Promise<DerivedFolder> {
  const record = { formatVersion: recordVersion, ...identity }
  const name = fingerprint(record)
  const counted = { doneCount: 0, writtenCount: 0, writtenBytes: 0 }
  try {
    const isDone = await mayUse(folder, name)
    const place = isDone ? folder : `${folder}.partial`
    if (!isDone) {
      await mayUse(place, name)
      await makeFolder(join(place, 'audio'))
      await writeWhole(
        join(place, recordName),
        `${JSON.stringify({ ...record, fingerprint: name }, null, 2)}\n`,
      )
    }
    const lines: string[] = []
    let audioSeconds = 0
    for (const utterance of utterances) {
      signal?.throwIfAborted()
      const { bytes, isNew } = await readOrEncode(utterance, place)
      const durationSeconds = probeAudioHead(bytes, bytes.length)?.durationSeconds ?? 0
      lines.push(manifestLine(utterance, durationSeconds, bytes))
      audioSeconds += durationSeconds
      counted.doneCount += 1
      counted.writtenCount += isNew ? 1 : 0
      counted.writtenBytes += isNew ? bytes.length : 0
      onProgress?.(counted.doneCount, utterances.length)
    }
    if (!isDone) {
      await writeWhole(join(place, 'manifest.jsonl'), `${lines.join('\n')}\n`)
      await rename(place, folder)
    }
    const { writtenCount } = counted
    return {
      manifestPath: join(folder, 'manifest.jsonl'),
      utteranceCount: utterances.length,
      audioSeconds,
      writtenCount,
    }
  } catch (error) {
    throw inWords(error, folder, { ...counted, utteranceCount: utterances.length })
  }
}

/**
 * @returns whether the folder holds this derivation; false where there is none yet
 * @throws BenchError DERIVATION_EXISTS where it holds something else
 */
async function mayUse(folder: string, name: string): Promise<boolean> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (entries.length === 0) return false
  const found = await readFile(join(folder, recordName), 'utf8').catch(() => '')
  if (found.includes(`"fingerprint": "${name}"`)) return true
  throw corpusErrors.make('DERIVATION_EXISTS', {
    message: `${folder} holds ${found === '' ? 'files that corpus derive did not write' : 'a corpus that was derived in another way'}`,
    hint: `name another folder with --output, or remove this one: rm -r ${shellWord(folder)}`,
  })
}

async function readOrEncode(
  { audio, draft }: DerivedUtterance,
  place: string,
): Promise<{ readonly bytes: Uint8Array; readonly isNew: boolean }> {
  const path = join(place, audio)
  // A file has its name only once it is complete.
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  if (isThere) return { bytes: await readFile(path), isNew: false }
  const { samples, sampleRateHz } = await draft.sound()
  const bytes = encodeWav(samples, sampleRateHz)
  await writeWhole(path, bytes)
  return { bytes, isNew: true }
}

async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await makeFolder(dirname(path))
  await replaceFile(path, (draft) => writeFile(draft, content))
}

function manifestLine(
  { id, audio, draft, derivation }: DerivedUtterance,
  durationSeconds: number,
  bytes: Uint8Array,
): string {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return manifestEntry({ ...draft, isDraft: false, id, audio, durationSeconds, sha256, derived: derivation })
}

interface Written {
  readonly doneCount: number
  readonly utteranceCount: number
  readonly writtenCount: number
  readonly writtenBytes: number
}

function inWords(error: unknown, folder: string, written: Written): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error
  return notWritable(error, folder, error.code === 'ENOSPC' ? missingSpace(written) : '')
}

function notWritable(cause: Error, folder: string, space: string): BenchError {
  return corpusErrors.make('CORPUS_NOT_WRITABLE', {
    message: `${folder} cannot be written: ${cause.message}${space}`,
    hint: `what is complete is kept: ${isFileError(cause) ? findRemedy(cause) : 'make the folder writable, then run the same command again'}`,
    cause,
  })
}

/** By the mean size of what was written. */
function missingSpace({ doneCount, utteranceCount, writtenCount, writtenBytes }: Written): string {
  if (writtenCount === 0) return ''
  const megabytes = Math.ceil(((utteranceCount - doneCount) * writtenBytes) / writtenCount / 1e6)
  return `; about ${megabytes} MB more are needed for ${utteranceCount - doneCount} of ${utteranceCount} utterances`
}
