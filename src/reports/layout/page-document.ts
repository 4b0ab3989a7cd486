import type { ScoringRules } from '#scoring/profiles/extension'
import type { ErrorCounts } from '#scoring/shapes'
import type { Table } from './table.ts'

/** A request with an utterance and what came of it, in few characters: a page may carry hundreds of thousands of them. */
export type PageAttempt = readonly [
  /** Index into the evaluation's contenders. */
  contender: number,
  round: number,
  /** Index into the texts of the utterance; null if nothing was scored, or texts are omitted. */
  text: number | null,
  /** Index into the page's failures; null if the request did not fail. */
  failure: number | null,
  /** Latency, to a tenth of a millisecond; null where no answer came. */
  latencyMs: number | null,
  /** Hits, substitutions, deletions and insertions of the leading rate; absent if nothing was scored. */
  ...counts: readonly number[],
]

export interface PageUtterance {
  readonly id: string
  /** Null if texts are omitted. */
  readonly reference: string | null
  readonly seconds: number
  readonly speaker: string | null
  readonly language: string | null
  readonly tags: readonly string[]
  /** Address of the recording, from the page: a relative path or a `data:` address. Null if there is none. */
  readonly audio: string | null
  /** Every distinct text of all contenders. */
  readonly texts: readonly string[]
  readonly attempts: readonly PageAttempt[]
}

export interface ProvenanceEntry {
  readonly name: string
  readonly value: string
  /** Origin of a setting: `default`, `file`, `environment`, `flag`; null for entries that have no origin. */
  readonly source: string | null
}

export interface ProvenanceGroup {
  readonly title: string
  readonly entries: readonly ProvenanceEntry[]
}

/** The rules by which a page aligns texts and counts errors again. */
export interface PageScoring {
  /** Built-in profile. */
  readonly profileId: string
  /** Rules added to the profile, in this order. */
  readonly rules: readonly { readonly name: string; readonly rules: ScoringRules }[]
  /** False if the page lacks rules that the figures were made with: its alignments may then differ from them. */
  readonly isComplete: boolean
}

export interface TitledTable {
  readonly title: string
  readonly note: string
  readonly table: Table
}

/** The page of a corpus alone, for correcting its references before anything is measured. */
export interface CorpusPage {
  readonly kind: 'corpus'
  readonly formatVersion: number
  readonly title: string
  readonly scoring: PageScoring
  readonly utteranceCount: number
  /** References that an engine wrote and no person has reviewed. */
  readonly draftIds: readonly string[]
}

/** One of the few large figures at the top of a page. */
export interface FirstFigure {
  readonly label: string
  readonly value: string
  /** Its interval, its comparison, or why it is absent. */
  readonly detail: string
}

/** Version of the data inside a page. A page contains its own reader, so no other program has to read the data. */
export const pageFormatVersion = 1

/** A correction as in the corrections file of a corpus; a later one may correct an earlier one. */
export interface PageCorrection {
  readonly utteranceId: string
  readonly before: string
  readonly after: string
  /** ISO 8601, UTC. */
  readonly when: string
  readonly by: string
  /** `seen` if the text of any contender was visible before; `blind` if typed from the recording alone. */
  readonly seen: 'seen' | 'blind'
}

/** One contender on the board, with the figures that `transcribench score` would give with the corrections. */
export interface BoardRow {
  readonly contenderId: string
  readonly rate: number | null
  readonly low: number | null
  readonly high: number | null
  readonly counts: ErrorCounts
}

/** A request of a page to correct a reference; the server adds the time and the author. */
export type CorrectionRequest = Pick<PageCorrection, 'utteranceId' | 'before' | 'after' | 'seen'>
