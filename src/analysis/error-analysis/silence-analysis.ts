import { hypothesisLength, referenceLength } from '#scoring'
import type { SilenceAnalysis, SilenceExample } from '../documents/error-analysis/answers.ts'
import type { AnswerTally } from './answer-tally.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'

const listedExamples = 100

/** What is answered where nothing is said. */
export function startSilence(options: IntervalOptions): AnswerTally<SilenceAnalysis | null> {
  const examples = new Map<string, SilenceExample>()
  const terms: RateTerm[] = []
  const utteranceIds = new Set<string>()
  let audioSeconds = 0
  let insertedWords = 0
  return {
    add({ utterance, hypothesis, score, times }) {
      if (referenceLength(score.words) > 0) return
      const words = hypothesisLength(score.words)
      utteranceIds.add(utterance.id)
      audioSeconds += utterance.durationSeconds * times
      insertedWords += words * times
      terms.push({ utterance, numerator: words > 0 ? times : 0, denominator: times })
      const known = examples.get(utterance.id)
      examples.set(utterance.id, {
        utteranceId: utterance.id,
        audioSeconds: utterance.durationSeconds,
        answerCount: (known?.answerCount ?? 0) + times,
        answeredWithWordsCount: (known?.answeredWithWordsCount ?? 0) + (words > 0 ? times : 0),
        insertedWords: (known?.insertedWords ?? 0) + words * times,
        hypothesis: known === undefined || known.hypothesis === '' ? hypothesis : known.hypothesis,
      })
    },
    result: () =>
      utteranceIds.size === 0
        ? null
        : {
            utteranceCount: utteranceIds.size,
            answeredWithWords: pooledRate(terms, options),
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
