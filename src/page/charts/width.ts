import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The width of an element in CSS pixels, as it changes; what is drawn into it keeps the size of its letters. */
export function useWidth<Place extends HTMLElement>(
  before: number,
): readonly [place: RefObject<Place | null>, width: number] {
  const place = useRef<Place>(null)
  const [width, setWidth] = useState(before)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(Math.max(120, Math.floor(element.clientWidth))))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [place, width]
}
