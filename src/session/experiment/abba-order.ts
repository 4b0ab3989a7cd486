import type { Random } from '#prelude'

/**
 * Orders of the sides, pass by pass: a shuffled order, then the same one mirrored, then a new one. What drifts steadily
 * over the session falls on all sides alike; in the order A A … B B a drift of 10 % would be half a difference of 5 %.
 *
 *   pass    1      2      3      4
 *   order   A B    B A    B A    A B
 *
 * @returns the next order with every call
 */
export function abbaOrder<Side>(sides: readonly Side[], random: Random): () => readonly Side[] {
  let mirrored: readonly Side[] | null = null
  return () => {
    if (mirrored !== null) {
      const order = mirrored
      mirrored = null
      return order
    }
    const order = random.shuffled(sides)
    mirrored = order.toReversed()
    return order
  }
}
