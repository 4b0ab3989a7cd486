/** Ranks of values, from 1; equal values share their mean rank. */
export interface Ranking {
  /** Ranks in the order of the values. */
  readonly ranks: readonly number[]
  /** Σ (t³ - t) over groups of t equal values, for the tie correction of a rank test's variance. */
  readonly tieTerm: number
}

export function rank(values: readonly number[]): Ranking {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] as number) - (values[b] as number))
  const ranks = new Array<number>(values.length).fill(0)
  let tieTerm = 0
  for (let start = 0; start < order.length; ) {
    let end = start + 1
    while (end < order.length && values[order[end] as number] === values[order[start] as number]) end += 1
    const tied = end - start
    tieTerm += tied ** 3 - tied
    for (let place = start; place < end; place += 1) ranks[order[place] as number] = (start + 1 + end) / 2
    start = end
  }
  return { ranks, tieTerm }
}
