import { useEffect, useRef } from 'preact/hooks'

/** Listens to single keys on the whole page, except while a field or a control has the focus. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const action = current.current[event.key]
      if (action === undefined || isOperated(event.target, event.key)) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function isOperated(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('input, select, textarea, [contenteditable]') !== null) return key !== 'Escape'
  return key === ' ' && target.closest('button, a, summary, audio') !== null && !target.matches('.row')
}
