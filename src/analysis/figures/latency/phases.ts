import { type NumberColumn, numberColumn } from '#prelude'
import type { Phases, RequestPhases } from '../../documents/latency.ts'
import { phasesOf } from '../../requests/request-phases.ts'
import type { ScoredRequest } from '../../requests/scored-request.ts'
import { percentileSet } from './percentiles.ts'

const phaseNames = ['queueMs', 'connectMs', 'waitMs', 'downloadMs'] as const

/**
 * Phases of all answered requests of a contender. Connecting is reported for those that had to connect: for the others it is 0, and
 * a percentile over both would show how often a socket was open.
 */
export function measurePhases(answered: readonly ScoredRequest[]): Phases {
  const column = (): NumberColumn => numberColumn(answered.length)
  const times: Readonly<Record<keyof RequestPhases, NumberColumn>> = {
    queueMs: column(),
    connectMs: column(),
    waitMs: column(),
    downloadMs: column(),
  }
  for (const { resolved } of answered) {
    const { attempt } = resolved
    const phases = attempt === null ? null : phasesOf(attempt)
    if (phases === null) continue
    for (const phase of phaseNames) {
      if (phase !== 'connectMs' || phases.connectMs > 0) times[phase].add(phases[phase])
    }
  }
  return {
    queueMs: percentileSet(times.queueMs.values()),
    connectMs: percentileSet(times.connectMs.values()),
    waitMs: percentileSet(times.waitMs.values()),
    downloadMs: percentileSet(times.downloadMs.values()),
  }
}
