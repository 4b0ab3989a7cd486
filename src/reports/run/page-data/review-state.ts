import type { ErrorCounts } from '#scoring'
import type { PageDocument, PageUtterance } from '../../page-document.ts'

/** A correction as in the file of corrections of a corpus; a later one may correct an earlier one. */
export interface PageCorrection {
  readonly utteranceId: string
  readonly before: string
  readonly after: string
  /** ISO 8601, UTC. */
  readonly when: string
  readonly by: string
  /** Whether any contender's text was seen before, or the text was typed from the recording alone. */
  readonly seen: 'seen' | 'blind'
}

/** One contender on the board, as `transcribench score` would print it with the corrections. */
export interface BoardRow {
  readonly contenderId: string
  readonly rate: number | null
  readonly low: number | null
  readonly high: number | null
  readonly counts: ErrorCounts
}

/** What a served page is given instead of carrying it. */
export interface ServedPage {
  readonly document: PageDocument
  /** Of a run or a corpus; other documents have none. */
  readonly rows: readonly PageUtterance[]
  readonly corrections: readonly PageCorrection[]
  /** Null where nothing can be corrected. */
  readonly correcting: { readonly by: string; readonly file: string } | null
}

/** What a page sends to have a reference corrected; the server adds when and by whom. */
export type CorrectionRequest = Pick<PageCorrection, 'utteranceId' | 'before' | 'after' | 'seen'>
