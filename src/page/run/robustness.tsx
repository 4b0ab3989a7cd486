import type { JSX } from 'preact'
import type { Robustness as Ladder, RobustnessRung } from '#analysis'
import { conditionText, formatPercent, formatRange, type RunPage, rateWords } from '#reports/page'
import { tickPercent, XyPlot } from '../charts.tsx'
import { ContenderName, colourOf, DataTable, Figure, Section } from '../layout.tsx'
import { rankedContenders } from './ranking.ts'

interface Curve {
  readonly index: number
  readonly id: string
  readonly ladder: Ladder
}

/** Error rates along the ladders of a derived corpus. */
export function Robustness({ page }: { readonly page: RunPage }): JSX.Element {
  const { errorAnalyses } = page.evaluation
  const curves = rankedContenders(page).flatMap(({ index, id }) =>
    (errorAnalyses[index]?.robustness ?? []).map((ladder): Curve => ({ index, id, ladder })),
  )
  const ladders = Map.groupBy(curves, ({ ladder }) => ladder.parameter)
  const { robustness, limits } = page.tables
  const names = page.evaluation.contenders.map(({ contender }) => contender.id)
  return (
    <Section id="robustness" title="Robustness">
      {[...ladders].map(([parameter, own]) => (
        <LadderChart page={page} curves={own} key={parameter} />
      ))}
      {limits === null ? null : (
        <Figure title={limits.title} note={limits.note} isWide>
          <DataTable table={limits.table} label={limits.title} contenders={names} />
        </Figure>
      )}
      {robustness === null ? null : (
        <details>
          <summary>All values as a table</summary>
          <DataTable table={robustness.table} label={robustness.title} contenders={names} />
        </details>
      )}
    </Section>
  )
}

interface ChartProps {
  readonly page: RunPage
  readonly curves: readonly Curve[]
}

function LadderChart({ page, curves }: ChartProps): JSX.Element | null {
  const [first] = curves
  if (first === undefined) return null
  const { parameter, unit, harder, rungs } = first.ladder
  const { short, long } = rateWords[page.evaluation.profile.leads]
  const values = rungs.flatMap(({ value }) => value ?? [])
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const margin = (high - low) / 12
  const hasNone = values.length < rungs.length
  // The version without the step has its place beyond the easiest value.
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
      <p class="legend">
        {curves.map(({ index, id }) => (
          <ContenderName index={index} id={id} key={id} />
        ))}
      </p>
      <XyPlot
        height={320}
        label={curves.map(describe).join('; ')}
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
            // Intervals of several contenders at one value are next to each other.
            const shift = (order - (curves.length - 1) / 2) * 5
            const points = ladder.rungs.flatMap((rung) => {
              const { rate, interval } = rung.errors
              return rate === null
                ? []
                : [{ rate, interval, value: rung.value, left: x(placeOf(rung)) + shift }]
            })
            const measured = points.filter(({ value }) => value !== null)
            return (
              <g class={colourOf(index)} key={id}>
                <path
                  class="curve"
                  d={measured
                    .map(({ left, rate }, at) => `${at === 0 ? 'M' : 'L'}${left} ${y(rate)}`)
                    .join('')}
                />
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

function describe({ id, ladder: { rungs, unit } }: Curve): string {
  const said = rungs.map(({ value, errors: { rate, interval } }) => {
    const range = interval === null ? '' : ` (${formatRange(interval, formatPercent)})`
    return `${conditionText(value, unit)}: ${rate === null ? 'nothing scored' : formatPercent(rate)}${range}`
  })
  return `${id}: ${said.join(', ')}`
}
