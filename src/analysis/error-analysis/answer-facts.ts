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
  /** The word alignment by the profile of the evaluation. */
  readonly steps: readonly AlignmentStep[]
  readonly pathologies: readonly Pathology[]
  readonly formatting: FormattingCounts
  readonly names: readonly NameOutcome[]
  /** The rungs of numbers and spellings only for a language with rules; null where words do not show in the text. */
  readonly ladder: readonly RungCounts[] | null
  /** Null where the utterance is not English. */
  readonly figures: { readonly numbers: NumberFindings; readonly classes: ClassCounts } | null
}

/**
 * Looks at the answers to one utterance. What is made of a text for one look is kept for the others, so the
 * answers of all contenders should be looked at together.
 */
export function startLooking(
  utterance: DistinctAnswer['utterance'],
  scorer: TranscriptScorer,
): (answer: DistinctAnswer) => AnswerFacts {
  const isEnglish = isEnglishSpeech(utterance, scorer.rules)
  const english = isEnglish ? rememberedEnglish(scorer) : undefined
  const climb = climbLadder(utterance, scorer, english)
  const known = new Map<string, AnswerFacts>()
  const look = ({ reference, hypothesis }: DistinctAnswer): AnswerFacts => {
    const steps = scorer.align(utterance, hypothesis)
    const inFigures =
      english === undefined || writesFigures(scorer.rules)
        ? steps
        : scorer.align(utterance, hypothesis, english.profile)
    return {
      steps,
      pathologies: findPathologies(steps, utterance.durationSeconds),
      ...compareWriting(reference, hypothesis, steps),
      ladder: climb?.({ reference, hypothesis }) ?? null,
      figures: isEnglish
        ? { numbers: compareNumbers([inFigures]), classes: countClasses([inFigures]) }
        : null,
    }
  }
  return (answer) => {
    const facts = known.get(answer.hypothesis) ?? look(answer)
    known.set(answer.hypothesis, facts)
    return facts
  }
}

/** In words, which texts without spaces do not show; null for those. */
function climbLadder(
  { language }: DistinctAnswer['utterance'],
  { remembered: { profile, withoutSpellings } }: TranscriptScorer,
  english: RememberedProfile | undefined,
): ReturnType<typeof makeLadder> | null {
  const own = profileOfUtterance(profile, language)
  if (own.leads === 'characters') return null
  if (english !== undefined) return makeLadder(english)
  const rules = languageRules(language, own)
  if (rules === null) return makeLadder(null)
  const isOwn = rules.fingerprint === own.fingerprint
  return makeLadder(
    isOwn
      ? { profile: own, withoutSpellings: profileOfUtterance(withoutSpellings, language) }
      : rememberTexts(rules),
  )
}

/** The scorer's own version of `english`, or the newest; the texts that are kept, where nothing is added to it. */
function rememberedEnglish({ remembered }: TranscriptScorer): RememberedProfile {
  const [version = 'english'] = /^english@\d+/.exec(remembered.profile.id) ?? []
  const english = findProfile(version)
  return remembered.profile.fingerprint === english.fingerprint ? remembered : rememberTexts(english)
}

function isEnglishSpeech({ language }: DistinctAnswer['utterance'], profile: Profile): boolean {
  return language === null ? writesFigures(profile) : /^en(?:-|$)/i.test(language)
}

/** The English profiles write spoken numbers as figures. */
function writesFigures({ id }: Profile): boolean {
  return /^(?:whisper-|leaderboard-)?english\b/.test(id)
}

/** Looks at answers one by one and keeps sums of them, so that what was found in each need not be held. */
export interface AnswerTally<Result> {
  add(answer: DistinctAnswer, facts: AnswerFacts): void
  result(): Result
}

/** A text that one utterance was answered with, however often. */
export interface DistinctAnswer {
  readonly utterance: PlannedUtterance
  readonly hypothesis: string
  /** The text that the reference is taken for. */
  readonly reference: string
  readonly score: LevelCounts
  /** The first request that was answered so. */
  readonly requestIndex: number
  readonly round: number
  /** How many requests were answered so. */
  readonly times: number
  /** The times of each of these answers, null where it has none; empty where the reference has none. */
  readonly timings: readonly (AnswerTimes | null)[]
}

/**
 * The different answers of a contender. Engines mostly repeat themselves, so what has to look at texts looks at
 * each of them once, however many rounds there were.
 *
 * @returns by id of the utterance, in the order of the plan; empty where nothing was scored
 */
export function distinctAnswers(contender: ScoredContender): ReadonlyMap<string, readonly DistinctAnswer[]> {
  const { requests } = contender
  const byUtterance = new Map<string, Map<string, GrowingAnswer>>()
  for (const { resolved, score, reference } of requests) {
    const { utterance, hypothesis, request } = resolved
    if (score === null || hypothesis === null) continue
    const answers: Map<string, GrowingAnswer> = byUtterance.get(utterance.id) ?? new Map()
    byUtterance.set(utterance.id, answers)
    const timings = utterance.times === undefined ? [] : [findTimes(resolved)]
    const known = answers.get(hypothesis)
    if (known !== undefined) {
      known.times += 1
      known.timings.push(...timings)
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
