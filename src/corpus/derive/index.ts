/** Makes a corpus of another one under other conditions: noise, rooms, codecs, speed, level, cuts. */

export type { Derivation } from '../utterance.ts'
export { type DeriveOptions, deriveCorpus } from './derive-corpus.ts'
export { transformations } from './plan.ts'
export type { Transformation } from './transformation.ts'
