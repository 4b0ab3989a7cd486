/**
 * Documents to text: CSV, JSON and what a terminal shows. Never reads or writes a file, never looks at the
 * environment, never computes a figure that is not in the document.
 *
 *   await writeFile('summary.csv', summaryCsv(evaluation))
 *   const terminal = { width: 100, color: false, unicode: true }
 *   console.log(renderSummary(evaluation, terminal, { folder: 'results/latest' }))
 */

export { renderError } from './render-error.ts'
export type { SummaryContext } from './render-summary.ts'
export { renderSummary } from './render-summary.ts'
export type { SummaryContender, SummaryDocument } from './summary-document.ts'
export {
  renderJson,
  renderSummaryDocument,
  summaryCsv,
  summaryDocument,
  utterancesCsv,
} from './summary-document.ts'
export type { Terminal } from './terminal.ts'
