import type { AnswerTimes, PlannedUtterance } from '#journal'
import { closeTimeMs, compareTimes, type Profile, profileOfUtterance } from '#scoring'
import type { Explained } from '../documents/error-analysis/rates.ts'
import type { TimeAnalysis } from '../documents/error-analysis/times.ts'
import type { AnswerTally } from './answer-tally.ts'
import { type IntervalOptions, pooledMean, pooledRate, type RateTerm } from './counted-rate.ts'

/**
 * How exactly a contender says when words are spoken, over the words that alignment matches. Every answer counts, because
 * times may differ where texts do not.
 *
 * @param utterances all that were asked for
 * @returns null where no reference has times
 */
export function startTimes(
  utterances: Iterable<PlannedUtterance>,
  rules: Profile,
  options: IntervalOptions,
): AnswerTally<Explained<TimeAnalysis> | null> {
  const isTimed = [...utterances].some(({ times = [] }) => times.length > 0)
  const close: RateTerm[] = []
  const starts: RateTerm[] = []
  const ends: RateTerm[] = []
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
        close.push({ utterance, numerator: errors.closeCount, denominator: errors.comparedCount })
        starts.push({ utterance, numerator: errors.startErrorMs, denominator: errors.startCount })
        ends.push({ utterance, numerator: errors.endErrorMs, denominator: errors.endCount })
      }
    },
    result() {
      if (!isTimed) return null
      const rate = pooledRate(close, options)
      if (close.length === 0) {
        const reason = counts.untimedCount === 0 ? 'no reference with times was answered' : noTimes
        return { reason, rate: null }
      }
      if (rate.denominator === 0) return { reason: 'no matched word has a time on both sides', rate: null }
      return {
        reason: null,
        rate,
        startError: pooledMean(starts, options),
        endError: pooledMean(ends, options),
        closeMs: closeTimeMs,
        units: [...units].sort(),
        ...counts,
      }
    },
  }
}

const noTimes = 'the target returned no times'
