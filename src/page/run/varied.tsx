import type { JSX } from 'preact'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Robustness as Ladder, RobustnessRung } from '#analysis/documents/error-analysis'
import {
  capitalised,
  conditionText,
  type Dimension,
  formatMilliseconds,
  formatPercent,
  formatRange,
  formatTimes,
  listDimensions,
  orAbsent,
  withheldSentence,
} from '#reports/page'
import { DottedCurve, linePath, tickMilliseconds, tickPercent, tickTimes, XyPlot } from '../charts.tsx'
import { Figure, FoldedTable, Legend, pickColour, Section, TableFigure } from '../layout.tsx'
import { useRun } from './shown-run.tsx'

/** A quantity on the vertical axis of a chart. */
interface Measure {
  readonly name: string
  value(figures: ContenderEvaluation): number | null
  format(value: number): string
  readonly tick: (value: number) => string
}

/** A chart and a table for each dimension of a matrix. */
export function Matrix(): JSX.Element {
  const { evaluation, leads, leading } = useRun()
  const withheld = withheldSentence(evaluation)
  const speed: Measure = {
    name: 'speed',
    value: ({ systemSpeed }) => systemSpeed.value,
    format: formatTimes,
    tick: tickTimes,
  }
  const latency: Measure = {
    name: 'latency p50',
    value: ({ latencyMs }) => latencyMs.p50.value,
    format: formatMilliseconds,
    tick: tickMilliseconds,
  }
  const errors: Measure = {
    name: leading.long,
    value: (figures) => figures[leads].rate,
    format: formatPercent,
    tick: tickPercent,
  }
  return (
    <Section
      id="matrix"
      title="Matrix"
      lead={`Each line joins contenders that differ in one dimension alone.${withheld === null ? '' : ` ${withheld}`}`}
    >
      <div class="figures">
        {listDimensions(evaluation.contenders).map((dimension) => (
          <DimensionFigures
            dimension={dimension}
            measures={changesText.includes(dimension.name) ? [speed, latency, errors] : [speed, latency]}
            key={dimension.name}
          />
        ))}
      </div>
    </Section>
  )
}

/** Dimensions that change the answered text; the others change only the speed. */
const changesText: readonly Dimension['name'][] = ['model', 'options']

interface DimensionProps {
  readonly dimension: Dimension
  readonly measures: readonly Measure[]
}

function DimensionFigures({ dimension, measures }: DimensionProps): JSX.Element {
  const table = useRun().page.tables.matrix?.find(({ name }) => name === dimension.name)
  return (
    <>
      {measures.map((measure) => (
        <Figure title={`${capitalised(measure.name)} by ${dimension.title}`} key={measure.name}>
          <Legend
            contenders={dimension.lines
              .map(({ label, contenders }, index) => ({ index, id: label, contenders }))
              .filter(
                ({ id, contenders }) => id !== '' && contenders.some((one) => measure.value(one) !== null),
              )}
          />
          <DimensionChart dimension={dimension} measure={measure} />
        </Figure>
      ))}
      {table && <TableFigure title={table.title} table={table.table} />}
    </>
  )
}

function DimensionChart({
  dimension: { title, values, lines },
  measure,
}: {
  readonly dimension: Dimension
  readonly measure: Measure
}): JSX.Element {
  const all = lines.flatMap(({ contenders }) => contenders.flatMap((one) => measure.value(one) ?? []))
  return (
    <XyPlot
      label={`${measure.name} by ${title}: ${lines.map((line) => describe(line, values, measure)).join('; ')}`}
      x={{
        title,
        domain: [-0.3, values.length - 0.7],
        isExact: true,
        ticks: values.map((_, place) => place),
        format: (place) => values[place] ?? '',
      }}
      y={{ title: measure.name, domain: [0, Math.max(...all, Number.MIN_VALUE)], format: measure.tick }}
    >
      {(x, y) =>
        lines.map(({ label, contenders }, index) => (
          <g class={pickColour(index)} key={label}>
            <DottedCurve
              radius={4}
              points={contenders.flatMap((contender, place) => {
                const value = measure.value(contender)
                return value === null ? [] : { left: x(place), top: y(value) }
              })}
            />
          </g>
        ))
      }
    </XyPlot>
  )
}

function describe(
  { label, contenders }: Dimension['lines'][number],
  values: readonly string[],
  { value, format }: Measure,
): string {
  const said = contenders.map((one, place) => `${values[place]}: ${orAbsent(value(one), format)}`)
  return label === '' ? said.join(', ') : `${label}: ${said.join(', ')}`
}

interface Curve {
  readonly index: number
  readonly id: string
  readonly ladder: Ladder
}

/** Error rates along the ladders of a derived corpus. */
export function Robustness(): JSX.Element {
  const { page, evaluation, contenders } = useRun()
  const curves = contenders.flatMap(({ index, id }) =>
    (evaluation.errorAnalyses[index]?.robustness ?? []).map((ladder): Curve => ({ index, id, ladder })),
  )
  const ladders = Map.groupBy(curves, ({ ladder }) => ladder.parameter)
  const { robustness, limits } = page.tables
  return (
    <Section id="robustness" title="Robustness">
      {[...ladders].map(([parameter, ladderCurves]) => (
        <LadderChart curves={ladderCurves} key={parameter} />
      ))}
      {limits && <TableFigure {...limits} />}
      {robustness && <FoldedTable title="All values as a table" table={robustness.table} />}
    </Section>
  )
}

function LadderChart({ curves }: { readonly curves: readonly Curve[] }): JSX.Element | null {
  const { leading } = useRun()
  const [first] = curves
  if (first === undefined) return null
  const { parameter, unit, harder, rungs } = first.ladder
  const { short, long } = leading
  const values = rungs.flatMap(({ value }) => value ?? [])
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const margin = (high - low) / 12
  const hasNone = values.length < rungs.length
  // The version without the step is drawn beyond the easiest value.
  const nonePlace = harder === 'lower' ? high + 2 * margin : low - 2 * margin
  const placeOf = ({ value }: RobustnessRung): number => value ?? nonePlace
  const places = hasNone ? [...values, nonePlace] : values
  const top = Math.max(
    ...curves.flatMap(({ ladder }) =>
      ladder.rungs.map(({ errors }) => errors.interval?.high ?? errors.rate ?? 0),
    ),
  )
  return (
    <Figure
      title={`${short} against ${parameter}`}
      note={`The dot is what was measured, the line its 95% interval.${harder === null ? '' : ` ${harder === 'lower' ? 'Lower' : 'Higher'} values are harder.`}${hasNone ? ' none: without the step.' : ''}`}
      isWide
    >
      <Legend contenders={curves} />
      <XyPlot
        height={320}
        label={curves.map(describeLadder).join('; ')}
        x={{
          title: unit === '' ? parameter : `${parameter}, ${unit}`,
          domain: [Math.min(...places) - margin, Math.max(...places) + margin],
          isExact: true,
          ticks: places.toSorted((left, right) => left - right),
          format: (value) => (hasNone && value === nonePlace ? 'none' : conditionText(value, '')),
        }}
        y={{ title: long, domain: [0, top], format: tickPercent }}
      >
        {(x, y) =>
          curves.map(({ index, id, ladder }, order) => {
            // Intervals of several contenders at one value are shifted to be next to each other.
            const shift = (order - (curves.length - 1) / 2) * 5
            const points = ladder.rungs.flatMap((rung) => {
              const { rate, interval } = rung.errors
              return rate === null
                ? []
                : [{ rate, interval, value: rung.value, left: x(placeOf(rung)) + shift }]
            })
            const measured = points.filter(({ value }) => value !== null)
            return (
              <g class={pickColour(index)} key={id}>
                <path class="curve" d={linePath(measured.map(({ left, rate }) => [left, y(rate)]))} />
                {points.map(({ rate, interval, left, value }) => (
                  <g key={String(value)}>
                    {interval === null ? null : (
                      <line class="whisker" x1={left} x2={left} y1={y(interval.low)} y2={y(interval.high)} />
                    )}
                    <circle class="dot" cx={left} cy={y(rate)} r={4} />
                  </g>
                ))}
              </g>
            )
          })
        }
      </XyPlot>
    </Figure>
  )
}

function describeLadder({ id, ladder: { rungs, unit } }: Curve): string {
  const said = rungs.map(({ value, errors: { rate, interval } }) => {
    const range = interval === null ? '' : ` (${formatRange(interval, formatPercent)})`
    return `${conditionText(value, unit)}: ${rate === null ? 'nothing scored' : formatPercent(rate)}${range}`
  })
  return `${id}: ${said.join(', ')}`
}
