import { basename, dirname, relative, sep } from 'node:path'
import type { BenchConfig } from '#config'
import {
  drawSample,
  findWrittenLanguage,
  fingerprintOfTexts,
  locateCorpus,
  openAudioMemory,
  readCorpus,
  readTextCorpus,
  type SampleOptions,
  type VerifiedCorpus,
  verifyCorpus,
} from '#corpus'
import type { PlannedUtterance } from '#journal'
import { allOf } from '#prelude'
import { type Profile, wordsLeft } from '#scoring'
import { sessionErrors } from '../errors.ts'
import { scoringProfile } from './scoring-profile.ts'

type VerifiedEvent = {
  readonly kind: 'verified'
  readonly checkedCount: number
  readonly utteranceCount: number
}

export interface OpenCorpusOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onEvent?: ((event: VerifiedEvent) => void) | undefined
  /** Aborting ends the verification with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads the corpus that a config names and opens every audio file of it that will be sent.
 *
 * @throws BenchError of the corpus module; REFERENCE_WITHOUT_WORDS for references without a word that counts;
 *   NOTHING_TO_MEASURE when --exclude leaves nothing
 */
export async function openCorpus(
  config: Pick<BenchConfig, 'corpus' | 'workload' | 'exclude' | 'sample' | 'seed' | 'contenders' | 'scoring'>,
  { env, onEvent, signal }: OpenCorpusOptions,
): Promise<OpenedCorpus> {
  if (config.workload === 'post-process') return openTexts(config, env)
  const corpus = await readCorpus(
    config.corpus,
    { env },
    { exclude: config.exclude, sample: sampleOf(config) },
  )
  const utteranceCount = corpus.utterances.length
  using memory = await openAudioMemory({ env })
  const verified = await verifyCorpus(corpus, {
    memory,
    ...(signal === undefined ? {} : { signal }),
    onProgress: (checkedCount) => onEvent?.({ kind: 'verified', checkedCount, utteranceCount }),
  })
  const opened = { ...verified, texts: null, writtenLanguage: await findWrittenLanguageIn(verified) }
  checkReferences(opened, scoringProfile(config, opened))
  if (verified.utterances.length > 0) return opened
  throw nothingLeft(corpus.name)
}

/**
 * Opens the corpus once the load is known to be possible. Where it is not, the recordings are not verified, which
 * may take long: only the existence of the corpus is checked, to report both problems at once.
 *
 * @throws BenchError of both
 */
export async function openCorpusFor<Load>(
  reading: Promise<Load>,
  config: Parameters<typeof openCorpus>[0],
  options: OpenCorpusOptions,
): Promise<readonly [Load, OpenedCorpus]> {
  const isReadable = await reading.then(
    () => true,
    () => false,
  )
  if (!isReadable) await allOf([reading, locateCorpus(config.corpus, options)])
  return [await reading, await openCorpus(config, options)]
}

/** A corpus that is ready to be sent. */
export interface OpenedCorpus extends VerifiedCorpus {
  /** What is sent for post-processing, by utterance id; null where audio is sent. */
  readonly texts: ReadonlyMap<string, string> | null
  /** Of the references whose manifest names no language; null where all have one, or it is not clear. */
  readonly writtenLanguage: string | null
}

async function findWrittenLanguageIn({ utterances }: VerifiedCorpus): Promise<string | null> {
  if (utterances.every(({ language }) => language !== null)) return null
  return findWrittenLanguage(utterances.flatMap(({ language, text }) => (language === null ? text : [])))
}

/**
 * Texts in the place of recordings: each is an utterance of no length, whose file is the manifest and whose
 * reference is what it should become.
 */
async function openTexts(
  { corpus: named, exclude, ...config }: Pick<BenchConfig, 'corpus' | 'exclude' | 'sample' | 'seed'>,
  env: OpenCorpusOptions['env'],
): Promise<OpenedCorpus> {
  const { name, manifestPath, texts } = await readTextCorpus(named, { env })
  const left = texts.filter(({ id }) => !exclude.includes(id))
  if (left.length === 0) throw nothingLeft(name)
  const sample = sampleOf(config)
  const taken = sample === undefined ? left : drawSample(left, ({ text }) => text.length, sample)
  return {
    name,
    manifestPath,
    fingerprint: fingerprintOfTexts(taken),
    sampledFrom: taken.length < left.length ? left.length : null,
    warnings: [],
    audioSeconds: 0,
    utterances: taken.map(({ id, text, reference, sha256, language, tags, line }) => ({
      id,
      audioPath: manifestPath,
      text: reference,
      alternatives: [],
      hasChoices: false,
      isDraft: false,
      durationSeconds: 0,
      sha256,
      sizeBytes: Buffer.byteLength(text),
      mimeType: 'text/plain',
      language,
      speaker: null,
      tags,
      keywords: [],
      entities: [],
      times: [],
      source: null,
      derived: null,
      line,
    })),
    texts: new Map(taken.map(({ id, text }) => [id, text])),
    writtenLanguage: taken.some(({ language }) => language === null)
      ? await findWrittenLanguage(
          taken.flatMap(({ language, reference }) => (language === null ? reference : [])),
        )
      : null,
  }
}

function sampleOf({ sample, seed }: Pick<BenchConfig, 'sample' | 'seed'>): SampleOptions | undefined {
  return sample === null ? undefined : { count: sample, seed }
}

function nothingLeft(corpusName: string): Error {
  return sessionErrors.make('NOTHING_TO_MEASURE', {
    message: `no utterance of ${corpusName} is left`,
    hint: 'exclude fewer: --exclude takes ids, separated by commas',
  })
}

/** A reference that has text, and of which the profile leaves nothing, would count every word as inserted. */
function checkReferences(corpus: VerifiedCorpus, profile: Profile): void {
  const isLeft = wordsLeft(profile)
  if (corpus.utterances.every(({ text }) => isLeft(text))) return
  const emptied = corpus.utterances.filter(
    ({ text, alternatives }) => text.trim() !== '' && !isLeft([text, ...alternatives].join(' ')),
  )
  if (emptied.length === 0) return
  throw sessionErrors.make('REFERENCE_WITHOUT_WORDS', {
    message: `${emptied.length} of ${corpus.utterances.length} references of ${corpus.name} have no words left after ${profile.id}`,
    hint: `leave them out, which is recorded in the run: --exclude ${emptied.map(({ id }) => id).join(',')}`,
    problems: emptied.map(({ id, line, text }) => ({
      where: `${basename(corpus.manifestPath)}:${line}`,
      what: `${id}  "${text}"`,
    })),
  })
}

/** The utterances as written to a run's plan, with references. */
export function* plannedUtterances({ manifestPath, utterances }: VerifiedCorpus): Iterable<PlannedUtterance> {
  const folder = dirname(manifestPath)
  const below = folder + sep
  for (const utterance of utterances) {
    const { audioPath } = utterance
    yield {
      kind: 'utterance',
      id: utterance.id,
      reference: utterance.text,
      ...(utterance.alternatives.length === 0 ? {} : { alternatives: utterance.alternatives }),
      ...(utterance.hasChoices ? { hasChoices: true } : {}),
      ...(utterance.keywords.length === 0 ? {} : { keywords: utterance.keywords }),
      ...(utterance.entities.length === 0 ? {} : { entities: utterance.entities }),
      ...(utterance.times.length === 0 ? {} : { times: utterance.times }),
      durationSeconds: utterance.durationSeconds,
      sha256: utterance.sha256,
      language: utterance.language,
      speaker: utterance.speaker,
      tags: utterance.tags,
      source: utterance.source,
      ...(utterance.derived === null
        ? {}
        : { derived: { parents: utterance.derived.parents, ladder: utterance.derived.ladder } }),
      // Mostly so, and five times as fast.
      audio: audioPath.startsWith(below) ? audioPath.slice(below.length) : relative(folder, audioPath),
    }
  }
}
