/**
 * p-values adjusted so that, whichever of the nulls are true, any false alarm among them has the probability that
 * one test would have: for gates.
 *
 *   sorted p(1) ≤ … ≤ p(m);  adjusted(i) = max over j ≤ i of min(1, (m - j + 1) p(j))
 *
 * @returns in the order given
 * @see Holm 1979, https://www.jstor.org/stable/4615733
 */
export function holmAdjusted(pValues: readonly number[]): readonly number[] {
  const count = pValues.length
  const adjusted = new Array<number>(count).fill(1)
  let highest = 0
  for (const [place, index] of ascending(pValues).entries()) {
    highest = Math.max(highest, Math.min(1, (count - place) * (pValues[index] as number)))
    adjusted[index] = highest
  }
  return adjusted
}

/**
 * p-values adjusted so that of those called different the share that is not stays below the level: for tables that
 * are read to find something, not for gates. Assumes independent or positively dependent tests.
 *
 *   adjusted(i) = min over j ≥ i of min(1, m p(j) / j)
 *
 * @returns in the order given
 * @see Benjamini and Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x
 */
export function benjaminiHochbergAdjusted(pValues: readonly number[]): readonly number[] {
  const count = pValues.length
  const adjusted = new Array<number>(count).fill(1)
  let lowest = 1
  for (const [fromTop, index] of ascending(pValues).toReversed().entries()) {
    lowest = Math.min(lowest, (count * (pValues[index] as number)) / (count - fromTop))
    adjusted[index] = lowest
  }
  return adjusted
}

function ascending(values: readonly number[]): number[] {
  return values.map((_, index) => index).sort((a, b) => (values[a] as number) - (values[b] as number))
}
