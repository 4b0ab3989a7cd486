import type { JSX } from 'preact'
import type { Beaten } from '#analysis'
import { formatPercent, formatTimes, type RunPage, rateWords, withheldSentence } from '#reports/page'
import { rateOfAll } from '#scoring'
import { tickPercent, tickTimes } from '../charts/ticks.ts'
import { XyPlot } from '../charts/xy-plot.tsx'
import { colourOf, Figure, Section } from '../layout.tsx'
import { rankedContenders } from './ranking.ts'

interface Point {
  readonly index: number
  readonly id: string
  readonly rate: number
  readonly speed: number
}

/** Which contenders are both accurate and fast; those that another one surely beats in both are hollow. */
export function Tradeoff({ page }: { readonly page: RunPage }): JSX.Element {
  const { leads } = page.evaluation.profile
  const points = rankedContenders(page).flatMap(({ index, id, figures }): Point[] => {
    const { rate } = rateOfAll(figures, leads)
    const speed = figures.systemSpeed.value
    return rate === null || speed === null || speed <= 0 ? [] : [{ index, id, rate, speed }]
  })
  const { beaten } = page
  const speeds = points.map(({ speed }) => speed)
  const isWide = Math.max(...speeds) > 8 * Math.min(...speeds)
  return (
    <Section id="tradeoff" title="Accuracy against speed">
      {points.length < 2 ? (
        <p class="quiet">It takes two contenders with both figures to show this.</p>
      ) : (
        <Figure
          title="Further right is faster, further down is more accurate"
          note={`${frontText(page, beaten)} The dots have no intervals here; see above for theirs.`}
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
              title: `${rateWords[leads].long} of all`,
              domain: [0, Math.max(...points.map(({ rate }) => rate)) * 1.1],
              format: tickPercent,
            }}
          >
            {(x, y, { width }) => (
              <>
                {placedNames(points, x, y, width).map(({ index, id, rate, speed, left, top }) => (
                  <g class={colourOf(index)} key={id}>
                    {Math.abs(top - 4 - y(rate)) <= lineHeight ? null : (
                      <line
                        class="whisker"
                        x1={x(speed)}
                        y1={y(rate)}
                        x2={left > x(speed) ? left - 2 : left + id.length * letterWidth}
                        y2={top - 4}
                      />
                    )}
                    <circle
                      class={beaten.some(({ contenderId }) => contenderId === id) ? 'ring' : 'dot'}
                      cx={x(speed)}
                      cy={y(rate)}
                      r={dotRadius}
                    />
                    <text class="point-name" x={left} y={top}>
                      {id}
                    </text>
                  </g>
                ))}
              </>
            )}
          </XyPlot>
        </Figure>
      )}
    </Section>
  )
}

function frontText({ evaluation }: RunPage, beaten: readonly Beaten[]): string {
  const withheld = withheldSentence(evaluation.speeds)
  if (withheld !== null) return `${withheld} Nothing is said of which contender is ahead in both.`
  if (beaten.length === 0) return 'No contender is surely beaten by another one in both figures.'
  const list = beaten.map(({ contenderId, by }) => `${contenderId} by ${by}`).join(', ')
  return `Hollow: surely beaten in both figures (${list}).`
}

interface NamedPoint extends Point {
  readonly left: number
  readonly top: number
}

const dotRadius = 6
// At least the width of a letter of the names on average, and the height of a line.
const letterWidth = 7.8
const lineHeight = 14

/** Every name where it covers neither another name nor leaves the drawing: next to its dot, else above or below. */
function placedNames(
  points: readonly Point[],
  x: (speed: number) => number,
  y: (rate: number) => number,
  width: number,
): NamedPoint[] {
  const placed: (NamedPoint & { readonly right: number })[] = []
  for (const point of points) {
    const [across, up] = [x(point.speed), y(point.rate)]
    const length = point.id.length * letterWidth
    const places = [0, 14, -14, 28, -28, 42, -42, 56, -56].flatMap((shift) => [
      { left: across + 11, top: up + 4 + shift },
      { left: across - 11 - length, top: up + 4 + shift },
    ])
    const isFree = ({ left, top }: { readonly left: number; readonly top: number }): boolean =>
      left >= 74 &&
      left + length <= width &&
      placed.every(
        (other) =>
          left > other.right || left + length < other.left || Math.abs(top - other.top) >= lineHeight,
      ) &&
      points.every(
        (other) =>
          other === point ||
          Math.abs(y(other.rate) - top + 4) > lineHeight ||
          x(other.speed) + dotRadius < left ||
          x(other.speed) - dotRadius > left + length,
      )
    const place = places.find(isFree) ?? { left: Math.min(across + 11, width - length), top: up + 4 }
    placed.push({ ...point, ...place, right: place.left + length })
  }
  return placed
}
