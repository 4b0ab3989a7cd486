import type { JSX } from 'preact'
import type { ContenderEvaluation } from '#analysis'
import {
  type Dimension,
  dimensionsOf,
  formatMilliseconds,
  formatPercent,
  formatTimes,
  orAbsent,
  type RunPage,
  rateWords,
  withheldSentence,
} from '#reports/page'
import { tickMilliseconds, tickPercent, tickTimes, XyPlot } from '../charts.tsx'
import { ContenderName, colourOf, DataTable, Figure, Section } from '../layout.tsx'

/** What a chart has on its vertical axis. */
interface Measure {
  readonly name: string
  value(figures: ContenderEvaluation): number | null
  format(value: number): string
  readonly tick: (value: number) => string
}

/** A chart and a table for each dimension of a matrix. */
export function Matrix({ page }: { readonly page: RunPage }): JSX.Element {
  const { contenders, profile } = page.evaluation
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
    name: rateWords[profile.leads].long,
    value: (figures) => figures[profile.leads].rate,
    format: formatPercent,
    tick: tickPercent,
  }
  return (
    <Section
      id="matrix"
      title="Matrix"
      lead={`Each line joins contenders that differ in one dimension alone.${withheldText(page)}`}
    >
      <div class="figures">
        {dimensionsOf(contenders).map((dimension) => (
          <DimensionFigures
            page={page}
            dimension={dimension}
            measures={changesText.includes(dimension.name) ? [speed, latency, errors] : [speed, latency]}
            key={dimension.name}
          />
        ))}
      </div>
    </Section>
  )
}

/** Dimensions that change what is answered; the others change how fast. */
const changesText: readonly Dimension['name'][] = ['model', 'options']

function withheldText({ evaluation }: RunPage): string {
  const sentence = withheldSentence(evaluation)
  return sentence === null ? '' : ` ${sentence}`
}

interface DimensionProps {
  readonly page: RunPage
  readonly dimension: Dimension
  readonly measures: readonly Measure[]
}

function DimensionFigures({ page, dimension, measures }: DimensionProps): JSX.Element {
  const table = page.tables.matrix?.find(({ name }) => name === dimension.name)
  return (
    <>
      {measures.map((measure) => (
        <Figure title={`${capitalised(measure.name)} by ${dimension.title}`} key={measure.name}>
          <p class="legend">
            {dimension.lines.map(({ label, contenders }, index) =>
              label === '' || contenders.every((one) => measure.value(one) === null) ? null : (
                <ContenderName index={index} id={label} key={label} />
              ),
            )}
          </p>
          <DimensionChart dimension={dimension} measure={measure} />
        </Figure>
      ))}
      {table === undefined ? null : (
        <Figure title={table.title} isWide>
          <DataTable table={table.table} label={table.title} />
        </Figure>
      )}
    </>
  )
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
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
        lines.map(({ label, contenders }, index) => {
          const points = contenders.flatMap((one, place) => {
            const value = measure.value(one)
            return value === null ? [] : [{ left: x(place), top: y(value) }]
          })
          return (
            <g class={colourOf(index)} key={label}>
              <path
                class="curve"
                d={points.map(({ left, top }, at) => `${at === 0 ? 'M' : 'L'}${left} ${top}`).join('')}
              />
              {points.map(({ left, top }) => (
                <circle class="dot" cx={left} cy={top} r={4} key={left} />
              ))}
            </g>
          )
        })
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
