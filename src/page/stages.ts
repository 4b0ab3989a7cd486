import { useEffect, useState } from 'preact/hooks'

/**
 * Draws a long page part by part, the first part at once and one more between any two frames: what is at the top is
 * seen before the rest is made, and nothing holds the browser up for long.
 *
 * @param count of the parts
 * @returns how many of them are to be drawn by now
 */
export function useStages(count: number): number {
  const [drawn, setDrawn] = useState(1)
  useEffect(() => {
    if (drawn < count) return afterPaint(() => setDrawn(drawn + 1))
    // The browser looked for the place that the address ends with before it was there.
    if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView()
    return undefined
  }, [drawn, count])
  return drawn
}

/** @returns takes it back */
function afterPaint(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  // A tab in the background is never painted.
  if (document.visibilityState === 'hidden') timer = setTimeout(work)
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer)
    timer = setTimeout(work)
  })
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

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
