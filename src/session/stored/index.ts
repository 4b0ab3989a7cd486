/** Runs on disk: scores, compares, follows and shows them. */

export {
  type Baselines,
  baselinesSchema,
  findSide,
  readBaselines,
  removeBaseline,
  setBaseline,
  storedCalibrationsSchema,
} from './baselines.ts'
export { type ComparedRuns, compareFolders } from './compare-folders.ts'
export { type History, readHistory } from './history.ts'
export {
  builtPage,
  bundledLanguages,
  bundlePage,
  pageAssets,
  type RunPageOptions,
  runPageHtml,
  withLanguages,
} from './run-page.ts'
export {
  listScores,
  type OpenedScore,
  openScore,
  rescoreRun,
  type ScoreOptions,
  type StoredScore,
  scoreRun,
} from './scores.ts'
export { documentHtml, readCapacity, readStoredDocument, type StoredDocument } from './stored-document.ts'
export {
  type ExportedSite,
  exportSite,
  type SiteOptions,
  type Viewing,
  type ViewOptions,
  viewResults,
} from './view.ts'
