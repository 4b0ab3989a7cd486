import type { AttemptLine, RunCounts } from '#journal'

/** What a person wants to know while a run goes on, added up from its events. */
export interface RunProgress {
  readonly contenderId: string
  readonly doneCount: number
  readonly plannedCount: number
  readonly failedCount: number
  readonly inFlight: number
  /** By contender, in the order of the config: audio seconds a second so far, or null before the first answer. */
  readonly speeds: readonly { readonly contenderId: string; readonly speed: number | null }[]
  /** Null until there is something to go by. */
  readonly remainingSeconds: number | null
}

export interface ProgressMeter {
  add(line: AttemptLine, counts: RunCounts, inFlight: number): RunProgress
}

/** @param concurrency requests kept in flight, by which service times overlap */
export function meterProgress(contenderIds: readonly string[], concurrency: number): ProgressMeter {
  const totals = new Map(contenderIds.map((id) => [id, { audioSeconds: 0, serviceSeconds: 0 }]))
  let measured = 0
  let measuredSeconds = 0
  return {
    add(line, counts, inFlight) {
      const serviceSeconds = (line.endedAtMs - line.sentAtMs) / 1000 / concurrency
      const total = totals.get(line.contenderId)
      if (line.phase === 'measure' && line.outcome.ok && total !== undefined) {
        total.audioSeconds += line.audioSeconds
        total.serviceSeconds += serviceSeconds
        measured += 1
        measuredSeconds += serviceSeconds
      }
      return {
        contenderId: line.contenderId,
        doneCount: counts.planned - counts.notSent,
        plannedCount: counts.planned,
        failedCount: counts.failed,
        inFlight,
        speeds: [...totals].map(([contenderId, { audioSeconds, serviceSeconds: spent }]) => ({
          contenderId,
          speed: spent > 0 ? audioSeconds / spent : null,
        })),
        remainingSeconds: measured === 0 ? null : (measuredSeconds / measured) * counts.notSent,
      }
    },
  }
}
