import { randomNormal } from 'd3-random'
import type { Random } from '#prelude'

/** Draws from the standard normal distribution. */
export function normalDraws(random: Random): () => number {
  return randomNormal.source(() => random.unit())(0, 1)
}
