import { scaleLinear } from 'd3-scale'
import type { ComponentChildren, JSX } from 'preact'
import { useWidth } from './width.ts'

/** Position along the common axis, in pixels. */
type Place = (value: number) => number

interface PlottedRow {
  readonly key: string
  readonly name: ComponentChildren
  /** The figure in words, beside the drawing. */
  readonly value: ComponentChildren
  draw(place: Place, height: number): ComponentChildren
}

export interface RowPlotProps {
  readonly label: string
  readonly rows: readonly PlottedRow[]
  /** End of the axis. */
  readonly end: number
  /** 0 unless told. */
  readonly start?: number
  formatTick(value: number): string
  readonly axisTitle: string
  readonly rowHeight?: number
}

const margin = 6

/** Rows on one common axis: a name, a drawing, the figure in words. A screen reader gets names and figures. */
export function RowPlot(props: RowPlotProps): JSX.Element {
  const { label, rows, start = 0, end, formatTick, axisTitle, rowHeight = 22 } = props
  const [place, width] = useWidth<HTMLDivElement>(420)
  const scale = scaleLinear([start, end <= start ? start + 1 : end], [margin, width - margin]).nice(5)
  const ticks = scale.ticks(Math.max(start < 0 ? 3 : 2, Math.floor(width / 90)))
  const position: Place = (value) => scale(value)
  return (
    <div class="row-plot">
      <ul aria-label={label}>
        {rows.map(({ key, name, value, draw }) => (
          <li key={key}>
            <span class="row-name">{name}</span>
            <svg width={width} height={rowHeight} aria-hidden="true">
              {ticks.map((tick) => (
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
            {ticks.map((tick) => (
              <text x={scale(tick)} y={14} text-anchor="middle" key={tick}>
                {formatTick(tick)}
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
