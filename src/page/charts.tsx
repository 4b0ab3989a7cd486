import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from 'd3-scale'
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useState } from 'preact/hooks'
import type { MetricUnit } from '#analysis/documents/figure'
import { formatJoules } from '#reports/page'
import { pickColour, useResized } from './layout.tsx'

export type Scale = ScaleContinuousNumeric<number, number>

interface Axis {
  /** Null if the figure's own title names the axis. */
  readonly title: string | null
  readonly domain: readonly [number, number]
  readonly isLogarithmic?: boolean
  /** Whether the axis ends where the domain ends, not at the next round number. */
  readonly isExact?: boolean
  /** Positions of the ticks; default: chosen from the range. */
  readonly ticks?: readonly number[] | undefined
  format(value: number): string
}

export interface XyPlotProps {
  /** Text for screen readers that describes the drawing in a sentence. */
  readonly label: string
  readonly x: Axis
  readonly y: Axis
  readonly height?: number
  children(x: Scale, y: Scale, size: { readonly width: number; readonly height: number }): ComponentChildren
}

export const margins = { top: 10, right: 14, bottom: 40, left: 74 } as const

/** A plot with two axes; `children` draws between them. */
export function XyPlot({ label, x, y, height = 280, children }: XyPlotProps): JSX.Element {
  const [place, width] = useWidth<HTMLDivElement>(520)
  const right = width - margins.right
  const bottom = height - margins.bottom
  const across = makeScale(x, [margins.left, right])
  const up = makeScale(y, [bottom, margins.top])
  return (
    <div class="xy-plot" ref={place}>
      <svg viewBox={`0 0 ${width} ${height}`} width="100%" role="img" aria-label={label}>
        {ticksThatFit(chooseTicks(x, across, Math.floor(width / 90)), {
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
        {chooseTicks(y, up, 5).map((tick) => (
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

function makeScale(axis: Axis, range: readonly [number, number]): Scale {
  const { domain, isLogarithmic = false, isExact = false } = axis
  if (isLogarithmic) return scaleLog(domain, range)
  const scale = scaleLinear(domain, range)
  return isExact ? scale : scale.nice()
}

function chooseTicks({ isLogarithmic = false, ticks }: Axis, scale: Scale, count: number): readonly number[] {
  if (ticks !== undefined) return ticks
  return isLogarithmic ? logarithmicTicks(scale.domain(), count) : scale.ticks(Math.max(2, count))
}

/** A line through points, as SVG path data. */
export function linePath(points: readonly (readonly [across: number, up: number])[]): string {
  return points.map(([across, up], at) => `${at === 0 ? 'M' : 'L'}${across} ${up}`).join('')
}

interface DottedCurveProps {
  readonly points: readonly {
    readonly left: number
    readonly top: number
    /** Tooltip. */
    readonly title?: string
    readonly isHollow?: boolean
  }[]
  readonly radius: number
}

/** A line through points, each with a dot. */
export function DottedCurve({ points, radius }: DottedCurveProps): JSX.Element {
  return (
    <>
      <path class="curve" d={linePath(points.map(({ left, top }) => [left, top]))} />
      {points.map(({ left, top, title, isHollow = false }, at) => (
        <circle class={isHollow ? 'ring' : 'dot'} cx={left} cy={top} r={radius} key={at}>
          {title === undefined ? null : <title>{title}</title>}
        </circle>
      ))}
    </>
  )
}

interface LatencyCurvesProps {
  /** Text for screen readers that describes the drawing in a sentence. */
  readonly label: string
  /** Quantiles 0, 0.01, …, 1 in milliseconds, each with the index of its colour. */
  readonly curves: readonly { readonly index: number; readonly quantilesMs: readonly number[] }[]
}

/** The cumulative share of answers by latency, a curve each, on a logarithmic axis of time. */
export function LatencyCurves({ label, curves }: LatencyCurvesProps): JSX.Element {
  const [low, high] = positiveRange(curves.flatMap(({ quantilesMs }) => quantilesMs))
  return (
    <XyPlot
      label={label}
      x={{
        title: 'latency, logarithmic',
        domain: [low, high],
        isLogarithmic: true,
        format: tickMilliseconds,
      }}
      y={{ title: 'answered', domain: [0, 1], format: tickPercent }}
    >
      {(x, y) =>
        curves.map(({ index, quantilesMs }) => (
          <path
            class={`curve ${pickColour(index)}`}
            d={linePath(quantilesMs.map((value, at) => [x(Math.max(low, value)), y(at / 100)]))}
            key={index}
          />
        ))
      }
    </XyPlot>
  )
}

/** The range of the values that a logarithmic axis can show: the positive ones; widened if there is only one. */
export function positiveRange(values: readonly number[]): readonly [low: number, high: number] {
  const positive = values.filter((value) => value > 0)
  if (positive.length === 0) return [1, 10]
  const [low, high] = [Math.min(...positive), Math.max(...positive)]
  return low < high ? [low, high] : [low * 0.9, low * 1.1]
}

/** Maps a value to its position along the common axis, in pixels. */
export type Place = (value: number) => number

interface PlottedRow {
  readonly key: string
  readonly name: ComponentChildren
  /** The value in words, next to the drawing. */
  readonly value: ComponentChildren
  draw(place: Place, height: number): ComponentChildren
}

export interface RowPlotProps {
  readonly label: string
  readonly rows: readonly PlottedRow[]
  readonly end: number
  /** Default: 0. */
  readonly start?: number
  /** Whether the axis is logarithmic, for ratios; `start` and `end` must be positive then. */
  readonly isLogarithmic?: boolean
  formatTick(value: number): string
  readonly axisTitle: string
  readonly rowHeight?: number
}

interface IntervalMarkProps {
  readonly value: number
  readonly interval: { readonly low: number; readonly high: number } | null
  readonly place: Place
  readonly height: number
}

/** A dot for a value, with the line of its interval. */
export function IntervalMark({ value, interval, place, height }: IntervalMarkProps): JSX.Element {
  const middle = height / 2
  return (
    <>
      {interval === null ? null : (
        <line class="whisker" x1={place(interval.low)} x2={place(interval.high)} y1={middle} y2={middle} />
      )}
      <circle class="dot" cx={place(value)} cy={middle} r={5} />
    </>
  )
}

const margin = 6

/** Rows on one common axis: a name, a drawing, the value in words. A screen reader gets names and values. */
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

/** A number in up to four significant digits, for an axis. */
function short(value: number): string {
  return String(Number(value.toPrecision(4)))
}

export function tickPercent(rate: number): string {
  return `${short(rate * 100)}%`
}

export function tickMilliseconds(ms: number): string {
  return ms >= 1000 ? `${short(ms / 1000)} s` : `${short(ms)} ms`
}

export function tickTimes(times: number): string {
  return `${short(times)}×`
}

/** A duration on an axis: `45 s`, `1:05`, `2:00:00`. */
export function tickSeconds(seconds: number): string {
  if (seconds < 60) return `${short(seconds)} s`
  const rest = Math.round(seconds)
  const parts = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60]
  const [hours = 0, ...others] = parts
  const shown = hours > 0 ? parts : others
  return shown.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

/** Formats of tick labels by the unit of a metric. */
export const tickOf: Readonly<Record<MetricUnit, (value: number) => string>> = {
  rate: tickPercent,
  rateDifference: (value) => `${short(value * 100)} pp`,
  relativeDifference: tickPercent,
  ms: tickMilliseconds,
  times: tickTimes,
  ratio: short,
  megabytesPerHour: (value) => `${short(value)} MB/h`,
  joulesPerHour: formatJoules,
}

/** Approximate maximum width of a character of a tick label, in pixels. */
const characterWidth = 7
const labelGap = 8

/** A tick with the position of its label. */
interface PlacedTick {
  readonly tick: number
  readonly label: string
  /** Centre of the label in pixels; moved inwards if an edge would cut the label. */
  readonly middle: number
}

/**
 * The ticks whose labels fit next to each other: every second, third, … of them if not all do.
 *
 * @param place position of a value along the axis, in pixels
 * @param width of the drawing
 */
function ticksThatFit(
  ticks: readonly number[],
  axis: {
    place(value: number): number
    format(value: number): string
    readonly width: number
  },
): readonly PlacedTick[] {
  const { place, format, width } = axis
  const placed = ticks.map((tick) => {
    const label = format(tick)
    const half = halfWidth(label)
    return { tick, label, middle: Math.min(Math.max(place(tick), half), width - half) }
  })
  const fits = (shown: readonly PlacedTick[]): boolean =>
    shown.every(({ label, middle }, index) => {
      const next = shown[index + 1]
      return next === undefined || next.middle - halfWidth(next.label) - middle - halfWidth(label) >= labelGap
    })
  // The tick at zero always keeps its label.
  const first = Math.max(0, ticks.indexOf(0))
  let shown: readonly PlacedTick[] = placed
  for (let step = 2; !fits(shown) && step <= ticks.length; step += 1) {
    shown = placed.filter((_, index) => (index - first) % step === 0)
  }
  return shown
}

function halfWidth(label: string): number {
  return (label.length * characterWidth) / 2
}

/** 1, 2 and 5 of every decade of a logarithmic axis; over three decades only 1, within one equal steps. */
function logarithmicTicks([low = 1, high = 10]: readonly number[], count: number): readonly number[] {
  if (high / low < 10) return scaleLinear([low, high], [0, 1]).ticks(Math.max(3, count))
  const decades = Array.from({ length: 16 }, (_, index) => 10 ** (index - 5))
  const steps = Math.log10(high / low) > 3 ? [1] : [1, 2, 5]
  return decades.flatMap((decade) =>
    steps.map((step) => step * decade).filter((value) => value >= low * 0.999 && value <= high * 1.001),
  )
}

/** The current width of an element in CSS pixels, so that text drawn into it keeps its size. */
export function useWidth<Place extends HTMLElement>(
  before: number,
): readonly [place: RefObject<Place | null>, width: number] {
  const [width, setWidth] = useState(before)
  const place = useResized<Place>(({ clientWidth }) => setWidth(Math.max(120, Math.floor(clientWidth))))
  return [place, width]
}
