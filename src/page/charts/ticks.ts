import { scaleLinear } from 'd3-scale'
import type { MetricUnit } from '#analysis'
import { formatJoules } from '#reports/page'

/** A number as short as it can be said on an axis. */
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

/** `45 s`, `1:05`, `2:00:00`. */
export function tickSeconds(seconds: number): string {
  if (seconds < 60) return `${short(seconds)} s`
  const rest = Math.round(seconds)
  const parts = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60]
  const [hours = 0, ...others] = parts
  const shown = hours > 0 ? parts : others
  return shown.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

/** How the marks of a metric's axis are written. */
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

/** About the widest a character of a tick label is. */
const characterWidth = 7
const labelGap = 8

/** A tick with the place of the middle of its label. */
export interface PlacedTick {
  readonly tick: number
  readonly label: string
  /** In pixels; not beyond an edge that would cut the label. */
  readonly middle: number
}

/**
 * The ticks whose labels fit next to each other: every second, third, … of them where not all do.
 *
 * @param place position of a value along the axis, in pixels
 * @param width of the drawing
 */
export function ticksThatFit(
  ticks: readonly number[],
  {
    place,
    format,
    width,
  }: {
    place(value: number): number
    format(value: number): string
    readonly width: number
  },
): readonly PlacedTick[] {
  const placed = ticks.map((tick) => {
    const label = format(tick)
    const half = halfWidthOf(label)
    return { tick, label, middle: Math.min(Math.max(place(tick), half), width - half) }
  })
  const fits = (shown: readonly PlacedTick[]): boolean =>
    shown.every(({ label, middle }, index) => {
      const next = shown[index + 1]
      return (
        next === undefined || next.middle - halfWidthOf(next.label) - middle - halfWidthOf(label) >= labelGap
      )
    })
  // Zero keeps its label.
  const first = Math.max(0, ticks.indexOf(0))
  let shown: readonly PlacedTick[] = placed
  for (let step = 2; !fits(shown) && step <= ticks.length; step += 1) {
    shown = placed.filter((_, index) => (index - first) % step === 0)
  }
  return shown
}

function halfWidthOf(label: string): number {
  return (label.length * characterWidth) / 2
}

/** 1, 2 and 5 of every decade of a logarithmic axis; 1 alone over three decades, equal steps within one. */
export function logarithmicTicks([low = 1, high = 10]: readonly number[], count: number): readonly number[] {
  if (high / low < 10) return scaleLinear([low, high], [0, 1]).ticks(Math.max(3, count))
  const decades = Array.from({ length: 16 }, (_, index) => 10 ** (index - 5))
  const steps = Math.log10(high / low) > 3 ? [1] : [1, 2, 5]
  return decades.flatMap((decade) =>
    steps.map((step) => step * decade).filter((value) => value >= low * 0.999 && value <= high * 1.001),
  )
}
