import type { Random } from '#prelude'

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
