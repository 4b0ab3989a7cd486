import { access, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type BenchError, nearest, type Problem } from '#prelude'
import type { AudioMemory } from './audio-memory.ts'
import { type AudioProblem, checkAudio, judgeKnown } from './check-audio.ts'
import { corpusErrors } from './errors.ts'
import { fingerprintOf } from './read-corpus.ts'
import { type SampleOptions, sampleUtterances } from './sample.ts'
import { sourceFileName } from './source-file.ts'
import type { Corpus, Utterance, VerifiedCorpus, VerifiedUtterance } from './utterance.ts'

export interface VerifyOptions {
  /** Ids of utterances to leave out, unopened. An id that the corpus does not have is a problem. */
  readonly exclude?: readonly string[]
  /** Of what is left, only so many are taken and opened. */
  readonly sample?: SampleOptions | undefined
  /** Called after each file, in any order of files. */
  readonly onProgress?: (checkedCount: number, utteranceCount: number) => void
  readonly signal?: AbortSignal
  /** Files in it that are unchanged are not opened, and those that are opened are added. Default: every file is opened. */
  readonly memory?: AudioMemory | null
  /** Decodes every file to its end, also those in the memory and those whose headers say how long they are. */
  readonly isFull?: boolean
}

/** Files open at once; few are enough to keep the disk busy. */
const openFiles = 8
const decodedFiles = 2
const batchFiles = 2000

/** A longer list of ids is nothing to type. */
const maxExcluded = 50

type Checked = Awaited<ReturnType<typeof checkAudio>>

interface Flaw {
  readonly utterance: Utterance
  readonly problem: AudioProblem
}

/**
 * Opens every audio file of a corpus, hashes and measures it. Memory stays bounded by a few files: WAV is read in
 * pieces, of the other formats two files at a time are decoded.
 *
 * @returns the utterances that are not excluded, or the sample of them, with measured duration, hash, size and type, in
 *   manifest order; the fingerprint is of these
 * @throws BenchError CORPUS_NOT_FETCHED where the corpus can be fetched and none of its files is there;
 *   CORPUS_UNUSABLE with all files that are missing, changed, empty, damaged, not audio, or more than 2 % and 0.1 s
 *   longer or shorter than the manifest says; the signal's reason
 */
export async function verifyCorpus(corpus: Corpus, options: VerifyOptions = {}): Promise<VerifiedCorpus> {
  const { exclude = [], sample, onProgress, signal, memory = null, isFull = false } = options
  const excluded = new Set(exclude)
  const left = corpus.utterances.filter(({ id }) => !excluded.has(id))
  const wanted = sample === undefined ? left : await sampleUtterances(left, sample)
  const check = { folder: dirname(corpus.manifestPath), decodeInTurn: pLimit(decodedFiles), isFull }
  const verified: VerifiedUtterance[] = []
  const flaws: Flaw[] = []
  let checkedCount = 0
  for (let start = 0; start < wanted.length; start += batchFiles) {
    const batch = wanted.slice(start, start + batchFiles)
    const openedAtMs = Date.now()
    const found = new Map<Utterance, Checked>()
    for (const utterance of batch) {
      const known = isFull ? null : (memory?.find(utterance.audioPath) ?? null)
      if (known !== null) found.set(utterance, judgeKnown(utterance, known, check.folder))
    }
    const unknown = batch.filter((utterance) => !found.has(utterance))
    checkedCount += found.size
    if (found.size > 0) onProgress?.(checkedCount, wanted.length)
    // A batch at a time: a promise for each of a million files takes more memory than what they find.
    await pLimit(openFiles).map(unknown, async (utterance) => {
      signal?.throwIfAborted()
      found.set(utterance, await checkAudio(utterance, check))
      checkedCount += 1
      onProgress?.(checkedCount, wanted.length)
    })
    signal?.throwIfAborted()
    for (const utterance of batch) {
      const result = found.get(utterance)
      if (result?.ok === true) verified.push(result.value)
      else if (result !== undefined) flaws.push({ utterance, problem: result.failure })
    }
    const opened = unknown.flatMap((utterance) => {
      const result = found.get(utterance)
      return result?.ok === true ? [{ path: utterance.audioPath, openedAtMs, found: result.value }] : []
    })
    if (opened.length > 0) memory?.add(opened)
    // The event loop gets a turn: what is known needs none.
    await setImmediate()
  }
  const known = exclude.length === 0 ? null : new Set(corpus.utterances.map(({ id }) => id))
  const unknownIds = exclude.filter((id) => known?.has(id) === false)
  if (flaws.length > 0 || unknownIds.length > 0) {
    throw await describeFlaws(corpus, flaws, { unknownIds, openedCount: wanted.length })
  }
  return {
    ...corpus,
    utterances: verified,
    fingerprint: fingerprintOf(verified),
    sampledFrom: wanted.length < left.length ? left.length : null,
    audioSeconds: verified.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0),
  }
}

async function describeFlaws(
  corpus: Corpus,
  flaws: readonly Flaw[],
  { unknownIds, openedCount }: { readonly unknownIds: readonly string[]; readonly openedCount: number },
): Promise<BenchError> {
  const folder = dirname(corpus.manifestPath)
  const isFetchable = await access(join(folder, sourceFileName)).then(
    () => true,
    () => false,
  )
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
    ...unknownIds.map((id) => describeUnknownId(id, corpus)),
  ]
  const ids = flaws.map(({ utterance }) => utterance.id).join(',')
  const isAll = flaws.length === corpus.utterances.length
  const hints = [
    ...(missingFolders.length > 0 || (isAll && flaws.every(isMissing))
      ? [
          `correct the paths, which start at the folder of the manifest (${folder}), or put the recordings there`,
        ]
      : []),
    ...(isFetchable && flaws.length > 0 ? [`fetch it again: ${fetch}`] : []),
    ...(flaws.length > 0 && !isAll && flaws.length <= maxExcluded
      ? [`leave them out, which the run records: transcribench run --exclude ${quoted(ids)}`]
      : []),
    ...(unknownIds.length > 0 ? [`see the ids: transcribench corpus show ${corpus.name}`] : []),
  ]
  return corpusErrors.make('CORPUS_UNUSABLE', {
    message:
      flaws.length > 0
        ? `${flaws.length} of ${openedCount} utterances in ${folder} cannot be used`
        : `--exclude names ${unknownIds.length === 1 ? 'an utterance' : 'utterances'} that ${corpus.name} does not have`,
    hint: hints.join('; or '),
    problems,
  })
}

interface MissingFolder {
  readonly path: string
  readonly flaws: readonly Flaw[]
}

/** Files that are missing because a folder above them is: several of them are one mistake. */
async function byMissingFolder(
  flaws: readonly Flaw[],
): Promise<{ readonly missingFolders: readonly MissingFolder[]; readonly others: readonly Flaw[] }> {
  const known = new Map<string, boolean>()
  const isThere = async (path: string): Promise<boolean> => {
    const answer =
      known.get(path) ??
      (await stat(path).then(
        () => true,
        () => false,
      ))
    known.set(path, answer)
    return answer
  }
  /** The highest folder above a file that is not there; null where all are. */
  const highestMissing = async (path: string): Promise<string | null> => {
    if (await isThere(path)) return null
    return (await highestMissing(dirname(path))) ?? path
  }
  const groups = new Map<string | null, Flaw[]>()
  for (const flaw of flaws) {
    const path = isMissing(flaw) ? await highestMissing(dirname(flaw.utterance.audioPath)) : null
    groups.set(path, [...(groups.get(path) ?? []), flaw])
  }
  const missingFolders = [...groups].flatMap(([path, within]) =>
    path === null || within.length === 1 ? [] : [{ path, flaws: within }],
  )
  const grouped = new Set(missingFolders.flatMap(({ flaws: within }) => within))
  return { missingFolders, others: flaws.filter((flaw) => !grouped.has(flaw)) }
}

function isMissing({ problem }: Flaw): boolean {
  return problem.kind === 'missing'
}

function describeUnknownId(id: string, corpus: Corpus): Problem {
  const meant = nearest(
    id,
    corpus.utterances.map((utterance) => utterance.id),
  )
  const hint = meant === null ? undefined : `did you mean "${meant}"?`
  return {
    where: '--exclude',
    what: `there is no utterance "${id}"`,
    ...(hint === undefined ? {} : { hint }),
  }
}

function quoted(ids: string): string {
  return /^[\w.,/:@%+=-]+$/.test(ids) ? ids : `'${ids}'`
}
