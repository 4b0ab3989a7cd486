import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How long this process answered to nothing. Disposing ends the watching. */
export interface LoopWatch extends Disposable {
  /** The longest delay since it was asked last, in milliseconds. */
  maxMs(): number
}

/** Sampling interval of the event loop, in milliseconds: the delay that the runtime reports includes it. */
const resolutionMs = 10

export function watchLoop(): LoopWatch {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  return {
    maxMs() {
      const maxMs = Math.max(0, histogram.max / 1e6 - resolutionMs)
      histogram.reset()
      return maxMs
    },
    [Symbol.dispose]() {
      histogram.disable()
    },
  }
}
