import { collectEvery } from '../garbage-collector.ts'

/** Samples that may wait for the collector: four recordings of 30 s. */
const maxWaitingBytes = 8 * 2 ** 20

/** Makes sure that unused native streams are freed. */
export interface StreamMemory {
  /** Called after each decode with the number of samples in its stream. */
  decoded(sampleCount: number): void
}

/**
 * sherpa-onnx frees a stream when JavaScript's garbage collector finds it unreachable; its Node package can
 * neither free nor reuse one. The collector knows nothing of the memory behind it and, in a service that does little
 * else, sees no reason to run: the streams of two hours of speech made the process 190 MB larger, and collected after
 * every four they make it 40 MB larger. Only the young generation is collected, in which such a stream still is.
 */
export function createStreamMemory(): StreamMemory {
  const collect = collectEvery(maxWaitingBytes)
  return { decoded: (sampleCount) => collect(sampleCount * Float32Array.BYTES_PER_ELEMENT) }
}
