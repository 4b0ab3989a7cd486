/** What commands show that measure and score nothing: corpora, selections, explanations, rules of the API, errors. */

export { type CorpusText, renderCorpus, renderLint, renderSelection } from './corpus-texts.ts'
export { listProblems, renderConformance, renderError } from './error-texts.ts'
export {
  type ExplanationText,
  type NormalisationTrace,
  renderExplanation,
  renderExplanationList,
  renderTrace,
} from './explanation-texts.ts'
