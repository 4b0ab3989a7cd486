import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { counted, fixed } from '#reports/page'
import { Name } from '../layout.tsx'
import { type Cell, type Item, rateOf } from './library.ts'

export interface RowProps {
  readonly item: Item
  readonly contenders: readonly string[]
  readonly isOpen: boolean
  /** Neither texts nor figures are shown. */
  readonly isBlind: boolean
  onToggle(): void
}

/** An utterance in the list: who it is, and how many errors each contender made. */
export function Row({ item, contenders, isOpen, isBlind, onToggle }: RowProps): JSX.Element {
  const { id, reference, seconds } = item.row
  // The same drawing again costs nothing, and a key in the search field would otherwise redraw every cell.
  return useMemo(
    () => (
      <button type="button" class="row" aria-expanded={isOpen} onClick={onToggle}>
        <span class="who">
          <b>
            <Name>{id}</Name>
          </b>
          {item.isUndecided && !isBlind ? (
            <span class="caution undecided">{item.isDraft ? 'draft' : 'in doubt'}</span>
          ) : null}
          <span class="snippet">
            <bdi>{isBlind ? '' : (reference ?? '').slice(0, 200)}</bdi>
          </span>
        </span>
        <span class="seconds">{fixed(seconds, 1)} s</span>
        <Cells cells={isBlind ? [] : item.cells} contenders={contenders} />
      </button>
    ),
    [item, contenders, isOpen, isBlind],
  )
}

/** Shades by error rate, each up to its bound. */
const shades = [0, 0.05, 0.15, 0.3, 0.6, 1] as const

interface CellsProps {
  readonly cells: readonly Cell[]
  readonly contenders: readonly string[]
}

/** Elements are what scrolling costs, so there is one for each cell, and one with all of them in words. */
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
  const each = errors / scoredCount
  const rate = rateOf(cell)[0] ?? (errors > 0 ? 2 : 0)
  const shade = shades.findIndex((bound) => rate <= bound)
  const lost = failedCount > 0 ? `, ${failedCount} failed` : ''
  return {
    shade: `shade-${shade < 0 ? shades.length : shade}`,
    sign: `${each === 0 ? '·' : fixed(each, Number.isInteger(each) ? 0 : 1)}${failedCount > 0 ? '✗' : ''}`,
    meaning: `${each === 0 ? 'no error' : counted(each, 'error')}${lost}`,
  }
}
