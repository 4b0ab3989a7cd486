/** What commands show that measure and score nothing: corpora, selections, explanations, rules of the API, errors. */

export { renderConformance } from './render-conformance.ts'
export type { CorpusText } from './render-corpus.ts'
export { renderCorpus } from './render-corpus.ts'
export { listProblems, renderError } from './render-error.ts'
export type { ExplanationText } from './render-explanation.ts'
export { renderExplanation, renderExplanationList } from './render-explanation.ts'
export { renderLint } from './render-lint.ts'
export { renderSelection } from './render-selection.ts'
export type { NormalisationTrace } from './render-trace.ts'
export { renderTrace } from './render-trace.ts'
