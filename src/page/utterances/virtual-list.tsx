import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { counted, fixed } from '#reports/page'
import { useResized } from '../layout.tsx'
import { type Cell, type Item, listRates } from './library.ts'

export interface VirtualListProps {
  readonly entries: readonly Item[]
  readonly rowHeight: number
  /** Index of the open entry, whose row is as high as its content; -1 for none. */
  readonly openIndex: number
  /** Increases each time that the open entry should be scrolled into view. */
  readonly revealed: number
  row(entry: Item): ComponentChildren
  open(entry: Item): ComponentChildren
}

/** Number of rows drawn beyond the edges, so that a quick scroll shows no gap. */
const spare = 8
/** Number of printed rows, because paper does not scroll. */
const printedRows = 100

/**
 * A list that renders only its visible part: rows of one height, and at most one open entry of any height. The
 * position of a row therefore follows from its index, at any length of the list.
 */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { entries, rowHeight, openIndex, revealed, row, open } = props
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const [openHeight, setOpenHeight] = useState(0)
  const isPrinting = usePrinting()
  const port = useResized<HTMLUListElement>(({ clientHeight }) => setHeight(clientHeight))
  useLayoutEffect(() => {
    const element = port.current
    if (element === null || openIndex < 0) return
    const start = openIndex * rowHeight
    if (start < element.scrollTop || start + 3 * rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = Math.max(0, start - rowHeight)
    }
  }, [revealed])

  const beyond = openIndex >= 0 ? openHeight : 0
  const first = isPrinting ? 0 : Math.max(0, indexAt(top, rowHeight, openIndex, beyond) - spare)
  const end = isPrinting
    ? Math.min(entries.length, printedRows)
    : Math.min(entries.length, indexAt(top + height, rowHeight, openIndex, beyond) + spare)
  const shown = entries.slice(first, end)
  const openEntry = openIndex < first || openIndex >= end ? undefined : entries[openIndex]
  const opened = useResized<HTMLDivElement>(
    ({ offsetHeight }) => setOpenHeight(offsetHeight),
    openEntry?.row.id ?? null,
  )
  const startOf = (index: number): number => index * rowHeight + (index > openIndex ? beyond : 0)
  return (
    <ul
      class="port"
      aria-label="Utterances"
      ref={port}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <li class="extent" aria-hidden="true" style={{ height: `${entries.length * rowHeight + beyond}px` }} />
      {shown.map((entry, at) => {
        const index = first + at
        const isOpen = index === openIndex
        return (
          <li
            class={isOpen ? 'entry opened' : 'entry'}
            style={isPrinting ? {} : { top: `${startOf(index)}px` }}
            key={entry.row.id}
          >
            {row(entry)}
            {isOpen ? <div ref={opened}>{open(entry)}</div> : null}
          </li>
        )
      })}
    </ul>
  )
}

/** The row at a distance from the top of the list. */
function indexAt(top: number, rowHeight: number, openIndex: number, openHeight: number): number {
  const endOfOpen = (openIndex + 1) * rowHeight
  if (openIndex < 0 || top <= endOfOpen) return Math.floor(top / rowHeight)
  return Math.max(openIndex, Math.floor((top - openHeight) / rowHeight))
}

function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const start = (): void => setPrinting(true)
    const end = (): void => setPrinting(false)
    addEventListener('beforeprint', start)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', start)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}

interface RowProps {
  readonly item: Item
  readonly contenders: readonly string[]
  readonly isOpen: boolean
  /** Whether texts and figures are hidden. */
  readonly isBlind: boolean
  onToggle(): void
}

/** A row of the list: the utterance, and the errors of each contender. */
export function Row({ item, contenders, isOpen, isBlind, onToggle }: RowProps): JSX.Element {
  const { id, reference, seconds } = item.row
  // The row is memoised, because a key in the search field would otherwise redraw every cell.
  return useMemo(
    () => (
      <button type="button" class="row" aria-expanded={isOpen} onClick={onToggle}>
        <span class="who">
          <b dir="auto">{id}</b>
          {item.isUndecided && !isBlind ? (
            <span class="caution undecided">{item.isDraft ? 'draft' : 'in doubt'}</span>
          ) : null}
          <bdi class="snippet">{isBlind ? '' : (reference ?? '').slice(0, 200)}</bdi>
        </span>
        <span class="seconds">{fixed(seconds, 1)} s</span>
        <Cells cells={isBlind ? [] : item.cells} contenders={contenders} />
      </button>
    ),
    [item, contenders, isOpen, isBlind],
  )
}

/** Upper bounds of the error rate of each shade. */
const shades = [0, 0.05, 0.15, 0.3, 0.6, 1] as const

interface CellsProps {
  readonly cells: readonly Cell[]
  readonly contenders: readonly string[]
}

/**
 * The cells of a row. Elements make scrolling slow, so a cell is one element, and one more describes all in words.
 */
function Cells({ cells, contenders }: CellsProps): JSX.Element {
  const all = cells.map((cell, index) => ({ ...marked(cell), contender: contenders[index] ?? '' }))
  return (
    <span class="cells">
      {all.map(({ shade, sign, meaning, contender }) => (
        <span class={`cell ${shade}`} title={`${contender}: ${meaning}`} aria-hidden="true" key={contender}>
          {sign}
        </span>
      ))}
      <span class="unseen">{all.map(({ contender, meaning }) => `${contender}: ${meaning}.`).join(' ')}</span>
    </span>
  )
}

function marked(cell: Cell): { readonly shade: string; readonly sign: string; readonly meaning: string } {
  const { errors, scoredCount, failedCount } = cell
  if (scoredCount === 0) {
    return failedCount > 0
      ? { shade: 'broken', sign: '✗', meaning: 'failed' }
      : { shade: 'absent', sign: '', meaning: 'not sent' }
  }
  const meanErrors = errors / scoredCount
  const rate = listRates(cell)[0] ?? (errors > 0 ? 2 : 0)
  const shade = shades.findIndex((bound) => rate <= bound)
  const lost = failedCount > 0 ? `, ${failedCount} failed` : ''
  return {
    shade: `shade-${shade < 0 ? shades.length : shade}`,
    sign: `${meanErrors === 0 ? '·' : fixed(meanErrors, Number.isInteger(meanErrors) ? 0 : 1)}${failedCount > 0 ? '✗' : ''}`,
    meaning: `${meanErrors === 0 ? 'no error' : counted(meanErrors, 'error')}${lost}`,
  }
}
