import { dirname, relative } from 'node:path'
import type { BenchConfig } from '#config'
import { readCorpus, type VerifiedCorpus, verifyCorpus } from '#corpus'
import type { PlannedUtterance } from '#journal'
import { sessionErrors } from './errors.ts'

type VerifiedEvent = {
  readonly kind: 'verified'
  readonly checkedCount: number
  readonly utteranceCount: number
}

/**
 * Reads the corpus that a config names and opens every audio file of it.
 *
 * @throws BenchError of the corpus room; NOTHING_TO_MEASURE when --exclude leaves nothing
 */
export async function openCorpus(
  config: Pick<BenchConfig, 'corpus' | 'exclude'>,
  env: Readonly<Record<string, string | undefined>>,
  onEvent: (event: VerifiedEvent) => void,
): Promise<VerifiedCorpus> {
  const corpus = await readCorpus(config.corpus, { env })
  const verified = await verifyCorpus(corpus, {
    exclude: config.exclude,
    onProgress: (checkedCount, utteranceCount) => onEvent({ kind: 'verified', checkedCount, utteranceCount }),
  })
  if (verified.utterances.length > 0) return verified
  throw sessionErrors.make('NOTHING_TO_MEASURE', {
    message: `no utterance of ${corpus.name} is left`,
    hint: 'exclude fewer: --exclude takes ids, separated by commas',
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
