import type { Schedule } from './schedules/schedule.ts'

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
export function turnsOf(requestCount: number, { steadyCount }: Pick<Schedule, 'steadyCount'>): number {
  const usual = Math.floor(requestCount / Math.max(steadyCount, usualBlock))
  const turns =
    usual >= fewestTurns
      ? Math.min(usual, mostTurns)
      : Math.min(fewestTurns, Math.floor(requestCount / steadyCount))
  return Math.min(requestCount, Math.max(2, turns - (turns % 2)))
}
