import { errorCount, sumCounts, timesCounts, wordInformationLost, wordInformationPreserved } from '#scoring'
import type { ContenderAnalysis } from '../documents/error-analysis/error-analysis.ts'
import type { OtherRates } from '../documents/error-analysis/rates.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { startLooking } from './answer-facts.ts'
import type { AnswerTally } from './answer-tally.ts'
import { breakdownsOf } from './breakdowns.ts'
import { startConfusionTable } from './confusion-table.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'
import { type DistinctAnswer, distinctAnswers } from './distinct-answers.ts'
import { startEntities } from './entity-analysis.ts'
import { flakinessOf } from './flakiness-analysis.ts'
import { startFormatting } from './formatting-analysis.ts'
import { startKeywords } from './keyword-analysis.ts'
import { startLadder } from './ladder.ts'
import { startNames } from './name-analysis.ts'
import { startNumbers } from './number-analysis.ts'
import { startPathologies } from './pathology-analysis.ts'
import { robustnessOf } from './robustness.ts'
import { startSilence } from './silence-analysis.ts'
import { startTimes } from './time-analysis.ts'

export interface AnalysisOptions extends IntervalOptions {
  readonly scorer: TranscriptScorer
  /** Words and phrases to look for; null for none. */
  readonly vocabulary: readonly string[] | null
}

/** Everything that is said of the contenders' errors beyond their rate. */
export function contenderAnalyses(
  scored: readonly ScoredContender[],
  options: AnalysisOptions,
): readonly ContenderAnalysis[] {
  const looking = scored.map((contender) => ({
    answers: distinctAnswers(contender),
    analysis: startAnalysis(contender, options),
  }))
  for (const id of new Set(looking.flatMap(({ answers }) => [...answers.keys()]))) {
    let look: ReturnType<typeof startLooking> | null = null
    for (const { answers, analysis } of looking) {
      for (const answer of answers.get(id) ?? []) {
        look ??= startLooking(answer.utterance, options.scorer)
        analysis.add(answer, look(answer))
      }
    }
  }
  return looking.map(({ answers, analysis }) => analysis.result([...answers.values()].flat()))
}

interface GrowingAnalysis extends Pick<AnswerTally<never>, 'add'> {
  result(answers: readonly DistinctAnswer[]): ContenderAnalysis
}

function startAnalysis(scored: ScoredContender, options: AnalysisOptions): GrowingAnalysis {
  const { scorer, vocabulary } = options
  const words = startConfusionTable(false)
  const phrases = startConfusionTable(true)
  const asked = new Set(scored.requests.map(({ resolved }) => resolved.utterance))
  const keywords = startKeywords(vocabulary ?? [], asked, scorer.rules, options)
  const entities = startEntities(asked, scorer.rules, options)
  const times = startTimes(asked, scorer.rules, options)
  const names = startNames(options)
  const pathologies = startPathologies()
  const silence = startSilence(options)
  const formatting = startFormatting(options)
  const ladder = startLadder()
  const numbers = startNumbers(options)
  const tallies = [words, phrases, pathologies, silence, formatting, ladder, numbers, names, entities, times]
  return {
    add(answer, facts) {
      for (const tally of tallies) tally.add(answer, facts)
      keywords?.add(answer, facts)
    },
    result: (answers) => ({
      contenderId: scored.resolved.contender.id,
      rates: otherRates(answers, options),
      confusions: { words: words.result(), phrases: phrases.result() },
      breakdowns: breakdownsOf(scored.requests, options.seed, scorer.rules),
      robustness: robustnessOf(scored.requests, { ...options, leads: scorer.profile.leads }),
      keywords: keywords?.result() ?? null,
      entities: entities.result(),
      times: times.result(),
      numbers: numbers.result(),
      names: names.result(),
      ...formatting.result(),
      ladder: ladder.result(),
      pathologies: pathologies.result(),
      flakiness: flakinessOf(scored, scorer.rules),
      silence: silence.result(),
    }),
  }
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
