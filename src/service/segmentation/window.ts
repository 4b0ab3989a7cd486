/** The part of a recording that is in memory: its samples keep the numbers that they have in the recording. */
export interface Window {
  /** The first sample that is held. */
  readonly start: number
  /** The one after the last. */
  readonly end: number
  append(samples: Float32Array): void
  copyUntil(end: number): Float32Array<ArrayBuffer>
  /** Frees the samples before `start`; does nothing where they are already freed. */
  dropUntil(start: number): void
}

/** @param capacity samples, never exceeded */
export function createWindow(capacity: number): Window {
  const samples = new Float32Array(capacity)
  let [start, end] = [0, 0]
  return {
    get start() {
      return start
    },
    get end() {
      return end
    },
    append(more) {
      samples.set(more, end - start)
      end += more.length
    },
    copyUntil: (until) => samples.slice(0, until - start),
    dropUntil(next) {
      if (next <= start) return
      samples.copyWithin(0, next - start, end - start)
      start = next
    },
  }
}
