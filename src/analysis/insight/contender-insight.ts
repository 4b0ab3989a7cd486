import {
  type AlignmentStep,
  errorCount,
  findProfile,
  type Profile,
  sumCounts,
  timesCounts,
  wordInformationLost,
  wordInformationPreserved,
} from '#scoring'
import type { ScoredContender } from '../contender-evaluation.ts'
import type { TranscriptScorer } from '../transcript-scorer.ts'
import { breakdownsOf } from './breakdowns.ts'
import { startConfusionTable } from './confusion-table.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'
import { type DistinctAnswer, distinctAnswers } from './distinct-answers.ts'
import { flakinessOf } from './flakiness-insight.ts'
import { startFormatting } from './formatting-insight.ts'
import type { ContenderInsight, Explained, NumberInsight, OtherRates } from './insight.ts'
import { startKeywords } from './keyword-insight.ts'
import { startLadder } from './ladder.ts'
import { startNumbers } from './number-insight.ts'
import { startPathologies } from './pathology-insight.ts'
import { startSilence } from './silence-insight.ts'

export interface InsightOptions extends IntervalOptions {
  readonly scorer: TranscriptScorer
  /** Words and phrases to look for; null for none. */
  readonly vocabulary: readonly string[] | null
}

/** Everything that is said of a contender's errors beyond their rate. Every different answer is aligned once. */
export function contenderInsight(scored: ScoredContender, options: InsightOptions): ContenderInsight {
  const { scorer, vocabulary } = options
  const answers = distinctAnswers(scored)
  const english = answers.filter((answer) => isEnglish(answer, scorer.rules))
  const words = startConfusionTable(false)
  const phrases = startConfusionTable(true)
  const keywords = vocabulary === null ? null : startKeywords(vocabulary, scorer.rules, options)
  const pathologies = startPathologies()
  const silence = startSilence(options)
  const formatting = startFormatting(options)
  const ladder = startLadder(english.length === answers.length)
  const numbers = startNumbers(options)
  const asFigures = writesFigures(scorer.rules) ? null : findProfile('english')
  const isEnglishAnswer = new Set(english)
  for (const answer of answers) {
    const steps = scorer.align(answer.utterance, answer.hypothesis)
    for (const tally of [words, phrases, pathologies, silence, formatting, ladder]) tally.add(answer, steps)
    keywords?.add(answer, steps)
    if (isEnglishAnswer.has(answer)) numbers.add(answer, figureSteps(answer, steps, scorer, asFigures))
  }
  return {
    contenderId: scored.judged.contender.id,
    rates: otherRates(answers, options),
    confusions: { words: words.result(), phrases: phrases.result() },
    breakdowns: breakdownsOf(scored.requests, options.seed),
    keywords: keywords?.result() ?? null,
    numbers: english.length === 0 ? notEnglish : numbers.result(),
    ...formatting.result(),
    ladder: ladder.result(),
    pathologies: pathologies.result(),
    flakiness: flakinessOf(scored, scorer.rules),
    silence: silence.result(),
  }
}

const notEnglish: Explained<NumberInsight> = {
  reason: 'spoken numbers are only known in English',
  rate: null,
}

function isEnglish({ utterance: { language } }: DistinctAnswer, profile: Profile): boolean {
  return language === null ? writesFigures(profile) : /^en(?:-|$)/i.test(language)
}

/** The English profiles write spoken numbers as figures. */
function writesFigures({ id }: Profile): boolean {
  return /^(?:whisper-|leaderboard-)?english\b/.test(id)
}

function figureSteps(
  { utterance, hypothesis }: DistinctAnswer,
  steps: readonly AlignmentStep[],
  scorer: TranscriptScorer,
  profile: Profile | null,
): readonly AlignmentStep[] {
  return profile === null ? steps : scorer.align(utterance, hypothesis, profile)
}

function otherRates(answers: readonly DistinctAnswer[], options: IntervalOptions): OtherRates {
  const counts = sumCounts(answers.map(({ score, times }) => timesCounts(score.words, times)))
  const terms = (term: (answer: DistinctAnswer) => Omit<RateTerm, 'utterance'>): RateTerm[] =>
    answers.map((answer) => ({ utterance: answer.utterance, ...term(answer) }))
  return {
    matchErrorRate: pooledRate(
      terms(({ score: { words }, times }) => ({
        numerator: errorCount(words) * times,
        denominator: (errorCount(words) + words.hits) * times,
      })),
      options,
    ),
    sentenceErrorRate: pooledRate(
      terms(({ score: { words }, times }) => ({
        numerator: errorCount(words) > 0 ? times : 0,
        denominator: times,
      })),
      options,
    ),
    wordInformationPreserved: wordInformationPreserved(counts),
    wordInformationLost: wordInformationLost(counts),
  }
}
