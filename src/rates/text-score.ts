import type {
  AlignmentRule,
  AlignmentStep,
  CharacterRule,
  Confusions,
  CorpusScore,
  ErrorCounts,
  ScliteOptions,
  SilentUtterances,
} from '#scoring'
import type { ErrorRate } from './error-rate.ts'
import type { NamedRules } from './named-rules.ts'
import type { TextGrouping } from './text-groups.ts'

/** Version of the document that `transcribench wer --json` prints. */
export const textScoreFormatVersion = 3

/** What decided the profile: its name, the other scorer, the language, or, without a language, the script of the texts. */
export type ProfileChoice = 'name' | 'alignment' | 'language' | 'script' | 'nothing'

/** Two sets of texts compared, without a service. */
export interface TextScore {
  readonly formatVersion: number
  readonly profile: CorpusScore['profile']
  /** What decided the profile. */
  readonly profileBy: ProfileChoice
  readonly alignment: AlignmentRule
  readonly characterRule: CharacterRule
  /** Null for any alignment but sclite's. */
  readonly sclite: Required<ScliteOptions> | null
  readonly seed: number
  readonly utteranceCount: number
  /** Null where a speaker is unknown. */
  readonly speakerCount: number | null
  /** Answered / all, 0..1; null without utterances. */
  readonly coverage: number | null
  /** Over what was answered. */
  readonly words: ErrorRate
  /** Null where only words were counted. */
  readonly characters: ErrorRate | null
  /** With what was not answered as an empty transcript. */
  readonly wordsFailedAsEmpty: ErrorRate
  /** Match error rate, and word information lost and preserved. */
  readonly wordRates: CorpusScore['wordRates']
  /** Share of answered utterances with at least one word error, 0..1; null without any. */
  readonly sentenceErrorRate: number | null
  /** Mean of the utterances' own rates: not what rankings use. */
  readonly meanUtteranceRate: number | null
  /** Utterances without a word to say. */
  readonly silent: SilentUtterances
  /** References in a script with vowel signs, under a profile that drops them: their rates say little. */
  readonly vowelSignsLostCount: number
  /** Ids of references that hold text and of which the profile leaves nothing. */
  readonly emptiedReferences: readonly string[]
  /** Names of the tags that utterances have, in the order of their code units. */
  readonly tagNames: readonly string[]
  readonly groupings: readonly TextGrouping[]
  /** The most frequent ones; null where not asked for. */
  readonly confusions: Confusions | null
  /** The utterances with the most word errors, of those that were answered; null where not asked for. */
  readonly worst: readonly ScoredText[] | null
}

export interface TextScoreOptions {
  /** Id; by language and alignment by default. */
  readonly profile?: string | undefined
  /** What is added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
  /** A BCP 47 tag, an ISO 639 code or an English name, for the default profile. */
  readonly language?: string | undefined
  /** The first references, whose script decides the default profile where no language is named. */
  readonly texts?: readonly string[] | undefined
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

/** One utterance, counted, with its texts: a row of what is written out. */
export interface ScoredText {
  readonly id: string
  readonly speaker: string | null
  readonly tags: Readonly<Record<string, string>>
  /** As written; several accepted texts are in braces, with slashes between them. */
  readonly reference: string
  /** Null where nothing came back. */
  readonly hypothesis: string | null
  /** Null where the hypothesis is. */
  readonly words: ErrorCounts | null
  /** Null where the hypothesis is, and where characters were not counted. */
  readonly characters: ErrorCounts | null
  /** Null where the reference holds no words, and where nothing came back. */
  readonly wordErrorRate: number | null
  /** The words of the alignment, all deleted where nothing came back; null where only counts were asked for. */
  readonly steps: readonly AlignmentStep[] | null
}
