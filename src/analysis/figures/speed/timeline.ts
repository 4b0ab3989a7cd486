import type { AttemptLine } from '#journal'
import type { Timeline, TimelineBin } from '../../documents/drawing.ts'

// Enough to see a shape, few enough to be drawn at once.
const binCount = 120

/** The measured part of a run over time; null where nothing was sent. */
export function timelineOf(attempts: readonly AttemptLine[], contenders: readonly string[]): Timeline | null {
  const measured = attempts.filter(({ phase }) => phase === 'measure')
  if (measured.length === 0) return null
  let [startMs, endMs] = [Number.POSITIVE_INFINITY, 0]
  for (const { sentAtMs, endedAtMs } of measured) {
    startMs = Math.min(startMs, sentAtMs)
    endMs = Math.max(endMs, endedAtMs)
  }
  const binMs = Math.max(1, (endMs - startMs) / binCount)
  const bins = Array.from({ length: binCount }, () => ({ busyMs: 0, completedCount: 0, failedCount: 0 }))
  for (const { sentAtMs, endedAtMs, outcome } of measured) {
    const last = Math.min(binCount - 1, Math.floor((endedAtMs - startMs) / binMs))
    for (let index = Math.floor((sentAtMs - startMs) / binMs); index <= last; index += 1) {
      const bin = bins[index]
      if (bin === undefined) continue
      const binStartMs = startMs + index * binMs
      bin.busyMs += Math.max(0, Math.min(endedAtMs, binStartMs + binMs) - Math.max(sentAtMs, binStartMs))
    }
    const ended = bins[last]
    if (ended === undefined) continue
    if (outcome.ok) ended.completedCount += 1
    else ended.failedCount += 1
  }
  return {
    binSeconds: binMs / 1000,
    bins: bins.map(
      ({ busyMs, completedCount, failedCount }): TimelineBin => ({
        inFlight: Math.round((busyMs / binMs) * 100) / 100,
        completedCount,
        failedCount,
      }),
    ),
    blocks: blocksOf(measured, contenders, startMs),
  }
}

function blocksOf(
  measured: readonly AttemptLine[],
  contenders: readonly string[],
  startMs: number,
): Timeline['blocks'] {
  const blocks = new Map<number, { contender: number; startSeconds: number; endSeconds: number }>()
  for (const { block, contenderId, sentAtMs, endedAtMs } of measured) {
    const [startSeconds, endSeconds] = [(sentAtMs - startMs) / 1000, (endedAtMs - startMs) / 1000]
    const known = blocks.get(block) ?? {
      contender: contenders.indexOf(contenderId),
      startSeconds,
      endSeconds,
    }
    known.startSeconds = Math.min(known.startSeconds, startSeconds)
    known.endSeconds = Math.max(known.endSeconds, endSeconds)
    blocks.set(block, known)
  }
  return [...blocks.values()]
}
