/**
 * Utterances on disk: finds, reads, verifies, fetches, imports and describes corpora.
 * Never skips a line or a file silently, never measures, and writes only what it fetches, imports or derives.
 *
 *   const corpus = await readCorpus('quick', { env: process.env })
 *   await fetchCorpus('quick', { env: process.env })
 *   const { audioSeconds, utterances } = await verifyCorpus(corpus)
 */

export type { AudioMemory } from './audio-memory.ts'
export { openAudioMemory } from './audio-memory.ts'
export type { CorpusEnvironment } from './corpus-environment.ts'
export type { Correction, CorrectionsFile } from './corrections.ts'
export { correctionLine, correctionsPath, readCorrections } from './corrections.ts'
export { dataDirectory } from './data-directory.ts'
export type { Derivation } from './derive/derivation.ts'
export { type DeriveOptions, deriveCorpus } from './derive/derive-corpus.ts'
export { transformations } from './derive/registry.ts'
export type { Transformation } from './derive/transformation.ts'
export type { CorpusDescription, DurationBin, Tally } from './describe-corpus.ts'
export { describeCorpus } from './describe-corpus.ts'
export { corpusErrors } from './errors.ts'
export type { FetchedCorpus, FetchOptions, FetchProgress } from './fetch-corpus.ts'
export { fetchCorpus } from './fetch-corpus.ts'
export type { ImportedCorpus, ImportOptions, ImportProgress } from './import/import-corpus.ts'
export { importCorpus } from './import/import-corpus.ts'
export { importableNames, openImportSource } from './import/open-source.ts'
export type { ImportSource, SourceOptions } from './import/source.ts'
export type { LintReport, LocatedFinding } from './lint/lint-corpus.ts'
export { lintChecks, lintCorpus } from './lint/lint-corpus.ts'
export { listCorpora, locateCorpus } from './locate.ts'
export type { ExtractionOptions, FileToExtract } from './packages/extraction.ts'
export { extractPackageFiles } from './packages/extraction.ts'
export type { NpmDownloadOptions, NpmPackage } from './packages/npm-download.ts'
export { downloadNpmPackage } from './packages/npm-download.ts'
export type { DownloadProgress } from './packages/resumable-download.ts'
export { readCorpus } from './read-corpus.ts'
export type { SampleOptions } from './sample.ts'
export { drawSample } from './sample.ts'
export type { Balance } from './select/select-utterances.ts'
export { balances, selectUtterances } from './select/select-utterances.ts'
export { writeSelection } from './select/write-selection.ts'
export { spokenLanguage } from './spoken-language.ts'
export type { TextCorpus, TextUtterance } from './text-corpus.ts'
export { fingerprintOfTexts, readTextCorpus } from './text-corpus.ts'
export type { Corpus, Utterance, VerifiedCorpus, VerifiedUtterance } from './utterance.ts'
export type { VerifyOptions } from './verify-corpus.ts'
export { verifyCorpus } from './verify-corpus.ts'
