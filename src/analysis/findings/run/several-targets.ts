import { evaluatedTargets } from '../../figures/evaluated-targets.ts'
import type { RunFinding } from '../run-facts.ts'

export const severalTargets = {
  code: 'SEVERAL_TARGETS',
  severity: 'note',
  meaning:
    'The contenders of the run have several targets. Their accuracy can be compared whatever machine they run on. A latency ' +
    'contains the way to its target: connecting, uploading, and one round trip at least, which was measured before the ' +
    'run. A speed (RTFx) is that of the contender on its machine behind its network, not of the model alone.',
  detect: ({ material: { record } }) => {
    const targets = evaluatedTargets(record) ?? []
    const machines = new Set(targets.map(({ machine }) => machine))
    // Several built-in services on this machine differ in their threads alone.
    if (targets.every(({ kind }) => kind === 'embedded')) return []
    const places = targets.map(
      ({ machine, contenderIds, roundTripMs }) =>
        `${contenderIds.join(', ')} on ${machine}${roundTripMs === null ? '' : ` (round trip ${roundTripMs.toFixed(1)} ms)`}`,
    )
    const scope =
      machines.size === 1
        ? 'accuracy, latency and speed are those of one machine'
        : 'accuracy compares; latency includes the network; speed is that of each machine'
    return [{ message: `${places.join('; ')}: ${scope}` }]
  },
} satisfies RunFinding
