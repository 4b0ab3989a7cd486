import { scaleLinear, scaleLog } from 'd3-scale'
import type { ComponentChildren, JSX } from 'preact'
import { logarithmicTicks, ticksThatFit } from './ticks.ts'
import { useWidth } from './width.ts'

/** Position along the common axis, in pixels. */
type Place = (value: number) => number

interface PlottedRow {
  readonly key: string
  readonly name: ComponentChildren
  /** The figure in words, next to the drawing. */
  readonly value: ComponentChildren
  draw(place: Place, height: number): ComponentChildren
}

export interface RowPlotProps {
  readonly label: string
  readonly rows: readonly PlottedRow[]
  /** End of the axis. */
  readonly end: number
  /** Default: 0. */
  readonly start?: number
  /** For ratios: `start` and `end` are positive then. */
  readonly isLogarithmic?: boolean
  formatTick(value: number): string
  readonly axisTitle: string
  readonly rowHeight?: number
}

const margin = 6

/** Rows on one common axis: a name, a drawing, the figure in words. A screen reader gets names and figures. */
export function RowPlot(props: RowPlotProps): JSX.Element {
  const { label, rows, start = 0, end, isLogarithmic = false, formatTick, axisTitle, rowHeight = 22 } = props
  const [place, width] = useWidth<HTMLDivElement>(420)
  const range = [margin, width - margin]
  const scale = isLogarithmic
    ? scaleLog([start, end], range)
    : scaleLinear([start, end <= start ? start + 1 : end], range).nice(5)
  const count = Math.max(start < 0 ? 3 : 2, Math.floor(width / 90))
  const all = isLogarithmic ? logarithmicTicks(scale.domain(), count) : scale.ticks(count)
  const ticks = ticksThatFit(all, { place: scale, format: formatTick, width })
  const position: Place = (value) => scale(value)
  return (
    <div class="row-plot">
      <ul aria-label={label}>
        {rows.map(({ key, name, value, draw }) => (
          <li key={key}>
            <span class="row-name">{name}</span>
            <svg width={width} height={rowHeight} aria-hidden="true">
              {ticks.map(({ tick }) => (
                <line class="grid" x1={scale(tick)} x2={scale(tick)} y1={0} y2={rowHeight} key={tick} />
              ))}
              {draw(position, rowHeight)}
            </svg>
            <span class="row-value">{value}</span>
          </li>
        ))}
      </ul>
      <div class="row-axis">
        <span />
        <div ref={place}>
          <svg width={width} height={36} aria-hidden="true">
            {ticks.map(({ tick, label: text, middle }) => (
              <text x={middle} y={14} text-anchor="middle" key={tick}>
                {text}
              </text>
            ))}
            <text class="axis-title" x={width / 2} y={31} text-anchor="middle">
              {axisTitle}
            </text>
          </svg>
        </div>
        <span />
      </div>
    </div>
  )
}
