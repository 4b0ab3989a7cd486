import type { AlignmentRule, CharacterRule, ScliteOptions } from '#scoring/counting'
import type { NamedRules } from './named-rules.ts'

/** Version of the document that `transcribench wer --json` prints. */
export const textScoreFormatVersion = 3

/** Version of the document that `transcribench wer` prints of several systems. */
export const systemsScoreFormatVersion = 1

export interface TextScoreOptions {
  /** Id; by language and alignment by default. */
  readonly profile?: string | undefined
  /** What is added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
  /** A BCP 47 tag, an ISO 639 code or an English name, for the default profile. */
  readonly language?: string | undefined
  /** The first references, whose script decides the default profile where no language is named. */
  readonly texts?: readonly string[] | undefined
  /** Whether the first utterances name their languages, each of which then has its own profile. */
  readonly namesLanguages?: boolean | undefined
  /** `canonical` by default. */
  readonly alignment?: AlignmentRule | undefined
  /** Default: those of the profile; code points for jiwer's alignment. */
  readonly characters?: CharacterRule | undefined
  /** Both are off by default. Only for sclite's alignment. */
  readonly sclite?: ScliteOptions | undefined
  /** Of the intervals. */
  readonly seed: number
  /** `speaker`, `duration` or names of tags. */
  readonly by?: readonly string[] | undefined
  /** How many of the most frequent ones; none by default. */
  readonly confusions?: number | undefined
  /** Characters are not counted. */
  readonly only?: 'words' | undefined
}
