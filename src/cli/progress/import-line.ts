import { createLogUpdate } from 'log-update'
import type { ImportProgress } from '#corpus/import'
import type { CommandContext } from '../command-context.ts'
import { transferLine } from './transfer-line.ts'

/** One line that shows how far an import has come, with the expected time to its end of the part. */
export interface ImportLine {
  show(progress: ImportProgress): void
  showDownload(name: string, receivedBytes: number, totalBytes: number | null): void
  done(): void
}

const intervalMs = { watched: 200, logged: 10_000 }

/** Rewritten in place for a terminal; for a log, a line every few seconds. */
export function importLine(context: CommandContext): ImportLine {
  const update = createLogUpdate(context.stderr)
  const transfer = transferLine(context)
  const minIntervalMs = context.isWatched ? intervalMs.watched : intervalMs.logged
  let shownAtMs = context.isWatched ? Number.NEGATIVE_INFINITY : performance.now()
  let first: { readonly atMs: number; readonly recordings: number; readonly part: string } | null = null
  return {
    showDownload: (name, receivedBytes, totalBytes) =>
      transfer.show(`fetching ${name}`, receivedBytes, totalBytes),
    show(progress) {
      const nowMs = performance.now()
      if (first?.part !== progress.part) {
        first = { atMs: nowMs, recordings: progress.recordingsDone, part: progress.part }
      }
      if (context.isQuiet || nowMs - shownAtMs < minIntervalMs) return
      shownAtMs = nowMs
      const doneCount = progress.recordingsDone - first.recordings
      const remainingMs =
        ((nowMs - first.atMs) / doneCount) * (progress.recordingCount - progress.recordingsDone)
      const text = describe(progress, doneCount === 0 ? null : remainingMs / 1000)
      if (context.isWatched) update(`  ${text}`)
      else context.say(text)
    },
    done() {
      if (!context.isWatched) return
      transfer.done()
      update.clear()
      update.done()
    },
  }
}

/** @param remainingSeconds null before the first recording of the part is done */
function describe(progress: ImportProgress, remainingSeconds: number | null): string {
  const { part, recordingsDone, recordingCount, utteranceCount, audioSeconds } = progress
  const place = part === '.' ? '' : `${part}: `
  return (
    `${place}recording ${recordingsDone} of ${recordingCount}, ${utteranceCount} utterances, ` +
    `${(audioSeconds / 3600).toFixed(2)} h of audio` +
    (remainingSeconds === null ? '' : `, ${Math.ceil(remainingSeconds)} s left`)
  )
}
