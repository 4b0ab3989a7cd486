import { trimMemory } from '#service'

/** Growth of the process after which its heap is collected. */
const allowedGrowthBytes = 32e6

/** Looking at the size takes a few microseconds. */
const rowsBetweenLooks = 2000

/**
 * The same rows. Rows of a batch live long enough to count as old, and V8 lets old garbage grow to several times of what is in
 * use: a large table would need a gigabyte.
 */
export function* inSmallHeap<Row>(rows: Iterable<Row>): Iterable<Row> {
  // What reading has left behind.
  trimMemory()
  let leastBytes = process.memoryUsage.rss()
  let count = 0
  for (const row of rows) {
    yield row
    count += 1
    if (count % rowsBetweenLooks !== 0 || process.memoryUsage.rss() < leastBytes + allowedGrowthBytes)
      continue
    trimMemory()
    leastBytes = process.memoryUsage.rss()
  }
}
