import type { PlannedUtterance } from '#journal'
import type { Interval } from './evaluation.ts'

/** What is resampled as one when an interval is made: utterances, or speakers with all that they said. */
export interface Clustering {
  readonly method: Extract<Interval['method'], 'bootstrap-by-utterance' | 'bootstrap-by-speaker'>
  clusterOf(utterance: PlannedUtterance): string
}

/**
 * By speaker where the speaker of every utterance is known and there are at least two, because the
 * utterances of one speaker share their errors; by utterance otherwise. Repeats of an utterance in several
 * rounds are never independent and always share a cluster.
 */
export function clusteringOf(utterances: readonly PlannedUtterance[]): Clustering {
  return (speakerCountOf(utterances) ?? 0) >= 2
    ? { method: 'bootstrap-by-speaker', clusterOf: (utterance) => utterance.speaker ?? utterance.id }
    : { method: 'bootstrap-by-utterance', clusterOf: (utterance) => utterance.id }
}

/** Null where the speaker of any utterance is unknown. */
export function speakerCountOf(utterances: readonly PlannedUtterance[]): number | null {
  const speakers = new Set(utterances.map((utterance) => utterance.speaker))
  return speakers.has(null) ? null : speakers.size
}
