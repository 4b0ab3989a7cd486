import type { AttemptLine, PlannedRequest, RunCounts } from '#journal'
import type { ProgressText } from '#reports'
import type { ErrorsSoFar } from './errors-so-far.ts'

export interface ProgressMeter {
  add(line: AttemptLine, counts: RunCounts, inFlight: number): ProgressText
}

/** A sending that is later than this is worth telling while it happens; what it means for the run is judged after. */
const lateMs = 10

/** What is known of one contender so far. */
interface Stretch {
  planned: number
  done: number
  audioSeconds: number
  /** By block: when its first request was due, and its last answer so far. */
  readonly blocks: Map<number, { firstMs: number; lastMs: number }>
}

/** @param requests the whole plan */
export function meterProgress(requests: readonly PlannedRequest[], errors: ErrorsSoFar): ProgressMeter {
  const stretches = new Map<string, Stretch>()
  for (const { contenderId, phase } of requests) {
    const stretch = stretches.get(contenderId) ?? { planned: 0, done: 0, audioSeconds: 0, blocks: new Map() }
    stretches.set(contenderId, stretch)
    if (phase === 'measure') stretch.planned += 1
  }
  let lateCount = 0
  let startedAtMs = Number.POSITIVE_INFINITY
  let endedAtMs = Number.NEGATIVE_INFINITY
  return {
    add(line, counts, inFlight) {
      const stretch = stretches.get(line.contenderId)
      if (line.phase === 'measure' && stretch !== undefined) {
        addTo(stretch, line)
        errors.add(line)
        startedAtMs = Math.min(startedAtMs, line.dueAtMs)
        endedAtMs = Math.max(endedAtMs, line.endedAtMs)
        if (line.attempt === 1 && line.sentAtMs - line.dueAtMs > lateMs) lateCount += 1
      }
      return {
        contenderId: line.contenderId,
        doneCount: counts.planned - counts.notSent,
        plannedCount: counts.planned,
        failedCount: counts.failed,
        inFlight,
        lateCount,
        soFar: () =>
          [...stretches].map(([contenderId, { audioSeconds, blocks }]) => ({
            contenderId,
            speed: audioSeconds > 0 ? audioSeconds / secondsOf(blocks) : null,
            wordErrorRate: errors.rateOf(contenderId),
          })),
        elapsedSeconds: Math.max(0, endedAtMs - startedAtMs) / 1000,
        remainingSeconds: remainingSeconds([...stretches.values()]),
      }
    },
  }
}

function addTo(
  stretch: Stretch,
  { block, dueAtMs, endedAtMs, audioSeconds, outcome, attempt }: AttemptLine,
): void {
  const span = stretch.blocks.get(block) ?? { firstMs: dueAtMs, lastMs: endedAtMs }
  stretch.blocks.set(block, {
    firstMs: Math.min(span.firstMs, dueAtMs),
    lastMs: Math.max(span.lastMs, endedAtMs),
  })
  if (attempt === 1) stretch.done += 1
  if (outcome.ok) stretch.audioSeconds += audioSeconds
}

function secondsOf(blocks: Stretch['blocks']): number {
  return [...blocks.values()].reduce((sum, { firstMs, lastMs }) => sum + lastMs - firstMs, 0) / 1000
}

/** Each contender at its own pace; one that has not begun at the pace of the others. */
function remainingSeconds(stretches: readonly Stretch[]): number | null {
  const seconds = stretches.reduce((sum, { blocks }) => sum + secondsOf(blocks), 0)
  const done = stretches.reduce((sum, stretch) => sum + stretch.done, 0)
  if (done === 0) return null
  return stretches.reduce((sum, stretch) => {
    const pace = stretch.done === 0 ? seconds / done : secondsOf(stretch.blocks) / stretch.done
    return sum + Math.max(0, stretch.planned - stretch.done) * pace
  }, 0)
}
