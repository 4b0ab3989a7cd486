import type { Random } from '#prelude'
import type { Utterance } from '../utterances/utterance.ts'
import type { Sound } from './sound.ts'

/** What is said in an utterance, as a manifest gives it. */
export type Reference = Pick<Utterance, 'text' | 'alternatives' | 'hasChoices'>

/** An utterance in the making: all that its line will say, and its sound when it is asked for. */
export interface Draft
  extends Reference,
    Pick<Utterance, 'language' | 'speaker' | 'tags' | 'keywords' | 'entities' | 'times' | 'source'> {
  /** Ids of the utterances that it was made from, in the order in which they are heard. */
  readonly parents: readonly string[]
  /** Expected, from the parents; what is written is measured. */
  readonly durationSeconds: number
  sound(): Promise<Sound>
}

/** What transformations may use besides the utterance at hand. */
export interface DeriveContext {
  /** All utterances of the parent corpus, for babble. */
  readonly utterances: readonly Draft[]
  /** A stream that depends on the seed, the parents of a draft and a word alone: the same for every value of a ladder. */
  randomFor(draft: Draft, purpose: string): Random
  /**
   * A file that parameters name, mixed down to one channel.
   *
   * @throws BenchError DERIVATION_INVALID where it cannot be used
   */
  readSound(path: string, sampleRateHz: number): Promise<Sound>
}
