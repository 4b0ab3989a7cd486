import { getHeapStatistics } from 'node:v8'
import { garbageCollector } from '#service'

/** Growth of the heap after which it is collected. */
const allowedGrowthBytes = 32e6

/** Looking at the heap takes a few microseconds. */
const rowsBetweenLooks = 2000

/**
 * The same rows. Rows of a batch live long enough to count as old, and V8 lets old garbage grow to several times of what is in
 * use: a large table would need a gigabyte.
 */
export function* inSmallHeap<Row>(rows: Iterable<Row>): Iterable<Row> {
  const collect = garbageCollector('major')
  // What reading has left behind.
  collect()
  let leastBytes = usedBytes()
  let count = 0
  for (const row of rows) {
    yield row
    count += 1
    if (count % rowsBetweenLooks !== 0 || usedBytes() < leastBytes + allowedGrowthBytes) continue
    collect()
    leastBytes = usedBytes()
  }
}

function usedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}
