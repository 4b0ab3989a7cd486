/** What the report page in a browser takes from the reports: the shape of what is embedded in it, and the words and units that it shares with the other reports. */

export type { CapacityPage, PageCapacity } from './capacity/capacity-page.ts'
export { money } from './capacity/capacity-words.ts'
export type { ComparedContender, ComparisonPage } from './comparison/comparison-page.ts'
export { openLines, speedNames } from './comparison/comparison-rows.ts'
export { pairedSentence } from './comparison/paired-fact.ts'
export type { ExperimentPage } from './experiment/experiment-page.ts'
export type { HistoryPage, PageTrend } from './history/history-page.ts'
export type { LibraryPage, ListedRun } from './history/library-page.ts'
export type { Cell, Table } from './layout/column.ts'
export type { FirstFigure } from './layout/first-figure.ts'
export { leadingWords, rateWords } from './layout/rate-words.ts'
export {
  absent,
  counted,
  fixed,
  formatChange,
  formatCount,
  formatDollars,
  formatJoules,
  formatMilliseconds,
  formatPercent,
  formatPoints,
  formatRange,
  formatSeconds,
  formatTimes,
  orAbsent,
  signed,
} from './layout/units.ts'
export type {
  CorpusPage,
  PageAttempt,
  PageDocument,
  PageScoring,
  PageUtterance,
  ProvenanceEntry,
  ProvenanceGroup,
  ReviewedPage,
  RunPage,
} from './page-document.ts'
export type { Dimension } from './run/dimensions.ts'
export { dimensionsOf } from './run/dimensions.ts'
export type { BoardRow, CorrectionRequest, PageCorrection, ServedPage } from './run/page-data/review-state.ts'
export { inRankOrder } from './run/rank-order.ts'
export { conditionText } from './run/words/condition-words.ts'
export { utterancesOf } from './run/words/corpus-words.ts'
export { formatMeasured } from './run/words/measured.ts'
export { pathologyNames } from './run/words/pathology-names.ts'
export { placesMeaning } from './run/words/ranking-line.ts'
export { breakEvenWords, sourceOf } from './run/words/run-cost-words.ts'
export { incomparableMark, marked, speedSentence, withheldSentence } from './run/words/speed-words.ts'
