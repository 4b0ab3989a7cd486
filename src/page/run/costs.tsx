import type { JSX } from 'preact'
import { breakEvenWords, formatDollars, type RunPage, sourceOf } from '#reports/page'
import { ContenderName, Figure, Name, Section } from '../layout.tsx'
import { ScrollRegion } from '../scroll-region.tsx'

/** What providers ask beside a machine of one's own; nothing where no contender has a price. */
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
        <ScrollRegion label="Cost of the contenders">
          <table>
            <thead>
              <tr>
                <th scope="col">contender</th>
                <th scope="col" class="number">
                  USD an hour of audio
                </th>
                <th scope="col" class="number">
                  USD in this run
                </th>
              </tr>
            </thead>
            <tbody>
              {providers.map(({ contenderId, usdPerAudioHour, usd }) => (
                <tr key={contenderId}>
                  <th scope="row">
                    <ContenderName index={placeOf(contenderId)} id={contenderId} />
                  </th>
                  <td class="number">{formatDollars(usdPerAudioHour)}</td>
                  <td class="number">{formatDollars(usd)}</td>
                </tr>
              ))}
              {local.map(({ contenderId, energyUsdPerAudioHour }) => (
                <tr key={contenderId}>
                  <th scope="row">
                    <ContenderName index={placeOf(contenderId)} id={contenderId} />
                  </th>
                  <td class="number">{formatDollars(energyUsdPerAudioHour)}</td>
                  <td class="number">–</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
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
