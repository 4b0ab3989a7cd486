/** Longer than this without a pause, and a scroll or a key would have to wait noticeably. */
const sliceMs = 12

/** For long work in slices: awaiting the result pauses where the slice is used up, and costs nothing where it is not. */
export function untilNextTurn(): () => Promise<void> {
  let startedAtMs = performance.now()
  return async () => {
    if (performance.now() - startedAtMs < sliceMs) return
    await new Promise<void>((resolve) => {
      const channel = new MessageChannel()
      channel.port1.onmessage = () => resolve()
      channel.port2.postMessage(null)
    })
    startedAtMs = performance.now()
  }
}
