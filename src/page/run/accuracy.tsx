import type { JSX } from 'preact'
import { sumOf } from '#prelude'
import { capitalised, fixed, formatCount, formatPercent, orAbsent } from '#reports/page'
import { errorRate } from '#scoring/counts'
import { IntervalMark, RowPlot, tickPercent } from '../charts.tsx'
import { ContenderName, Figure, Keys, Name, pickColour, Section } from '../layout.tsx'
import { utteranceAddress } from '../utterances/library.ts'
import { type PlacedContender, useRun } from './shown-run.tsx'

/** How often contenders are wrong, in which way, and where. */
export function Accuracy(): JSX.Element {
  return (
    <Section id="accuracy" title="Accuracy">
      <div class="figures">
        <ErrorRates />
        <ErrorKinds />
        <RateHistograms />
        <Over100 />
      </div>
    </Section>
  )
}

function ErrorRates(): JSX.Element {
  const { contenders, leads, leading } = useRun()
  const { long, unit } = leading
  const title = capitalised(long)
  const end = Math.max(
    ...contenders.map(({ figures: { [leads]: rate } }) => rate.interval?.high ?? rate.rate ?? 0),
    0,
  )
  return (
    <Figure
      title={title}
      note="The dot is what was measured, the line its 95% interval. Where lines overlap widely, the order may be chance."
    >
      <RowPlot
        label={`${title} of each contender`}
        end={end}
        formatTick={tickPercent}
        axisTitle={`errors in a hundred ${unit}s`}
        rows={contenders.map(({ index, id, figures: { [leads]: rate } }) => ({
          key: id,
          name: <ContenderName index={index} id={id} />,
          value: orAbsent(rate.rate, formatPercent),
          draw: (place, height) =>
            rate.rate === null ? null : (
              <g class={pickColour(index)}>
                <IntervalMark value={rate.rate} interval={rate.interval} place={place} height={height} />
              </g>
            ),
        }))}
      />
    </Figure>
  )
}

const kinds = [
  { key: 'substitutions', name: 'substituted', className: 'substituted' },
  { key: 'deletions', name: 'deleted', className: 'deleted' },
  { key: 'insertions', name: 'inserted', className: 'inserted' },
] as const

function ErrorKinds(): JSX.Element {
  const { contenders, leads, leading } = useRun()
  const { unit } = leading
  const shares = (figures: PlacedContender['figures']): readonly number[] =>
    kinds.map(({ key }) => figures[leads].counts[key] / Math.max(1, figures[leads].referenceLength))
  const end = Math.max(...contenders.map(({ figures }) => sumOf(shares(figures), (share) => share)), 0)
  const isWeighted = contenders.some(({ figures: { [leads]: rate } }) => rate.rate !== errorRate(rate.counts))
  return (
    <Figure
      title="Kinds of errors"
      note={
        <>
          {isWeighted
            ? `Counts of all answers. The ${leading.long} weights them, because not every utterance was sent as often as the others. `
            : ''}
          <span class="legend">
            <Keys keys={kinds.map(({ name, className }) => ({ className, text: name }))} />
          </span>
        </>
      }
    >
      <RowPlot
        label={`${unit}s substituted, deleted and inserted by each contender`}
        end={end}
        formatTick={tickPercent}
        axisTitle={`errors in a hundred ${unit}s`}
        rows={contenders.map(({ index, id, figures }) => ({
          key: id,
          name: <ContenderName index={index} id={id} />,
          value: (
            <span class="kinds">
              {kinds.map(({ key, name }) => (
                <span title={name} key={key}>
                  <span class="unseen">{name} </span>
                  {formatCount(figures[leads].counts[key])}
                </span>
              ))}
            </span>
          ),
          draw: (place, height) => {
            let from = 0
            return shares(figures).map((share, at) => {
              const x = place(from)
              from += share
              const kind = kinds[at]
              return (
                <rect
                  class={kind?.className ?? ''}
                  x={x}
                  y={height / 2 - 6}
                  width={Math.max(0, place(from) - x)}
                  height={12}
                  key={kind?.key}
                />
              )
            })
          },
        }))}
      />
    </Figure>
  )
}

const histogramNames = [
  'no error',
  ...Array.from({ length: 10 }, (_, index) => `${index * 10} to ${index * 10 + 10}%`),
  'over 100%',
]

function RateHistograms(): JSX.Element {
  const { page, contenders } = useRun()
  const shares = page.drawings.map(({ rateHistogram }) => {
    const total = sumOf(rateHistogram, (count) => count)
    return rateHistogram.map((count) => count / Math.max(1, total))
  })
  const highest = Math.max(Number.MIN_VALUE, ...shares.flat())
  return (
    <Figure
      title="Utterances by their own error rate"
      note="From left to right: without an error, up to 10%, up to 20% … up to 100%, and over 100%. The height is the share of the utterances, on the same scale for all contenders."
    >
      <ul class="histograms" aria-label="Utterances by their own error rate, for each contender">
        {contenders.map(({ index, id }) => (
          <li key={id}>
            <ContenderName index={index} id={id} />
            <Histogram
              counts={page.drawings[index]?.rateHistogram ?? []}
              heights={(shares[index] ?? []).map((share) => share / highest)}
              index={index}
            />
          </li>
        ))}
      </ul>
    </Figure>
  )
}

const bar = { width: 13, gap: 3, height: 44 } as const

interface HistogramProps {
  readonly counts: readonly number[]
  /** Height of each bar, 0..1. */
  readonly heights: readonly number[]
  readonly index: number
}

function Histogram({ counts, heights, index }: HistogramProps): JSX.Element {
  const total = sumOf(counts, (count) => count)
  const bars = counts.flatMap((count, at) =>
    count === 0 ? [] : `${histogramNames[at]}: ${formatCount(count)}`,
  )
  const left = (at: number): number => at * (bar.width + bar.gap) + (at > 0 ? 4 : 0) + (at > 10 ? 4 : 0)
  return (
    <svg
      class={pickColour(index)}
      viewBox={`0 0 ${left(12)} ${bar.height + 2}`}
      width={left(12)}
      role="img"
      aria-label={bars.length === 0 ? 'nothing was scored' : bars.join(', ')}
    >
      {counts.map((count, at) => {
        const height = Math.max((heights[at] ?? 0) * (bar.height - 4), count > 0 ? 2 : 0)
        const name = histogramNames[at]
        return (
          <g key={name}>
            <title>{`${name}: ${formatCount(count)} of ${formatCount(total)}`}</title>
            <rect class="hover" x={left(at)} y={0} width={bar.width} height={bar.height} />
            <rect
              class={at === 0 ? 'fill faint' : at === 11 ? 'fill strong' : 'fill'}
              x={left(at)}
              y={bar.height - height}
              width={bar.width}
              height={height}
            />
            <line
              class="base"
              x1={left(at)}
              x2={left(at) + bar.width}
              y1={bar.height + 0.5}
              y2={bar.height + 0.5}
            />
          </g>
        )
      })}
    </svg>
  )
}

/** Utterances with an error rate above 100%, each of which can dominate a mean. */
function Over100(): JSX.Element | null {
  const { page, ids, leading } = useRun()
  const { count, worst } = page.over100
  if (count === 0) return null
  return (
    <Figure
      id="over-100"
      title={`More errors than ${leading.unit}s`}
      note="Mostly insertions: a hallucination, a loop, or a reference that does not belong to its recording. Listen to them."
    >
      <ol class="named">
        {worst.map(({ utteranceId, contender, rate }) => (
          <li key={`${contender} ${utteranceId}`}>
            <a href={utteranceAddress(utteranceId)}>
              <Name>{utteranceId}</Name>
            </a>{' '}
            {fixed(rate * 100, 0)}% · <ContenderName index={contender} id={ids[contender] ?? ''} />
          </li>
        ))}
      </ol>
      {count > worst.length ? (
        <p class="quiet">
          The worst {worst.length} of {formatCount(count)}.
        </p>
      ) : null}
    </Figure>
  )
}
