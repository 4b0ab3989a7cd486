import { useEffect, useRef } from 'preact/hooks'
import { untilNextTurn } from '../stages.ts'
import { type Item, listRates } from './library.ts'

/** Filter of the listed utterances. */
export type Show = 'all' | 'undecided' | 'wrong' | 'over100' | 'failed' | 'differ'

/** Sort key of the list: a property, or the index of a contender whose errors count. */
export type SortKey = 'plan' | 'id' | 'seconds' | 'errors' | 'spread' | 'influence' | 'decision' | number

export interface Selection {
  /** Case-insensitive text to find in the id, the reference or a hypothesis. */
  readonly text: string
  readonly show: Show
  readonly tag: string | null
  readonly sort: SortKey
  readonly isDescending: boolean
}

export const firstSelection: Selection = {
  text: '',
  show: 'all',
  tag: null,
  sort: 'errors',
  isDescending: true,
}

/**
 * Filters and sorts items in slices, so that a page with tens of thousands of utterances stays responsive.
 *
 * @param isStale whether a later selection has replaced this one
 * @returns null if it became stale
 */
export async function select(
  items: readonly Item[],
  selection: Selection,
  isStale: () => boolean,
): Promise<readonly Item[] | null> {
  const turn = untilNextTurn()
  const sought = selection.text.trim().toLowerCase()
  const keyed: Keyed[] = []
  for (const item of items) {
    await turn()
    if (isStale()) return null
    if (isShown(item, selection) && (sought === '' || holds(item, sought))) {
      keyed.push({ item, key: sortValue(item, selection.sort) })
    }
  }
  const sign = selection.isDescending ? -1 : 1
  const sorted = await sortedInSlices(
    keyed,
    (a, b) => sign * compare(a.key, b.key) || a.item.order - b.item.order,
    turn,
  )
  return isStale() ? null : sorted.map(({ item }) => item)
}

interface Keyed {
  readonly item: Item
  readonly key: number | string
}

// A slice of this length sorts in well under 1 ms.
const sliceLength = 512

/** Sorts slices and merges them, two at a time, with pauses between. */
async function sortedInSlices<Entry>(
  entries: readonly Entry[],
  compareEntries: (a: Entry, b: Entry) => number,
  turn: () => Promise<void>,
): Promise<readonly Entry[]> {
  let runs: (readonly Entry[])[] = []
  for (let start = 0; start < entries.length; start += sliceLength) {
    runs.push(entries.slice(start, start + sliceLength).sort(compareEntries))
    await turn()
  }
  while (runs.length > 1) {
    const merged: (readonly Entry[])[] = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(mergedRuns(runs[at] ?? [], runs[at + 1] ?? [], compareEntries))
      await turn()
    }
    runs = merged
  }
  return runs[0] ?? []
}

function mergedRuns<Entry>(
  left: readonly Entry[],
  right: readonly Entry[],
  compareEntries: (a: Entry, b: Entry) => number,
): Entry[] {
  const merged: Entry[] = []
  let at = 0
  for (const entry of left) {
    for (let next = right[at]; next !== undefined && compareEntries(next, entry) < 0; next = right[at]) {
      merged.push(next)
      at += 1
    }
    merged.push(entry)
  }
  return [...merged, ...right.slice(at)]
}

function isShown(
  { cells, row, errors, spread, isUndecided, isFailed, isOver100 }: Item,
  { show, tag }: Selection,
): boolean {
  if (tag !== null && !row.tags.includes(tag)) return false
  if (show === 'undecided') return isUndecided
  if (show === 'wrong') return errors > 0
  if (show === 'over100') return isOver100
  if (show === 'failed') return isFailed
  if (show === 'differ') return spread > 0 || (isFailed && cells.length > 1)
  return true
}

function holds({ row }: Item, sought: string): boolean {
  const { id, reference, texts } = row
  return (
    id.toLowerCase().includes(sought) ||
    reference?.toLowerCase().includes(sought) === true ||
    texts.some((text) => text.toLowerCase().includes(sought))
  )
}

function sortValue(item: Item, sort: SortKey): number | string {
  const { order, row, errors, spread, influence, cells } = item
  if (sort === 'plan') return order
  if (sort === 'id') return row.id
  if (sort === 'seconds') return row.seconds
  if (sort === 'errors') return errors
  if (sort === 'spread') return spread
  if (sort === 'influence') return influence
  // All undecided utterances come first, then the others by their influence.
  if (sort === 'decision') return item.isUndecided ? Number.MAX_VALUE / 2 + errors : influence
  const cell = cells[sort]
  if (cell === undefined) return -1
  // Failures sort above all answers, unsent requests below.
  if (cell.failedCount > 0) return Number.MAX_VALUE
  return listRates(cell)[0] ?? (cell.scoredCount > 0 ? cell.errors : -1)
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Listens to single keys on the whole page, except while a field or a control has the focus. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.altKey) return
      const isChord = event.ctrlKey || event.metaKey
      const action = current.current[isChord ? `Ctrl+${event.key}` : event.key]
      if (action === undefined || (!isChord && isOperated(event.target, event.key))) return
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
