const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What Ctrl-C asks for: first to stop sending, then to drop what is in flight. */
export interface Interruption extends Disposable {
  readonly stop: AbortSignal
  readonly drop: AbortSignal
}

/**
 * Listens for Ctrl-C, SIGTERM and the closing of the terminal. The first stops the sending, the second drops what is in flight, the
 * third ends the process as if nobody had listened.
 */
export function listenForInterruption(onStop: () => void): Interruption {
  const stop = new AbortController()
  const drop = new AbortController()
  const listener = (): void => {
    if (!stop.signal.aborted) {
      stop.abort()
      onStop()
    } else if (!drop.signal.aborted) {
      drop.abort()
    } else {
      process.exit(130)
    }
  }
  for (const signal of signals) process.on(signal, listener)
  return {
    stop: stop.signal,
    drop: drop.signal,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, listener)
    },
  }
}
