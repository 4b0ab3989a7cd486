import { basename, dirname, relative, sep } from 'node:path'
import type { BenchConfig } from '#config/bench-config'
import { automaticProfile } from '#config/scoring-file'
import { openAudioMemory } from '#corpus/audio-memory'
import { locateCorpus } from '#corpus/locate'
import { drawSample, excludedUnknown, readCorpus, type SampleOptions } from '#corpus/read-corpus'
import { fingerprintOfTexts, readTextCorpus } from '#corpus/text-corpus'
import type { Utterance, VerifiedCorpus } from '#corpus/utterance'
import { verifyCorpus } from '#corpus/verify-corpus'
import { findWrittenLanguage } from '#corpus/words'
import type { PlannedUtterance } from '#journal/plan-line'
import type { RecordedRules } from '#journal/run-record'
import { allOf, shellList, withoutUndefined } from '#prelude'
import { extendProfile } from '#scoring/profiles/extension'
import { defaultCorpusProfile, defaultProfile, findProfile } from '#scoring/profiles/index'
import type { Profile } from '#scoring/profiles/profile'
import { wordsLeft } from '#scoring/profiles/words-left'
import { runErrors } from './execute/errors.ts'

interface VerifiedEvent {
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
 * Reads the corpus of a config and opens every audio file that will be sent.
 *
 * @throws BenchError of the corpus module; REFERENCE_WITHOUT_WORDS for references without a counted word;
 * NOTHING_TO_MEASURE if --exclude leaves nothing
 */
export async function openCorpus(
  config: Pick<BenchConfig, 'corpus' | 'workload' | 'exclude' | 'sample' | 'seed' | 'contenders' | 'scoring'>,
  { env, onEvent, signal }: OpenCorpusOptions,
): Promise<OpenedCorpus> {
  if (config.workload === 'post-process') return openTexts(config, env)
  const corpus = await readCorpus(
    config.corpus,
    { env },
    { exclude: config.exclude, sample: readSampleOptions(config) },
  )
  const utteranceCount = corpus.utterances.length
  using memory = await openAudioMemory({ env })
  const verified = await verifyCorpus(corpus, {
    memory,
    ...withoutUndefined({ signal }),
    onProgress: (checkedCount) => onEvent?.({ kind: 'verified', checkedCount, utteranceCount }),
  })
  const opened = { ...verified, texts: null, writtenLanguage: await findWrittenLanguageIn(verified) }
  checkReferences(opened, scoringProfile(config, opened))
  if (verified.utterances.length > 0) return opened
  throw nothingLeft(corpus.name)
}

/**
 * Opens the corpus after the load was read. If the load is invalid, the slow verification of recordings is skipped:
 * only the existence of the corpus is checked, to report both problems at once.
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
  /** Texts for post-processing by utterance id; null if audio is sent. */
  readonly texts: ReadonlyMap<string, string> | null
  /** Language detected in references whose manifest names none; null if all name one, or it is unclear. */
  readonly writtenLanguage: string | null
}

async function findWrittenLanguageIn({ utterances }: VerifiedCorpus): Promise<string | null> {
  if (utterances.every(({ language }) => language !== null)) return null
  return findWrittenLanguage(utterances.flatMap(({ language, text }) => (language === null ? text : [])))
}

/**
 * Texts instead of recordings: each is an utterance of length 0, whose file is the manifest and whose reference is
 * the expected text.
 */
async function openTexts(
  { corpus: named, exclude, ...config }: Pick<BenchConfig, 'corpus' | 'exclude' | 'sample' | 'seed'>,
  env: OpenCorpusOptions['env'],
): Promise<OpenedCorpus> {
  const { name, argument, manifestPath, texts } = await readTextCorpus(named, { env })
  const ids = texts.map(({ id }) => id)
  const unknown = exclude.filter((id) => !ids.includes(id))
  if (unknown.length > 0)
    throw excludedUnknown(unknown, { name, ids, hint: `see the ids in ${manifestPath}` })
  const included = texts.filter(({ id }) => !exclude.includes(id))
  if (included.length === 0) throw nothingLeft(name)
  const sample = readSampleOptions(config)
  const sampled = sample === undefined ? included : drawSample(included, ({ text }) => text.length, sample)
  return {
    name,
    argument,
    manifestPath,
    fingerprint: fingerprintOfTexts(sampled),
    sampledFrom: sampled.length < included.length ? included.length : null,
    warnings: [],
    audioSeconds: 0,
    utterances: sampled.map(({ id, text, reference, sha256, language, tags, line }) => ({
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
    texts: new Map(sampled.map(({ id, text }) => [id, text])),
    writtenLanguage: sampled.some(({ language }) => language === null)
      ? await findWrittenLanguage(
          sampled.flatMap(({ language, reference }) => (language === null ? reference : [])),
        )
      : null,
  }
}

function readSampleOptions(config: Pick<BenchConfig, 'sample' | 'seed'>): SampleOptions | undefined {
  const { sample, seed } = config
  return sample === null ? undefined : { count: sample, seed }
}

function nothingLeft(corpusName: string): Error {
  return runErrors.make('NOTHING_TO_MEASURE', {
    message: `no utterance of ${corpusName} is left`,
    hint: 'exclude fewer: --exclude takes ids, separated by commas',
  })
}

/** Refuses a reference whose words the profile all removes, because every answered word would be an insertion. */
function checkReferences(corpus: VerifiedCorpus, profile: Profile): void {
  const isLeft = wordsLeft(profile)
  if (corpus.utterances.every(({ text }) => isLeft(text))) return
  const emptied = corpus.utterances.filter(
    ({ text, alternatives }) => text.trim() !== '' && !isLeft([text, ...alternatives].join(' ')),
  )
  if (emptied.length === 0) return
  throw runErrors.make('REFERENCE_WITHOUT_WORDS', {
    message: `${emptied.length} of ${corpus.utterances.length} references of ${corpus.name} have no words left after ${profile.id}`,
    hint: `leave them out, which is recorded in the run: --exclude ${shellList(emptied.map(({ id }) => id))}`,
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
      // Most paths are below the folder, and slicing is five times as fast.
      audio: audioPath.startsWith(below) ? audioPath.slice(below.length) : relative(folder, audioPath),
    }
  }
}

type Config = Pick<BenchConfig, 'scoring'>
type ReadReferences = Pick<OpenedCorpus, 'writtenLanguage'> & { readonly utterances: readonly Utterance[] }

/**
 * The id of the profile that a run is scored with: the one of the config, or the default of its language. The
 * language of an utterance is that of its manifest. Otherwise the references decide: by script for scripts without
 * spaces, then by the detected language, else `basic`. The contenders have no influence, so every run over a corpus
 * is scored by the same rules. Utterances with different default profiles are scored by the profile of each language.
 */
export function scoringProfileId(
  { scoring }: Config,
  { utterances, writtenLanguage }: ReadReferences,
): string {
  if (scoring.profile !== automaticProfile) return findProfile(scoring.profile).id
  const languages = new Set(utterances.map((utterance) => utterance.language))
  const texts = languages.has(null)
    ? utterances.flatMap(({ language, text }) => (language === null ? text : []))
    : []
  const byScript = defaultProfile(null, 'canonical', texts)
  const isRead = byScript.leads === 'words' && writtenLanguage !== null
  return defaultCorpusProfile(languages, isRead ? defaultProfile(writtenLanguage) : byScript).id
}

export function scoringProfile(config: Config, corpus: ReadReferences): Profile {
  return extendProfile(findProfile(scoringProfileId(config, corpus)), config.scoring)
}

/** The rules that the config adds to the profile, for the record; undefined without any. */
export function recordedRules({ scoring }: Config): RecordedRules | undefined {
  const { fillers, replacements, equivalences, vocabulary } = scoring
  const rules = { fillers, replacements, equivalences, vocabulary }
  return Object.values(rules).every((list) => list.length === 0) ? undefined : rules
}
