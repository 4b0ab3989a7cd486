import { createHash } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { probeAudioHead } from '#audio/probing'
import { encodeWav } from '#audio/sound-stream'
import { exists, makeFolder, replaceFile } from '#installation/files'
import { findRemedy, fingerprint, isFileError, shellWord } from '#prelude'
import { corpusErrors } from '../errors.ts'
import { claimOutput } from '../files.ts'
import { manifestLine } from '../manifest/manifest-row.ts'
import type { DerivedUtterance } from './plan.ts'

export interface DerivedFolder {
  /** Absolute path. */
  readonly manifestPath: string
  readonly utteranceCount: number
  readonly audioSeconds: number
  /** Number of recordings written now; the others existed from an earlier call. */
  readonly writtenCount: number
}

interface WriteOptions {
  /** Absolute path. */
  readonly folder: string
  /** Everything that the recordings depend on. */
  readonly identity: Readonly<Record<string, unknown>>
  readonly onProgress?: (doneCount: number, utteranceCount: number) => void
  readonly signal?: AbortSignal
}

/** File that describes the derivation; its fingerprint decides whether a call may resume an existing folder. */
const recordName = 'derivation.json'
/** Increased when a transformation yields other bytes for the same parameters. */
const recordVersion = 2

/**
 * Writes recordings and manifest; the folder appears when it is complete.
 *
 * @throws BenchError DERIVATION_EXISTS; CORPUS_NOT_WRITABLE, also while another process writes it; the signal's reason
 */
export async function writeDerived(
  utterances: readonly DerivedUtterance[],
  { folder, identity, onProgress, signal }: WriteOptions,
): Promise<DerivedFolder> {
  const record = { formatVersion: recordVersion, ...identity }
  const name = fingerprint(record)
  const counted = { doneCount: 0, writtenCount: 0, writtenBytes: 0 }
  try {
    const isThere = await mayUse(folder, name)
    await makeFolder(dirname(folder))
    await using _claim = isThere
      ? null
      : await claimOutput(folder, `${folder}.partial.pid`, 'CORPUS_NOT_WRITABLE')
    // Another process may have completed the folder before it was claimed.
    const isDone = isThere || (await mayUse(folder, name))
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
      const { id, audio, draft, derivation: derived } = utterance
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const entry = { ...draft, isDraft: false, id, audio, durationSeconds, sha256, derived }
      lines.push(JSON.stringify(manifestLine(entry)))
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
    throw explainWriteError(error, folder, { ...counted, utteranceCount: utterances.length })
  }
}

/**
 * @returns whether the folder holds this derivation; false where it is missing or empty
 * @throws BenchError DERIVATION_EXISTS where it has other content
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
  // An existing file is complete, because files are renamed into place.
  if (await exists(path)) return { bytes: await readFile(path), isNew: false }
  const { samples, sampleRateHz } = await draft.sound()
  const bytes = encodeWav(samples, sampleRateHz)
  await writeWhole(path, bytes)
  return { bytes, isNew: true }
}

async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await makeFolder(dirname(path))
  await replaceFile(path, (draft) => writeFile(draft, content))
}

function explainWriteError(
  error: unknown,
  folder: string,
  {
    doneCount,
    utteranceCount,
    writtenCount,
    writtenBytes,
  }: Readonly<Record<'doneCount' | 'utteranceCount' | 'writtenCount' | 'writtenBytes', number>>,
): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error
  const leftCount = utteranceCount - doneCount
  // Estimates the space from the mean size of the written files.
  const megabytes = Math.ceil((leftCount * writtenBytes) / writtenCount / 1e6)
  const space =
    error.code === 'ENOSPC' && writtenCount > 0
      ? `; about ${megabytes} MB more are needed for ${leftCount} of ${utteranceCount} utterances`
      : ''
  return corpusErrors.make('CORPUS_NOT_WRITABLE', {
    message: `${folder} cannot be written: ${error.message}${space}`,
    hint: `what is complete is kept: ${isFileError(error) ? findRemedy(error) : 'make the folder writable, then run the same command again'}`,
    cause: error,
  })
}
