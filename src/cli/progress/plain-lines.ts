import { formatSeconds } from '#reports'
import { type ProgressDisplay, speedsOf } from './live-lines.ts'
import type { RunProgress } from './run-progress.ts'

const shortestIntervalMs = 5000

/** For pipes and logs: a line at each tenth, at most one in five seconds, and always the last one. */
export function plainLines(write: (line: string) => void): ProgressDisplay {
  let shownAtMs = performance.now()
  let shownTenth = 0
  return {
    show(progress) {
      const tenth = Math.floor((10 * progress.doneCount) / Math.max(1, progress.plannedCount))
      const nowMs = performance.now()
      if (tenth === shownTenth || nowMs - shownAtMs < shortestIntervalMs) return
      shownTenth = tenth
      shownAtMs = nowMs
      write(oneLine('measuring', progress))
    },
    clear: () => undefined,
    done(progress) {
      if (progress !== null) write(oneLine('done', progress))
    },
  }
}

function oneLine(stage: string, progress: RunProgress): string {
  const { doneCount, plannedCount, failedCount, lateCount, remainingSeconds } = progress
  const time = new Date().toISOString().slice(11, 19)
  const share = `${Math.floor((100 * doneCount) / Math.max(1, plannedCount))}%`
  const count = `${doneCount}/${plannedCount}`
  const late = lateCount === 0 ? '' : `  late ${lateCount}`
  const left =
    remainingSeconds === null || stage === 'done'
      ? ''
      : `  ${formatSeconds(Math.ceil(remainingSeconds))} left`
  return `${time} ${stage.padEnd(10)} ${count.padStart(9)} ${share.padStart(4)}  failed ${failedCount}${late}${left}  ${speedsOf(progress)}`
}
