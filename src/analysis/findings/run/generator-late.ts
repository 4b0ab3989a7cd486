import { clopperPearsonInterval } from '#statistics'
import type { RunFacts, RunFinding } from '../run-facts.ts'

/** A request may leave this late without saying anything about the generator: a busy moment of any machine. */
const tolerableLagMs = 20
/** Or this share of the median latency, of which it is then a small part. */
const tolerableLagShare = 0.1
/** Of the requests, so many may be late. */
const tolerableShare = 0.01

/** Only under an open load, whose figures count from the moment at which a request is due. */
export const generatorLate = {
  code: 'GENERATOR_LATE',
  severity: 'invalid',
  meaning:
    'Under an open load every request has a moment at which it is due. A request is late that left after it by more than 20 ms ' +
    'and more than a tenth of the median latency. Here more than one in a hundred were late, by the lower bound of an exact ' +
    '95% interval (of 50 requests one or two are chance), or the mean of all was half as late as one may be. The waiting that ' +
    'was measured is then partly that of the measuring program, whose event loop stalled.',
  detect: (facts) => {
    const late = facts.load.latencyCountsFrom === 'due' ? lateRequestsText(facts) : null
    if (late === null) return []
    return [
      {
        message: `${late}, which is this machine's doing and not the server's`,
        advice: 'close other work on this machine, or lower the rate',
      },
    ]
  },
} satisfies RunFinding

/** How many requests left late, in words; null where those are few, and not very late. */
function lateRequestsText({ resolved, contenders }: RunFacts): string | null {
  const limitMs = tolerableMs(contenders)
  let [count, late, sumMs, mostMs] = [0, 0, 0, 0]
  for (const { sendings } of resolved.contenders)
    for (const { attempt, sentAtMs, dueAtMs } of sendings) {
      if (attempt !== 1) continue
      const lagMs = sentAtMs - dueAtMs
      count += 1
      sumMs += lagMs
      mostMs = Math.max(mostMs, lagMs)
      if (lagMs > limitMs) late += 1
    }
  const atLeast = clopperPearsonInterval(late, count, 0.9)?.low ?? 0
  if (atLeast <= tolerableShare && sumMs <= (count * limitMs) / 2) return null
  return (
    `${late} of ${count} requests left more than ${limitMs.toFixed(0)} ms after they were due (most: ` +
    `${mostMs.toFixed(0)} ms)`
  )
}

function tolerableMs(contenders: RunFacts['contenders']): number {
  const medians = contenders.map(({ latencyMs }) => latencyMs.p50.value).filter((value) => value !== null)
  const medianLatencyMs = medians.length === 0 ? 0 : Math.min(...medians)
  return Math.max(tolerableLagMs, tolerableLagShare * medianLatencyMs)
}

/** How late requests left, in words; null where it is a small part of what was measured. */
export function latenessText({
  instrument: { sendLagMs },
  contenders,
}: Pick<RunFacts, 'instrument' | 'contenders'>): string | null {
  if (sendLagMs === null || sendLagMs.p99 <= tolerableMs(contenders)) return null
  return (
    `1% of the requests left ${sendLagMs.p99.toFixed(0)} ms or more after they were due (most: ` +
    `${sendLagMs.max.toFixed(0)} ms)`
  )
}
