/**
 * Documents to text: CSV, JSON, pages, and what a terminal shows. Never reads or writes a file, never looks at the
 * environment, never computes a figure that is not in the document.
 *
 *   await writeFile('summary.csv', summaryCsv(evaluation))
 *   const terminal = { width: 100, color: false, unicode: true }
 *   console.log(renderSummary(evaluation, { folder: 'results/latest', terminal }))
 */

export { formatRate } from './capacity/capacity-answer.ts'
export { capacityCsv, capacityMarkdown } from './capacity/capacity-files.ts'
export type { CapacityPage } from './capacity/capacity-page.ts'
export { capacityPage } from './capacity/capacity-page.ts'
export type { AnsweredWhatIf } from './capacity/render-capacity.ts'
export { renderCapacity, renderWhatIf } from './capacity/render-capacity.ts'
export { comparisonJunit, experimentJunit, failureJunit } from './comparison/comparison-junit.ts'
export type { CommentKind } from './comparison/comparison-markdown.ts'
export { comparisonMarkdown, experimentMarkdown, failureMarkdown } from './comparison/comparison-markdown.ts'
export type { ComparisonPage, ComparisonPageOptions } from './comparison/comparison-page.ts'
export { comparisonPage } from './comparison/comparison-page.ts'
export { renderComparison } from './comparison/render-comparison.ts'
export type { ExperimentPage } from './experiment/experiment-page.ts'
export { experimentPage } from './experiment/experiment-page.ts'
export type { ExperimentText } from './experiment/render-experiment.ts'
export { experimentLook, renderCalibration, renderExperiment } from './experiment/render-experiment.ts'
export { renderMetricsPage } from './help/metrics-page.ts'
export { changesInTime } from './history/history-changes.ts'
export type { HistoryPage } from './history/history-page.ts'
export { historyPage } from './history/history-page.ts'
export type { LibraryAddresses, LibraryContender, LibraryPage, LibraryRun } from './history/library-page.ts'
export { libraryPage } from './history/library-page.ts'
export { historyCsv, historyMarkdown, historyParquet, renderHistory } from './history/render-history.ts'
export type { ShownColumn } from './layout/column.ts'
export { csvLines } from './layout/csv.ts'
export type { PageAssets } from './layout/html-page.ts'
export { htmlPage, servedHtml } from './layout/html-page.ts'
export { pageFormatVersion } from './layout/page-version.ts'
export { layTable } from './layout/table.ts'
export type { Terminal } from './layout/terminal.ts'
export { formatMilliseconds, formatSeconds } from './layout/units.ts'
export type { CorpusPage, PageDocument, PageUtterance, RunPage } from './page-document.ts'
export type { QueryCell, QueryRows } from './query/render-query.ts'
export { renderQuery } from './query/render-query.ts'
export { bencherJson, githubBenchmarkJson } from './run/benchmark-trackers.ts'
export type { DetailTable } from './run/details/detail-table.ts'
export type { DetailName } from './run/details/details.ts'
export { detailNames, detailTables } from './run/details/details.ts'
export type { PageOptions } from './run/page-data/page-rows.ts'
export type { BoardRow, CorrectionRequest, PageCorrection, ServedPage } from './run/page-data/review-state.ts'
export type { PageContent } from './run/page-data/run-page.ts'
export { runPage } from './run/page-data/run-page.ts'
export type { Rating, RatingScale } from './run/ratings.ts'
export { rateContenders, ratingScale, ratingsCsv, ratingsMarkdown, renderRatings } from './run/ratings.ts'
export { renderMarkdown } from './run/render-markdown.ts'
export type { ProgressText, SoFarText } from './run/render-progress.ts'
export { renderNotice, renderProgress, renderProgressLine } from './run/render-progress.ts'
export type { ScoreText } from './run/render-scores.ts'
export { renderScores } from './run/render-scores.ts'
export type { SummaryContext } from './run/render-summary.ts'
export { maxSummaryLines, renderSummary } from './run/render-summary.ts'
export { runJunit } from './run/run-junit.ts'
export type { SummaryContender, SummaryDocument } from './run/summary-document.ts'
export {
  evaluationJson,
  renderJson,
  renderSummaryDocument,
  summaryCsv,
  summaryDocument,
  summaryFormatVersion,
  utterancesCsv,
} from './run/summary-document.ts'
export { renderThresholds } from './run/thresholds.ts'
export type { PlannedCostText } from './run/words/run-cost-words.ts'
export type { TableFiles } from './tables/data-package.ts'
export { dataPackage } from './tables/data-package.ts'
export type { FileCell } from './tables/described-column.ts'
export type { FieldType } from './tables/described-fields.ts'
export type { ResultTable, TabledRun, TableField } from './tables/result-table.ts'
export { resultTables } from './tables/result-tables.ts'
