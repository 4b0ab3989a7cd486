import { stat } from 'node:fs/promises'
import pLimit from 'p-limit'
import { type BenchError, counted, nearest, type Problem, seededRandom } from '#prelude'
import { corpusErrors } from './errors.ts'
import type { CorpusEnvironment } from './locate.ts'
import { type Manifest, openManifest } from './manifest/manifest.ts'
import type { Corpus, Utterance } from './utterance.ts'

/** Selects utterances of a manifest. Default: all reviewed ones. */
export interface TakeOptions {
  /** Ids of utterances to exclude. An id that the corpus does not have is an error. */
  readonly exclude?: readonly string[]
  /** Takes a sample of the remaining utterances. */
  readonly sample?: SampleOptions | undefined
  /** Whether to include unreviewed drafts. */
  readonly drafts?: boolean
}

/**
 * Reads the manifest of a corpus, and checks every line. It opens no audio; see `verifyCorpus`.
 *
 * A name is looked up in `./corpora`, in the data directory, and among the corpora of transcribench. Anything
 * with a slash or a manifest's extension is the path of a manifest or its folder. corpora/README.md describes
 * the formats: JSON Lines (own or NeMo keys), CSV, TSV. For a sample, memory holds the drawn utterances and
 * all ids.
 *
 * @throws BenchError CORPUS_UNKNOWN; CORPUS_UNREADABLE with all problems; CORPUS_UNUSABLE for unknown
 *   excluded ids; CORPUS_UNREVIEWED where all utterances are drafts
 */
export async function readCorpus(
  nameOrPath: string,
  environment: CorpusEnvironment,
  { sample, ...take }: TakeOptions = {},
): Promise<Corpus> {
  const manifest = await openManifest(nameOrPath, environment)
  const { name, argument, manifestPath } = manifest
  const drawn = sample === undefined ? null : await drawLines(() => takeUtterances(manifest, take), sample)
  const utterances: Utterance[] = []
  const warnings: Problem[] = []
  for await (const batch of takeUtterances(manifest, take, (warning) => warnings.push(warning))) {
    for (const utterance of batch) if (drawn?.lines.has(utterance.line) !== false) utterances.push(utterance)
  }
  const isSample = drawn !== null && drawn.lines.size < drawn.from
  const sampledFrom = isSample ? drawn.from : null
  return { name, argument, manifestPath, utterances, sampledFrom, warnings }
}

/**
 * Yields the selected utterances of a manifest batch by batch.
 *
 * @param onWarning receives non-fatal problems, and the number of excluded drafts
 * @throws BenchError as `Manifest.batches`, and CORPUS_UNUSABLE, CORPUS_UNREVIEWED as `readCorpus`
 */
export async function* takeUtterances(
  manifest: Manifest,
  { exclude = [], drafts = false }: Omit<TakeOptions, 'sample'>,
  onWarning: (warning: Problem) => void = () => undefined,
): AsyncGenerator<readonly Utterance[], void> {
  const excluded = new Set(exclude)
  const unknown = new Set(exclude)
  let [draftCount, utteranceCount] = [0, 0]
  for await (const batch of manifest.batches(onWarning)) {
    const wanted = batch.filter(({ id, isDraft }) => {
      unknown.delete(id)
      if (isDraft && !drafts) draftCount += 1
      return !excluded.has(id) && (drafts || !isDraft)
    })
    utteranceCount += batch.length
    if (wanted.length > 0) yield wanted
  }
  if (unknown.size > 0) throw await idsUnknown(manifest, [...unknown])
  if (draftCount === 0) return
  const review = `transcribench review ${manifest.argument}`
  if (draftCount === utteranceCount) {
    throw corpusErrors.make('CORPUS_UNREVIEWED', {
      message: `no text of ${manifest.name} is reviewed: ${counted(draftCount, 'draft')} of an engine`,
      hint: `listen, and confirm or correct them: ${review}`,
    })
  }
  const what =
    draftCount === 1
      ? '1 draft is left out until it is reviewed'
      : `${draftCount} drafts are left out until they are reviewed`
  onWarning({ where: null, what, hint: review })
}

async function idsUnknown(manifest: Manifest, unknown: readonly string[]): Promise<BenchError> {
  const ids: string[] = []
  for await (const batch of manifest.batches()) ids.push(...batch.map(({ id }) => id))
  const hint = `see the ids: transcribench corpus show ${manifest.argument}`
  return excludedUnknown(unknown, { name: manifest.name, ids, hint })
}

/** The error for excluded ids that a corpus does not have, each with the id that was probably meant. */
export function excludedUnknown(
  unknown: readonly string[],
  { name, ids, hint }: { readonly name: string; readonly ids: readonly string[]; readonly hint: string },
): BenchError {
  return corpusErrors.make('CORPUS_UNUSABLE', {
    message: `--exclude names ${unknown.length === 1 ? 'an utterance' : 'utterances'} that ${name} does not have`,
    hint,
    problems: unknown.map((id) => {
      const meant = nearest(id, ids)
      const meantHint = meant === null ? {} : { hint: `did you mean "${meant}"?` }
      return { where: '--exclude', what: `there is no utterance "${id}"`, ...meantHint }
    }),
  })
}

/** Size and seed of a sample. */
export interface SampleOptions {
  readonly count: number
  /** The same seed selects the same utterances of the same corpus. */
  readonly seed: number
}

/**
 * Draws a sample stratified by size: the elements are sorted by size, cut into as many strata as are wanted,
 * and one is drawn at random from each. So short and long elements keep their proportions.
 *
 * @param size size in any unit
 * @returns the sample in the given order; all elements where `count` is not smaller
 */
export function drawSample<Element extends { readonly id: string }>(
  elements: readonly Element[],
  size: (element: Element) => number,
  options: SampleOptions,
): readonly Element[] {
  if (options.count >= elements.length) return elements
  const sizes = elements.map(size)
  const drawn = drawIndexes(
    elements.map(({ id }) => id),
    sizes,
    options,
  )
  return elements.filter((_, index) => drawn.has(index))
}

function drawIndexes(
  ids: readonly string[],
  sizes: readonly number[],
  { count, seed }: SampleOptions,
): ReadonlySet<number> {
  const random = seededRandom(seed)
  // Elements of equal size are sorted by id, so that the order of the lines does not matter.
  const sorted = [...ids.keys()].sort(
    (left, right) =>
      (sizes[left] ?? 0) - (sizes[right] ?? 0) || ((ids[left] ?? '') < (ids[right] ?? '') ? -1 : 1),
  )
  const edge = (stratum: number): number => Math.floor((stratum * sorted.length) / count)
  return new Set(
    Array.from({ length: count }, (_, stratum) => {
      const from = edge(stratum)
      return sorted[from + random.below(edge(stratum + 1) - from)] ?? 0
    }),
  )
}

/**
 * Draws utterances of a manifest without opening audio. Their size is the manifest's duration, or the file
 * size unless all have a duration. A missing file counts as 0 and is reported only if it is drawn.
 *
 * @param read starts reading the utterances to draw from
 * @returns the lines of the drawn utterances, and the number of all
 */
async function drawLines(read: () => AsyncIterable<readonly Utterance[]>, options: SampleOptions) {
  const ids: string[] = []
  const lines: number[] = []
  const seconds: number[] = []
  let isTimed = true
  for await (const batch of read()) {
    for (const { id, line, durationSeconds } of batch) {
      ids.push(id)
      lines.push(line)
      seconds.push(durationSeconds ?? 0)
      isTimed &&= durationSeconds !== null
    }
  }
  const { length: from } = ids
  if (options.count >= from) return { lines: new Set(lines), from }
  const drawn = drawIndexes(ids, isTimed ? seconds : await fileSizes(read()), options)
  return { lines: new Set([...drawn].map((index) => lines[index] as number)), from }
}

async function fileSizes(batches: AsyncIterable<readonly Utterance[]>): Promise<readonly number[]> {
  const sizes: number[] = []
  for await (const batch of batches) {
    const found = await pLimit(filesAtOnce).map(batch, ({ audioPath }) =>
      stat(audioPath).then(
        ({ size }) => size,
        () => 0,
      ),
    )
    sizes.push(...found)
  }
  return sizes
}

const filesAtOnce = 64
