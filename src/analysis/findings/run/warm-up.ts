import { describeFailure, meansNoSpeech } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import { counted } from '#prelude'
import { median } from '#statistics/quantiles'
import { signTest } from '#statistics/tests/paired-tests'
import type { ContenderEvaluation } from '../../documents/contender-evaluation.ts'
import { type Answered, serviceTimeMs } from '../../requests/request-times.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import { contenderFinding, runFinding } from '../run-facts.ts'

export const warmUpUnsettled = contenderFinding(
  'WARM_UP_UNSETTLED',
  'warning',
  ({ contender: { id }, warmUp: { slowBeginning: slow, hasSettled, requestCount } }) => {
    const needed = requestCount + Math.max(12, slow?.requestCount ?? 0)
    const advice = `warm it up for longer: --warmup ${needed}`
    if (slow !== null && slow.requestCount > 0) {
      const message =
        `the first ${slow.requestCount} measured answers of ${id} took ${slow.times.toFixed(1)} times as long as the same ` +
        `utterances later: its latencies had not settled in the warm-up`
      return { message, advice }
    }
    if (slow !== null || hasSettled !== false) return []
    const ended = `its warm-up ended after ${requestCount} requests`
    return { message: `the answers of ${id} still became faster when ${ended}`, advice }
  },
)

/** Min share of a contender's time that affects comparisons of speed. */
const comparableShare = 0.01

/**
 * Returns why speeds of a run are not comparable; null where every contender was warm, as far as is known. A slow
 * start with the same share of time for all contenders is a phase of the machine, and changes no ratio of speeds.
 */
export function coldText(evaluation: { readonly contenders: readonly ContenderEvaluation[] }): string | null {
  const { contenders } = evaluation
  const slowShare = ({ warmUp }: ContenderEvaluation): number => warmUp?.slowBeginning?.timeShare ?? 0
  const shared = contenders.length > 1 ? Math.min(...contenders.map(slowShare)) : 0
  const cold = contenders.filter(
    (contender) =>
      slowShare(contender) - shared >= comparableShare ||
      (contender.warmUp?.hasSettled === false && contender.warmUp.slowBeginning === null),
  )
  return cold.length === 0
    ? null
    : `the latencies of ${cold.map(({ contender }) => contender.id).join(', ')} had not settled when measuring began`
}

/** Reports failed warm-ups of contenders that continued; one that was given up has another finding. */
export const warmUpFailed = runFinding('WARM_UP_FAILED', 'note', ({ material: { record }, scored }) =>
  scored.flatMap(({ resolved: { contender, warmup } }) => {
    const failures = warmup.flatMap(({ outcome }) =>
      outcome.ok || meansNoSpeech(outcome.failure) ? [] : [describeFailure(outcome.failure)],
    )
    const isGivenUp = record.givenUp?.some(({ id }) => id === contender.id) === true
    const [first] = failures
    if (first === undefined || isGivenUp) return []
    return {
      message: `${failures.length} of ${counted(warmup.length, 'warm-up request')} to ${contender.id} failed: ${first}`,
    }
  }),
)

/** Max ratio of repeat to first time; a warmer processor does not explain less. */
const cachedShare = 0.5
/** Max probability of so many faster repeats by chance, which fewer than six utterances never reach. */
const maxProbability = 0.05

export const repeatsFaster = runFinding('REPEATS_FASTER', 'warning', ({ closedLoadAnswers }) =>
  closedLoadAnswers.flatMap(({ resolved, answered }) => fasterRepeats(resolved, answered)),
)

/**
 * Tests whether a server answers repeated audio much faster than new audio, as with a cache by content. Each
 * utterance is its own control: the median of its repeats over its first time. Utterances of the warm-up are
 * excluded, because they are not new, and so are runs without repeats.
 *
 * @returns a finding if nearly all repeats are faster (sign test) and their median is at most half of the first time
 */
function fasterRepeats(
  { contender, utterances, warmup }: ResolvedContender,
  answered: Answered,
): Observation | readonly [] {
  const warmedIds = new Set(warmup.map(({ utteranceId }) => utteranceId))
  const shares: number[] = []
  for (const [index, attempts] of answered) {
    if (warmedIds.has(utterances[index]?.id ?? '')) continue
    const share = usualOverFirst(attempts)
    if (share !== null) shares.push(share)
  }
  const share = median(shares)
  if (share === null || share > cachedShare) return []
  const faster = shares.filter((one) => one < 1).length
  if (signTest(faster, shares.length - faster) > maxProbability) return []
  return {
    message:
      `${contender.id} answered what it had been sent before in ${(share * 100).toFixed(0)}% of the time of the first ` +
      `answer (median of ${shares.length} utterances): it may keep answers by content`,
    advice: 'send each utterance once, --rounds 1, from a larger corpus',
  }
}

/** Returns the median of the later times over the time of the first sending; null if either is missing. */
function usualOverFirst(attempts: readonly AttemptLine[]): number | null {
  const [first, ...later] = attempts.toSorted((one, other) => one.sentAtMs - other.sentAtMs)
  const usualMs = median(later.map(serviceTimeMs))
  if (first === undefined || usualMs === null || serviceTimeMs(first) <= 0) return null
  return usualMs / serviceTimeMs(first)
}
