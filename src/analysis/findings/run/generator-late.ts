import type { RunFacts, RunFinding } from '../run-facts.ts'

/** A request may leave this late without saying anything about the generator: a busy moment of any machine. */
const tolerableLagMs = 20
/** Or this share of the median latency, of which it is then a small part. */
const tolerableLagShare = 0.1

/** Only under an open load, whose figures count from the moment at which a request is due. */
export const generatorLate = {
  code: 'GENERATOR_LATE',
  severity: 'invalid',
  meaning:
    'Under an open load every request has a moment at which it is due. Here one in a hundred left later than that by ' +
    'more than 20 ms and more than a tenth of the median latency. The waiting that was measured is then partly that of ' +
    'the measuring program, whose event loop stalled.',
  detect: (facts) => {
    const late = facts.load.latencyCountsFrom === 'due' ? latenessText(facts) : null
    if (late === null) return []
    return [
      {
        message: `${late}, which is this machine's doing and not the server's`,
        advice: 'close other work on this machine, or lower the rate',
      },
    ]
  },
} satisfies RunFinding

/** How late requests left, in words; null where it is a small part of what was measured. */
export function latenessText({
  instrument: { sendLagMs },
  contenders,
}: Pick<RunFacts, 'instrument' | 'contenders'>): string | null {
  const medians = contenders.map(({ latencyMs }) => latencyMs.p50.value).filter((value) => value !== null)
  const medianLatencyMs = medians.length === 0 ? 0 : Math.min(...medians)
  if (sendLagMs === null) return null
  if (sendLagMs.p99 <= Math.max(tolerableLagMs, tolerableLagShare * medianLatencyMs)) return null
  return (
    `1% of the requests left ${sendLagMs.p99.toFixed(0)} ms or more after they were due (most: ` +
    `${sendLagMs.max.toFixed(0)} ms)`
  )
}
