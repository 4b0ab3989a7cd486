/** Makes a corpus of recordings and texts of other forms, on disk or on the Hugging Face Hub. */

export type { ImportedCorpus, ImportOptions, ImportProgress } from './import-corpus.ts'
export { importCorpus } from './import-corpus.ts'
export { importableArchives, importableNames, openImportSource } from './open-source.ts'
export type { ImportSource, SourceOptions } from './source.ts'
export { openedPart, wholeRecording } from './source.ts'
