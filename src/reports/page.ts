/** Exports for the report page in a browser: the type of its embedded data, and words and units of the reports. */

import type { CapacityPage } from './capacity/capacity-page.ts'
import type { ComparisonPage, ExperimentPage } from './comparison/comparison-page.ts'
import type { HistoryPage, LibraryPage } from './history/library-page.ts'
import type { CorpusPage, PageCorrection, PageUtterance } from './layout/page-document.ts'
import type { RunPage } from './run/run-page.ts'

export type { CapacityPage, PageCapacity } from './capacity/capacity-page.ts'
export { money } from './capacity/capacity-words.ts'
export type { ComparedContender, ComparisonPage, ExperimentPage } from './comparison/comparison-page.ts'
export { openLines, pairedSentence, speedNames } from './comparison/comparison-words.ts'
export type { HistoryPage, LibraryPage, ListedRun, PageTrend } from './history/library-page.ts'
export { type AlignedColumn, alignColumns } from './layout/aligned-columns.ts'
export type {
  BoardRow,
  CorpusPage,
  CorrectionRequest,
  FirstFigure,
  PageAttempt,
  PageCorrection,
  PageScoring,
  PageUtterance,
  ProvenanceEntry,
  ProvenanceGroup,
  TitledTable,
} from './layout/page-document.ts'
export type { Cell, Table } from './layout/table.ts'
export {
  absent,
  adviceText,
  capitalised,
  counted,
  fixed,
  formatChange,
  formatCount,
  formatDollars,
  formatJoules,
  formatMeasured,
  formatMilliseconds,
  formatMinute,
  formatPercent,
  formatPoints,
  formatRange,
  formatSeconds,
  formatTimes,
  incomparableMark,
  leadingWords,
  marked,
  orAbsent,
  pathologyNames,
  rateWords,
  signed,
} from './layout/units.ts'
export { breakEvenWords, nameSource } from './run/costs.ts'
export { inRankOrder } from './run/ranks.ts'
export type { RunPage } from './run/run-page.ts'
export { fittedParts, speedSentence, withheldSentence } from './run/speed-sentences.ts'
export { conditionText, type Dimension, listDimensions } from './run/varied.ts'

/** A page on which references can be corrected. */
export type ReviewedPage = RunPage | CorpusPage

export type PageDocument =
  | RunPage
  | CorpusPage
  | ComparisonPage
  | ExperimentPage
  | HistoryPage
  | CapacityPage
  | LibraryPage

/** The data that a served page requests, because its HTML does not embed them. */
export interface ServedPage {
  readonly document: PageDocument
  /** Utterances of a run or a corpus; empty for other documents. */
  readonly rows: readonly PageUtterance[]
  readonly corrections: readonly PageCorrection[]
  /** Null if nothing can be corrected. */
  readonly correcting: {
    readonly by: string
    readonly file: string
    /** Shell command that applies the corrections to the run; null for a corpus. */
    readonly scoreCommand: string | null
  } | null
}
