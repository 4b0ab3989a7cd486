import { quantile, sortSamples } from '#statistics'
import type { AnsweredTimes } from '../../requests/answered-times.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import type { RunFinding } from '../run-facts.ts'

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
