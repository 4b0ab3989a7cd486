import { createLogUpdate } from 'log-update'
import type { CommandContext } from '../command-context.ts'

/** One line that shows how far a download has come. */
export interface TransferLine {
  /** @param totalBytes null where the sender did not say */
  show(what: string, receivedBytes: number, totalBytes: number | null): void
  /** Takes the line away, so that something can be said. */
  clear(): void
  done(): void
}

const shortestIntervalMs = { watched: 100, logged: 5000 }

/** Rewritten in place for a person; for a log, a line every few seconds. */
export function transferLine(context: CommandContext): TransferLine {
  const update = createLogUpdate(context.stderr)
  const intervalMs = context.isWatched ? shortestIntervalMs.watched : shortestIntervalMs.logged
  let shownAtMs = context.isWatched ? Number.NEGATIVE_INFINITY : performance.now()
  return {
    show(what, receivedBytes, totalBytes) {
      const nowMs = performance.now()
      if (context.isQuiet || nowMs - shownAtMs < intervalMs) return
      shownAtMs = nowMs
      const text = `${what}  ${describe(receivedBytes, totalBytes)}`
      if (context.isWatched) update(`  ${text}`)
      else context.say(text)
    },
    clear: () => context.isWatched && update.clear(),
    done() {
      if (!context.isWatched) return
      update.clear()
      update.done()
    },
  }
}

function describe(receivedBytes: number, totalBytes: number | null): string {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
  if (totalBytes === null || totalBytes === 0) return `${megabytes(receivedBytes)} MB`
  return `${megabytes(receivedBytes)} of ${megabytes(totalBytes)} MB  ${Math.floor((100 * receivedBytes) / totalBytes)}%`
}
