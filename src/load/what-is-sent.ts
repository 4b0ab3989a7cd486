import { countUpTo, type Random } from '#prelude'
import type { Schedule } from './schedule.ts'

/**
 * Min number of turns for a confidence interval from the spread between turns: four pairs, each in the order ABBA.
 * Three pairs have the same coverage, but their interval is half as wide again.
 */
export const fewestTurns = 8

/** Max number of turns, because a server that holds one model at a time loads it again in every turn. */
const maxTurns = 24

/** Min requests of a block, unless there would be too few turns for a confidence interval. */
const usualBlock = 5

/**
 * Returns the number of turns in which contenders share the machine, so that each block has the requests that its
 * schedule needs to become steady. Many turns make blocks small, so that a slow phase of the machine affects all
 * contenders. The number is even, because two turns are the unit (ABBA), and at least two where there are two
 * requests.
 *
 * @param requestCount requests of each contender
 * @param steadyCount requests of a steady block: see `Schedule`
 */
export function countTurns(requestCount: number, { steadyCount }: Pick<Schedule, 'steadyCount'>): number {
  const usual = Math.floor(requestCount / Math.max(steadyCount, usualBlock))
  const turns =
    usual >= fewestTurns
      ? Math.min(usual, maxTurns)
      : Math.min(fewestTurns, Math.floor(requestCount / steadyCount))
  return Math.min(requestCount, Math.max(2, turns - (turns % 2)))
}

/**
 * Orders requests so that every item is sent equally often: whole passes, each newly shuffled, the last one cut.
 * The result then does not depend on which utterances were drawn more often.
 *
 *   items a b c, 7 sendings     b a c | c a b | a
 *
 * @param items at least one, unless the count is 0
 * @param count number of requests; where it is no multiple of the number of items, some are sent once more
 * @see MLPerf loadgen, "equal issue mode"
 */
export function equalIssueOrder<Item>(items: readonly Item[], count: number, random: Random): Item[] {
  if (items.length === 0 && count > 0) throw new RangeError('there is nothing to send')
  const order: Item[] = []
  // Items are pushed one by one, because a corpus of 120,000 utterances exceeds the max arguments of a call.
  while (order.length < count) for (const item of random.shuffled(items)) order.push(item)
  return order.slice(0, count)
}

/** An utterance with the length of its audio. */
export interface Speakable {
  readonly id: string
  readonly audioSeconds: number
}

/** Relative difference up to which two lengths count as equal, so that more utterances are used. */
const closeEnough = 0.1

/**
 * Finds an utterance for each length of a trace. Among those that differ by at most a tenth, it takes the least
 * used, then the closest. Where none is that close, it takes the closest.
 *
 * @param wantedSeconds lengths in the order of sending
 * @param speakables at least one; equal input gives equal output
 * @returns ids, one for each length
 * @throws RangeError when there is nothing to choose from
 */
export function matchDurations(wantedSeconds: readonly number[], speakables: readonly Speakable[]): string[] {
  // In the order of their lengths, so that only those near to a wanted length are looked at.
  const candidates = speakables
    .map(({ id, audioSeconds }, place) => ({ id, audioSeconds, place, useCount: 0 }))
    .sort((a, b) => a.audioSeconds - b.audioSeconds)
  const lengths = candidates.map(({ audioSeconds }) => audioSeconds)
  return wantedSeconds.map((seconds) => {
    // Distances are ratios, because a difference of 1 s is large for 2 s and small for 2 min.
    const distanceAt = (index: number): number => {
      const candidate = candidates[index]
      return candidate === undefined
        ? Number.POSITIVE_INFINITY
        : Math.abs(Math.log(candidate.audioSeconds / seconds))
    }
    // Candidates on both sides are visited from the closest on, until the closest one that is not used yet.
    let above = countUpTo(lengths, seconds)
    let below = above - 1
    const reach = Math.max(Math.log(1 + closeEnough), Math.min(distanceAt(below), distanceAt(above)))
    let best: (typeof candidates)[number] | undefined
    let bestDistance = Number.POSITIVE_INFINITY
    for (;;) {
      const index = distanceAt(below) <= distanceAt(above) ? below-- : above++
      const [candidate, distance] = [candidates[index], distanceAt(index)]
      if (candidate === undefined || distance > reach) break
      if (best?.useCount === 0 && distance > bestDistance) break
      const order =
        best === undefined
          ? -1
          : candidate.useCount - best.useCount || distance - bestDistance || candidate.place - best.place
      if (order < 0) [best, bestDistance] = [candidate, distance]
    }
    if (best === undefined) throw new RangeError('there is no utterance to replay a trace with')
    best.useCount += 1
    return best.id
  })
}
