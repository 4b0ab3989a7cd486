import type { AttemptLine } from '#journal/attempt-line'
import { errorRate, noErrors, sumCounts } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { Evaluation, UtteranceEvaluation } from '../documents/evaluation.ts'
import { latencyQuantilesMs } from './latency/latency-figures.ts'
import { furtherWindows, windowSeconds } from './latency/latency-line.ts'

/** State of one time bin of the run. */
interface TimelineBin {
  /** Mean number of requests in flight. */
  readonly inFlight: number
  readonly completedCount: number
  readonly failedCount: number
}

/** The run over time, in bins of equal length. */
export interface Timeline {
  /** Length of a bin; the first bin starts with the first measured request. */
  readonly binSeconds: number
  readonly bins: readonly TimelineBin[]
  /** Times in which only one contender was measured. */
  readonly blocks: readonly {
    readonly contender: number
    readonly startSeconds: number
    readonly endSeconds: number
  }[]
}

/** Data for the charts of one contender, besides its evaluation. */
export interface ContenderDrawing {
  /** Quantiles 0, 0.01, …, 1 of the latency of answered requests, in milliseconds; empty without any. */
  readonly latencyQuantilesMs: readonly number[]
  /** Audio seconds and milliseconds of answered requests, evenly sampled. */
  readonly latencyPoints: readonly (readonly [audioSeconds: number, latencyMs: number])[]
  readonly answeredCount: number
  /** Fitted latency from the shortest to the longest audio, as a polyline; empty without a fit. */
  readonly latencyLine: readonly (readonly [audioSeconds: number, latencyMs: number])[]
  /** Number of utterances by their leading error rate: 0, up to 10 %, …, up to 100 %, above. */
  readonly rateHistogram: readonly number[]
}

/** An utterance to listen to, with its error rate. */
export interface NamedUtterance {
  readonly utteranceId: string
  readonly contender: number
  readonly rate: number
}

// Max numbers of points and utterances: enough to show a shape, few enough to draw at once.
const pointsInAll = 2400
const pointsOfOne = 400
const namedCount = 20

/** Returns the chart data of every contender besides its figures. */
export function contenderDrawings({ contenders, utterances, profile }: Evaluation): ContenderDrawing[] {
  const byContender = Map.groupBy(utterances, ({ contenderId }) => contenderId)
  const maxPoints = Math.min(pointsOfOne, Math.floor(pointsInAll / Math.max(1, contenders.length)))
  return contenders.map(({ contender, latencyModel }) => {
    const rows = byContender.get(contender.id) ?? []
    const answered = rows.flatMap(({ audioSeconds, latencyMs, window }) =>
      latencyMs === null || window !== 'steady' ? [] : [[audioSeconds, latencyMs] as const],
    )
    return {
      latencyQuantilesMs: latencyQuantilesMs(answered.map(([, latencyMs]) => latencyMs)),
      latencyPoints: evenly(answered, maxPoints),
      answeredCount: answered.length,
      latencyLine: latencyLine(latencyModel),
      rateHistogram: rateHistogram(rows, profile.leads),
    }
  })
}

function evenly<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items]
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]).filter(
    (item) => item !== undefined,
  )
}

/** Returns a line, with a step after every window where the model has steps. */
function latencyLine(model: ContenderEvaluation['latencyModel']): ContenderDrawing['latencyLine'] {
  if (model.value === null) return []
  const { fixedMs, perSecondMs, perWindowMs, shortestSeconds, longestSeconds } = model
  const at = (seconds: number, windows: number): readonly [number, number] => [
    seconds,
    fixedMs.value + perSecondMs.value * seconds + (perWindowMs ?? 0) * windows,
  ]
  const first = furtherWindows(shortestSeconds)
  const steps = Array.from({ length: furtherWindows(longestSeconds) - first }, (_, index) => first + index)
  const edges = steps.map((windows) => (windows + 1) * windowSeconds)
  // A straight line is a curve on logarithmic axes, most bent at its start, so it is drawn in pieces.
  return [shortestSeconds, ...edges].flatMap((start, index) => {
    const end = edges[index] ?? longestSeconds
    return Array.from({ length: piecesOfLine + 1 }, (_, piece) =>
      at(start + (end - start) * (piece / piecesOfLine) ** 2, first + index),
    )
  })
}

const piecesOfLine = 24

/** Counts utterances by rate, pooled over their rounds: exactly 0, up to 10 %, up to 20 %, …, up to 100 %, above. */
function rateHistogram(rows: readonly UtteranceEvaluation[], leads: ErrorLevel): number[] {
  const counts: number[] = new Array(12).fill(0)
  for (const requests of Map.groupBy(rows, ({ utteranceId }) => utteranceId).values()) {
    const rate = errorRate(sumCounts(requests.flatMap((request) => request[leads] ?? [])))
    if (rate === null) continue
    const bin = Math.min(11, Math.ceil(rate * 10 - 1e-9))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return counts
}

/** Returns utterances with an answer with more errors than words, or than characters where their rate leads. */
export function over100(evaluation: Evaluation): {
  readonly count: number
  readonly worst: readonly NamedUtterance[]
} {
  const indexes = new Map(evaluation.contenders.map(({ contender }, index) => [contender.id, index]))
  const worst = new Map<string, NamedUtterance>()
  for (const utterance of evaluation.utterances) {
    const { utteranceId, contenderId } = utterance
    const rate = errorRate(utterance[evaluation.profile.leads] ?? noErrors)
    const key = JSON.stringify([utteranceId, contenderId])
    if (rate === null || rate <= 1 || (worst.get(key)?.rate ?? 0) >= rate) continue
    worst.set(key, { utteranceId, contender: indexes.get(contenderId) ?? 0, rate })
  }
  const ranked = [...worst.values()].sort((a, b) => b.rate - a.rate)
  return { count: ranked.length, worst: ranked.slice(0, namedCount) }
}

// Number of bins: enough to show a shape, few enough to draw at once.
const binCount = 120

/** Returns the measured part of a run over time; null where nothing was sent. */
export function drawTimeline(
  attempts: readonly AttemptLine[],
  contenders: readonly string[],
): Timeline | null {
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
    blocks: findBlocks(measured, contenders, startMs),
  }
}

function findBlocks(
  measured: readonly AttemptLine[],
  contenders: readonly string[],
  startMs: number,
): Timeline['blocks'] {
  const blocks = new Map<number, { contender: number; startSeconds: number; endSeconds: number }>()
  for (const { block, contenderId, sentAtMs, endedAtMs } of measured) {
    const [startSeconds, endSeconds] = [(sentAtMs - startMs) / 1000, (endedAtMs - startMs) / 1000]
    const bar = blocks.get(block) ?? {
      contender: contenders.indexOf(contenderId),
      startSeconds,
      endSeconds,
    }
    bar.startSeconds = Math.min(bar.startSeconds, startSeconds)
    bar.endSeconds = Math.max(bar.endSeconds, endSeconds)
    blocks.set(block, bar)
  }
  return [...blocks.values()]
}
