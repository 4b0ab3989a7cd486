import type { Random } from '#prelude'
import type { Schedule } from './schedule.ts'

/**
 * Turns from which on the spread between them gives an interval: four pairs of turns, each pair in the order ABBA.
 * Three pairs hold as often, and are half as wide again.
 */
export const fewestTurns = 8

/** A server that holds one model at a time loads it anew in every turn. */
const mostTurns = 24

/** Smaller blocks than this are made only where there would be too few turns for an interval. */
const usualBlock = 5

/**
 * How many turns contenders share so many requests each in, such that every block has the requests that its schedule
 * needs to become steady. Many turns make blocks small, so that what slows the machine for a while slows all of them;
 * even, because two turns are the unit (ABBA); two at least where there is anything to share.
 *
 * @param requestCount of each contender
 * @param steadyCount requests of a block that is steady: see `Schedule`
 */
export function countTurns(requestCount: number, { steadyCount }: Pick<Schedule, 'steadyCount'>): number {
  const usual = Math.floor(requestCount / Math.max(steadyCount, usualBlock))
  const turns =
    usual >= fewestTurns
      ? Math.min(usual, mostTurns)
      : Math.min(fewestTurns, Math.floor(requestCount / steadyCount))
  return Math.min(requestCount, Math.max(2, turns - (turns % 2)))
}

/**
 * Orders a list of sendings so that every item is sent equally often: whole passes, each newly shuffled, the
 * last one cut. Which utterances happened to be drawn more often then decides nothing.
 *
 *   items a b c, 7 sendings     b a c | c a b | a
 *
 * @param items at least one, unless the count is 0
 * @param count how many sendings; every item equally often where it is a multiple of the items, else some once more
 * @see MLPerf loadgen, "equal issue mode"
 */
export function equalIssueOrder<Item>(items: readonly Item[], count: number, random: Random): Item[] {
  if (items.length === 0 && count > 0) throw new RangeError('there is nothing to send')
  const order: Item[] = []
  // One by one: more arguments than a call can have are a corpus of 120,000 utterances.
  while (order.length < count) for (const item of random.shuffled(items)) order.push(item)
  return order.slice(0, count)
}

/** Something that can be spoken, and how long that takes. */
export interface Speakable {
  readonly id: string
  readonly audioSeconds: number
}

/** Two lengths as close as this are the same for a load, so that a wider choice of utterances is used. */
const closeEnough = 0.1

/**
 * Finds an utterance for each length of a trace: among those that differ by at most a tenth, one that was used
 * least so far, and the closest of them; where none is that close, the closest there is.
 *
 * @param wantedSeconds lengths in the order of sending
 * @param speakables at least one; equal input gives equal output
 * @returns ids, one for each length
 * @throws RangeError when there is nothing to choose from
 */
export function matchDurations(wantedSeconds: readonly number[], speakables: readonly Speakable[]): string[] {
  const used = speakables.map(() => 0)
  return wantedSeconds.map((wanted) => {
    // As ratios: a second more is much for two seconds and nothing for two minutes.
    const distances = speakables.map(({ audioSeconds }) => Math.abs(Math.log(audioSeconds / wanted)))
    const closest = distances.reduce((least, distance) => Math.min(least, distance), Number.POSITIVE_INFINITY)
    const reach = Math.max(Math.log(1 + closeEnough), closest)
    let best = -1
    for (const [candidate, distance] of distances.entries()) {
      if (distance > reach) continue
      const isBetter =
        best < 0 ||
        (used[candidate] ?? 0) < (used[best] ?? 0) ||
        (used[candidate] === used[best] && distance < (distances[best] ?? 0))
      if (isBetter) best = candidate
    }
    const chosen = speakables[best]
    if (chosen === undefined) throw new RangeError('there is no utterance to replay a trace with')
    used[best] = (used[best] ?? 0) + 1
    return chosen.id
  })
}
