import { type BenchError, nearest, type Problem } from '#prelude'
import type { CorpusEnvironment } from './corpus-environment.ts'
import { corpusErrors } from './errors.ts'
import { type Manifest, openManifest } from './manifest/manifest.ts'
import { drawLines, type SampleOptions } from './utterances/sample.ts'
import type { Corpus, Utterance } from './utterances/utterance.ts'

/** Which utterances of a manifest are taken. Default: all. */
export interface TakeOptions {
  /** Ids of utterances to leave out. An id that the corpus does not have is a problem. */
  readonly exclude?: readonly string[]
  /** Of what is left, only so many. */
  readonly sample?: SampleOptions | undefined
  /** Also drafts that no person has reviewed. */
  readonly drafts?: boolean
}

/**
 * Reads the manifest of a corpus and checks every line of it. The audio is not opened: see `verifyCorpus`.
 *
 * A name is looked up in `./corpora`, in the data directory, and among the corpora that come with transcribench. Anything
 * with a slash or a manifest's extension is a path, of a manifest or of its folder. Read are JSON Lines (our keys, or
 * NeMo's), CSV and TSV; corpora/README.md describes them. Of a sample, memory holds what was drawn and the ids.
 *
 * @throws BenchError CORPUS_UNKNOWN; CORPUS_UNREADABLE with all problems of all lines; CORPUS_UNUSABLE for excluded ids
 *   that the corpus does not have; CORPUS_UNREVIEWED where all utterances are drafts
 */
export async function readCorpus(
  nameOrPath: string,
  environment: CorpusEnvironment,
  { sample, ...take }: TakeOptions = {},
): Promise<Corpus> {
  const manifest = await openManifest(nameOrPath, environment)
  const { name, manifestPath } = manifest
  const drawn = sample === undefined ? null : await drawLines(() => takeUtterances(manifest, take), sample)
  const utterances: Utterance[] = []
  const warnings: Problem[] = []
  for await (const batch of takeUtterances(manifest, take, (warning) => warnings.push(warning))) {
    for (const utterance of batch) if (drawn?.lines.has(utterance.line) !== false) utterances.push(utterance)
  }
  const isSample = drawn !== null && drawn.lines.size < drawn.from
  const sampledFrom = isSample ? drawn.from : null
  return { name, manifestPath, utterances, sampledFrom, warnings }
}

/**
 * The utterances of a manifest that are wanted, batch by batch.
 *
 * @param onWarning receives what stops nothing, also how many drafts are left out
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
  const review = `transcribench review ${manifest.name}`
  if (draftCount === utteranceCount) {
    throw corpusErrors.make('CORPUS_UNREVIEWED', {
      message: `all ${utteranceCount} texts of ${manifest.name} are drafts of an engine`,
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
  return corpusErrors.make('CORPUS_UNUSABLE', {
    message: `--exclude names ${unknown.length === 1 ? 'an utterance' : 'utterances'} that ${manifest.name} does not have`,
    hint: `see the ids: transcribench corpus show ${manifest.name}`,
    problems: unknown.map((id) => describeUnknownId(id, ids)),
  })
}

function describeUnknownId(id: string, ids: readonly string[]): Problem {
  const meant = nearest(id, ids)
  const hint = meant === null ? {} : { hint: `did you mean "${meant}"?` }
  return { where: '--exclude', what: `there is no utterance "${id}"`, ...hint }
}
