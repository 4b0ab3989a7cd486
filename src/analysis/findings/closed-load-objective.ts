import type { RunRecord } from '#journal'
import type { EvaluatedLoad } from '../documents/evaluation.ts'
import { type Finding, finding } from '../documents/finding.ts'
import { askedThresholds } from '../thresholds/threshold.ts'

/**
 * Whether a limit on latency was held to a closed load, under which nobody waits in a queue that others made.
 *
 * @see Schroeder, Wierman and Harchol-Balter 2006, "Open versus closed: a cautionary tale"
 */
export function closedPromiseFinding(
  { config }: Pick<RunRecord, 'config'>,
  { kind, description }: EvaluatedLoad,
): readonly Finding[] {
  if (kind !== 'closed') return []
  const asked = askedThresholds(config).filter(({ metric }) => metric.id.startsWith('latency.p'))
  if (asked.length === 0) return []
  return [
    finding(
      'CLOSED_LOAD_PROMISE',
      `${asked.map(({ text }) => `"${text}"`).join(' and ')} was held to a load that waits for its answers (${description}): ` +
        'people who come when they like would wait longer',
      'what they would see: --rate, --speakers or transcribench capacity',
    ),
  ]
}
