import type { AlignmentRule } from './alignment/align.ts'
import type { ScliteOptions, TranscriptPart } from './alignment/networks.ts'
import type { Profile } from './profiles/profile.ts'
import type { CharacterRule } from './tokens.ts'

/** What was said, in one or several accepted ways, and what was recognised. */
export interface Utterance {
  /** Unique among what is scored together. */
  readonly id: string
  /** One text, several that are as right, or a transcript with choices. */
  readonly reference: string | readonly string[] | readonly TranscriptPart[]
  /** As written, or with alternatives. Null where the request failed. */
  readonly hypothesis: string | readonly TranscriptPart[] | null
  readonly speaker?: string | null
  /** BCP 47; decides the profile where there is one for each language. */
  readonly language?: string | null
  /** Named groups that it belongs to: language, source, noise … */
  readonly tags?: Readonly<Record<string, string>>
}

export interface ScoreOptions {
  readonly profile: Profile
  /** `canonical` by default. */
  readonly alignment?: AlignmentRule
  /** Default: those of the profile; code points for jiwer's alignment. */
  readonly characters?: CharacterRule
  /** For the alignment `sclite` alone. */
  readonly sclite?: ScliteOptions
  /** Characters are not counted: they take longer than words. */
  readonly only?: 'words'
}
