import { trimMemory } from '#service/garbage-collector'
import { limitHeapGrowth } from '../heap-growth.ts'

/**
 * The same rows, in a heap that stays close to what is in use: rows of a batch live long enough to count as old. V8 collects step by
 * step while rows are written, where a collection from here would look at the whole heap each time.
 */
export function* inSmallHeap<Row>(rows: Iterable<Row>): Iterable<Row> {
  // What reading has left behind. The space for young objects shrinks too, and stays as it is then.
  trimMemory()
  using _growth = limitHeapGrowth(20)
  yield* rows
}
