import type { JSX } from 'preact'
import { breakEvenWords, formatDollars, type RunPage, sourceOf } from '#reports/page'
import { DataTable } from '../data-table.tsx'
import { ContenderName, Figure, Name, Section } from '../layout.tsx'
import { contenderIds } from './ranking.ts'

/** Prices of providers next to the cost of this machine; nothing where no contender has a price. */
export function Costs({ page }: { readonly page: RunPage }): JSX.Element | null {
  const { costs, contenders } = page.evaluation
  if (costs === null) return null
  const { machine, local, providers } = costs
  const placeOf = (id: string): number => contenders.findIndex(({ contender }) => contender.id === id)
  return (
    <Section id="cost" title="Cost">
      <Figure
        title="What an hour of audio costs, and when a machine of your own is cheaper"
        note={`A machine of your own costs ${formatDollars(machine.usdPerDay)} USD a day and ${formatDollars(machine.idleEnergyUsdPerDay)} USD for its idle power, whether it transcribes or not (${sourceOf(machine)}). Another price list: --prices.`}
        isWide
      >
        {page.tables.costs === null ? null : (
          <DataTable
            label="Cost of the contenders"
            table={page.tables.costs}
            contenders={contenderIds(page)}
          />
        )}
        <ul class="named">
          {providers.map(({ contenderId, breakEven, ...price }) => (
            <li key={contenderId}>
              <ContenderName index={placeOf(contenderId)} id={contenderId} />
              {breakEven.map((even) => (
                <p class="reason" key={even.contenderId}>
                  A machine of your own {breakEvenWords(even)}.
                </p>
              ))}
              <p class="reason">
                Price: <Name>{sourceOf(price)}</Name>
              </p>
            </li>
          ))}
          {local.length === 0 ? null : (
            <li class="reason">
              On this machine the figure is its energy alone, estimated from processor seconds.
            </li>
          )}
        </ul>
      </Figure>
    </Section>
  )
}
