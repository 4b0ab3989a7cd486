import type { ReadingProgress } from '#transcripts'
import type { CommandContext } from '../command-context.ts'

/** Shows the progress of reading large files. */
export interface ReadingDisplay {
  readonly show: (progress: ReadingProgress) => void
  done(): void
}

const livelyIntervalMs = 200
const plainIntervalMs = 5000

/** One line, rewritten in place where a person watches; elsewhere a line every five seconds. Quick work says nothing. */
export function showReading(context: CommandContext): ReadingDisplay {
  let saidAtMs = performance.now()
  let isShown = false
  return {
    show({ bytesRead, bytesTotal, pairCount }) {
      const nowMs = performance.now()
      if (context.isQuiet || nowMs - saidAtMs < (context.isWatched ? livelyIntervalMs : plainIntervalMs))
        return
      saidAtMs = nowMs
      const pairs = `  scored ${pairCount.toLocaleString('en-US')} ${pairCount === 1 ? 'pair' : 'pairs'}`
      const line = bytesTotal === null ? pairs : `${pairs}, ${shareOf(bytesRead, bytesTotal)}% of the input`
      context.stderr.write(context.isWatched ? `\r${line}` : `${line}\n`)
      isShown = true
    },
    done() {
      // The line is wiped by the sequence that erases to its end.
      if (isShown && context.isWatched) context.stderr.write('\r\u001b[K')
    },
  }
}

function shareOf(bytesRead: number, bytesTotal: number): number {
  return bytesTotal === 0 ? 100 : Math.floor((100 * bytesRead) / bytesTotal)
}
