import type { AnswerTimes } from '#journal/attempt-line'
import type { PlannedUtterance } from '#journal/plan-line'
import type { LevelCounts } from '#scoring/counts'
import {
  compareWriting,
  type FormattingCounts,
  makeLadder,
  type RungCounts,
} from '#scoring/error-analysis/formatting'
import { findPathologies, type Pathology } from '#scoring/error-analysis/pathologies'
import {
  type ClassCounts,
  compareNumbers,
  countClasses,
  type NameOutcome,
} from '#scoring/error-analysis/word-classes'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import { findProfile, languageRules } from '#scoring/profiles/index'
import type { Profile } from '#scoring/profiles/profile'
import { type RememberedProfile, rememberTexts } from '#scoring/profiles/remembered-profile'
import type { AlignmentStep, NumberFindings } from '#scoring/shapes'
import type { ResolvedRequest } from '../requests/resolved-run.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'

/** Facts about one answer to an utterance; they do not depend on the contender. */
export interface AnswerFacts {
  /** Word alignment by the profile of the evaluation. */
  readonly steps: readonly AlignmentStep[]
  readonly pathologies: readonly Pathology[]
  readonly formatting: FormattingCounts
  /** Null in a language in which every noun has a capital. */
  readonly names: readonly NameOutcome[] | null
  /** Has steps of numbers and spellings only for a language with rules; null for texts without word boundaries. */
  readonly ladder: readonly RungCounts[] | null
  /** Null where the utterance is not English. */
  readonly figures: { readonly numbers: NumberFindings; readonly classes: ClassCounts } | null
}

/** Analyses the answers to one utterance. Pass those of all contenders, because intermediate results are kept. */
export function answerAnalyser(
  utterance: DistinctAnswer['utterance'],
  scorer: TranscriptScorer,
): (answer: DistinctAnswer) => AnswerFacts {
  const isEnglish = isEnglishSpeech(utterance, scorer.rules)
  const hasCapitalNouns = writesNounsInCapitals(utterance, scorer.rules)
  const english = isEnglish ? rememberedEnglish(scorer) : undefined
  const countRungs = ladderOf(utterance, scorer, english)
  const factsByAnswer = new Map<string, AnswerFacts>()
  const analyse = ({ reference, hypothesis }: DistinctAnswer): AnswerFacts => {
    const steps = scorer.align(utterance, hypothesis)
    const inFigures =
      english === undefined || writesFigures(scorer.rules)
        ? steps
        : scorer.align(utterance, hypothesis, english.profile)
    const { formatting, names } = compareWriting(reference, hypothesis, steps)
    return {
      steps,
      pathologies: findPathologies(steps, utterance.durationSeconds),
      formatting,
      names: hasCapitalNouns ? null : names,
      ladder: countRungs?.({ reference, hypothesis }) ?? null,
      figures: isEnglish
        ? { numbers: compareNumbers([inFigures]), classes: countClasses([inFigures]) }
        : null,
    }
  }
  return (answer) => {
    const facts = factsByAnswer.get(answer.hypothesis) ?? analyse(answer)
    factsByAnswer.set(answer.hypothesis, facts)
    return facts
  }
}

/** Compares words; null for texts without spaces, which do not show them. */
function ladderOf(
  { language }: DistinctAnswer['utterance'],
  { remembered: { profile, withoutSpellings } }: TranscriptScorer,
  english: RememberedProfile | undefined,
): ReturnType<typeof makeLadder> | null {
  const utteranceProfile = profileOfUtterance(profile, language)
  if (utteranceProfile.leads === 'characters') return null
  if (english !== undefined) return makeLadder(english)
  const rules = languageRules(language, utteranceProfile)
  if (rules === null) return makeLadder(null)
  const isSame = rules.fingerprint === utteranceProfile.fingerprint
  return makeLadder(
    isSame
      ? { profile: utteranceProfile, withoutSpellings: profileOfUtterance(withoutSpellings, language) }
      : rememberTexts(rules),
  )
}

/** Returns `english` in the scorer's version, or the newest; it reuses the scorer's texts if the profiles are equal. */
function rememberedEnglish({ remembered }: TranscriptScorer): RememberedProfile {
  const [version = 'english'] = /^english@\d+/.exec(remembered.profile.id) ?? []
  const english = findProfile(version)
  return remembered.profile.fingerprint === english.fingerprint ? remembered : rememberTexts(english)
}

function isEnglishSpeech({ language }: DistinctAnswer['utterance'], profile: Profile): boolean {
  return language === null ? writesFigures(profile) : /^en(?:-|$)/i.test(language)
}

function writesNounsInCapitals({ language }: DistinctAnswer['utterance'], { id }: Profile): boolean {
  return language === null ? /^german\b/.test(id) : /^(?:de|lb|nds|gsw)(?:-|$)/i.test(language)
}

/** Whether a profile writes spoken numbers as figures, as the English ones do. */
function writesFigures({ id }: Profile): boolean {
  return /^(?:whisper-|leaderboard-)?english\b/.test(id)
}

/** Accumulates sums over answers, so that their facts need not be kept. */
export interface AnswerTally<Result> {
  add(answer: DistinctAnswer, facts: AnswerFacts): void
  result(): Result
}

/** A distinct text that answered one utterance, with its frequency. */
export interface DistinctAnswer {
  readonly utterance: PlannedUtterance
  readonly hypothesis: string
  /** The reading of the reference that was scored. */
  readonly reference: string
  readonly score: LevelCounts
  /** Index of the first request with this answer. */
  readonly requestIndex: number
  readonly round: number
  /** Number of requests with this answer. */
  readonly times: number
  /** Weight of each of these requests in a rate, as in `ScoredRequest`. */
  readonly weight: number
  /** Word times of each of these answers, null where it has none; empty where the reference has none. */
  readonly timings: readonly (AnswerTimes | null)[]
}

/**
 * Returns the distinct answers of a contender. Engines mostly repeat themselves, so each text is analysed once,
 * whatever the number of rounds.
 *
 * @returns answers by utterance id, in the order of the plan; empty where nothing was scored
 */
export function distinctAnswers(contender: ScoredContender): ReadonlyMap<string, readonly DistinctAnswer[]> {
  const { requests } = contender
  const byUtterance = new Map<string, Map<string, GrowingAnswer>>()
  for (const { resolved, score, reference, weight } of requests) {
    const { utterance, hypothesis, request } = resolved
    if (score === null || hypothesis === null) continue
    const answers: Map<string, GrowingAnswer> = byUtterance.get(utterance.id) ?? new Map()
    byUtterance.set(utterance.id, answers)
    const timings = utterance.times === undefined ? [] : [findTimes(resolved)]
    const answer = answers.get(hypothesis)
    if (answer !== undefined) {
      answer.times += 1
      answer.timings.push(...timings)
    } else {
      const { index: requestIndex, round } = request
      answers.set(hypothesis, {
        utterance,
        hypothesis,
        reference,
        score,
        requestIndex,
        round,
        times: 1,
        weight,
        timings,
      })
    }
  }
  return new Map([...byUtterance].map(([id, answers]) => [id, [...answers.values()]]))
}

type GrowingAnswer = DistinctAnswer & { times: number; readonly timings: (AnswerTimes | null)[] }

function findTimes({ attempt, reused }: ResolvedRequest): AnswerTimes | null {
  const outcome = (attempt ?? reused)?.outcome
  return outcome?.ok === true ? (outcome.answer.times ?? null) : null
}
