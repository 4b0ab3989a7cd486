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
export type { CorpusDescription, DurationBin, Tally } from './describe-corpus.ts'
export { describeCorpus } from './describe-corpus.ts'
export { corpusErrors } from './errors.ts'
export { type ForeignManifest, withAbsolutePaths } from './foreign-manifest.ts'
export { hashFile } from './hash-file.ts'
export { listCorpora, locateCorpus } from './locate.ts'
export type { Manifest } from './manifest.ts'
export { openManifest } from './manifest.ts'
export type { TakeOptions } from './read-corpus.ts'
export { readCorpus, takeUtterances } from './read-corpus.ts'
export type { SampleOptions } from './sample.ts'
export { drawSample } from './sample.ts'
export { spokenLanguage } from './spoken-language.ts'
export type { TextCorpus, TextUtterance } from './text-corpus.ts'
export { fingerprintOfTexts, readTextCorpus } from './text-corpus.ts'
export type { Corpus, Utterance, UtteranceRows, VerifiedCorpus, VerifiedUtterance } from './utterance.ts'
export { utteranceRows } from './utterance-rows.ts'
export type { VerifyOptions } from './verify-corpus.ts'
export { verifyBatches, verifyCorpus } from './verify-corpus.ts'
export type { VerifiedManifest } from './verify-manifest.ts'
export { verifyManifest } from './verify-manifest.ts'
