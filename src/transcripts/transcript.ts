import type { Problem } from '#prelude'
import type { Utterance } from '#scoring/counting'

/** Which of the two texts is meant, where a line may hold both. */
export type Side = 'reference' | 'hypothesis'

/** One transcript of a file. */
export interface Transcript {
  readonly id: string
  /** Several texts in references alone; null in hypotheses alone: the request failed. */
  readonly text: Utterance['reference'] | null
  readonly speaker: string | null
  readonly tags: Readonly<Record<string, string>>
  /** From 1. */
  readonly line: number
  /** The file, where it is one of several in a folder. */
  readonly file?: string
  /** A segment of an stm file that asks not to be scored, with its counterpart on the other side. */
  readonly isIgnored?: boolean
}

export interface ParsedTranscripts {
  readonly transcripts: readonly Transcript[]
  /** `where` is a line number. */
  readonly problems: readonly Problem[]
  /** Words with a tag that is not scored; absent where the format has no tags. */
  readonly taggedCount?: number
}
