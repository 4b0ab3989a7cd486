import type { Random } from '#prelude'
import { drawBinomial, logFactorials } from '../distributions/binomial.ts'

/** Rows that occur less often than this are drawn one by one: a binomial draw costs about as much as eight. */
const frequentFrom = 8

/** Rows of equal content drawn as one, and the rare ones drawn one by one. */
interface Grouping {
  /** Index of one row of each frequent group, most frequent group first. */
  readonly representatives: readonly number[]
  readonly occurrences: readonly number[]
  /** A row for each single one of the rare groups. */
  readonly rareRows: readonly number[]
}

/**
 * Column sums of `replicates` samples of n rows, drawn from n rows with replacement.
 *
 * Only the sums matter, so rows of equal content are interchangeable: how often each distinct row is drawn is
 * multinomial, which a chain of binomial draws gives without drawing rows one by one. Error counts are small
 * whole numbers, and a hundred thousand utterances hold a few hundred distinct pairs of them: the result has
 * exactly the distribution of the plain bootstrap, hundreds of times sooner.
 *
 * @param columns at least one, all of the same length ≥ 1
 * @param counts how many rows each row represents, n in all
 * @returns per column, its sum in every replicate
 */
export function resampledSums(
  columns: readonly Float64Array[],
  counts: ArrayLike<number>,
  replicates: number,
  random: Random,
): Float64Array[] {
  const { representatives, occurrences, rareRows } = groupRows(columns, counts)
  const rowCount = occurrences.reduce((sum, count) => sum + count, rareRows.length)
  const sums = columns.map(() => new Float64Array(replicates))
  const logFactorial = logFactorials(rowCount)
  // Row by row in one array: this loop is where the time of an interval goes.
  const width = columns.length
  const frequent = rowByRow(columns, representatives)
  const rare = rowByRow(columns, rareRows)
  const sum = new Float64Array(width)
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    sum.fill(0)
    let drawsLeft = rowCount
    let rowsLeft = rowCount
    for (let group = 0; group < representatives.length && drawsLeft > 0; group += 1) {
      const occurrence = occurrences[group] as number
      const times = drawBinomial(drawsLeft, occurrence / rowsLeft, logFactorial, random)
      for (let index = 0; index < width; index += 1) {
        sum[index] = (sum[index] as number) + times * (frequent[group * width + index] as number)
      }
      drawsLeft -= times
      rowsLeft -= occurrence
    }
    for (; drawsLeft > 0; drawsLeft -= 1) {
      const at = random.below(rareRows.length) * width
      for (let index = 0; index < width; index += 1) {
        sum[index] = (sum[index] as number) + (rare[at + index] as number)
      }
    }
    for (const [index, column] of sums.entries()) column[replicate] = sum[index] as number
  }
  return sums
}

function rowByRow(columns: readonly Float64Array[], rows: readonly number[]): Float64Array {
  return Float64Array.from(rows.flatMap((row) => columns.map((column) => column[row] as number)))
}

function groupRows(columns: readonly Float64Array[], counts: ArrayLike<number>): Grouping {
  const groups = new Map<string, { readonly row: number; count: number }>()
  for (let row = 0; row < counts.length; row += 1) {
    const content = columns.map((column) => column[row]).join(' ')
    const group = groups.get(content)
    if (group === undefined) groups.set(content, { row, count: counts[row] as number })
    else group.count += counts[row] as number
  }
  const all = [...groups.values()]
  const frequent = all.filter(({ count }) => count >= frequentFrom).sort((a, b) => b.count - a.count)
  const rare = all.filter(({ count }) => count < frequentFrom)
  return {
    representatives: frequent.map(({ row }) => row),
    occurrences: frequent.map(({ count }) => count),
    rareRows: rare.flatMap(({ row, count }) => Array.from({ length: count }, () => row)),
  }
}
