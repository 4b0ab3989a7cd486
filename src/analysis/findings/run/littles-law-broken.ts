import type { ContenderEvaluation } from '../../documents/contender-evaluation.ts'
import type { Observation } from '../finding-definition.ts'
import type { RunFinding } from '../run-facts.ts'

/** Little's law may miss by this, and by what the requests that lie over the edges of the windows weigh. */
const tolerableLittleError = 0.02
/** A closed load cannot have more in flight than it keeps, but for what time stamps are rounded by. */
const tolerableOverlap = 0.002

export const littlesLawBroken = {
  code: 'LITTLES_LAW_BROKEN',
  severity: 'invalid',
  meaning:
    'The mean number in flight is the rate of completions times the mean time each took (Little 1961). Over the steady ' +
    'windows the two differ by more than 2% and the requests that lie over the edges, or a closed load had more in flight ' +
    'than it keeps: attempts are missing or counted twice, or the measuring process was stopped.',
  detect: ({ contenders, load }) =>
    contenders.flatMap((contender) =>
      missedLaw(contender, contender.contender.concurrency ?? load.concurrency),
    ),
} satisfies RunFinding

/**
 * Whether the completions and the times of a contender belong to the same window: N = X · R. A closed load has no more in
 * flight than it keeps. Every block is a window, with two edges.
 *
 * @param concurrency what a closed load keeps in flight; null for any other load
 */
function missedLaw(
  { contender: { id }, systemSpeed }: ContenderEvaluation,
  concurrency: number | null,
): readonly Observation[] {
  if (systemSpeed.value === null) return []
  const { meanInFlight, predictedInFlight, completedCount, blockCount } = systemSpeed
  if (meanInFlight === 0) return []
  const overTheEdges = (2 * Math.max(1, meanInFlight) * blockCount) / completedCount
  const error = Math.abs(meanInFlight - predictedInFlight) / meanInFlight
  const isOverfull = concurrency !== null && meanInFlight > concurrency * (1 + tolerableOverlap)
  if (error <= tolerableLittleError + overTheEdges && !isOverfull) return []
  const contrast = isOverfull
    ? `the load keeps ${concurrency}`
    : `completions and times make ${predictedInFlight.toFixed(2)}`
  return [
    {
      message:
        `${meanInFlight.toFixed(2)} requests to ${id} were in flight on average, where ${contrast}: attempts ` +
        'are missing from the journal, or the event loop of this process stalled',
      advice: 'measure again',
    },
  ]
}
