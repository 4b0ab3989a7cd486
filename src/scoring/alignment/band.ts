import { advance, type Differences, distanceNow, openBlock } from './difference-columns.ts'

/** The blocks of rows that were worked out in each column; what a second pass needs to be the same. */
export interface Band {
  readonly first: Int32Array
  readonly last: Int32Array
}

/**
 * Works out all columns, leaving out blocks of rows that no best path can cross, and returns the distance.
 *
 * A path through (i, j) costs at least D(i,j) + |(n-i) - (m-j)|: what it cost to get there, and the insertions
 * or deletions that are left. Blocks where that is more than `limit` are left out. If the distance is at most
 * `limit`, every cell of every best path stays in, and has its true value; others may be too large, never too
 * small. Along a column the bound never falls away from the two cells that part a block from its neighbours,
 * so looking at those is enough.
 *
 * @param limit an upper bound of the distance
 * @param onColumn called after each column, with the blocks for the next one opened and closed
 * @see Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2
 */
export function exactPass(
  differences: Differences,
  limit: number,
  onColumn?: (column: number) => void,
): { readonly distance: number; readonly band: Band } {
  const columnCount = differences.hypothesis.length
  const band: Band = { first: new Int32Array(columnCount + 1), last: new Int32Array(columnCount + 1) }
  const scratch = new Int32Array(differences.blockCount)
  differences.lastBlock = 0
  fitBand(differences, 0, limit)
  onColumn?.(0)
  for (let column = 1; column <= columnCount; column += 1) {
    band.first[column] = differences.firstBlock
    band.last[column] = differences.lastBlock
    advance(differences, differences.hypothesis[column - 1] as number, scratch, scratch, 0)
    fitBand(differences, column, limit)
    onColumn?.(column)
  }
  return { distance: distanceNow(differences), band }
}

/**
 * An upper bound of the distance, usually the distance itself: only blocks within `slack` edits of the most
 * promising one are followed. Every value is the cost of some path, so the last one cannot be too small.
 */
export function upperBound(differences: Differences, slack: number): number {
  const { hypothesis, reference, blockCount } = differences
  const scratch = new Int32Array(blockCount)
  differences.lastBlock = 0
  fitBand(differences, 0, mostPromising(differences, 0) + slack)
  for (let column = 1; column <= hypothesis.length; column += 1) {
    advance(differences, hypothesis[column - 1] as number, scratch, scratch, 0)
    fitBand(differences, column, mostPromising(differences, column) + slack)
  }
  const longer = Math.max(reference.length, hypothesis.length)
  return differences.lastBlock === blockCount - 1 ? Math.min(distanceNow(differences), longer) : longer
}

/** Rows of the reference that are left after `row`, less columns of the hypothesis left after `column`. */
function surplus(differences: Differences, row: number, column: number): number {
  return differences.reference.length - row - (differences.hypothesis.length - column)
}

function mostPromising(differences: Differences, column: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let block = differences.firstBlock; block <= differences.lastBlock; block += 1) {
    const bound =
      (differences.scores[block] as number) + Math.abs(surplus(differences, 32 * (block + 1), column))
    if (bound < best) best = bound
  }
  return best
}

function fitBand(differences: Differences, column: number, limit: number): void {
  const { scores, blockCount } = differences
  while (differences.firstBlock < differences.lastBlock) {
    const block = differences.firstBlock
    const left = surplus(differences, 32 * (block + 1), column)
    if (left < 0 || (scores[block] as number) + left <= limit) break
    differences.firstBlock += 1
  }
  while (differences.lastBlock > differences.firstBlock) {
    const above = differences.lastBlock - 1
    const left = surplus(differences, 32 * (above + 1), column)
    if (left > 0 || (scores[above] as number) - left <= limit) break
    differences.lastBlock -= 1
  }
  while (differences.lastBlock < blockCount - 1) {
    const block = differences.lastBlock
    const left = Math.abs(surplus(differences, 32 * (block + 1) + 1, column))
    if ((scores[block] as number) + left - 1 > limit) break
    differences.lastBlock += 1
    openBlock(differences, differences.lastBlock)
  }
}
