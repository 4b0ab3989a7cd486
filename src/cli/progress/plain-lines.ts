import { type ProgressText, renderProgressLine, type Terminal } from '#reports'
import type { ProgressDisplay } from './live-lines.ts'

const shortestIntervalMs = 5000
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
      if (tenth === shownTenth || nowMs - shownAtMs < shortestIntervalMs) return
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
