import type { JSX } from 'preact'
import type { FoundCosts } from '#capacity'
import { money } from '../../capacity/capacity-words.ts'
import { RowPlot } from '../charts/row-plot.tsx'
import { Figure, Name } from '../layout.tsx'

/** What an hour of audio costs, the cheapest first. */
export function CostChart({ id, costs }: { readonly id: string; readonly costs: FoundCosts }): JSX.Element {
  const { currency, local, cloud } = costs
  const rows = [
    ...(local === null ? [] : [{ id, name: `${id}, this machine`, cost: local.perAudioHour, isOwn: true }]),
    ...cloud.map(({ id: key, name, perAudioHour }) => ({ id: key, name, cost: perAudioHour, isOwn: false })),
  ].toSorted((a, b) => a.cost - b.cost)
  return (
    <Figure
      title="What an hour of audio costs"
      note={
        local === null
          ? 'By the price lists, with their roundings and minimums.'
          : `This machine at ${Math.round(100 * local.utilisation)}% of its capacity, its energy ${local.energyIs}; the others by their price lists, with their roundings and minimums.`
      }
    >
      <RowPlot
        label="Cost of an hour of audio"
        end={Math.max(...rows.map(({ cost }) => cost))}
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
                width={Math.max(1, place(cost) - place(0))}
                height={height - 8}
              />
            </g>
          ),
        }))}
      />
    </Figure>
  )
}
