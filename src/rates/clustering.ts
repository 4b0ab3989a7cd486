import type { Interval } from './documents.ts'

/** What an interval needs to know of an utterance. */
export interface Clustered {
  readonly id: string
  readonly speaker: string | null
  /** Versions of one recording share their errors. */
  readonly derived?: { readonly parents: readonly string[] } | undefined
  /** Host that measured it, in a run of several. */
  readonly host?: string | undefined
}

/** What is resampled as one when an interval is made: utterances, speakers with all that they said, or hosts. */
export interface Clustering {
  readonly method: Extract<
    Interval['method'],
    'bootstrap-by-utterance' | 'bootstrap-by-speaker' | 'bootstrap-by-host'
  >
  clusterOf(utterance: Clustered): string
}

/** Repeats of an utterance in several rounds, and versions derived from it, are never independent and share a cluster. */
export const byUtterance: Clustering = {
  method: 'bootstrap-by-utterance',
  clusterOf: recordingOf,
}

/** Requests of one host share its hardware and its day. */
export const byHost: Clustering = {
  method: 'bootstrap-by-host',
  clusterOf: ({ host = '' }) => host,
}

const bySpeaker: Clustering = {
  method: 'bootstrap-by-speaker',
  clusterOf: (utterance) => utterance.speaker ?? recordingOf(utterance),
}

function recordingOf({ id, derived }: Clustered): string {
  return derived?.parents.join('\n') ?? id
}

/** From so many speakers on, resampling them is enough by itself. */
const enoughSpeakers = 10

/**
 * The ways to resample for an interval; the widest interval is the one that is reported.
 *
 * By speaker where the speaker of every utterance is known and there are at least two, because the utterances
 * of one speaker share their errors. With fewer than ten speakers also by utterance: two speakers who happen
 * to have the same error rate would otherwise give an interval of no width.
 */
export function clusteringsOf(utterances: readonly Clustered[]): readonly Clustering[] {
  const speakerCount = speakerCountOf(utterances) ?? 0
  if (speakerCount < 2) return [byUtterance]
  return speakerCount < enoughSpeakers ? [bySpeaker, byUtterance] : [bySpeaker]
}

/** Null where the speaker of any utterance is unknown. */
export function speakerCountOf(utterances: readonly Clustered[]): number | null {
  const speakers = new Set(utterances.map((utterance) => utterance.speaker))
  return speakers.has(null) ? null : speakers.size
}
