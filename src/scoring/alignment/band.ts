import {
  advance,
  closeFirst,
  closeLast,
  type Differences,
  distanceNow,
  openLast,
  restart,
  rise,
} from './difference-columns.ts'

/** Blocks are closed every so many columns: to keep one open for longer costs less than to look each time. */
const columnsBetweenLooks = 16

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
 * @param onColumn called after each column
 * @see Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2
 */
export function exactPass(
  differences: Differences,
  limit: number,
  onColumn?: (column: number) => void,
): number {
  const { hypothesis } = differences
  restart(differences)
  openBelow(differences, 0, limit)
  onColumn?.(0)
  for (let column = 1; column <= hypothesis.length; column += 1) {
    advance(differences, hypothesis[column - 1] as number)
    if (column % columnsBetweenLooks === 0) closeBlocks(differences, column, limit)
    openBelow(differences, column, limit)
    onColumn?.(column)
  }
  return distanceNow(differences)
}

/**
 * An upper bound of the distance, usually the distance itself: only blocks within `slack` edits of the most
 * promising one are followed. Every value is the cost of some path, so the last one cannot be too small.
 */
export function upperBound(differences: Differences, slack: number): number {
  const { hypothesis, reference, blockCount } = differences
  restart(differences)
  let limit = mostPromising(differences, 0) + slack
  openBelow(differences, 0, limit)
  for (let column = 1; column <= hypothesis.length; column += 1) {
    advance(differences, hypothesis[column - 1] as number)
    if (column % columnsBetweenLooks === 0) {
      limit = mostPromising(differences, column) + slack
      closeBlocks(differences, column, limit)
    }
    openBelow(differences, column, limit)
  }
  const longer = Math.max(reference.length, hypothesis.length)
  return differences.lastBlock === blockCount - 1 ? Math.min(distanceNow(differences), longer) : longer
}

/** Rows of the reference that are left after `row`, less columns of the hypothesis left after `column`. */
function surplus({ reference, hypothesis }: Differences, row: number, column: number): number {
  return reference.length - row - (hypothesis.length - column)
}

function mostPromising(differences: Differences, column: number): number {
  let best = Number.POSITIVE_INFINITY
  let value = differences.above
  for (let block = differences.firstBlock; block <= differences.lastBlock; block += 1) {
    value += rise(differences, block)
    const bound = value + Math.abs(surplus(differences, 32 * (block + 1), column))
    if (bound < best) best = bound
  }
  return best
}

function closeBlocks(differences: Differences, column: number, limit: number): void {
  while (differences.firstBlock < differences.lastBlock) {
    const block = differences.firstBlock
    const left = surplus(differences, 32 * (block + 1), column)
    if (left < 0 || differences.above + rise(differences, block) + left <= limit) break
    closeFirst(differences)
  }
  while (differences.lastBlock > differences.firstBlock) {
    const block = differences.lastBlock
    const left = surplus(differences, 32 * block, column)
    if (left > 0 || differences.below - rise(differences, block) - left <= limit) break
    closeLast(differences)
  }
}

function openBelow(differences: Differences, column: number, limit: number): void {
  while (differences.lastBlock < differences.blockCount - 1) {
    const left = Math.abs(surplus(differences, 32 * (differences.lastBlock + 1) + 1, column))
    if (differences.below + left - 1 > limit) break
    openLast(differences)
  }
}
