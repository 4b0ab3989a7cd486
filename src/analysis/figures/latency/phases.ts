import { type NumberColumn, numberColumn, type Rows } from '#prelude'
import type { Phases, RequestPhases } from '../../documents/latency.ts'
import { phasesOf } from '../../requests/request-phases.ts'
import type { ScoredRequest } from '../../requests/scored-request.ts'
import { percentileSet } from './percentiles.ts'

const phaseNames = ['queueMs', 'connectMs', 'uploadMs', 'waitMs', 'downloadMs'] as const

/** Below this a body fits into the buffers of the operating system, and its upload time does not show the network. */
const leastUploadBytes = 1_000_000

/**
 * Phases of all answered requests of a contender. Connecting is reported for those that had to connect: for the others it is 0, and
 * a percentile over both would show how often a socket was open.
 */
export function measurePhases(answered: Rows<ScoredRequest>): Phases {
  const column = (): NumberColumn => numberColumn(answered.length)
  const times: Readonly<Record<keyof RequestPhases, NumberColumn>> = {
    queueMs: column(),
    connectMs: column(),
    uploadMs: column(),
    waitMs: column(),
    downloadMs: column(),
  }
  let [bytes, ms, largeCount] = [0, 0, 0]
  for (const { resolved } of answered) {
    const { attempt } = resolved
    const phases = attempt === null ? null : phasesOf(attempt)
    if (attempt === null || phases === null) continue
    for (const phase of phaseNames) {
      if (phase !== 'connectMs' || phases.connectMs > 0) times[phase].add(phases[phase])
    }
    const { bodyBytes } = attempt
    if (bodyBytes < leastUploadBytes || phases.uploadMs <= 0) continue
    bytes += bodyBytes
    ms += phases.uploadMs
    largeCount += 1
  }
  return {
    queueMs: percentileSet(times.queueMs.values()),
    connectMs: percentileSet(times.connectMs.values()),
    uploadMs: percentileSet(times.uploadMs.values()),
    waitMs: percentileSet(times.waitMs.values()),
    downloadMs: percentileSet(times.downloadMs.values()),
    uploadBytesPerSecond:
      largeCount === 0
        ? { value: null, reason: 'no request carried 1 MB or more' }
        : { value: bytes / (ms / 1000), sampleCount: largeCount },
  }
}
