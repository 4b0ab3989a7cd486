import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface ScrollRegionProps {
  readonly label: string
  readonly children: ComponentChildren
}

/** Scrolls sideways where its content is wider than the page, and can then be reached with the keyboard. */
export function ScrollRegion({ label, children }: ScrollRegionProps): JSX.Element {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0
      else element.removeAttribute('tabindex')
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <section class="scroll" aria-label={label} ref={place}>
      {children}
    </section>
  )
}
