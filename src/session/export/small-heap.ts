import { setFlagsFromString } from 'node:v8'
import { trimMemory } from '#service'

/**
 * The same rows, in a heap that stays close to what is in use. Rows of a batch live long enough to count as old, and V8 lets old
 * garbage grow to several times of what is in use, and its space for young objects to 100 MB. Both limits are V8's own: it
 * collects step by step while rows are written, where a collection from here would look at the whole heap each time.
 */
export function* inSmallHeap<Row>(rows: Iterable<Row>): Iterable<Row> {
  // What reading has left behind. The space for young objects shrinks too, and stays as it is then.
  trimMemory()
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  yield* rows
}
