import { quantile, signTest, sortSamples } from '#statistics'
import type { AnsweredTimes } from '../../requests/answered-times.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import type { RunFinding } from '../run-facts.ts'

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
