import { basename, dirname, relative } from 'node:path'
import type { BenchConfig } from '#config'
import { readCorpus, type VerifiedCorpus, verifyCorpus } from '#corpus'
import type { PlannedUtterance } from '#journal'
import { normalise, type Profile } from '#scoring'
import { sessionErrors } from './errors.ts'
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
 * Reads the corpus that a config names and opens every audio file of it.
 *
 * @throws BenchError of the corpus room; REFERENCE_EMPTIED for references without a word that counts;
 *   NOTHING_TO_MEASURE when --exclude leaves nothing
 */
export async function openCorpus(
  config: Pick<BenchConfig, 'corpus' | 'exclude' | 'contenders' | 'scoring'>,
  { env, onEvent, signal }: OpenCorpusOptions,
): Promise<VerifiedCorpus> {
  const corpus = await readCorpus(config.corpus, { env })
  const verified = await verifyCorpus(corpus, {
    exclude: config.exclude,
    ...(signal === undefined ? {} : { signal }),
    onProgress: (checkedCount, utteranceCount) =>
      onEvent?.({ kind: 'verified', checkedCount, utteranceCount }),
  })
  checkReferences(verified, scoringProfile(config, verified.utterances))
  if (verified.utterances.length > 0) return verified
  throw sessionErrors.make('NOTHING_TO_MEASURE', {
    message: `no utterance of ${corpus.name} is left`,
    hint: 'exclude fewer: --exclude takes ids, separated by commas',
  })
}

/** A reference that has text, and of which the profile leaves nothing, would count every word as inserted. */
function checkReferences(corpus: VerifiedCorpus, profile: Profile): void {
  const emptied = corpus.utterances.filter(
    ({ text }) => text.trim() !== '' && normalise(text, profile).trim() === '',
  )
  if (emptied.length === 0) return
  throw sessionErrors.make('REFERENCE_EMPTIED', {
    message: `${emptied.length} of ${corpus.utterances.length} references of ${corpus.name} have no words left after ${profile.id}`,
    hint: `leave them out, which is recorded in the run: --exclude ${emptied.map(({ id }) => id).join(',')}`,
    problems: emptied.map(({ id, line, text }) => ({
      where: `${basename(corpus.manifestPath)}:${line}`,
      what: `${id}  "${text}"`,
    })),
  })
}

/** The utterances as they stand in a run's plan, references and all. */
export function plannedUtterances(corpus: VerifiedCorpus): PlannedUtterance[] {
  const folder = dirname(corpus.manifestPath)
  return corpus.utterances.map((utterance) => ({
    kind: 'utterance',
    id: utterance.id,
    reference: utterance.text,
    durationSeconds: utterance.durationSeconds,
    sha256: utterance.sha256,
    language: utterance.language,
    speaker: utterance.speaker,
    tags: utterance.tags,
    source: utterance.source,
    audio: relative(folder, utterance.audioPath),
  }))
}
