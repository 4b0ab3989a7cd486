import type { ContenderEvaluation, Evaluation, Interval } from '#analysis'
import { counted, fixed, formatTimes } from './units.ts'

/**
 * What a run says, in a sentence. Never names a winner inside the noise, and names every contender that was given up.
 *
 * @returns a few sentences, without line breaks
 */
export function answerSentence(evaluation: Evaluation): string {
  return [comparisonSentence(evaluation), ...givenUpSentences(evaluation)].join(' ')
}

/** Why, the findings say. */
function givenUpSentences({ run: { givenUp } }: Evaluation): readonly string[] {
  const when = { warmup: 'in the warm-up', measure: 'while measured' } as const
  return (['warmup', 'measure'] as const).flatMap((phase) => {
    const ids = givenUp.filter((one) => one.phase === phase).map(({ id }) => id)
    return ids.length === 0 ? [] : [`Given up ${when[phase]}: ${ids.join(', ')}.`]
  })
}

function comparisonSentence(evaluation: Evaluation): string {
  const { difference, contenders } = evaluation
  const scored = contenders.filter((contender) => contender.words.rate !== null)
  const [first] = scored
  if (first === undefined) return 'Nothing was scored, so there is nothing to compare.'
  if (difference === null) return scored.length > 1 ? nothingShared : aloneSentence(first)
  const rank = contenders.length > 2 ? `, the next best of ${contenders.length} contenders,` : ''
  if (difference.isResolved) {
    const { value, interval } = difference.wordErrorRate
    return (
      `${difference.better} makes ${fixed(value * 100, 1)} fewer errors per hundred words than ${difference.worse}` +
      `${rank}${inHundredWords(interval)}${resolvedSpeed(difference.speedRatio)}.`
    )
  }
  return unresolvedSentence(evaluation, difference)
}

const nothingShared = 'No utterance was answered by two contenders, so they cannot be compared.'

function aloneSentence({ contender, words, systemSpeed }: ContenderEvaluation): string {
  const errors = fixed((words.rate ?? 0) * 100, 1)
  const speed =
    systemSpeed.value === null
      ? ''
      : `, and transcribes ${formatTimes(systemSpeed.value).replace('×', '')} seconds of speech a second`
  return `${contender.id} makes ${errors} errors per hundred words${inHundredWords(words.interval)}${speed}.`
}

function unresolvedSentence(
  { contenders }: Evaluation,
  {
    better,
    worse,
    utteranceCount,
    wordErrorRate,
    differingCount,
    speedRatio,
  }: NonNullable<Evaluation['difference']>,
): string {
  const names = `${better} and ${worse}`
  const scope = `on ${utteranceCount === 1 ? 'this one utterance' : `these ${counted(utteranceCount, 'utterance')}`}`
  const best = contenders.length > 2 ? `, the best two of ${contenders.length} contenders,` : ''
  const difference =
    `the difference is ${fixed(wordErrorRate.value * 100, 1)} errors per hundred words` +
    inHundredWords(wordErrorRate.interval)
  const isSureOfItself = (wordErrorRate.interval?.low ?? 0) > 0
  const why =
    differingCount === 0
      ? 'they make the same number of errors'
      : isSureOfItself
        ? `${difference}, but only ${differingCount} differ at all, too few to exclude chance`
        : difference
  return `${names}${best} cannot be told apart by their errors ${scope}: ${why}.${unresolvedSpeed(better, worse, speedRatio)}`
}

function inHundredWords(interval: Interval | null): string {
  if (interval === null) return ''
  const confidence = Math.round(interval.confidence * 100)
  return ` (${confidence}% interval ${fixed(interval.low * 100, 1)} to ${fixed(interval.high * 100, 1)})`
}

/** Speeds closer than this are not worth a word: one run cannot tell them apart. */
const similarSpeed = 1.1

function resolvedSpeed(ratio: number | null): string {
  if (ratio === null || ratio <= 0) return ''
  if (ratio < similarSpeed && ratio > 1 / similarSpeed) return ' and was about as fast in this run'
  return ratio > 1
    ? ` and was ${fixed(ratio, 1)} times faster in this one run, which gives that no interval`
    : ` and was ${fixed(1 / ratio, 1)} times slower in this one run, which gives that no interval`
}

function unresolvedSpeed(better: string, worse: string, ratio: number | null): string {
  if (ratio === null || ratio <= 0) return ''
  if (ratio < similarSpeed && ratio > 1 / similarSpeed) return ' They were about equally fast in this run.'
  const [faster, slower, times] = ratio > 1 ? [better, worse, ratio] : [worse, better, 1 / ratio]
  return ` ${faster} was ${fixed(times, 1)} times faster than ${slower} in this one run, which gives that no interval.`
}
