import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunCounts } from '#journal/run-record'
import { countInFlight } from '#load/warm-up'
import { sumOf } from '#prelude'
import type { Terminal } from '#reports/layout/terminal'
import { type ProgressText, renderProgress, renderProgressLine } from '#reports/run/render-plan'
import type { ErrorsSoFar } from '#run/errors-so-far'
import type { MeasurePlan } from '#run/plan/measure-plan'
import { logUpdate } from './progress-lines.ts'

interface RunSoFar {
  readonly counts: RunCounts
  readonly inFlight: number
  readonly pausedCount: number
}

export type ProgressMeter = ReturnType<typeof meterProgress>

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
export function meterProgress(requests: readonly PlannedRequest[], errors: ErrorsSoFar) {
  const stretches = new Map<string, Stretch>()
  for (const { contenderId, phase } of requests) {
    const stretch = stretches.get(contenderId) ?? {
      planned: 0,
      done: 0,
      audioSeconds: 0,
      pausedMs: 0,
      pausedUntilMs: Number.NEGATIVE_INFINITY,
      blocks: new Map(),
    }
    stretches.set(contenderId, stretch)
    if (phase === 'measure') stretch.planned += 1
  }
  let lateCount = 0
  let startedAtMs = Number.POSITIVE_INFINITY
  let endedAtMs = Number.NEGATIVE_INFINITY
  /** Of the last request of any kind: what is sent next begins then, or later. */
  let lastEndMs = Number.POSITIVE_INFINITY
  return {
    /** Nothing more is sent to this contender. */
    giveUp(contenderId: string) {
      const stretch = stretches.get(contenderId)
      if (stretch !== undefined) stretch.planned = stretch.done
    },
    add(line: AttemptLine, { counts, inFlight, pausedCount }: RunSoFar): ProgressText {
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
            speed: audioSeconds > 0 ? audioSeconds / (sumSeconds(blocks) - pausedMs / 1000) : null,
            errorRate: errors.rateOf(contenderId),
            level: errors.level,
          })),
        elapsedSeconds: Math.max(0, endedAtMs - startedAtMs) / 1000,
        remainingSeconds: remainingSeconds([...stretches.values()]),
      }
    },
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

function sumSeconds(blocks: Stretch['blocks']): number {
  return [...blocks.values()].reduce((sum, { firstMs, lastMs }) => sum + lastMs - firstMs, 0) / 1000
}

/** Each contender at its own pace; one that has not begun at the pace of the others. */
function remainingSeconds(stretches: readonly Stretch[]): number | null {
  const seconds = sumOf(stretches, ({ blocks }) => sumSeconds(blocks))
  const done = sumOf(stretches, ({ done }) => done)
  if (done === 0) return null
  return stretches.reduce((sum, stretch) => {
    const pace = stretch.done === 0 ? seconds / done : sumSeconds(stretch.blocks) / stretch.done
    return sum + Math.max(0, stretch.planned - stretch.done) * pace
  }, 0)
}

/** The requests that warmed a contender up, in the order of their answers, and how far the run was then. */
export interface WarmUp {
  readonly lines: readonly AttemptLine[]
  readonly counts: RunCounts
}

/** In seconds. */
export interface TimeSpan {
  readonly low: number
  readonly high: number
}

/**
 * How long measuring will take if every contender goes on as it ended its warm-up. One request does not show how much of
 * its time depends on its length and how much is a constant per request:
 *
 *   all of it with every request    requests × time
 *   all of it with the length       audio of the requests × time / audio of the warm-up
 *
 * The truth lies between the two, and, with several in flight, between a server that answers one after the other and
 * one that answers all of them at once.
 *
 * @param lengths of the utterances by id, in seconds
 * @param warmedBy by contender
 * @returns null where the plan itself fixes its duration, and where a contender did not answer
 */
export function expectedTime(
  plan: Pick<MeasurePlan, 'requests' | 'load' | 'schedule' | 'contenders'>,
  lengths: Pick<ReadonlyMap<string, number>, 'get'>,
  warmedBy: ReadonlyMap<string, WarmUp>,
): TimeSpan | null {
  const { requests, load, schedule, contenders } = plan
  if (load.kind !== 'closed' || schedule.requestCount() !== null || warmedBy.size === 0) return null
  const measured = requests.filter(({ phase }) => phase === 'measure')
  let [low, high] = [0, 0]
  // Of a run that is resumed, only the rest.
  let share = 1
  for (const own of [...Map.groupBy(measured, (request) => request.contenderId).values()]) {
    const { contenderId = '' } = own.at(0) ?? {}
    const warmUp = warmedBy.get(contenderId)
    // Given up: it is sent nothing more.
    const last = warmUp?.lines.at(-1)
    if (warmUp === undefined || last === undefined) continue
    if (!last.outcome.ok) return null
    const { sentAtMs, endedAtMs, audioSeconds, outcome } = last
    const seconds = Math.max(0, endedAtMs - sentAtMs - (outcome.answer.serverLoadMs ?? 0)) / 1000
    const byRequest = own.length * seconds
    const ownSeconds = sumOf(own, ({ utteranceId }) => lengths.get(utteranceId) ?? 0)
    const byLength = audioSeconds === 0 ? byRequest : (ownSeconds / audioSeconds) * seconds
    const { concurrency = load.concurrency } = contenders.find(({ id }) => id === contenderId) ?? {}
    low += Math.min(byRequest, byLength) / concurrency
    // What was in flight with it has slowed it already.
    high += Math.max(byRequest, byLength) / Math.min(concurrency, countInFlight(warmUp.lines))
    share = warmUp.counts.notSent / warmUp.counts.planned
  }
  return { low: low * share, high: high * share }
}

/** Shows how a run goes on, and leaves nothing behind when it is over. */
export interface ProgressDisplay {
  show(progress: ProgressText): void
  /** Says what is waited for, while nothing else happens. */
  wait(text: string, silentSeconds: number): void
  /** Takes the moving part away, so that something can be said. */
  clear(): void
  done(progress: ProgressText | null): void
}

const shortestIntervalMs = 100
/** Shorter waiting needs no words. */
const quietSeconds = 3

/** Three lines, rewritten in place at most ten times a second. */
export function liveLines(stream: NodeJS.WriteStream, terminal: Terminal): ProgressDisplay {
  const update = logUpdate().createLogUpdate(stream)
  let shownAtMs = Number.NEGATIVE_INFINITY
  return {
    show(progress) {
      const nowMs = performance.now()
      if (nowMs - shownAtMs < shortestIntervalMs) return
      shownAtMs = nowMs
      update(renderProgress(progress, terminal))
    },
    wait(text, silentSeconds) {
      if (silentSeconds >= quietSeconds) update(`  waiting     ${text}`)
    },
    clear: () => update.clear(),
    done() {
      update.clear()
      update.done()
    },
  }
}

const loggedIntervalMs = 5000
const waitIntervalSeconds = 15

/** For pipes and logs: a line at each tenth, at most one in five seconds, and always the last one; a line each 15 s of waiting. */
export function plainLines(write: (line: string) => void, terminal: Terminal): ProgressDisplay {
  let shownAtMs = performance.now()
  let shownTenth = 0
  const timeOfDay = (): string => new Date().toISOString().slice(11, 19)
  return {
    show(progress: ProgressText) {
      const tenth = Math.floor((10 * progress.doneCount) / Math.max(1, progress.plannedCount))
      const nowMs = performance.now()
      if (tenth === shownTenth || nowMs - shownAtMs < loggedIntervalMs) return
      shownTenth = tenth
      shownAtMs = nowMs
      write(renderProgressLine('measuring', timeOfDay(), progress, terminal))
    },
    wait(text, silentSeconds) {
      if (silentSeconds > 0 && silentSeconds % waitIntervalSeconds === 0)
        write(`${timeOfDay()} ${'waiting'.padEnd(10)} ${text}`)
    },
    clear: () => undefined,
    done(progress) {
      if (progress !== null) write(renderProgressLine('done', timeOfDay(), progress, terminal))
    },
  }
}
