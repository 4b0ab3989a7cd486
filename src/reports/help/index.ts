/** What commands show that measure and score nothing: corpora, selections, explanations, rules of the API, errors. */

export { type CorpusText, renderCorpus, renderLint, renderSelection } from './corpus-texts.ts'
export {
  type ExplanationText,
  listProblems,
  type NormalisationTrace,
  renderConformance,
  renderError,
  renderExplanation,
  renderExplanationList,
  renderTrace,
} from './help-texts.ts'
