import { describeFailure, meansNoSpeech } from '#contract/failures'
import { quantile, sortSamples } from '#statistics/quantiles'
import { signTest } from '#statistics/tests/paired-tests'
import type { AnsweredTimes } from '../../requests/request-times.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

/** What an utterance usually takes is the median of so many answers at least. */
const fewestRepeats = 3
/** Of the answers after them, which say how much times differ anyway. */
const fewestLater = 40
/** Less is no matter of the warm-up. */
const leastSlowness = 1.25
/** One slow answer may be chance: two in a row are so once in 400 runs. */
const fewestSlow = 2

export const warmUpUnsettled = {
  code: 'WARM_UP_UNSETTLED',
  severity: 'warning',
  meaning:
    'Under a closed load, the first measured answers of a contender, two or more in a row, took at least a fourth longer than ' +
    'the same utterances later, and longer than 95% of all later answers did. The warm-up had ended before latencies settled, ' +
    'so that latency and speed of the run hold some of it.',
  detect: ({ closedLoadTimes }) =>
    closedLoadTimes.flatMap(({ resolved, answered }) => slowBeginning(resolved, answered)),
} satisfies RunFinding

/** Each utterance is its own control: a time over the median of all its times. */
function slowBeginning(
  { contender, warmup }: ResolvedContender,
  { utterancePlaces, sentAtMs, serviceMs }: AnsweredTimes,
): readonly Observation[] {
  const answers: { readonly sentAtMs: number; readonly slowness: number }[] = []
  for (const utterance of utterancePlaces.keys()) {
    const [sent, took] = [sentAtMs(utterance), serviceMs(utterance)]
    const usualMs = quantile(sortSamples(took), 0.5)
    if (usualMs === null || usualMs <= 0 || took.length < fewestRepeats) continue
    for (const [row, ms] of took.entries()) {
      answers.push({ sentAtMs: sent[row] as number, slowness: ms / usualMs })
    }
  }
  answers.sort((a, b) => a.sentAtMs - b.sentAtMs)
  const half = answers.slice(answers.length >> 1).map(({ slowness }) => slowness)
  const usual = quantile(sortSamples(half), 0.95)
  if (usual === null || half.length < fewestLater) return []
  const limit = Math.max(leastSlowness, usual)
  const settled = answers.findIndex(({ slowness }) => slowness <= limit)
  const slow = answers.slice(0, settled)
  const middle = quantile(sortSamples(slow.map(({ slowness }) => slowness)), 0.5)
  if (middle === null || slow.length < fewestSlow) return []
  return [
    {
      message:
        `the first ${slow.length} measured answers of ${contender.id} took ${middle.toFixed(1)} times as long as the same ` +
        `utterances later: its latencies had not settled in the warm-up`,
      advice: `warm it up for longer: --warmup ${warmup.length + slow.length}`,
    },
  ]
}

/** A contender that went on all the same; one that was given up has a separate finding. */
export const warmUpFailed = {
  code: 'WARM_UP_FAILED',
  severity: 'note',
  meaning:
    'Requests of the warm-up failed and those that were measured went on: they are in no figure, so that a server that fails ' +
    'when it is first asked would look as if it never did.',
  detect: ({ material: { record }, scored }) =>
    scored.flatMap(({ resolved: { contender, warmup } }) => {
      const failures = warmup.flatMap(({ outcome }) =>
        outcome.ok || meansNoSpeech(outcome.failure) ? [] : [describeFailure(outcome.failure)],
      )
      const isGivenUp = record.givenUp?.some(({ id }) => id === contender.id) === true
      const [first] = failures
      if (first === undefined || isGivenUp) return []
      return [
        {
          message: `${failures.length} of ${counted(warmup.length, 'warm-up request')} to ${contender.id} failed: ${first}`,
        },
      ]
    }),
} satisfies RunFinding

/** Repeats that take this share of the first time or less are not explained by a warmer processor. */
const cachedShare = 0.5
/** Below this a sign test is sure of nothing. */
const fewestUtterances = 6
const mostProbability = 0.05

export const repeatsFaster = {
  code: 'REPEATS_FASTER',
  severity: 'warning',
  meaning:
    'Under a closed load, utterances that were sent again took half the time of their first answer or less, in the median ' +
    'and for nearly all of them (sign test, 5%). A server that keeps answers by content does that, and its speed is then ' +
    'that of a memory, not of recognition: users do not dictate the same audio twice. Utterances of the warm-up are excluded.',
  detect: ({ closedLoadTimes }) =>
    closedLoadTimes.flatMap(({ resolved, answered }) => fasterRepeats(resolved, answered)),
} satisfies RunFinding

/**
 * Whether a server answers what it was sent before much faster than what is new to it, as one does that keeps answers
 * by content. Each utterance is its own control: the median of its repeats over its first time. Utterances of the warm-up
 * are not new when they are measured, and are excluded; so are runs that send no utterance twice.
 *
 * @returns something where the repeats are nearly all faster (sign test) and their median takes half the time or less
 */
function fasterRepeats(
  { contender, utterances, warmup }: ResolvedContender,
  { utterancePlaces, sentAtMs, serviceMs }: AnsweredTimes,
): readonly Observation[] {
  const known = new Set(warmup.map(({ utteranceId }) => utteranceId))
  const shares: number[] = []
  for (const [utterance, place] of utterancePlaces.entries()) {
    if (known.has(utterances[place]?.id ?? '')) continue
    const share = usualOverFirst(sentAtMs(utterance), serviceMs(utterance))
    if (share !== null) shares.push(share)
  }
  const share = quantile(sortSamples(shares), 0.5)
  if (shares.length < fewestUtterances || share === null || share > cachedShare) return []
  const faster = shares.filter((one) => one < 1).length
  if (signTest(faster, shares.length - faster) > mostProbability) return []
  return [
    {
      message:
        `${contender.id} answered what it had been sent before in ${(share * 100).toFixed(0)}% of the time of the first ` +
        `answer (median of ${shares.length} utterances): it may keep answers by content`,
      advice: 'send each utterance once, --rounds 1, from a larger corpus',
    },
  ]
}

/** The median of the later times over that of the sending that was first; null without one of them. */
function usualOverFirst(sentAtMs: Float64Array, serviceMs: Float64Array): number | null {
  const first = sentAtMs.reduce((least, ms, row) => (ms < (sentAtMs[least] as number) ? row : least), 0)
  const firstMs = serviceMs[first]
  const usualMs = quantile(sortSamples(serviceMs.filter((_, row) => row !== first)), 0.5)
  return firstMs === undefined || usualMs === null || firstMs <= 0 ? null : usualMs / firstMs
}
