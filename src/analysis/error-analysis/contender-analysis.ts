import type { AnswerTimes } from '#journal/attempt-line'
import type { PlannedUtterance } from '#journal/plan-line'
import {
  addCounts,
  errorCount,
  errorRate,
  hypothesisLength,
  referenceLength,
  sumCounts,
  timesCounts,
  wordInformationLost,
  wordInformationPreserved,
} from '#scoring/counts'
import { startConfusions } from '#scoring/error-analysis/confusions'
import { type PathologyKind, pathologyRules } from '#scoring/error-analysis/pathologies'
import { measureFlakiness } from '#scoring/error-analysis/repeats'
import { closeTimeMs, compareTimes } from '#scoring/error-analysis/time-errors'
import { type Rung, rungs } from '#scoring/kinds'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import type { Profile } from '#scoring/profiles/profile'
import type { ErrorCounts } from '#scoring/shapes'
import type {
  ContenderAnalysis,
  FlakinessAnalysis,
  LadderRung,
  PathologyAnalysis,
  PathologyExample,
  SilenceAnalysis,
  SilenceExample,
} from '../documents/error-analysis.ts'
import type { ConfusionTable, Explained, OtherRates, TimeAnalysis } from '../documents/error-rates.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { type AnswerTally, answerAnalyser, type DistinctAnswer, distinctAnswers } from './answer-facts.ts'
import { breakDownRates, measureRobustness } from './breakdowns.ts'
import { type IntervalOptions, startRate, utteranceShare } from './counted-rate.ts'
import { startFormatting } from './formatting-analysis.ts'
import { startEntities, startKeywords, startNames, startNumbers } from './term-analysis.ts'

export interface AnalysisOptions extends IntervalOptions {
  readonly scorer: TranscriptScorer
  /** Words and phrases to look for; null for none. */
  readonly vocabulary: readonly string[] | null
}

/** Analyses the contenders' errors beyond their rates. */
export function contenderAnalyses(
  scored: readonly ScoredContender[],
  options: AnalysisOptions,
): readonly ContenderAnalysis[] {
  const open = scored.map((contender) => ({
    answers: distinctAnswers(contender),
    analysis: startAnalysis(contender, options),
  }))
  for (const id of new Set(open.flatMap(({ answers }) => [...answers.keys()]))) {
    let analyse: ReturnType<typeof answerAnalyser> | null = null
    for (const { answers, analysis } of open) {
      for (const answer of answers.get(id) ?? []) {
        analyse ??= answerAnalyser(answer.utterance, options.scorer)
        analysis.add(answer, analyse(answer))
      }
    }
  }
  return open.map(({ answers, analysis }) => analysis.result([...answers.values()].flat()))
}

function startAnalysis(
  scored: ScoredContender,
  options: AnalysisOptions,
): Pick<AnswerTally<never>, 'add'> & { result(answers: readonly DistinctAnswer[]): ContenderAnalysis } {
  const { scorer, vocabulary } = options
  const words = startConfusionTable(false)
  const phrases = startConfusionTable(true)
  const utterances = new Set(scored.requests.map(({ resolved }) => resolved.utterance))
  const keywords = startKeywords(vocabulary ?? [], utterances, scorer.rules, options)
  const entities = startEntities(utterances, scorer.rules, options)
  const times = startTimes(utterances, scorer.rules, options)
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
      breakdowns: breakDownRates(scored.requests, options.seed, scorer.rules),
      robustness: measureRobustness(scored.requests, { ...options, leads: scorer.profile.leads }),
      keywords: keywords?.result() ?? null,
      entities: entities.result(),
      times: times.result(),
      numbers: numbers.result(),
      names: names.result(),
      ...formatting.result(),
      ladder: ladder.result(),
      pathologies: pathologies.result(),
      flakiness: analyseFlakiness(scored, scorer.rules),
      silence: silence.result(),
    }),
  }
}

function otherRates(answers: readonly DistinctAnswer[], options: IntervalOptions): OtherRates {
  const counts = sumCounts(
    answers.map(({ score, times, weight }) => timesCounts(score.words, times * weight)),
  )
  const [matchErrors, sentenceErrors] = [startRate(options), startRate(options)]
  for (const { utterance, score, times, weight } of answers) {
    const errors = errorCount(score.words)
    matchErrors.add(utterance, errors * times, (errors + score.words.hits) * times, weight)
    sentenceErrors.add(utterance, errors > 0 ? times : 0, times, weight)
  }
  return {
    matchErrorRate: matchErrors.rate(),
    sentenceErrorRate: sentenceErrors.rate(),
    wordInformationPreserved: wordInformationPreserved(counts),
    wordInformationLost: wordInformationLost(counts),
  }
}

const listed = 200

/** Starts a table of the most frequent confusions, of single words or of phrases. */
function startConfusionTable(phrases: boolean): AnswerTally<ConfusionTable> {
  const tally = startConfusions({ phrases })
  return {
    add({ utterance, times }, { steps }) {
      tally.add({ id: utterance.id, steps, times })
    },
    result: () => ({ limit: listed, distinct: tally.distinct(), ...tally.result(listed) }),
  }
}

const listedIds = 100

/** Whether repeated recordings give the same text. Null where nothing was answered twice. */
function analyseFlakiness({ requests }: ScoredContender, profile: Profile): FlakinessAnalysis | null {
  const answers = requests.flatMap(({ resolved: { utterance, hypothesis } }) =>
    hypothesis === null ? [] : { id: utterance.id, hypothesis },
  )
  const repeated = [...Map.groupBy(answers, ({ id }) => id)].map(([id, repeats]) => ({
    id,
    texts: repeats.map(({ hypothesis }) => hypothesis),
  }))
  const { utteranceCount, unstableCount, unstableIds, betweenRepeats } = measureFlakiness(repeated, profile)
  if (utteranceCount === 0) return null
  return {
    rate: utteranceShare(unstableCount, utteranceCount),
    betweenRepeats,
    betweenRepeatsRate: errorRate(betweenRepeats),
    unstableIds: unstableIds.slice(0, listedIds),
  }
}

/**
 * Splits the error rate by formatting rules. An answer in a language without rules has only the first three steps;
 * the later steps repeat its third.
 *
 * @returns empty where no answer shows its words; the last two steps only where a language has rules
 */
function startLadder(): AnswerTally<readonly LadderRung[]> {
  const sums = new Map<Rung, ErrorCounts>()
  let highest = 0
  return {
    add({ times }, { ladder }) {
      if (ladder === null) return
      highest = Math.max(highest, ladder.length)
      for (const [index, rung] of rungs.entries()) {
        const found = ladder[Math.min(index, ladder.length - 1)]
        if (found === undefined) continue
        const counts = timesCounts(found.words, times)
        const sum = sums.get(rung)
        sums.set(rung, sum === undefined ? counts : addCounts(sum, counts))
      }
    },
    result: () =>
      [...sums].slice(0, highest).map(([rung, counts]) => ({ rung, counts, rate: errorRate(counts) })),
  }
}

const listedExamples = 100

/** Analyses the answers to utterances without words. */
function startSilence(options: IntervalOptions): AnswerTally<SilenceAnalysis | null> {
  const examples = new Map<string, SilenceExample>()
  const answeredWithWords = startRate(options)
  const utteranceIds = new Set<string>()
  let audioSeconds = 0
  let insertedWords = 0
  return {
    add({ utterance, hypothesis, score, times }) {
      if (referenceLength(score.words) > 0) return
      const words = hypothesisLength(score.words)
      const withWords = words > 0 ? times : 0
      utteranceIds.add(utterance.id)
      audioSeconds += utterance.durationSeconds * times
      insertedWords += words * times
      answeredWithWords.add(utterance, withWords, times)
      const earlier = examples.get(utterance.id)
      examples.set(utterance.id, {
        utteranceId: utterance.id,
        audioSeconds: utterance.durationSeconds,
        answerCount: (earlier?.answerCount ?? 0) + times,
        answeredWithWordsCount: (earlier?.answeredWithWordsCount ?? 0) + withWords,
        insertedWords: (earlier?.insertedWords ?? 0) + words * times,
        hypothesis: earlier === undefined || earlier.hypothesis === '' ? hypothesis : earlier.hypothesis,
      })
    },
    result: () =>
      utteranceIds.size === 0
        ? null
        : {
            utteranceCount: utteranceIds.size,
            answeredWithWords: answeredWithWords.rate(),
            insertedWords,
            audioSeconds,
            insertedWordsPerMinute: audioSeconds > 0 ? (insertedWords / audioSeconds) * 60 : null,
            examples: [...examples.values()]
              .filter(({ answeredWithWordsCount }) => answeredWithWordsCount > 0)
              .sort((a, b) => b.insertedWords - a.insertedWords || (a.utteranceId < b.utteranceId ? -1 : 1))
              .slice(0, listedExamples),
          },
  }
}

/**
 * Measures the accuracy of word times, over the words that the alignment matches. Every answer counts, because times
 * may differ where texts do not.
 *
 * @param utterances all utterances of the run
 * @returns null where no reference has times
 */
function startTimes(
  utterances: Iterable<PlannedUtterance>,
  rules: Profile,
  options: IntervalOptions,
): AnswerTally<Explained<TimeAnalysis> | null> {
  const isTimed = [...utterances].some(({ times = [] }) => times.length > 0)
  const [close, starts, ends] = [startRate(options), startRate(options), startRate(options)]
  const units = new Set<AnswerTimes['unit']>()
  const counts = { matchedCount: 0, untimedCount: 0 }
  return {
    add({ utterance, timings }, { steps }) {
      for (const timing of timings) {
        if (timing === null) {
          counts.untimedCount += 1
          continue
        }
        const profile = profileOfUtterance(rules, utterance.language)
        const errors = compareTimes(steps, utterance.times ?? [], timing.parts, profile)
        units.add(timing.unit)
        counts.matchedCount += errors.matchedCount
        close.add(utterance, errors.closeCount, errors.comparedCount)
        starts.add(utterance, errors.startErrorMs, errors.startCount)
        ends.add(utterance, errors.endErrorMs, errors.endCount)
      }
    },
    result() {
      if (!isTimed) return null
      const rate = close.rate()
      if (units.size === 0) {
        const reason = counts.untimedCount === 0 ? 'no reference with times was answered' : noTimes
        return { reason, rate: null }
      }
      if (rate.denominator === 0) return { reason: 'no matched word has a time on both sides', rate: null }
      return {
        reason: null,
        rate,
        startError: starts.meanMs(),
        endError: ends.meanMs(),
        closeMs: closeTimeMs,
        units: [...units].sort(),
        ...counts,
      }
    },
  }
}

const noTimes = 'the target returned no times in seconds'

const listedPathologies = 100
/** Max number of examples in memory, of which the largest remain, so that memory does not grow with the corpus. */
const keptExamples = 10 * listedPathologies

interface Found {
  readonly utteranceIds: Set<string>
  answerCount: number
  examples: PathologyExample[]
}

function startPathologies(): AnswerTally<readonly PathologyAnalysis[]> {
  const kinds = Object.keys(pathologyRules) as PathologyKind[]
  const found = new Map<PathologyKind, Found>(
    kinds.map((kind) => [kind, { utteranceIds: new Set(), answerCount: 0, examples: [] }]),
  )
  const answered = new Set<string>()
  return {
    add({ utterance, requestIndex, round, times }, { pathologies }) {
      answered.add(utterance.id)
      const seen = new Set<PathologyKind>()
      for (const { kind, size, detail } of pathologies) {
        const sum = found.get(kind)
        if (sum === undefined) continue
        sum.utteranceIds.add(utterance.id)
        if (!seen.has(kind)) sum.answerCount += times
        seen.add(kind)
        const shown = detail.length > longestDetail ? `${detail.slice(0, longestDetail)}…` : detail
        const where = { utteranceId: utterance.id, requestIndex, round, answerCount: times }
        sum.examples.push({ ...where, size, detail: shown })
        if (sum.examples.length > keptExamples) sum.examples = largest(sum.examples)
      }
    },
    result: () =>
      [...found].map(([kind, { utteranceIds, answerCount, examples }]) => ({
        kind,
        rule: pathologyRules[kind],
        rate: utteranceShare(utteranceIds.size, answered.size),
        answerCount,
        examples: largest(examples),
      })),
  }
}

/** Max characters of a detail, because a loop can be pages long. */
const longestDetail = 300

function largest(examples: readonly PathologyExample[]): PathologyExample[] {
  return examples
    .toSorted((a, b) => b.size - a.size || a.requestIndex - b.requestIndex)
    .slice(0, listedPathologies)
}
