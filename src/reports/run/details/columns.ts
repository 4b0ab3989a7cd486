import type { CountedRate, Interval } from '#analysis'
import { foreign } from '../../layout/terminal.ts'
import { absent, formatCount, formatPercent } from '../../layout/units.ts'
import type { DetailColumn } from './detail-table.ts'

/** How much a column can be missed: 0 stays always. */
interface Look {
  readonly header: string
  readonly dropOrder?: number
}

/** Text from outside or of ours. */
export function textColumn<Row>(
  header: string,
  look: Look | null,
  value: (row: Row) => string | null,
): DetailColumn<Row> {
  const cell = (row: Row): string => foreign(value(row) ?? absent)
  return { header, value, shown: shownAs(look, 'left', cell) }
}

export function countColumn<Row>(
  header: string,
  look: Look | null,
  value: (row: Row) => number | null,
): DetailColumn<Row> {
  const cell = (row: Row): string => {
    const count = value(row)
    return count === null ? absent : formatCount(count)
  }
  return { header, value, shown: shownAs(look, 'right', cell) }
}

/** A rate: 0..1 in files, percent on screens. */
export function rateColumn<Row>(
  header: string,
  look: Look | null,
  value: (row: Row) => number | null,
): DetailColumn<Row> {
  const cell = (row: Row): string => {
    const rate = value(row)
    return rate === null ? absent : formatPercent(rate)
  }
  return { header, value, shown: shownAs(look, 'right', cell) }
}

/** An interval: one column on screens, two in files. */
export function intervalColumns<Row>(
  name: string,
  interval: (row: Row) => Interval | null,
  dropOrder = 1,
): readonly DetailColumn<Row>[] {
  const cell = (row: Row): string => {
    const bounds = interval(row)
    return bounds === null ? absent : `${formatPercent(bounds.low)} – ${formatPercent(bounds.high)}`
  }
  return [
    {
      header: `${name}_low95_rate`,
      value: (row) => interval(row)?.low ?? null,
      shown: shownAs({ header: '95% interval', dropOrder }, 'left', cell),
    },
    { header: `${name}_high95_rate`, value: (row) => interval(row)?.high ?? null, shown: null },
  ]
}

function shownAs<Row>(
  look: Look | null,
  align: 'left' | 'right',
  cell: (row: Row) => string,
): DetailColumn<Row>['shown'] {
  return look === null ? null : { header: look.header, align, dropOrder: look.dropOrder ?? 0, cell }
}

/** `12 of 240 (5.0%, 95% interval 2.9% – 8.5%)`. */
export function ratePhrase({ rate, numerator, denominator, interval }: CountedRate): string {
  if (rate === null) return `none of ${formatCount(denominator)}`
  const bounds =
    interval === null ? '' : `, 95% interval ${formatPercent(interval.low)} – ${formatPercent(interval.high)}`
  return `${formatCount(numerator)} of ${formatCount(denominator)} (${formatPercent(rate)}${bounds})`
}

const textShown = 40

/** The beginning of a text that would fill a screen; files hold all of it. */
export function shortText(text: string, length: number = textShown): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
