import { createRequire } from 'node:module'
import type { ImportProgress } from '#corpus/import/import-corpus'
import { grouped, lazily } from '#prelude'
import type { ReadingProgress } from '#transcripts/read-pairs'
import type { CommandContext } from './command-context.ts'

const require = createRequire(import.meta.url)
/** Package that rewrites lines in place; loaded on first use. */
export const logUpdate = lazily(() => require('log-update') as typeof import('log-update'))

/** One line with the progress of a download. */
export function transferLine(context: CommandContext) {
  const line = movingLine(context, { watchedMs: 100, loggedMs: 5000, showsAtOnce: context.isWatched })
  return {
    ...line,
    /** @param totalBytes null if the sender did not report it */
    show: (label: string, receivedBytes: number, totalBytes: number | null) =>
      line.show(() => `${label}  ${describeTransfer(receivedBytes, totalBytes)}`),
  }
}

function describeTransfer(receivedBytes: number, totalBytes: number | null): string {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
  if (totalBytes === null || totalBytes === 0) return `${megabytes(receivedBytes)} MB`
  return `${megabytes(receivedBytes)} of ${megabytes(totalBytes)} MB  ${Math.floor((100 * receivedBytes) / totalBytes)}%`
}

/** One line with the progress of an import and the estimated time to the end of the part. */
export function importLine(context: CommandContext) {
  const line = movingLine(context, { watchedMs: 200, loggedMs: 10_000, showsAtOnce: context.isWatched })
  const transfer = transferLine(context)
  let first: { readonly atMs: number; readonly recordings: number; readonly part: string } | null = null
  return {
    showDownload: (name: string, receivedBytes: number, totalBytes: number | null) =>
      transfer.show(`fetching ${name}`, receivedBytes, totalBytes),
    show(progress: ImportProgress) {
      const nowMs = performance.now()
      if (first?.part !== progress.part) {
        first = { atMs: nowMs, recordings: progress.recordingsDone, part: progress.part }
      }
      const doneCount = progress.recordingsDone - first.recordings
      const remainingMs =
        ((nowMs - first.atMs) / doneCount) * (progress.recordingCount - progress.recordingsDone)
      line.show(() => describeImport(progress, doneCount === 0 ? null : remainingMs / 1000))
    },
    done() {
      transfer.done()
      line.done()
    },
  }
}

/** @param remainingSeconds null before the first recording of the part is done */
function describeImport(progress: ImportProgress, remainingSeconds: number | null): string {
  const { part, recordingsDone, recordingCount, utteranceCount, audioSeconds } = progress
  const place = part === '.' ? '' : `${part}: `
  return (
    `${place}recording ${recordingsDone} of ${recordingCount}, ${utteranceCount} utterances, ` +
    `${(audioSeconds / 3600).toFixed(2)} h of audio` +
    (remainingSeconds === null ? '' : `, ${Math.ceil(remainingSeconds)} s left`)
  )
}

/** One line with the number of completed items, and the remaining time. */
export function countedLine(context: CommandContext, label: string) {
  const line = movingLine(context, { watchedMs: 100, loggedMs: 5000, showsAtOnce: false })
  const startedAtMs = performance.now()
  return {
    show(doneCount: number, count: number) {
      const spentMs = performance.now() - startedAtMs
      const leftSeconds = Math.ceil(((spentMs / doneCount) * (count - doneCount)) / 1000)
      line.show(() => `${label}  ${doneCount} of ${count}  about ${leftSeconds} s left`)
    },
    done: line.done,
  }
}

/** One line with the progress of reading large files; quick work shows nothing. */
export function readingLine(context: CommandContext) {
  const line = movingLine(context, { watchedMs: 200, loggedMs: 5000, showsAtOnce: false })
  return { ...line, show: (progress: ReadingProgress) => line.show(() => describeReading(progress)) }
}

function describeReading({ bytesRead, bytesTotal, pairCount }: ReadingProgress): string {
  const pairs = `scored ${grouped(pairCount)} ${pairCount === 1 ? 'pair' : 'pairs'}`
  const percent = bytesTotal === 0 ? 100 : Math.floor((100 * bytesRead) / (bytesTotal ?? 1))
  return bytesTotal === null ? pairs : `${pairs}, ${percent}% of the input`
}

/**
 * A line that is rewritten in place on a terminal; for a log, a line every few seconds.
 *
 * @param loggedMs infinite for a line that a log does not have
 */
export function movingLine(
  context: CommandContext,
  {
    watchedMs,
    loggedMs,
    showsAtOnce,
  }: { readonly watchedMs: number; readonly loggedMs: number; readonly showsAtOnce: boolean },
) {
  const intervalMs = context.isWatched ? watchedMs : loggedMs
  let shownAtMs = showsAtOnce ? Number.NEGATIVE_INFINITY : performance.now()
  // Quick work shows nothing, and does not load the package either.
  let update: ReturnType<typeof import('log-update').createLogUpdate> | null = null
  return {
    /** Shows the text if the previous one has been there for long enough. */
    show(text: () => string) {
      const nowMs = performance.now()
      if (context.isQuiet || nowMs - shownAtMs < intervalMs) return
      shownAtMs = nowMs
      if (!context.isWatched) return context.say(text())
      update ??= logUpdate().createLogUpdate(context.stderr)
      update(`  ${text()}`)
    },
    /** Removes the line, so that another message can be printed. */
    clear() {
      update?.clear()
    },
    done() {
      update?.clear()
      update?.done()
    },
  }
}
