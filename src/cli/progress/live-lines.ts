import { createLogUpdate } from 'log-update'
import { formatSeconds, type Terminal } from '#reports'
import type { RunProgress } from './run-progress.ts'

/** Shows how a run goes on, and leaves nothing behind when it is over. */
export interface ProgressDisplay {
  show(progress: RunProgress): void
  /** Takes the moving part away, so that something can be said. */
  clear(): void
  done(progress: RunProgress | null): void
}

const shortestIntervalMs = 100
const barWidth = 40

/** Three lines, rewritten in place at most ten times a second. */
export function liveLines(stream: NodeJS.WriteStream, terminal: Terminal): ProgressDisplay {
  const update = createLogUpdate(stream)
  let shownAtMs = Number.NEGATIVE_INFINITY
  return {
    show(progress) {
      const nowMs = performance.now()
      if (nowMs - shownAtMs < shortestIntervalMs) return
      shownAtMs = nowMs
      update(threeLines(progress, terminal))
    },
    clear: () => update.clear(),
    done() {
      update.clear()
      update.done()
    },
  }
}

function threeLines(progress: RunProgress, terminal: Terminal): string {
  const { doneCount, plannedCount, failedCount, inFlight, lateCount, remainingSeconds } = progress
  const left = remainingSeconds === null ? '' : `about ${formatSeconds(Math.ceil(remainingSeconds))} left`
  const late = lateCount === 0 ? '' : `   sent late ${lateCount}`
  const width = Math.max(10, Math.min(barWidth, terminal.width - 44))
  const filled = plannedCount === 0 ? 0 : Math.round((doneCount / plannedCount) * width)
  const [full, empty] = terminal.unicode ? ['█', '░'] : ['#', '.']
  const bar = full.repeat(filled) + empty.repeat(width - filled)
  return [
    `  measuring   ${progress.contenderId}   ${left}`,
    `  ${bar}  ${doneCount} of ${plannedCount}   in flight ${inFlight}   failed ${failedCount}${late}`,
    `  so far      ${speedsOf(progress)}`,
  ].join('\n')
}

/** The speeds so far: `moonshine-tiny 31.2× real time`. */
export function speedsOf({ speeds }: RunProgress): string {
  return speeds
    .filter(({ speed }) => speed !== null)
    .map(({ contenderId, speed }) => `${contenderId} ${speed?.toFixed(1)}×`)
    .join('   ')
}
