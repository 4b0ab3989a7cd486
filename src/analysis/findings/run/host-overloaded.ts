import type { RunFacts, RunFinding } from '../run-facts.ts'

/** Above this share of the processors, what people wait for is other programs. */
const overloadedShare = 0.5

export const hostOverloaded = {
  code: 'HOST_OVERLOADED',
  severity: 'invalid',
  meaning:
    'Under an open load, figures are waiting times of users. Here other programs kept more than half of the ' +
    'processors busy, on average over the run, so that the waiting is as much theirs as the server’s. Under a closed ' +
    'load the same is the warning HOST_BUSY.',
  detect: (facts) => {
    if (!isHostOverloaded(facts)) return []
    const { foreignProcessors: foreign } = facts.instrument
    const { cpuCount } = facts.material.record.host
    return [
      {
        message: `other programs kept ${foreign?.toFixed(1)} of ${cpuCount} processors busy, so that the waiting is theirs too`,
        advice: 'close other work and measure again',
      },
    ]
  },
} satisfies RunFinding

/** Only under an open load, whose figures are times that people waited. */
export function isHostOverloaded({
  load,
  instrument: { foreignProcessors: foreign },
  material: { record },
}: Pick<RunFacts, 'load' | 'instrument' | 'material'>): boolean {
  return (
    load.latencyCountsFrom === 'due' && foreign !== null && foreign > record.host.cpuCount * overloadedShare
  )
}
