import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunCounts } from '#journal/run-record'
import { countInFlight } from '#load/warm-up'
import { sumOf } from '#prelude'
import { foreign, inSigns, labelled, measureWidth, pad, type Terminal } from '#reports/layout/terminal'
import { formatPercent, formatSeconds, formatTimes, rateWords } from '#reports/layout/units'
import type { ErrorsSoFar } from '#run/errors-so-far'
import type { MeasurePlan } from '#run/plan/measure-plan'
import { logUpdate } from './progress-lines.ts'

interface RunSoFar {
  readonly counts: RunCounts
  readonly inFlight: number
  readonly pausedCount: number
}

export type ProgressMeter = ReturnType<typeof meterProgress>

/** Progress of a run for the user. */
export type ProgressText = ReturnType<ProgressMeter['add']>

/** Send lag in milliseconds that is shown as late during the run; its effect on the run is judged afterwards. */
const lateMs = 10

interface Stretch {
  planned: number
  done: number
  audioSeconds: number
  /** Time for which a rate limit held back all requests, and the end of the last pause. */
  pausedMs: number
  pausedUntilMs: number
  /** Start and last answer of each block; a block starts after the previous one. */
  readonly blocks: Map<number, { firstMs: number; lastMs: number }>
}

/** @param requests of the plan that will be sent */
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
  /** End of the last request of any kind; the next one starts then, or later. */
  let lastEndMs = Number.POSITIVE_INFINITY
  return {
    /** Removes the contender's remaining requests from the estimate. */
    giveUp(contenderId: string) {
      const stretch = stretches.get(contenderId)
      if (stretch !== undefined) stretch.planned = stretch.done
    },
    add(line: AttemptLine, { counts, inFlight, pausedCount }: RunSoFar) {
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
        /** Requests that wait for the end of a rate limit. */
        pausedCount,
        inFlight,
        /** Requests that were sent noticeably after they were due. */
        lateCount,
        /** Results by contender, in the order of the config. Scoring is slow, so this is called only for display. */
        soFar: () =>
          [...stretches].map(([contenderId, { audioSeconds, blocks, pausedMs }]) => ({
            contenderId,
            /** Audio seconds per second; null before the first answer. */
            speed: audioSeconds > 0 ? audioSeconds / (sumSeconds(blocks) - pausedMs / 1000) : null,
            errorRate: errors.rateOf(contenderId),
            level: errors.level,
          })),
        /** From the due time of the first request to the last answer. */
        elapsedSeconds: Math.max(0, endedAtMs - startedAtMs) / 1000,
        /** Null until an estimate is possible. */
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
  // Concurrent requests wait at the same time, so their pauses count once.
  stretch.pausedMs += Math.max(0, dueAtMs - Math.max(heldFromMs, stretch.pausedUntilMs))
  if (pacedMs > 0) stretch.pausedUntilMs = Math.max(stretch.pausedUntilMs, dueAtMs)
  // A pause before the first request belongs to the block, because all pauses are subtracted from its length. The
  // first answer may belong to a later request of the block, while earlier ones are still in flight.
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

/** Estimate at each contender's own pace; one that has not begun gets the mean pace of the others. */
function remainingSeconds(stretches: readonly Stretch[]): number | null {
  const seconds = sumOf(stretches, ({ blocks }) => sumSeconds(blocks))
  const done = sumOf(stretches, ({ done }) => done)
  if (done === 0) return null
  return stretches.reduce((sum, stretch) => {
    const pace = stretch.done === 0 ? seconds / done : sumSeconds(stretch.blocks) / stretch.done
    return sum + Math.max(0, stretch.planned - stretch.done) * pace
  }, 0)
}

/** The warm-up requests of a contender in the order of their answers, and the counts of the run at that time. */
export interface WarmUp {
  readonly lines: readonly AttemptLine[]
  readonly counts: RunCounts
}

/** A range of durations in seconds. */
export interface TimeSpan {
  readonly low: number
  readonly high: number
}

/**
 * Estimates the duration of the measurement from the last warm-up request of each contender. One request does not show
 * which part of its time is constant and which depends on the length of its audio:
 *
 *   all constant             requests × time
 *   all by length of audio   audio of the requests × time / audio of the warm-up
 *
 * The duration is between the two. With several in flight, it is also between a server that answers one after the other
 * and one that answers all of them at once.
 *
 * @param lengths of the utterances by id, in seconds
 * @param warmedBy warm-ups by contender id
 * @returns null if the plan itself fixes its duration, and if a contender did not answer
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
  // For a resumed run, only the share that is left counts.
  let share = 1
  for (const [contenderId, contenderRequests] of Map.groupBy(measured, (request) => request.contenderId)) {
    const warmUp = warmedBy.get(contenderId)
    // A contender without a warm-up was given up, so no requests follow.
    const last = warmUp?.lines.at(-1)
    if (warmUp === undefined || last === undefined) continue
    if (!last.outcome.ok) return null
    const { sentAtMs, endedAtMs, audioSeconds, outcome } = last
    const seconds = Math.max(0, endedAtMs - sentAtMs - (outcome.answer.serverLoadMs ?? 0)) / 1000
    const byRequest = contenderRequests.length * seconds
    const plannedSeconds = sumOf(contenderRequests, ({ utteranceId }) => lengths.get(utteranceId) ?? 0)
    const byLength = audioSeconds === 0 ? byRequest : (plannedSeconds / audioSeconds) * seconds
    const { concurrency = load.concurrency } = contenders.find(({ id }) => id === contenderId) ?? {}
    low += Math.min(byRequest, byLength) / concurrency
    // Requests in flight with the last one have already slowed it.
    high += Math.max(byRequest, byLength) / Math.min(concurrency, countInFlight(warmUp.lines))
    share = warmUp.counts.notSent / warmUp.counts.planned
  }
  return { low: low * share, high: high * share }
}

/** Display of a run's progress, which is removed at the end. */
export interface ProgressDisplay {
  show(progress: ProgressText): void
  /** Shows what is waited for while nothing else happens. */
  wait(text: string, silentSeconds: number): void
  /** Removes the moving part, so that another message can be printed. */
  clear(): void
  done(progress: ProgressText | null): void
}

const shortestIntervalMs = 100
/** Seconds of waiting before it is shown. */
const quietSeconds = 3

/** A display of three lines, rewritten in place at most ten times a second. */
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

/** A display for logs: a line per tenth, at most one in five seconds, the last one, and one per 15 s of waiting. */
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
      // A run that ended in its warm-up has nothing that is done.
      if (progress !== null && progress.doneCount > 0)
        write(renderProgressLine('done', timeOfDay(), progress, terminal))
    },
  }
}

const barWidth = 40
/** Minimum width of a progress bar; a narrower one shows no more than the counts. */
const leastBarWidth = 8

/** Three lines for a terminal, to be rewritten in place; none is wider than the terminal, unless a name is. */
export function renderProgress(progress: ProgressText, terminal: Terminal): string {
  const { doneCount, plannedCount, failedCount, inFlight, remainingSeconds } = progress
  const left = remainingSeconds === null ? '' : `about ${formatSeconds(Math.ceil(remainingSeconds))} left`
  const counts = `${doneCount} of ${plannedCount}   in flight ${inFlight}   failed ${failedCount}${pausedWords(progress)}${lateWords(progress)}`
  const room = Math.min(barWidth, terminal.width - 6 - measureWidth(counts))
  const width = room < leastBarWidth ? 0 : room
  const filled = plannedCount === 0 ? 0 : Math.round((doneCount / plannedCount) * width)
  const [full, empty] = terminal.unicode ? ['█', '░'] : ['#', '.']
  const bar = full.repeat(filled) + empty.repeat(width - filled)
  // The remaining time is aligned to the end of the bar's line.
  const name = pad(
    foreign(progress.contenderId),
    width + measureWidth(counts) - 12 + (width === 0 ? 0 : 2) - measureWidth(left),
  )
  return [
    `  measuring   ${name}${name.endsWith(' ') ? '' : '  '}${left}`,
    `  ${bar}${width === 0 ? '' : '  '}${counts}`,
    labelled('so far', factsSoFar(progress, terminal).join('   '), 10, terminal),
  ].join('\n')
}

/**
 * One line for a pipe or a log, without terminal control sequences.
 *
 * @param time `07:31:11`
 */
export function renderProgressLine(
  stage: 'measuring' | 'done',
  time: string,
  progress: ProgressText,
  terminal: Terminal,
): string {
  const { doneCount, plannedCount, failedCount, remainingSeconds, elapsedSeconds } = progress
  const share = `${Math.floor((100 * doneCount) / Math.max(1, plannedCount))}%`
  const length =
    stage === 'done'
      ? [formatSeconds(elapsedSeconds)]
      : remainingSeconds === null
        ? []
        : [`${formatSeconds(Math.ceil(remainingSeconds))} left`]
  return [
    `${time} ${stage.padEnd(10)} ${`${doneCount}/${plannedCount}`.padStart(9)} ${share.padStart(4)}`,
    `failed ${failedCount}${pausedWords(progress)}${lateWords(progress)}`,
    ...length,
    ...factsSoFar(progress, terminal),
  ].join('  ')
}

function pausedWords({ pausedCount }: ProgressText): string {
  return pausedCount === 0 ? '' : `   rate-limited ${pausedCount}`
}

function lateWords({ lateCount }: ProgressText): string {
  return lateCount === 0 ? '' : `   sent late ${lateCount}`
}

/** `moonshine-tiny 31.2×, WER 7.6%`, for each contender that has answered. */
function factsSoFar({ soFar }: ProgressText, terminal: Terminal): readonly string[] {
  return soFar().flatMap(({ contenderId, speed, errorRate, level }) => {
    const facts = [
      ...(speed === null ? [] : [formatTimes(speed)]),
      ...(errorRate === null ? [] : [`${rateWords[level].short} ${formatPercent(errorRate)}`]),
    ]
    return facts.length === 0 ? [] : [inSigns(`${foreign(contenderId)} ${facts.join(', ')}`, terminal)]
  })
}
