import type { AttemptLine, PlannedRequest, RunCounts } from '#journal'
import { sumOf } from '#prelude'
import type { ProgressText } from '#reports'
import type { ErrorsSoFar } from '#session/measure'

/** How far the run is after an attempt. */
interface RunSoFar {
  readonly counts: RunCounts
  readonly inFlight: number
  readonly pausedCount: number
}

export interface ProgressMeter {
  add(line: AttemptLine, soFar: RunSoFar): ProgressText
  /** Nothing more is sent to this contender. */
  giveUp(contenderId: string): void
}

/** A sending that is later than this is worth telling while it happens; what it means for the run is judged after. */
const lateMs = 10

/** What is known of one contender so far. */
interface Stretch {
  planned: number
  done: number
  audioSeconds: number
  /** Time in which a rate limit held everything back, and when the last of it ended. */
  pausedMs: number
  pausedUntilMs: number
  /** By block: when it began, which is after the block before it, and its last answer so far. */
  readonly blocks: Map<number, { firstMs: number; lastMs: number }>
}

/** @param requests those of the plan that are sent */
export function meterProgress(requests: readonly PlannedRequest[], errors: ErrorsSoFar): ProgressMeter {
  const stretches = new Map<string, Stretch>()
  for (const { contenderId, phase } of requests) {
    const stretch = stretches.get(contenderId) ?? newStretch()
    stretches.set(contenderId, stretch)
    if (phase === 'measure') stretch.planned += 1
  }
  let lateCount = 0
  let startedAtMs = Number.POSITIVE_INFINITY
  let endedAtMs = Number.NEGATIVE_INFINITY
  /** Of the last request of any kind: what is sent next begins then, or later. */
  let lastEndMs = Number.POSITIVE_INFINITY
  return {
    giveUp(contenderId) {
      const stretch = stretches.get(contenderId)
      if (stretch !== undefined) stretch.planned = stretch.done
    },
    add(line, { counts, inFlight, pausedCount }) {
      const stretch = stretches.get(line.contenderId)
      if (line.phase === 'measure' && stretch !== undefined) {
        addTo(stretch, line, lastEndMs)
        errors.add(line)
        startedAtMs = Math.min(startedAtMs, line.dueAtMs)
        endedAtMs = Math.max(endedAtMs, line.endedAtMs)
        if (line.attempt === 1 && line.sentAtMs - line.dueAtMs > lateMs) lateCount += 1
      }
      lastEndMs = line.endedAtMs
      return {
        contenderId: line.contenderId,
        doneCount: counts.planned - counts.notSent,
        plannedCount: counts.planned,
        failedCount: counts.failed - pausedCount,
        pausedCount,
        inFlight,
        lateCount,
        soFar: () =>
          [...stretches].map(([contenderId, { audioSeconds, blocks, pausedMs }]) => ({
            contenderId,
            speed: audioSeconds > 0 ? audioSeconds / (secondsOf(blocks) - pausedMs / 1000) : null,
            errorRate: errors.rateOf(contenderId),
            level: errors.level,
          })),
        elapsedSeconds: Math.max(0, endedAtMs - startedAtMs) / 1000,
        remainingSeconds: remainingSeconds([...stretches.values()]),
      }
    },
  }
}

function newStretch(): Stretch {
  return {
    planned: 0,
    done: 0,
    audioSeconds: 0,
    pausedMs: 0,
    pausedUntilMs: Number.NEGATIVE_INFINITY,
    blocks: new Map(),
  }
}

function addTo(
  stretch: Stretch,
  { block, dueAtMs, endedAtMs, audioSeconds, outcome, attempt, pacedMs = 0 }: AttemptLine,
  lastEndMs: number,
): void {
  const heldFromMs = dueAtMs - pacedMs
  // Requests in flight together wait together.
  stretch.pausedMs += Math.max(0, dueAtMs - Math.max(heldFromMs, stretch.pausedUntilMs))
  if (pacedMs > 0) stretch.pausedUntilMs = Math.max(stretch.pausedUntilMs, dueAtMs)
  // A pause before the first request is in the block, because all pauses are taken from its length.
  // The first answer may be that of a request which came late in the block, while those before it are still in flight.
  const span = stretch.blocks.get(block) ?? { firstMs: Math.min(heldFromMs, lastEndMs), lastMs: endedAtMs }
  stretch.blocks.set(block, {
    firstMs: Math.min(span.firstMs, heldFromMs),
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
  const seconds = sumOf(stretches, ({ blocks }) => secondsOf(blocks))
  const done = sumOf(stretches, ({ done }) => done)
  if (done === 0) return null
  return stretches.reduce((sum, stretch) => {
    const pace = stretch.done === 0 ? seconds / done : secondsOf(stretch.blocks) / stretch.done
    return sum + Math.max(0, stretch.planned - stretch.done) * pace
  }, 0)
}
