import { basename, dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import { exists } from '#installation/files'
import { type BenchError, type Problem, shellList, shellWord } from '#prelude'
import type { AudioMemory } from './audio-memory.ts'
import { type AudioProblem, judge, type OpenedFile, openFile } from './check-audio.ts'
import { corpusErrors } from './errors.ts'
import type { Manifest } from './manifest/manifest.ts'
import { sourceFileName } from './provenance.ts'
import { type TakeOptions, takeUtterances } from './read-corpus.ts'
import {
  type Corpus,
  corpusFingerprint,
  type Utterance,
  type VerifiedCorpus,
  type VerifiedUtterance,
} from './utterance.ts'

export interface VerifyOptions {
  /** Called after each file; the order of files is arbitrary. */
  readonly onProgress?: (checkedCount: number) => void
  readonly signal?: AbortSignal
  /** Unchanged files in the memory are not opened; others are added. Default: every file is opened. */
  readonly memory?: AudioMemory | null
  /** Whether to decode every file to its end, even if the memory or its headers have the facts. */
  readonly isFull?: boolean
  /** Called at the end with non-fatal problems. */
  readonly onWarning?: (warning: Problem) => void
}

/** Number of files open concurrently, which is enough to keep the disk busy. */
const openFiles = 8
const decodedFiles = 2
const batchUtterances = 500
/** Number of files whose results are kept for further lines that name them: a few megabytes. */
const keptFiles = 20_000

/** Maximum number of ids in a suggested command. */
const maxExcluded = 50

interface Flaw {
  readonly utterance: Utterance
  readonly problem: AudioProblem
}

/**
 * Opens, hashes and measures every audio file of a corpus; see `verifyBatches`.
 *
 * @returns the utterances with measured duration, hash, size and type, in manifest order
 */
export async function verifyCorpus(corpus: Corpus, options: VerifyOptions = {}): Promise<VerifiedCorpus> {
  const utterances: VerifiedUtterance[] = []
  const found = await verifyAll(corpus, cutBatches(corpus.utterances), options, (utterance) =>
    utterances.push(utterance),
  )
  return { ...corpus, ...found, warnings: [...corpus.warnings, ...found.warnings], utterances }
}

function* cutBatches(utterances: readonly Utterance[]): Generator<readonly Utterance[]> {
  for (let from = 0; from < utterances.length; from += batchUtterances)
    yield utterances.slice(from, from + batchUtterances)
}

/** The measured facts about an utterance's file. */
type Measured = Pick<VerifiedUtterance, 'durationSeconds' | 'sha256' | 'sizeBytes' | 'mimeType'>

/** A corpus whose recordings match its manifest. */
export interface VerifiedManifest extends Omit<VerifiedCorpus, 'utterances' | 'sampledFrom'> {
  /** Reads the manifest again. */
  utterances(): AsyncIterable<VerifiedUtterance>
}

/**
 * Verifies a corpus of any size; memory holds only the measured facts of each utterance.
 *
 * @throws BenchError as `Manifest.batches`, `takeUtterances` and `verifyBatches`
 */
export async function verifyManifest(
  manifest: Manifest,
  take: Omit<TakeOptions, 'sample'>,
  options: VerifyOptions = {},
): Promise<VerifiedManifest> {
  const warnings: Problem[] = []
  // The manifest is checked first, which takes seconds, so that no recording is opened in vain.
  for await (const _batch of takeUtterances(manifest, take, (warning) => warnings.push(warning)));
  const measured: Measured[] = []
  const found = await verifyAll(
    manifest,
    takeUtterances(manifest, take),
    options,
    ({ durationSeconds, sha256, sizeBytes, mimeType }) =>
      measured.push({ durationSeconds, sha256, sizeBytes, mimeType }),
  )
  const { name, argument, manifestPath } = manifest
  async function* utterances(): AsyncGenerator<VerifiedUtterance> {
    let position = 0
    for await (const batch of takeUtterances(manifest, take)) {
      for (const utterance of batch) {
        yield { ...utterance, ...(measured[position] as Measured) }
        position += 1
      }
    }
  }
  return { name, argument, manifestPath, ...found, warnings: [...warnings, ...found.warnings], utterances }
}

/** @param keep receives every utterance, in manifest order */
async function verifyAll(
  corpus: Pick<Manifest, 'name' | 'argument' | 'manifestPath'>,
  batches: Parameters<typeof verifyBatches>[1],
  options: VerifyOptions,
  keep: (utterance: VerifiedUtterance) => void,
): Promise<Pick<VerifiedCorpus, 'fingerprint' | 'audioSeconds' | 'warnings'>> {
  const fingerprint = corpusFingerprint()
  const warnings: Problem[] = []
  let audioSeconds = 0
  const onWarning = (warning: Problem): unknown => warnings.push(warning)
  for await (const batch of verifyBatches(corpus, batches, { ...options, onWarning })) {
    for (const utterance of batch) {
      fingerprint.add(utterance)
      keep(utterance)
      audioSeconds += utterance.durationSeconds
    }
  }
  return { fingerprint: fingerprint.finish(), audioSeconds, warnings }
}

/**
 * Opens, hashes and measures audio files batch by batch. Memory is bounded by a few files: WAV is read in
 * pieces, and at most two other files are decoded concurrently. All problems are thrown at the end; after the
 * first, nothing is yielded.
 *
 * @throws BenchError CORPUS_NOT_FETCHED where the corpus can be fetched and has no files yet; CORPUS_UNUSABLE
 *   with all files that are missing, changed, empty, damaged, not audio, or more than 2 % and 0.1 s longer or
 *   shorter than the manifest states; the signal's reason
 */
export async function* verifyBatches(
  corpus: Pick<Manifest, 'name' | 'argument' | 'manifestPath'>,
  batches: Iterable<readonly Utterance[]> | AsyncIterable<readonly Utterance[]>,
  options: VerifyOptions = {},
): AsyncGenerator<readonly VerifiedUtterance[], void> {
  const flaws: Flaw[] = []
  const inverted: Utterance[] = []
  const checker = batchChecker(dirname(corpus.manifestPath), options)
  let utteranceCount = 0
  for await (const batch of batches) {
    options.signal?.throwIfAborted()
    const { verified, flaws: found, inverted: upsideDown } = await checker(batch)
    utteranceCount += batch.length
    flaws.push(...found)
    inverted.push(...upsideDown)
    if (flaws.length === 0) yield verified
    // This yields to the event loop, because batches of known files do not.
    await setImmediate()
  }
  if (flaws.length > 0) throw await describeFlaws(corpus, flaws, utteranceCount)
  const [first, ...others] = inverted
  if (first === undefined) return
  options.onWarning?.({
    where: `${basename(corpus.manifestPath)}:${first.line}`,
    what: `${first.id}${others.length === 0 ? '' : ` and ${others.length} more`}  ${invertedWords}`,
  })
}

/** The warning about a recording with an inverted channel. */
export const invertedWords =
  'one channel is the other upside down: their mean is silence. Here the first one is taken alone; another server may hear nothing'

/** Checks one batch at a time: a promise for each of a million files would take more memory than the results. */
function batchChecker(
  folder: string,
  { onProgress, signal, memory = null, isFull = false }: VerifyOptions,
): (batch: readonly Utterance[]) => Promise<{
  readonly verified: readonly VerifiedUtterance[]
  readonly flaws: readonly Flaw[]
  readonly inverted: readonly Utterance[]
}> {
  const check = { folder, decodeInTurn: pLimit(decodedFiles), isFull }
  /** Results by path, because many lines may name the same file. */
  const files = new Map<string, Promise<OpenedFile>>()
  const fileAt = (path: string): Promise<OpenedFile> => {
    const known = files.get(path)
    if (known !== undefined) return known
    const opening = openFile(path, check)
    files.set(path, opening)
    const [oldest = path] = files.keys()
    if (files.size > keptFiles) files.delete(oldest)
    return opening
  }
  let checkedCount = 0
  return async (batch) => {
    const openedAtMs = Date.now()
    const remembered = isFull ? undefined : memory?.find(batch.map(({ audioPath }) => audioPath))
    const results = batch.map((utterance, index) => {
      const audio = remembered?.[index] ?? null
      return audio === null ? null : judge(utterance, { known: { ...audio, isInverted: false } }, folder)
    })
    const opened = [...results.keys()].filter((index) => results[index] === null)
    checkedCount += batch.length - opened.length
    if (opened.length < batch.length) onProgress?.(checkedCount)
    const inverted = new Set<Utterance>()
    await pLimit(openFiles).map(opened, async (index) => {
      signal?.throwIfAborted()
      const utterance = batch[index] as Utterance
      const opening = await fileAt(utterance.audioPath)
      results[index] = opening.ok ? judge(utterance, opening.value, folder) : opening
      if (opening.ok && 'known' in opening.value && opening.value.known.isInverted) inverted.add(utterance)
      checkedCount += 1
      onProgress?.(checkedCount)
    })
    signal?.throwIfAborted()
    const measured = opened.flatMap((index) => {
      const result = results[index]
      // Files with a warning are not remembered, so that the warning recurs with every verification.
      const isKept = result?.ok === true && !inverted.has(batch[index] as Utterance)
      return isKept ? [{ path: result.value.audioPath, openedAtMs, found: result.value }] : []
    })
    if (measured.length > 0) memory?.add(measured)
    return {
      inverted: batch.filter((utterance) => inverted.has(utterance)),
      verified: results.flatMap((result) => (result?.ok === true ? [result.value] : [])),
      flaws: results.flatMap((result, index) =>
        result?.ok === false ? [{ utterance: batch[index] as Utterance, problem: result.failure }] : [],
      ),
    }
  }
}

async function describeFlaws(
  corpus: Pick<Manifest, 'name' | 'argument' | 'manifestPath'>,
  flaws: readonly Flaw[],
  openedCount: number,
): Promise<BenchError> {
  const folder = dirname(corpus.manifestPath)
  const isFetchable = await exists(folder, sourceFileName)
  const fetch = `transcribench corpus fetch ${corpus.argument}`
  if (isFetchable && flaws.length === openedCount && flaws.every(isMissing)) {
    return corpusErrors.make('CORPUS_NOT_FETCHED', {
      message: `the audio of the corpus "${corpus.name}" is not here yet: ${flaws.length} files in ${folder}`,
      hint: fetch,
    })
  }
  const manifest = basename(corpus.manifestPath)
  const { missingFolders, others } = await byMissingFolder(flaws)
  const problems = [
    ...missingFolders.map(({ path, flaws: within }) => ({
      where: `${manifest}:${within[0]?.utterance.line}`,
      what: `the folder ${path} does not exist: the audio of ${within.length} utterances would be in it`,
    })),
    ...others.map(({ utterance, problem }) => ({
      where: `${manifest}:${utterance.line}`,
      what: `${utterance.id}  ${problem.what}`,
    })),
  ]
  const ids = shellList(flaws.map(({ utterance }) => utterance.id))
  const isAll = flaws.length === openedCount
  const hints = [
    ...(missingFolders.length > 0 || (isAll && flaws.every(isMissing))
      ? [
          `correct the paths, which start at the folder of the manifest (${folder}), or put the recordings there`,
        ]
      : []),
    ...(isFetchable ? [`fetch it again: ${fetch}`] : []),
    ...(!isAll && flaws.length <= maxExcluded
      ? [
          `leave them out, which the run records: transcribench run --corpus ${corpus.argument} --exclude ${ids}`,
        ]
      : []),
  ]
  return corpusErrors.make('CORPUS_UNUSABLE', {
    message: `${flaws.length} of ${openedCount} utterances in ${folder} cannot be used`,
    hint:
      hints.join('; or ') ||
      `correct the files, or remove their lines, then: transcribench corpus verify ${shellWord(corpus.manifestPath)}`,
    problems,
  })
}

/** Groups files that are missing because a folder is, since that is a single mistake. */
async function byMissingFolder(flaws: readonly Flaw[]): Promise<{
  readonly missingFolders: readonly { readonly path: string; readonly flaws: readonly Flaw[] }[]
  readonly others: readonly Flaw[]
}> {
  const existsByPath = new Map<string, Promise<boolean>>()
  /** The topmost missing folder above a file; null where all exist. */
  const highestMissing = async (path: string): Promise<string | null> => {
    const isThere = existsByPath.get(path) ?? exists(path)
    existsByPath.set(path, isThere)
    return (await isThere) ? null : ((await highestMissing(dirname(path))) ?? path)
  }
  const folders = new Map<Flaw, string | null>()
  for (const flaw of flaws.filter(isMissing)) {
    folders.set(flaw, await highestMissing(dirname(flaw.utterance.audioPath)))
  }
  const missingFolders = [...Map.groupBy(flaws, (flaw) => folders.get(flaw) ?? null)].flatMap(
    ([path, within]) => (path === null || within.length === 1 ? [] : [{ path, flaws: within }]),
  )
  const grouped = new Set(missingFolders.flatMap(({ flaws: within }) => within))
  return { missingFolders, others: flaws.filter((flaw) => !grouped.has(flaw)) }
}

function isMissing({ problem }: Flaw): boolean {
  return problem.kind === 'missing'
}
