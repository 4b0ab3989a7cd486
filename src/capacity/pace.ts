import { quantile, sortSamples } from '#statistics'
import type { LevelSample } from './loaded-server.ts'
import { slowdownOf } from './queue-simulation.ts'

/** The server whose requests are looked at, as far as its workers go. */
export interface WorkingServer {
  readonly workers: number
  /** How many times as long as alone each takes while k are at work, from k = 1. */
  readonly slowdowns: readonly number[]
}

/** The work of a request that had to wait for its turn. */
export interface WaitedWork {
  readonly audioSeconds: number
  /** From its turn to its end, as if nobody had been in its way. */
  readonly workMs: number
}

/**
 * What the work of those was that had to wait, by the order of coming: such a request has its turn when fewer older ones
 * than there are workers are left. From then on its work shrinks at the rate of 1 / slowdown(k), k at work. Its way
 * there lies in the waiting, and its way back is that of the one whose end made room.
 *
 * @param samples of one open load
 */
export function workOfWaiting(
  samples: readonly LevelSample[],
  { workers, slowdowns }: WorkingServer,
): WaitedWork[] {
  const sent = samples.toSorted((a, b) => a.sentAtMs - b.sentAtMs)
  const events = sent
    .flatMap((sample, index) => [
      { atMs: sample.sentAtMs, index, isEnd: false },
      { atMs: sample.endedAtMs, index, isEnd: true },
    ])
    .toSorted((a, b) => a.atMs - b.atMs || Number(a.isEnd) - Number(b.isEnd))
  const works: WaitedWork[] = []
  // In the order of coming: the first W of them are at work.
  const inside: { readonly index: number; turnAt: number | null; readonly hasWaited: boolean }[] = []
  let [nowMs, progress] = [0, 0]
  for (const { atMs, index, isEnd } of events) {
    const atWork = Math.min(inside.length, workers)
    if (atWork > 0) progress += (atMs - nowMs) / slowdownOf(slowdowns, atWork)
    nowMs = atMs
    if (!isEnd) {
      const hasWaited = inside.length >= workers
      inside.push({ index, turnAt: hasWaited ? null : progress, hasWaited })
      continue
    }
    const place = inside.findIndex((each) => each.index === index)
    const [over] = inside.splice(place, 1)
    const sample = sent[index]
    // One that is over before its turn was not served in the order of coming: nothing is known of its work.
    if (over?.hasWaited && over.turnAt !== null && sample?.isAnswered)
      works.push({ audioSeconds: sample.audioSeconds, workMs: progress - over.turnAt })
    for (const each of inside.slice(0, workers)) each.turnAt ??= progress
  }
  return works
}

/** Requests that had to wait; fewer do not tell a machine that has become slower from chance. */
const fewestWaited = 50

/**
 * How many times as long the work takes under open loads as it was expected to: the machine may have become slower or
 * faster since the sweep. The middle of the ratios; 1 where too few had to wait.
 *
 * @param expectedMs work of a request of a length
 */
export function paceOf(works: readonly WaitedWork[], expectedMs: (audioSeconds: number) => number): number {
  if (works.length < fewestWaited) return 1
  const over = works.map(({ audioSeconds, workMs }) => workMs / expectedMs(audioSeconds))
  const pace = quantile(sortSamples(over), 0.5) ?? 1
  return pace > 0 && Number.isFinite(pace) ? pace : 1
}
