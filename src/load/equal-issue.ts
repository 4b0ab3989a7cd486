import type { Random } from '#prelude'
import type { Schedule } from './schedule.ts'

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
  while (order.length < count) order.push(...random.shuffled(items))
  return order.slice(0, count)
}

/**
 * How many requests make whole passes over the items. A schedule that goes on for ever is filled up to the next
 * whole pass; one that ends by itself loses the rest of its last pass, unless it does not last for one.
 *
 * @param itemCount from 1
 * @param atLeast how many requests are wanted, for schedules that take any number
 */
export function equalIssueCount(
  schedule: Pick<Schedule, 'requestCount'>,
  itemCount: number,
  { atLeast, round = 0 }: { readonly atLeast: number; readonly round?: number },
): number {
  const arrivals = schedule.requestCount(round)
  if (arrivals === null) return Math.ceil(atLeast / itemCount) * itemCount
  return arrivals < itemCount ? arrivals : Math.floor(arrivals / itemCount) * itemCount
}
