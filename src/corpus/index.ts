/**
 * Utterances on disk: finds, reads, verifies, fetches, imports and describes corpora.
 * Never skips a line or a file silently, never measures, and writes only what it fetches, imports or derives.
 *
 *   const corpus = await readCorpus('quick', { env: process.env })
 *   await fetchCorpus('quick', { env: process.env })
 *   const { audioSeconds, utterances } = await verifyCorpus(corpus)
 */

export type { CorpusEnvironment } from './corpus-environment.ts'
export type { CorpusDescription, DurationBin, Tally } from './describe-corpus.ts'
export { describeCorpus } from './describe-corpus.ts'
export { corpusErrors } from './errors.ts'
export { hashFile } from './hash-file.ts'
export { listCorpora, locateCorpus } from './locate.ts'
export { type ForeignManifest, withAbsolutePaths } from './manifest/foreign-manifest.ts'
export type { Manifest } from './manifest/manifest.ts'
export { openManifest } from './manifest/manifest.ts'
export type { TakeOptions } from './read-corpus.ts'
export { readCorpus, takeUtterances } from './read-corpus.ts'
export type { Correction, CorrectionsFile } from './texts/corrections.ts'
export { correctionLine, correctionsPath, readCorrections } from './texts/corrections.ts'
export type { TextCorpus, TextUtterance } from './texts/text-corpus.ts'
export { fingerprintOfTexts, readTextCorpus } from './texts/text-corpus.ts'
export type { SampleOptions } from './utterances/sample.ts'
export { drawSample } from './utterances/sample.ts'
export { findWrittenLanguage, spokenLanguage } from './utterances/spoken-language.ts'
export type {
  Corpus,
  Utterance,
  VerifiedCorpus,
  VerifiedUtterance,
} from './utterances/utterance.ts'
export type { AudioMemory } from './verify/audio-memory.ts'
export { openAudioMemory } from './verify/audio-memory.ts'
export type { VerifyOptions } from './verify/verify-corpus.ts'
export { verifyBatches, verifyCorpus } from './verify/verify-corpus.ts'
export type { VerifiedManifest } from './verify/verify-manifest.ts'
export { verifyManifest } from './verify/verify-manifest.ts'
