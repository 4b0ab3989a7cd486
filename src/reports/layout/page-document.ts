import type { ScoringRules } from '#scoring/profiles/extension'
import type { ErrorCounts } from '#scoring/shapes'
import type { Table } from './table.ts'

/** A request with an utterance and what came of it, in few characters: a page may carry hundreds of thousands of them. */
export type PageAttempt = readonly [
  /** Index into the evaluation's contenders. */
  contender: number,
  round: number,
  /** Index into the texts of the utterance; null where nothing was scored, or texts are omitted. */
  text: number | null,
  /** Index into the page's failures; null where the request did not fail. */
  failure: number | null,
  /** Latency, to a tenth of a millisecond; null where no answer came. */
  latencyMs: number | null,
  /** Hits, substitutions, deletions and insertions of the leading rate; absent where nothing was scored. */
  ...counts: readonly number[],
]

/** An utterance with everything that came of it. */
export interface PageUtterance {
  readonly id: string
  /** Null where texts are omitted. */
  readonly reference: string | null
  readonly seconds: number
  readonly speaker: string | null
  readonly language: string | null
  readonly tags: readonly string[]
  /** Address of the recording, from the page: a relative path or a `data:` address. Null where there is none. */
  readonly audio: string | null
  /** Every text that any contender gave, once. */
  readonly texts: readonly string[]
  readonly attempts: readonly PageAttempt[]
}

/** A line of the table that says how a run was made. */
export interface ProvenanceEntry {
  readonly name: string
  readonly value: string
  /** Where a setting came from: `default`, `file`, `environment`, `flag`; null where that says nothing. */
  readonly source: string | null
}

/** How the figures of a page were measured. */
export interface ProvenanceGroup {
  readonly title: string
  readonly entries: readonly ProvenanceEntry[]
}

/** By which rules a page aligns texts and counts them anew. */
export interface PageScoring {
  /** As it comes with the program. */
  readonly profileId: string
  /** What is added to it, in this order. */
  readonly rules: readonly { readonly name: string; readonly rules: ScoringRules }[]
  /** False where the page lacks rules that the figures were made with: its alignments may then differ from them. */
  readonly isComplete: boolean
}

/** A table with what is above it. */
export interface TitledTable {
  readonly title: string
  readonly note: string
  readonly table: Table
}

/** The page of a corpus alone, for making its references true before anything is measured. */
export interface CorpusPage {
  readonly kind: 'corpus'
  readonly formatVersion: number
  readonly title: string
  /** By which corrections are counted. */
  readonly scoring: PageScoring
  readonly utteranceCount: number
  /** References that an engine wrote and no person has reviewed. */
  readonly draftIds: readonly string[]
}

/** One of the few figures that a page shows large, above everything else. */
export interface FirstFigure {
  readonly label: string
  readonly value: string
  /** Its interval, what it is compared with, or why it is absent. */
  readonly detail: string
}

/** Version of the data inside a page. A page contains its own reader, so no other program has to read the data. */
export const pageFormatVersion = 1

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

/** What a page sends to have a reference corrected; the server adds when and by whom. */
export type CorrectionRequest = Pick<PageCorrection, 'utteranceId' | 'before' | 'after' | 'seen'>
