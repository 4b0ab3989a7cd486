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
export type { AnsweredWhatIf } from './capacity/render-capacity.ts'
export { renderCapacity, renderWhatIf } from './capacity/render-capacity.ts'
export { comparisonJunit, experimentJunit } from './comparison-junit.ts'
export type { CommentKind } from './comparison-markdown.ts'
export { comparisonMarkdown, experimentMarkdown, failureMarkdown } from './comparison-markdown.ts'
export type { DetailTable } from './details/detail-table.ts'
export type { DetailName } from './details/details.ts'
export { detailNames, detailTables } from './details/details.ts'
export { changesInTime } from './history-changes.ts'
export type { CapacityPage } from './html/capacity-page.ts'
export { capacityPage } from './html/capacity-page.ts'
export type { ComparisonPage, ComparisonPageOptions } from './html/comparison-page.ts'
export { comparisonPage } from './html/comparison-page.ts'
export type { ExperimentPage } from './html/experiment-page.ts'
export { experimentPage } from './html/experiment-page.ts'
export type { HistoryPage, HistoryText } from './html/history-page.ts'
export { historyPage } from './html/history-page.ts'
export type { PageAssets } from './html/html-page.ts'
export { htmlPage, servedHtml } from './html/html-page.ts'
export type { LibraryContender, LibraryPage, LibraryRun } from './html/library-page.ts'
export { libraryPage } from './html/library-page.ts'
export type { CorpusPage, PageDocument, PageUtterance, RunPage } from './html/page-document.ts'
export type { PageOptions } from './html/page-rows.ts'
export { pageFormatVersion } from './html/page-version.ts'
export type { BoardRow, CorrectionRequest, PageCorrection, ServedPage } from './html/review-state.ts'
export type { PageContent } from './html/run-page.ts'
export { runPage } from './html/run-page.ts'
export { renderMetricsPage } from './metrics-page.ts'
export type { Rating, RatingScale } from './ratings.ts'
export { rateContenders, ratingScale, ratingsCsv, ratingsMarkdown, renderRatings } from './ratings.ts'
export { renderComparison } from './render-comparison.ts'
export { renderConformance } from './render-conformance.ts'
export type { CorpusText } from './render-corpus.ts'
export { renderCorpus } from './render-corpus.ts'
export { renderError } from './render-error.ts'
export type { ExperimentText } from './render-experiment.ts'
export { experimentLook, renderCalibration, renderExperiment } from './render-experiment.ts'
export type { ExplanationText } from './render-explanation.ts'
export { renderExplanation, renderExplanationList } from './render-explanation.ts'
export { historyCsv, historyMarkdown, historyParquet, renderHistory } from './render-history.ts'
export { renderMarkdown } from './render-markdown.ts'
export type { PlanText, SettingText } from './render-plan.ts'
export { renderDryRun, renderPlan } from './render-plan.ts'
export type { ProgressText, SoFarText } from './render-progress.ts'
export { renderNotice, renderProgress, renderProgressLine } from './render-progress.ts'
export type { ScoreText } from './render-scores.ts'
export { renderScores } from './render-scores.ts'
export type { SummaryContext } from './render-summary.ts'
export { renderSummary } from './render-summary.ts'
export type { NormalisationTrace } from './render-trace.ts'
export { renderTrace } from './render-trace.ts'
export type { PlannedCostText } from './run-cost-words.ts'
export { runJunit } from './run-junit.ts'
export type { SummaryContender, SummaryDocument } from './summary-document.ts'
export {
  evaluationJson,
  renderJson,
  renderSummaryDocument,
  summaryCsv,
  summaryDocument,
  summaryFormatVersion,
  utterancesCsv,
} from './summary-document.ts'
export type { TableColumn } from './table.ts'
export { layTable } from './table.ts'
export type { Terminal } from './terminal.ts'
export { renderThresholds } from './thresholds.ts'
export { formatSeconds } from './units.ts'
