/** Waits for the work or for the signal, whichever comes first. The work goes on, and its result is dropped. */
export function unlessAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | 'abandoned'> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve('abandoned')
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
