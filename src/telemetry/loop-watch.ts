import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How long this process answered to nothing. Disposing ends the watching. */
export interface LoopWatch extends Disposable {
  /** The longest delay since it was asked last, in milliseconds. */
  longestMs(): number
}

/** How often the event loop is tried, in milliseconds: what the runtime tells of a delay includes it. */
const resolutionMs = 10

export function watchLoop(): LoopWatch {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  return {
    longestMs() {
      const longestMs = Math.max(0, histogram.max / 1e6 - resolutionMs)
      histogram.reset()
      return longestMs
    },
    [Symbol.dispose]() {
      histogram.disable()
    },
  }
}
