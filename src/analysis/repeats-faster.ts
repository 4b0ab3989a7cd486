import { quantile, signTest, sortSamples } from '#statistics'
import { type Finding, finding } from './findings.ts'
import type { JudgedContender } from './judged-run.ts'

/** Repeats that take this share of the first time or less are not explained by a warmer processor. */
const cachedShare = 0.5
/** Below this a sign test is sure of nothing. */
const fewestUtterances = 6
const mostProbability = 0.05

/**
 * Whether a server answers what it was sent before much faster than what is new to it, as one does that keeps answers
 * by content. Each utterance stands for itself: the median of its repeats over its first time. Utterances of the warm-up
 * are not new when they are measured, and left out; so are runs that ask for nothing twice.
 *
 * @returns a finding where the repeats are nearly all faster (sign test) and their median takes half the time or less
 */
export function repeatsFasterFinding({
  contender,
  requests,
  warmup,
}: Pick<JudgedContender, 'contender' | 'requests' | 'warmup'>): readonly Finding[] {
  const known = new Set(warmup.map(({ utteranceId }) => utteranceId))
  const sendings = new Map<string, { readonly sentAtMs: number; readonly serviceMs: number }[]>()
  for (const { status, attempt, utterance } of requests) {
    if (status !== 'scored' || attempt === null || known.has(utterance.id)) continue
    const { sentAtMs, endedAtMs } = attempt
    const sending = { sentAtMs, serviceMs: endedAtMs - sentAtMs }
    const those = sendings.get(utterance.id)
    if (those === undefined) sendings.set(utterance.id, [sending])
    else those.push(sending)
  }
  const shares = [...sendings.values()].flatMap((those) => {
    const inTime = those.sort((a, b) => a.sentAtMs - b.sentAtMs)
    const [first, ...repeats] = inTime.map(({ serviceMs }) => serviceMs)
    const usual = quantile(sortSamples(repeats), 0.5)
    return first === undefined || usual === null || first <= 0 ? [] : [usual / first]
  })
  const share = quantile(sortSamples(shares), 0.5)
  if (shares.length < fewestUtterances || share === null || share > cachedShare) return []
  const faster = shares.filter((one) => one < 1).length
  if (signTest(faster, shares.length - faster) > mostProbability) return []
  return [
    finding(
      'REPEATS_FASTER',
      `${contender.id} answered what it had been sent before in ${(share * 100).toFixed(0)}% of the time of the first ` +
        `answer (median of ${shares.length} utterances): it may keep answers by content`,
      'send each utterance once, --rounds 1, from a larger corpus',
    ),
  ]
}
