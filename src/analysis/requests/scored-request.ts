import type { WindowPart } from '../documents/utterance-evaluation.ts'
import type { ResolvedRequest } from './resolved-run.ts'
import type { TranscriptScore } from './transcript-scorer.ts'

/** A resolved request with the counts of its transcript. */
export interface ScoredRequest {
  readonly resolved: ResolvedRequest
  /** Null unless it was scored. */
  readonly score: TranscriptScore | null
  /** The text that the reference is taken for; its first where nothing was scored. */
  readonly reference: string
  /**
   * What it counts for in a rate, from 1: all requests about one utterance together weigh as much as those about any
   * other, also where the load ended within a pass over the corpus. 1 where all were asked equally often.
   */
  readonly weight: number
  /** Null where it was not sent. */
  readonly window: WindowPart | null
}
