/** Says what a run waits for while nothing happens. */
export interface Heartbeat extends Disposable {
  /** Something happened. `waitsFor` says what is waited for from now on, given the seconds since then; null for nothing. */
  beat(waitsFor?: ((silentSeconds: number) => string) | null): void
}

const everyMs = 1000

/**
 * @param show is called once a second while nothing happens and something is waited for
 */
export function startHeartbeat(show: (text: string, silentSeconds: number) => void): Heartbeat {
  let heardAtMs = performance.now()
  let waiting: ((silentSeconds: number) => string) | null = null
  const timer = setInterval(() => {
    const silentSeconds = Math.round((performance.now() - heardAtMs) / 1000)
    if (waiting !== null) show(waiting(silentSeconds), silentSeconds)
  }, everyMs)
  timer.unref()
  return {
    beat(waitsFor) {
      heardAtMs = performance.now()
      if (waitsFor !== undefined) waiting = waitsFor
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
