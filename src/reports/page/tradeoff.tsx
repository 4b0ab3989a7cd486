import type { JSX } from 'preact'
import type { RunPage } from '../html/page-document.ts'
import { formatPercent, formatTimes } from '../units.ts'
import { tickPercent, tickTimes } from './charts/ticks.ts'
import { XyPlot } from './charts/xy-plot.tsx'
import { colourOf, Figure, Section } from './layout.tsx'
import { rankedContenders } from './ranking.ts'

interface Point {
  readonly index: number
  readonly id: string
  readonly rate: number
  readonly speed: number
}

/** Who is both accurate and fast: the contenders that no other one beats in both are joined by a line. */
export function Tradeoff({ page }: { readonly page: RunPage }): JSX.Element {
  const points = rankedContenders(page).flatMap(({ index, id, figures }): Point[] => {
    const { rate } = figures.wordsWithFailuresAsEmpty
    const speed = figures.systemSpeed.value
    return rate === null || speed === null || speed <= 0 ? [] : [{ index, id, rate, speed }]
  })
  const front = paretoFront(points)
  const speeds = points.map(({ speed }) => speed)
  const isWide = Math.max(...speeds) > 8 * Math.min(...speeds)
  return (
    <Section id="tradeoff" title="Accuracy against speed">
      {points.length < 2 ? (
        <p class="quiet">It takes two contenders with both figures to show this.</p>
      ) : (
        <Figure
          title="Further right is faster, further down is more accurate"
          note={`On the line: ${front.map(({ id }) => id).join(', ')}. No other contender beats these in both figures. The dots carry no intervals here; see above for theirs.`}
          isWide
        >
          <XyPlot
            height={320}
            label={points
              .map(({ id, rate, speed }) => `${id}: ${formatPercent(rate)}, ${formatTimes(speed)}`)
              .join('; ')}
            x={{
              title: isWide ? 'times real time, logarithmic' : 'times real time',
              domain: isWide
                ? [Math.min(...speeds) * 0.8, Math.max(...speeds) * 1.5]
                : [0, Math.max(...speeds) * 1.15],
              isLogarithmic: isWide,
              format: tickTimes,
            }}
            y={{
              title: 'word error rate of all',
              domain: [0, Math.max(...points.map(({ rate }) => rate)) * 1.1],
              format: tickPercent,
            }}
          >
            {(x, y, { width }) => (
              <>
                <path
                  class="front"
                  d={front
                    .map(({ speed, rate }, at) =>
                      at === 0 ? `M${x(speed)} ${y(rate)}` : `V${y(rate)}H${x(speed)}`,
                    )
                    .join('')}
                />
                {points.map(({ index, id, rate, speed }) => {
                  const isNearEnd = x(speed) > width - 150
                  return (
                    <g class={colourOf(index)} key={id}>
                      <circle class="dot" cx={x(speed)} cy={y(rate)} r={6} />
                      <text
                        class="point-name"
                        x={x(speed) + (isNearEnd ? -11 : 11)}
                        y={y(rate) + 4}
                        text-anchor={isNearEnd ? 'end' : 'start'}
                      >
                        {id}
                      </text>
                    </g>
                  )
                })}
              </>
            )}
          </XyPlot>
        </Figure>
      )}
    </Section>
  )
}

/** Contenders that no other one equals or beats in both, the fastest first. */
function paretoFront<Each extends { readonly rate: number; readonly speed: number }>(
  points: readonly Each[],
): Each[] {
  const front: Each[] = []
  for (const point of points.toSorted((a, b) => b.speed - a.speed || a.rate - b.rate)) {
    const last = front.at(-1)
    if (last === undefined || point.rate < last.rate) front.push(point)
  }
  return front
}
