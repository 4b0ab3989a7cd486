import { askedThresholds } from '../../thresholds/threshold.ts'
import type { RunFinding } from '../run-facts.ts'

/** @see Schroeder, Wierman and Harchol-Balter 2006, "Open versus closed: a cautionary tale" */
export const closedLoadObjective = {
  code: 'CLOSED_LOAD_OBJECTIVE',
  formerCode: 'CLOSED_LOAD_PROMISE',
  severity: 'note',
  meaning:
    'A limit on latency was checked under a closed load, which sends the next request when an answer has come: a slow server ' +
    'slows the asking, and no queue builds up (Schroeder, Wierman and Harchol-Balter 2006). The figure is the service time ' +
    'at that many in flight. What people would wait who come when they like shows under an open load.',
  detect: ({ material: { record }, load: { kind, description } }) => {
    if (kind !== 'closed') return []
    const asked = askedThresholds(record.config).filter(({ metric }) => metric.id.startsWith('latency.p'))
    if (asked.length === 0) return []
    return [
      {
        message:
          `${asked.map(({ text }) => `"${text}"`).join(' and ')} was checked under a load that waits for its answers (${description}): ` +
          'people who come when they like would wait longer',
        advice: 'what they would see: --rate, --users or transcribench capacity',
      },
    ]
  },
} satisfies RunFinding
