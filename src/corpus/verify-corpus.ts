import { basename, dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import { exists } from '#installation/files'
import { type BenchError, type Problem, shellWord } from '#prelude'
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
  /** Called after each file, in any order of files. */
  readonly onProgress?: (checkedCount: number) => void
  readonly signal?: AbortSignal
  /** Files in it that are unchanged are not opened, and those that are opened are added. Default: every file is opened. */
  readonly memory?: AudioMemory | null
  /** Decodes every file to its end, also those in the memory and those whose headers say how long they are. */
  readonly isFull?: boolean
  /** Called at the end, with what stops nothing. */
  readonly onWarning?: (warning: Problem) => void
}

/** Files open at once; few are enough to keep the disk busy. */
const openFiles = 8
const decodedFiles = 2
const batchUtterances = 500
/** Files whose findings are kept for lines that name them again: a few megabytes. */
const keptFiles = 20_000

/** A longer list of ids is nothing to type. */
const maxExcluded = 50

interface Flaw {
  readonly utterance: Utterance
  readonly problem: AudioProblem
}

/**
 * Opens every audio file of a corpus, hashes and measures it: see `verifyBatches`.
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

/** What the file of an utterance was found to be. */
type Measured = Pick<VerifiedUtterance, 'durationSeconds' | 'sha256' | 'sizeBytes' | 'mimeType'>

/** A corpus whose recordings are what its manifest says. */
export interface VerifiedManifest extends Omit<VerifiedCorpus, 'utterances' | 'sampledFrom'> {
  /** Reads the manifest once more. */
  utterances(): AsyncIterable<VerifiedUtterance>
}

/**
 * Verifies a corpus of any size: of an utterance, memory holds what its file was found to be.
 *
 * @throws BenchError as `Manifest.batches`, `takeUtterances` and `verifyBatches`
 */
export async function verifyManifest(
  manifest: Manifest,
  take: Omit<TakeOptions, 'sample'>,
  options: VerifyOptions = {},
): Promise<VerifiedManifest> {
  const warnings: Problem[] = []
  // What is wrong with the manifest is known in seconds, so that no recording is opened in vain.
  for await (const _batch of takeUtterances(manifest, take, (warning) => warnings.push(warning)));
  const measured: Measured[] = []
  const found = await verifyAll(
    manifest,
    takeUtterances(manifest, take),
    options,
    ({ durationSeconds, sha256, sizeBytes, mimeType }) =>
      measured.push({ durationSeconds, sha256, sizeBytes, mimeType }),
  )
  const { name, manifestPath } = manifest
  async function* utterances(): AsyncGenerator<VerifiedUtterance> {
    let position = 0
    for await (const batch of takeUtterances(manifest, take)) {
      for (const utterance of batch) {
        yield { ...utterance, ...(measured[position] as Measured) }
        position += 1
      }
    }
  }
  return { name, manifestPath, ...found, warnings: [...warnings, ...found.warnings], utterances }
}

/** @param keep receives every utterance, in manifest order */
async function verifyAll(
  corpus: Pick<Manifest, 'name' | 'manifestPath'>,
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
 * Opens the audio files of utterances batch by batch, hashes and measures them. Memory stays bounded by a few files: WAV is
 * read in pieces, of the other formats two files at a time are decoded. Once a file has a problem, nothing more is yielded:
 * all problems are thrown at the end.
 *
 * @throws BenchError CORPUS_NOT_FETCHED where the corpus can be fetched and none of its files is there;
 *   CORPUS_UNUSABLE with all files that are missing, changed, empty, damaged, not audio, or more than 2 % and 0.1 s
 *   longer or shorter than the manifest says; the signal's reason
 */
export async function* verifyBatches(
  corpus: Pick<Manifest, 'name' | 'manifestPath'>,
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
    // The event loop gets a turn: what is known needs none.
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

/** Of a recording. */
export const invertedWords =
  'one channel is the other upside down: their mean is silence. Here the first one is taken alone; another server may hear nothing'

/** A batch at a time: a promise for each of a million files takes more memory than what they find. */
function batchChecker(
  folder: string,
  { onProgress, signal, memory = null, isFull = false }: VerifyOptions,
): (batch: readonly Utterance[]) => Promise<{
  readonly verified: readonly VerifiedUtterance[]
  readonly flaws: readonly Flaw[]
  readonly inverted: readonly Utterance[]
}> {
  const check = { folder, decodeInTurn: pLimit(decodedFiles), isFull }
  /** Many lines may name one file. */
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
      const known = remembered?.[index] ?? null
      return known === null ? null : judge(utterance, { known: { ...known, isInverted: false } }, folder)
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
      // What a file is said of is said every time.
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
  corpus: Pick<Manifest, 'name' | 'manifestPath'>,
  flaws: readonly Flaw[],
  openedCount: number,
): Promise<BenchError> {
  const folder = dirname(corpus.manifestPath)
  const isFetchable = await exists(folder, sourceFileName)
  const fetch = `transcribench corpus fetch ${corpus.name}`
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
  const ids = flaws.map(({ utterance }) => utterance.id).join(',')
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
          `leave them out, which the run records: transcribench run --exclude ${/^[\w.,/:@%+=-]+$/.test(ids) ? ids : `'${ids}'`}`,
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

/** Files that are missing because a folder above them is: several of them are one mistake. */
async function byMissingFolder(flaws: readonly Flaw[]): Promise<{
  readonly missingFolders: readonly { readonly path: string; readonly flaws: readonly Flaw[] }[]
  readonly others: readonly Flaw[]
}> {
  const known = new Map<string, Promise<boolean>>()
  /** The highest folder above a file that is not there; null where all are. */
  const highestMissing = async (path: string): Promise<string | null> => {
    const isThere = known.get(path) ?? exists(path)
    known.set(path, isThere)
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
