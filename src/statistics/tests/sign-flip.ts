import type { Random } from '#prelude'

/** Up to here every way to flip the signs is looked at: 65,536 of them. */
const exactUpTo = 16
const draws = 10_000

/**
 * A two-sided p of “no difference” from the differences of independent pairs (speakers, runs): the share of ways
 * to flip their signs that lead at least as far from nought. For fewer than ten speakers, where a bootstrap
 * claims more than it can know. Exact up to 16 pairs, drawn beyond.
 *
 * The smallest p that n pairs can give is 2 / 2ⁿ: six are needed for one under 0.05.
 *
 * @returns null without pairs
 * @see Fisher 1935, The Design of Experiments, 21; Good 2005, Permutation, Parametric and Bootstrap Tests, 3.1
 */
export function signFlipTest(differences: readonly number[], random: Random): number | null {
  if (differences.length === 0) return null
  const sum = (isFlipped: (index: number) => boolean): number =>
    Math.abs(differences.reduce((total, each, index) => total + (isFlipped(index) ? -each : each), 0))
  // Sums of the same numbers in another order differ in their last digits.
  const observed = sum(() => false) * (1 - 1e-12)
  if (differences.length > exactUpTo) {
    let asFar = 0
    for (let draw = 0; draw < draws; draw += 1) if (sum(() => random.unit() < 0.5) >= observed) asFar += 1
    return (asFar + 1) / (draws + 1)
  }
  const ways = 2 ** differences.length
  let asFar = 0
  for (let way = 0; way < ways; way += 1)
    if (sum((index) => ((way >> index) & 1) === 1) >= observed) asFar += 1
  return asFar / ways
}
