const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What Ctrl-C asks for: first to stop sending, then to drop what is in flight. */
export interface Interruption extends Disposable {
  readonly stop: AbortSignal
  readonly drop: AbortSignal
}

/**
 * Listens for Ctrl-C, SIGTERM and the closing of the terminal. The first stops the sending, the second drops what is in flight, the
 * third ends the process as if there were no handler.
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
  const watch = watchLauncher(process.env, listener)
  return {
    stop: stop.signal,
    drop: drop.signal,
    [Symbol.dispose]() {
      clearInterval(watch)
      for (const signal of signals) process.off(signal, listener)
    },
  }
}

const launcherIntervalMs = 250

/**
 * `npm run` starts a shell that starts this program, and a SIGTERM for npm ends the shell alone: only that the parent is
 * another one shows that it came.
 */
function watchLauncher(
  env: Readonly<Record<string, string | undefined>>,
  onGone: () => void,
): NodeJS.Timeout | undefined {
  if (env['npm_lifecycle_event'] === undefined) return undefined
  const launcher = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === launcher) return
    clearInterval(timer)
    onGone()
  }, launcherIntervalMs)
  return timer.unref()
}
