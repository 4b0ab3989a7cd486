/**
 * Documents to text: CSV, JSON, pages, and what a terminal shows. Never reads or writes a file, never looks at the
 * environment, never computes a figure that is not in the document.
 *
 *   await writeFile('summary.csv', summaryCsv(evaluation))
 *   const terminal = { width: 100, color: false, unicode: true }
 *   console.log(renderSummary(evaluation, { folder: 'results/latest', terminal }))
 */

export { type CapacityPage, capacityPage } from './capacity/capacity-page.ts'
export { formatRate } from './capacity/capacity-words.ts'
export {
  type AnsweredWhatIf,
  capacityCsv,
  capacityMarkdown,
  renderCapacity,
  renderWhatIf,
} from './capacity/render-capacity.ts'
export {
  type CommentKind,
  comparisonMarkdown,
  experimentMarkdown,
  failureMarkdown,
} from './comparison/comparison-markdown.ts'
export {
  type ComparisonPage,
  type ComparisonPageOptions,
  comparisonPage,
  type ExperimentPage,
  experimentPage,
} from './comparison/comparison-page.ts'
export {
  type ExperimentText,
  experimentLook,
  renderCalibration,
  renderComparison,
  renderExperiment,
} from './comparison/render-comparison.ts'
export {
  type HistoryPage,
  historyPage,
  type LibraryAddresses,
  type LibraryContender,
  type LibraryPage,
  type LibraryRun,
  libraryPage,
} from './history/library-page.ts'
export {
  changesInTime,
  historyCsv,
  historyMarkdown,
  historyParquet,
  renderHistory,
} from './history/render-history.ts'
export { htmlPage, type PageAssets, type PageDocument, type ServedPage, servedHtml } from './html-page.ts'
export { comparisonJunit, experimentJunit, failureJunit, runJunit } from './junit.ts'
export { renderThresholds } from './layout/findings.ts'
export {
  type BoardRow,
  type CorpusPage,
  type CorrectionRequest,
  type PageCorrection,
  type PageUtterance,
  pageFormatVersion,
  type RunPage,
} from './layout/page-document.ts'
export type { FieldType, FileCell } from './layout/schema-columns.ts'
export { layTable, type ShownColumn } from './layout/table.ts'
export { csvLines } from './layout/table-files.ts'
export type { Terminal } from './layout/terminal.ts'
export { formatMilliseconds, formatSeconds } from './layout/units.ts'
export { describeSummaryColumns } from './run/contender-columns.ts'
export type { DetailTable } from './run/details/detail-table.ts'
export { type DetailName, detailNames, detailTables } from './run/details/details.ts'
export {
  type QueryCell,
  type QueryRows,
  type Rating,
  type RatingScale,
  rateContenders,
  ratingScale,
  ratingsCsv,
  ratingsMarkdown,
  renderQuery,
  renderRatings,
  renderScores,
  type ScoreText,
} from './run/listings.ts'
export {
  type ProgressText,
  renderNotice,
  renderProgress,
  renderProgressLine,
  type SoFarText,
} from './run/render-plan.ts'
export { maxSummaryLines, renderMarkdown, renderSummary, type SummaryContext } from './run/render-summary.ts'
export {
  type ResultTable,
  resultTables,
  type TabledRun,
  type TableField,
} from './run/result-tables.ts'
export { type PageContent, type PageOptions, runPage } from './run/run-page.ts'
export {
  bencherJson,
  dataPackage,
  evaluationJson,
  githubBenchmarkJson,
  renderJson,
  renderSummaryDocument,
  type SummaryContender,
  type SummaryDocument,
  summaryCsv,
  summaryDocument,
  summaryFormatVersion,
  type TableFiles,
  utterancesCsv,
} from './run/summary-document.ts'
export type { PlannedCostText } from './run/words.ts'
