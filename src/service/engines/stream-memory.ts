import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Samples that may wait for the collector: four recordings of 30 s. */
const mostWaitingBytes = 8 * 2 ** 20

/** Sees to it that native streams are freed that nobody uses any more. */
export interface StreamMemory {
  /** Is told after each decode how many samples its stream held. */
  decoded(sampleCount: number): void
}

/**
 * sherpa-onnx frees a stream when JavaScript's garbage collector finds that nobody refers to it, and has no other
 * way to. The collector knows nothing of the memory behind it and, with a small heap, sees no reason to run: two
 * hours of speech would keep a quarter of a gigabyte of samples that were transcribed long ago. So the young
 * generation, in which such a stream still is, is collected after every so many samples; that takes a millisecond.
 */
export function createStreamMemory(): StreamMemory {
  const collect = youngCollector()
  let waitingBytes = 0
  return {
    decoded(sampleCount) {
      waitingBytes += sampleCount * Float32Array.BYTES_PER_ELEMENT
      if (waitingBytes < mostWaitingBytes) return
      waitingBytes = 0
      collect()
    },
  }
}

/** @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags; only contexts made after it have the function */
function youngCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('() => gc({ type: "minor" })')
  return typeof collect === 'function' ? () => collect() : () => undefined
}
