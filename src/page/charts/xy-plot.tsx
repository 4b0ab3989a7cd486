import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from 'd3-scale'
import type { ComponentChildren, JSX } from 'preact'
import { logarithmicTicks, ticksThatFit } from './ticks.ts'
import { useWidth } from './width.ts'

type Scale = ScaleContinuousNumeric<number, number>

interface Axis {
  /** Null where the figure's own title says it. */
  readonly title: string | null
  readonly domain: readonly [number, number]
  readonly isLogarithmic?: boolean
  /** The axis ends where the domain ends, not at the next round number. */
  readonly isExact?: boolean
  /** Positions of the ticks; default: chosen from the range. */
  readonly ticks?: readonly number[] | undefined
  format(value: number): string
}

export interface XyPlotProps {
  /** What is seen, in a sentence: for those who do not see it. */
  readonly label: string
  readonly x: Axis
  readonly y: Axis
  readonly height?: number
  children(x: Scale, y: Scale, size: { readonly width: number; readonly height: number }): ComponentChildren
}

export const margins = { top: 10, right: 14, bottom: 40, left: 74 } as const

/** Two axes and what is drawn between them. */
export function XyPlot({ label, x, y, height = 280, children }: XyPlotProps): JSX.Element {
  const [place, width] = useWidth<HTMLDivElement>(520)
  const right = width - margins.right
  const bottom = height - margins.bottom
  const across = scaleOf(x, [margins.left, right])
  const up = scaleOf(y, [bottom, margins.top])
  return (
    <div class="xy-plot" ref={place}>
      <svg viewBox={`0 0 ${width} ${height}`} width="100%" role="img" aria-label={label}>
        {ticksThatFit(ticksOf(x, across, Math.floor(width / 90)), {
          place: across,
          format: x.format,
          width,
        }).map(({ tick, label: text, middle }) => (
          <g key={tick}>
            <line class="grid" x1={across(tick)} x2={across(tick)} y1={margins.top} y2={bottom} />
            <text x={middle} y={bottom + 16} text-anchor="middle">
              {text}
            </text>
          </g>
        ))}
        {ticksOf(y, up, 5).map((tick) => (
          <g key={tick}>
            <line class="grid" x1={margins.left} x2={right} y1={up(tick)} y2={up(tick)} />
            <text x={margins.left - 8} y={up(tick) + 4} text-anchor="end">
              {y.format(tick)}
            </text>
          </g>
        ))}
        <text class="axis-title" x={(margins.left + right) / 2} y={height - 6} text-anchor="middle">
          {x.title}
        </text>
        {y.title === null ? null : (
          <text
            class="axis-title"
            text-anchor="middle"
            transform={`translate(12 ${(margins.top + bottom) / 2}) rotate(-90)`}
          >
            {y.title}
          </text>
        )}
        {children(across, up, { width, height })}
      </svg>
    </div>
  )
}

function scaleOf(axis: Axis, range: readonly [number, number]): Scale {
  const { domain, isLogarithmic = false, isExact = false } = axis
  if (isLogarithmic) return scaleLog(domain, range)
  const scale = scaleLinear(domain, range)
  return isExact ? scale : scale.nice()
}

function ticksOf({ isLogarithmic = false, ticks }: Axis, scale: Scale, count: number): readonly number[] {
  if (ticks !== undefined) return ticks
  return isLogarithmic ? logarithmicTicks(scale.domain(), count) : scale.ticks(Math.max(2, count))
}
