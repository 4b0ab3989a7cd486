import type { JSX } from 'preact'
import type { Beaten } from '#analysis/figures/ranking/ranking'
import { formatDollars, formatPercent, formatTimes, type RunPage, withheldSentence } from '#reports/page'
import { rateOfAll } from '#scoring/counts'
import { margins, tickPercent, tickTimes, XyPlot } from '../charts.tsx'
import { Figure, pickColour, Section } from '../layout.tsx'
import { type PlacedContender, useRun } from './shown-run.tsx'

interface Point {
  readonly index: number
  readonly id: string
  readonly rate: number
  readonly x: number
}

/** The contenders that are both accurate and fast, and if several have a price, both accurate and cheap. */
export function Tradeoff(): JSX.Element {
  const run = useRun()
  const { page } = run
  const speeds = placePoints(run, ({ systemSpeed }) => systemSpeed.value)
  const costs = placePoints(run, ({ cost }) => cost?.usdPerAudioHour ?? null)
  return (
    <Section id="tradeoff" title="Accuracy against speed">
      {speeds.length < 2 ? (
        <p class="quiet">It takes two contenders with both figures to show this.</p>
      ) : (
        <Front
          points={speeds}
          hollow={page.beaten}
          title="Further right is faster, further down is more accurate"
          note={`${frontText(page, page.beaten)} The dots have no intervals here; see above for theirs.`}
          axis={{ title: 'times real time', format: tickTimes, word: formatTimes }}
        />
      )}
      {costs.length < 2 ? null : (
        <Front
          points={costs}
          hollow={dearerAndWorse(page, costs)}
          title="Accuracy against cost: further left is cheaper, further down is more accurate"
          note="Hollow: another contender costs no more and surely makes fewer errors. Prices are those of the price list or the config."
          axis={{ title: 'US dollars an hour of audio', format: formatDollars, word: formatDollars }}
        />
      )}
    </Section>
  )
}

/** Contenders with an error rate and another figure, in the order of their ranks. */
function placePoints(
  { contenders, leads }: ReturnType<typeof useRun>,
  figureOf: (figures: PlacedContender['figures']) => number | null,
): readonly Point[] {
  return contenders.flatMap(({ index, id, figures }): Point[] => {
    const { rate } = rateOfAll(figures, leads)
    const x = figureOf(figures)
    return rate === null || x === null || x <= 0 ? [] : [{ index, id, rate, x }]
  })
}

/** Contenders that another one beats in price and errors. Prices are exact, but fewer errors must be significant. */
function dearerAndWorse({ evaluation: { ranking } }: RunPage, points: readonly Point[]): readonly Beaten[] {
  return points.flatMap(({ id, x }) => {
    const by = points.find(
      (other) =>
        other.x <= x &&
        (ranking?.resolved ?? []).some(({ better, worse }) => better === other.id && worse === id),
    )
    return by === undefined ? [] : [{ contenderId: id, by: by.id }]
  })
}

interface FrontProps {
  readonly points: readonly Point[]
  readonly hollow: readonly Beaten[]
  readonly title: string
  readonly note: string
  readonly axis: {
    readonly title: string
    format(value: number): string
    word(value: number): string
  }
}

/** Dots by error rate and another figure; contenders that another one significantly beats in both are hollow. */
function Front({ points, hollow, title, note, axis }: FrontProps): JSX.Element {
  const { leading } = useRun()
  const values = points.map(({ x }) => x)
  const isWide = Math.max(...values) > 8 * Math.min(...values)
  return (
    <Figure title={title} note={note} isWide>
      <XyPlot
        height={320}
        label={points.map(({ id, rate, x }) => `${id}: ${formatPercent(rate)}, ${axis.word(x)}`).join('; ')}
        x={{
          title: isWide ? `${axis.title}, logarithmic` : axis.title,
          domain: isWide
            ? [Math.min(...values) * 0.8, Math.max(...values) * 1.5]
            : [0, Math.max(...values) * 1.15],
          isLogarithmic: isWide,
          format: axis.format,
        }}
        y={{
          title: `${leading.long} of all`,
          domain: [0, Math.max(...points.map(({ rate }) => rate)) * 1.1],
          format: tickPercent,
        }}
      >
        {(x, y, { width }) => (
          <>
            {placedNames(points, x, y, width).map((point) => (
              <NamedDot
                key={point.id}
                point={point}
                at={[x(point.x), y(point.rate)]}
                isHollow={hollow.some(({ contenderId }) => contenderId === point.id)}
              />
            ))}
          </>
        )}
      </XyPlot>
    </Figure>
  )
}

function NamedDot({
  point: { index, id, name, left, top },
  at: [across, up],
  isHollow,
}: {
  readonly point: NamedPoint
  readonly at: readonly [across: number, up: number]
  readonly isHollow: boolean
}): JSX.Element {
  const isAside = Math.abs(top - 4 - up) > lineHeight
  return (
    <g class={pickColour(index)}>
      {isAside ? (
        <line
          class="whisker"
          x1={across}
          y1={up}
          x2={left > across ? left - 2 : left + name.length * letterWidth}
          y2={top - 4}
        />
      ) : null}
      <circle class={isHollow ? 'ring' : 'dot'} cx={across} cy={up} r={dotRadius} />
      <text class="point-name" x={left} y={top}>
        {name === id ? null : <title>{id}</title>}
        {name}
      </text>
    </g>
  )
}

function frontText({ evaluation }: RunPage, beaten: readonly Beaten[]): string {
  const withheld = withheldSentence(evaluation)
  if (withheld !== null) return `${withheld} Nothing is said of which contender is ahead in both.`
  if (beaten.length === 0) return 'No contender is surely beaten by another one in both figures.'
  const list = beaten.map(({ contenderId, by }) => `${contenderId} by ${by}`).join(', ')
  return `Hollow: surely beaten in both figures (${list}).`
}

interface NamedPoint extends Point {
  /** Name, cut off if the drawing is too narrow for it. */
  readonly name: string
  readonly left: number
  readonly top: number
}

const dotRadius = 6
// Upper estimate of the mean width of a letter in names, and the height of a line, in pixels.
const letterWidth = 7.8
const lineHeight = 14

function cut(name: string, maxLetters: number): string {
  return name.length <= maxLetters ? name : `${name.slice(0, maxLetters - 1)}…`
}

/** Labels that cover no other label and stay inside the drawing: next to their dot, else above or below it. */
function placedNames(
  points: readonly Point[],
  x: (value: number) => number,
  y: (rate: number) => number,
  width: number,
): NamedPoint[] {
  const placed: (NamedPoint & { readonly right: number })[] = []
  for (const point of points) {
    const [across, up] = [x(point.x), y(point.rate)]
    const name = cut(point.id, Math.floor((width - margins.left) / letterWidth))
    const length = name.length * letterWidth
    const places = [0, 14, -14, 28, -28, 42, -42, 56, -56].flatMap((shift) => [
      { left: across + 11, top: up + 4 + shift },
      { left: across - 11 - length, top: up + 4 + shift },
    ])
    const isFree = ({ left, top }: { readonly left: number; readonly top: number }): boolean =>
      left >= margins.left &&
      left + length <= width &&
      placed.every(
        (other) =>
          left > other.right || left + length < other.left || Math.abs(top - other.top) >= lineHeight,
      ) &&
      points.every(
        (other) =>
          other === point ||
          Math.abs(y(other.rate) - top + 4) > lineHeight ||
          x(other.x) + dotRadius < left ||
          x(other.x) - dotRadius > left + length,
      )
    const place = places.find(isFree) ?? { left: Math.min(across + 11, width - length), top: up + 4 }
    placed.push({ ...point, name, ...place, right: place.left + length })
  }
  return placed
}
