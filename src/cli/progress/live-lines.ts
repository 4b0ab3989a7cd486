import { createLogUpdate } from 'log-update'
import { type ProgressText, renderProgress, type Terminal } from '#reports'

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
  const update = createLogUpdate(stream)
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
