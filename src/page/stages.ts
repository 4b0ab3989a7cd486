import { useEffect, useState } from 'preact/hooks'

/**
 * Draws a long page part by part, the first part at once and one more per frame. The top is visible before the rest
 * is made, and the browser stays responsive.
 *
 * @param count number of parts
 * @returns how many parts to draw now
 */
export function useStages(count: number): number {
  const [drawn, setDrawn] = useState(1)
  useEffect(() => {
    if (drawn < count) return afterPaint(() => setDrawn(drawn + 1))
    // The browser searched for the target of the fragment before that part existed.
    if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView()
    return undefined
  }, [drawn, count])
  return drawn
}

/** @returns cancels the work */
function afterPaint(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  // A background tab is never painted, so a timer starts the work there.
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

/** Duration in milliseconds after which a scroll or a key would wait noticeably. */
const sliceMs = 12

/** Pauses for long work in slices: awaiting the result yields only if the current slice is used up. */
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
