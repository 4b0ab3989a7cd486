import type { ComponentChildren, JSX } from 'preact'
import type { ContenderComparison, Verdict } from '#analysis'
import { fixed, formatChange, formatPoints, speedNames } from '#reports/page'
import { RowPlot, tickTimes } from '../charts.tsx'
import { Figure } from '../layout.tsx'

interface Difference {
  readonly name: string
  readonly value: number
  readonly interval: { readonly low: number; readonly high: number } | null
  readonly margin: number
  readonly verdict: Verdict | null
}

/** What differs and by how much, on one axis about nothing, with the margin inside which it would not matter. */
export function Differences({ figures }: { readonly figures: ContenderComparison }): JSX.Element {
  const rates = figures.rates.flatMap(({ metric, difference, ...row }): Difference[] =>
    difference === null ? [] : [{ ...judgedOf(row), name: metric.toUpperCase(), value: difference }],
  )
  const speeds = figures.speed.flatMap(({ metric, relativeChange, ...row }): Difference[] =>
    // More is better of a speed, less of everything else here: its row would point the other way.
    relativeChange === null || metric === 'rtfx'
      ? []
      : [{ ...judgedOf(row), name: speedNames[metric], value: relativeChange }],
  )
  return (
    <>
      <DifferenceFigure
        title="Errors: run minus base"
        differences={rates}
        formatTick={(value) => `${fixed(value * 100, 1)} pp`}
        formatValue={(value) => formatPoints(value)}
        axisTitle="← fewer errors · percentage points · more errors →"
      />
      <DifferenceFigure
        title="Latency: run divided by base"
        differences={speeds}
        isRatio
        formatTick={tickTimes}
        formatValue={formatChange}
        axisTitle="← faster · times the base, logarithmic · slower →"
      />
    </>
  )
}

/** With the interval that the verdict rests on. */
function judgedOf({
  judgedBy,
  interval,
  margin,
  verdict,
}: Pick<Difference, 'interval' | 'margin' | 'verdict'> & {
  readonly judgedBy: Difference['interval']
}): Pick<Difference, 'interval' | 'margin' | 'verdict'> {
  return { interval: judgedBy ?? interval, margin, verdict }
}

interface DifferenceFigureProps {
  readonly title: string
  readonly differences: readonly Difference[]
  /** Relative changes, drawn as ratios: twice as slow is as far from 1 as twice as fast. */
  readonly isRatio?: boolean
  formatTick(value: number): string
  formatValue(value: number): string
  readonly axisTitle: string
}

/** A lower bound of an interval may lie at zero, where a logarithmic axis has no place. */
const smallestRatio = 0.01

function DifferenceFigure(props: DifferenceFigureProps): JSX.Element | null {
  const { title, differences, isRatio = false, formatTick, formatValue, axisTitle } = props
  if (differences.length === 0) return null
  const onAxis = (difference: number): number =>
    isRatio ? Math.max(smallestRatio, 1 + difference) : difference
  const drawnAt = differences.flatMap(({ value, interval, margin }) =>
    [value, interval?.low ?? 0, interval?.high ?? 0, -1.5 * margin, 1.5 * margin].map(onAxis),
  )
  const hasIntervals = differences.some(({ interval }) => interval !== null)
  return (
    <Figure
      title={title}
      note={`The dot is what was measured${hasIntervals ? ', the line the interval that its verdict rests on' : '; one run a side gives no interval'}. Inside the shaded band a difference does not matter.`}
    >
      <RowPlot
        label={title}
        start={Math.min(...drawnAt)}
        end={Math.max(...drawnAt)}
        isLogarithmic={isRatio}
        formatTick={formatTick}
        axisTitle={axisTitle}
        rows={differences.map((difference) => ({
          key: difference.name,
          name: difference.name,
          value: formatValue(difference.value),
          draw: (place, height) => drawn(difference, (value) => place(onAxis(value)), height),
        }))}
      />
    </Figure>
  )
}

function drawn(
  { value, interval, margin, verdict }: Difference,
  place: (value: number) => number,
  height: number,
): ComponentChildren {
  const middle = height / 2
  return (
    <g class={`verdict-${verdict ?? 'none'}`}>
      <rect class="margin" x={place(-margin)} width={place(margin) - place(-margin)} y={0} height={height} />
      <line class="zero" x1={place(0)} x2={place(0)} y1={0} y2={height} />
      {interval === null ? null : (
        <line class="whisker" x1={place(interval.low)} x2={place(interval.high)} y1={middle} y2={middle} />
      )}
      <circle class="dot" cx={place(value)} cy={middle} r={5} />
    </g>
  )
}
