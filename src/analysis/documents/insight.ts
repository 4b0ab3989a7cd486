import type { ErrorRate, Interval } from '#rates'
import type {
  CaseCounts,
  Confusion,
  ErrorCounts,
  KeywordCounts,
  NumberFindings,
  PathologyKind,
  Rung,
  SelfReference,
  SuspectReference,
  WordClass,
} from '#scoring'

/**
 * How one contender errs: what its error rate does not tell. Everything is counted over all scored requests,
 * repeats over the rounds included, unless it says "utterance". Lists are cut to what a person can look at, and
 * say how much there is in all.
 */
export interface ContenderInsight {
  readonly contenderId: string
  readonly rates: OtherRates
  readonly confusions: {
    /** Word for word, as the alignment pairs them. */
    readonly words: ConfusionTable
    /** Runs of errors between two hits as one: "one two" for "uno dos". */
    readonly phrases: ConfusionTable
  }
  /** By speaker, tag, language, source and length; only what the corpus tells and what has at least two groups. */
  readonly breakdowns: readonly Breakdown[]
  /** Null where neither a vocabulary was given (`scoring.vocabulary`) nor keywords of utterances. */
  readonly keywords: KeywordInsight | null
  readonly numbers: Explained<NumberInsight>
  /** Proper names, known by their capitals. */
  readonly names: Explained<NameInsight>
  readonly punctuation: Explained<PunctuationInsight>
  readonly capitals: Explained<CapitalsInsight>
  /** Words with their capitals and with marks as words of their own; null where references have neither. */
  readonly formattedWords: Explained<CountedRate>
  /** The errors that are left when capitals, then punctuation, then numbers, then spellings do not count. */
  readonly ladder: readonly LadderRung[]
  /** One for each kind, found or not. */
  readonly pathologies: readonly PathologyInsight[]
  /** Null where no utterance was answered twice. */
  readonly flakiness: FlakinessInsight | null
  /** Null where every reference has words. */
  readonly silence: SilenceInsight | null
}

/** References held against what the contenders say: where the reference itself may be wrong. */
export interface AuditInsight {
  /** References that at least two contenders contradict, all in the same words. Null with one contender. */
  readonly suspectCount: number | null
  /** All of them, the most errors first. */
  readonly suspects: readonly SuspectReference[]
  /** Contenders whose own text the references are: they cannot but win. */
  readonly selfReferences: readonly SelfReference[]
}

/** Something, or the reason why there is nothing. */
export type Explained<Present> =
  | (Present & { readonly reason: null })
  | { readonly reason: string; readonly rate: null }

/** A ratio with what it was made from. */
export interface CountedRate {
  /** numerator / denominator; null where the denominator is 0. */
  readonly rate: number | null
  readonly numerator: number
  readonly denominator: number
  readonly interval: Interval | null
  /** Why there is no interval; null where there is one. */
  readonly noIntervalReason: string | null
}

/** Rates that depend on how ties between alignments are resolved: `alignment` of the document names the rule. */
export interface OtherRates {
  /** (S + D + I) / (H + S + D + I). */
  readonly matchErrorRate: CountedRate
  /** Scored requests with at least one word error / scored requests. */
  readonly sentenceErrorRate: CountedRate
  /** (H / N) · (H / P), a product of two ratios of sums: no interval. Null where both sides are empty. */
  readonly wordInformationPreserved: number | null
  readonly wordInformationLost: number | null
}

/** The most frequent confusions of each kind, the most frequent first. */
export interface ConfusionTable {
  /** How many are listed of each kind at most. */
  readonly limit: number
  /** Different ones there are in all. */
  readonly distinct: Readonly<Record<ConfusionKind, number>>
  readonly substitutions: readonly Confusion[]
  readonly deletions: readonly Confusion[]
  readonly insertions: readonly Confusion[]
}

export type ConfusionKind = 'substitutions' | 'deletions' | 'insertions'

/** One way to group, with its groups, the most reference words first. */
export interface Breakdown {
  readonly by: 'speaker' | 'tag' | 'language' | 'source' | 'duration'
  /** Groups there are in all; the 100 with the most words are listed. Lengths stand in the order of length. */
  readonly groupCount: number
  readonly groups: readonly BreakdownGroup[]
}

/** The requests whose utterances have something in common. An utterance with two tags is in two groups. */
export interface BreakdownGroup {
  /** Null for those that lack what is grouped by. */
  readonly name: string | null
  readonly utteranceCount: number
  /** Null where a speaker is unknown. */
  readonly speakerCount: number | null
  readonly askedCount: number
  readonly scoredCount: number
  readonly words: ErrorRate
  readonly characters: ErrorCounts
  /** Null where the references hold nothing. */
  readonly characterErrorRate: number | null
  readonly sentenceErrorRate: number | null
  /** Fewer than 20 utterances: shown, and not to be ranked. */
  readonly isSmall: boolean
}

/** How often the words that matter were said, found and made up. */
export interface KeywordInsight {
  /** found / (found + missed). */
  readonly recall: CountedRate
  /** found / (found + invented). */
  readonly precision: CountedRate
  /** Harmonic mean of the two; null where neither was ever said nor recognised. */
  readonly f1: number | null
  /** Keywords that were said or recognised, the most missed and invented first; 200 at most. */
  readonly keywords: readonly KeywordCounts[]
  /** Keywords that were looked for. */
  readonly keywordCount: number
}

/** Numbers by value, and classes of words, over an alignment of English text with spoken numbers as figures. */
export interface NumberInsight extends NumberFindings {
  /** (wrong + missing) / said, by value: another way to write the same number is no error. */
  readonly rate: CountedRate
  readonly classes: Readonly<Record<WordClass, ClassInsight>>
}

export interface ClassInsight {
  readonly counts: ErrorCounts
  /** (S + D + I) / (H + S + D); null where the references hold none. */
  readonly rate: number | null
}

/** What became of the words that are names by `nameRule`; their capitals do not count. */
export interface NameInsight {
  /** (S + D) / (H + S + D): names that were not recognised / names said. */
  readonly rate: CountedRate
  /** By the reference's names; insertions are names that were put in. */
  readonly counts: ErrorCounts
  /** Different names that were said. */
  readonly nameCount: number
  /** The most often wrong first; 200 at most. */
  readonly names: readonly NameCounts[]
}

export interface NameCounts {
  /** As the references write it first. */
  readonly name: string
  readonly said: number
  readonly wrong: number
}

/** Marks after the words that were recognised, compared mark by mark. */
export interface PunctuationInsight {
  /** (S + D + I) / (H + S + D + I). */
  readonly rate: CountedRate
  /** By mark of the reference (of the hypothesis, where one was put in), the most frequent first. */
  readonly marks: readonly MarkInsight[]
}

export interface MarkInsight {
  readonly mark: string
  readonly counts: ErrorCounts
  /** H / (H + I) over this mark; null where it was never written. */
  readonly precision: number | null
  /** H / (H + S + D); null where the references hold none. */
  readonly recall: number | null
}

/** Capital letters of words that were recognised. */
export interface CapitalsInsight {
  /** wrong / compared, over all words. */
  readonly rate: CountedRate
  readonly sentenceStarts: CaseCounts
  readonly otherWords: CaseCounts
}

export interface LadderRung {
  /** What no longer counts from here on. */
  readonly rung: Rung
  readonly counts: ErrorCounts
  readonly rate: number | null
}

/** A way to go wrong that an error rate does not tell apart from ordinary mistakes. */
export interface PathologyInsight {
  readonly kind: PathologyKind
  /** The rule by which it was looked for. */
  readonly rule: string
  /** Utterances with at least one such answer / utterances with an answer. */
  readonly rate: CountedRate
  /** Requests that were answered so. */
  readonly answerCount: number
  /** The largest first, one for each utterance and text; 100 at most. */
  readonly examples: readonly PathologyExample[]
}

export interface PathologyExample {
  readonly utteranceId: string
  /** The first request that was answered so. */
  readonly requestIndex: number
  readonly round: number
  /** Requests that were answered with this text. */
  readonly answerCount: number
  /** Words concerned: put in, repeated, missing; letters for a wrong script. */
  readonly size: number
  /** The words, or the script. */
  readonly detail: string
}

/** How far a contender agrees with itself over the rounds; no reference is needed. */
export interface FlakinessInsight {
  /** Utterances whose answers differ after normalisation / utterances that were answered at least twice. */
  readonly rate: CountedRate
  /** Each answer against each later one of the same utterance: a word error rate between repeats. */
  readonly betweenRepeats: ErrorCounts
  readonly betweenRepeatsRate: number | null
  /** The first 100. */
  readonly unstableIds: readonly string[]
}

/** Utterances whose reference has no words: silence, noise. */
export interface SilenceInsight {
  readonly utteranceCount: number
  /** Answers with words / answers. */
  readonly answeredWithWords: CountedRate
  readonly insertedWords: number
  /** Audio of the answered requests. */
  readonly audioSeconds: number
  /** Null where the audio has no length. */
  readonly insertedWordsPerMinute: number | null
  /** One for each utterance that was answered with words, the most words first; 100 at most. */
  readonly examples: readonly SilenceExample[]
}

export interface SilenceExample {
  readonly utteranceId: string
  readonly audioSeconds: number
  readonly answerCount: number
  readonly answeredWithWordsCount: number
  readonly insertedWords: number
  /** The first answer with words. */
  readonly hypothesis: string
}
