import { createLogUpdate } from 'log-update'
import type { CommandContext } from '../command-context.ts'

/** One line that shows how many of a number of things are done, with the time that is left. */
export interface CountedLine {
  show(doneCount: number, count: number): void
  done(): void
}

const shortestIntervalMs = { watched: 100, logged: 5000 }

/** Rewritten in place for a person; for a log, a line every few seconds. */
export function countedLine(context: CommandContext, what: string): CountedLine {
  const update = createLogUpdate(context.stderr)
  const startedAtMs = performance.now()
  let shownAtMs = startedAtMs
  return {
    show(doneCount, count) {
      const nowMs = performance.now()
      const intervalMs = context.isWatched ? shortestIntervalMs.watched : shortestIntervalMs.logged
      if (context.isQuiet || nowMs - shownAtMs < intervalMs) return
      shownAtMs = nowMs
      const leftSeconds = Math.ceil((((nowMs - startedAtMs) / doneCount) * (count - doneCount)) / 1000)
      const text = `${what}  ${doneCount} of ${count}  about ${leftSeconds} s left`
      if (context.isWatched) update(`  ${text}`)
      else context.say(text)
    },
    done() {
      if (!context.isWatched) return
      update.clear()
      update.done()
    },
  }
}
