/**
 * Utterances on disk: finds, reads, verifies, fetches, imports and describes corpora.
 * Never skips a line or a file silently, never measures, and writes only what it fetches, imports or derives.
 *
 *   const corpus = await readCorpus('quick', { env: process.env })
 *   await fetchCorpus('quick', { env: process.env })
 *   const { audioSeconds, utterances } = await verifyCorpus(corpus)
 */

export { type AudioMemory, openAudioMemory } from './audio-memory.ts'
export {
  type Correction,
  type CorrectionsFile,
  correctionLine,
  correctionsPath,
  readCorrections,
} from './corrections.ts'
export { type CorpusDescription, type DurationBin, describeCorpus, type Tally } from './describe-corpus.ts'
export { corpusErrors } from './errors.ts'
export { hashFile } from './files.ts'
export { type CorpusEnvironment, listCorpora, locateCorpus } from './locate.ts'
export { type ForeignManifest, withAbsolutePaths } from './manifest/foreign-manifest.ts'
export { type Manifest, openManifest } from './manifest/manifest.ts'
export {
  drawSample,
  readCorpus,
  type SampleOptions,
  type TakeOptions,
  takeUtterances,
} from './read-corpus.ts'
export { fingerprintOfTexts, readTextCorpus, type TextCorpus, type TextUtterance } from './text-corpus.ts'
export type {
  Corpus,
  Utterance,
  VerifiedCorpus,
  VerifiedUtterance,
} from './utterance.ts'
export {
  type VerifiedManifest,
  type VerifyOptions,
  verifyBatches,
  verifyCorpus,
  verifyManifest,
} from './verify-corpus.ts'
export { findWrittenLanguage, spokenLanguage } from './words.ts'
