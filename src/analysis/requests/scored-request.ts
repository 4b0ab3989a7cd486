import type { WindowPart } from '../documents/utterance-evaluation.ts'
import type { JudgedRequest } from './resolved-run.ts'
import type { TranscriptScore } from './transcript-scorer.ts'

/** A judged request with the counts of its transcript. */
export interface ScoredRequest {
  readonly judged: JudgedRequest
  /** Null unless it was scored. */
  readonly score: TranscriptScore | null
  /** The text that the reference is taken for; its first where nothing was scored. */
  readonly reference: string
  /** Null where it was not sent. */
  readonly window: WindowPart | null
}
