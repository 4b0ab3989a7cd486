import type { JSX } from 'preact'
import type { FoundCosts } from '#capacity'
import { money } from '#reports/page'
import { RowPlot } from '../charts/row-plot.tsx'
import { Figure, Name } from '../layout.tsx'

/** What an hour of audio costs, the cheapest first. */
export function CostChart({ id, costs }: { readonly id: string; readonly costs: FoundCosts }): JSX.Element {
  const { currency, local, cloud } = costs
  const rows = [
    ...(local === null ? [] : [{ id, name: `${id}, this machine`, cost: local.perAudioHour, isOwn: true }]),
    ...cloud.map(({ id: key, name, perAudioHour }) => ({ id: key, name, cost: perAudioHour, isOwn: false })),
  ].toSorted((a, b) => a.cost - b.cost)
  const end = endOf(rows.map(({ cost }) => cost))
  const isCut = rows.some(({ cost }) => cost > end)
  return (
    <Figure
      title="What an hour of audio costs"
      note={
        (local === null
          ? 'By the price lists, with their roundings and minimums.'
          : `This machine at ${Math.round(100 * local.utilisation)}% of its capacity, its energy ${local.energyIs}; the others by their price lists, with their roundings and minimums.`) +
        (isCut ? ' A bar that is broken at the right edge goes on: its figure says how far.' : '')
      }
    >
      <RowPlot
        label="Cost of an hour of audio"
        end={end}
        axisTitle={`${currency} for an hour of audio`}
        formatTick={(value) => String(Number(value.toPrecision(3)))}
        rows={rows.map(({ id: key, name, cost, isOwn }) => ({
          key,
          name: <Name>{name}</Name>,
          value: money(cost, currency),
          draw: (place, height) => (
            <g class={isOwn ? 'c0' : 'same'}>
              <rect
                class="fill"
                x={place(0)}
                y={4}
                width={Math.max(1, place(Math.min(end, cost)) - place(0) - (cost > end ? 14 : 0))}
                height={height - 8}
              />
              {cost > end
                ? [11, 6, 1].map((before) => (
                    <rect
                      class="fill"
                      x={place(end) - before}
                      y={4}
                      width={3}
                      height={height - 8}
                      key={before}
                    />
                  ))
                : null}
            </g>
          ),
        }))}
      />
    </Figure>
  )
}

/** One that costs many times as much as all others would press their bars to nothing. */
const farAbove = 5

/** Of fewer, the difference is what there is to see. */
const fewestToCompare = 3

function endOf(costs: readonly number[]): number {
  const [most = 0, next = most] = costs.toSorted((a, b) => b - a)
  return costs.length >= fewestToCompare && most > farAbove * next ? 1.3 * next : most
}
