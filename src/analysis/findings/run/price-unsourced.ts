import { isPriceUnsourced } from '../../figures/cost/cost.ts'
import type { RunFinding } from '../run-facts.ts'

export const priceUnsourced = {
  code: 'PRICE_UNSOURCED',
  severity: 'note',
  meaning:
    'The config gives a price and does not name its source (priceSource) and the date when it was read (priceDate). ' +
    'Providers change their prices, so such a figure is a rumour: it bounds what may be billed, and no cost is made of it.',
  detect: ({ material: { record } }) => {
    const ids = record.contenders.filter(isPriceUnsourced).map(({ id }) => id)
    if (ids.length === 0) return []
    return [
      {
        message: `no cost is claimed for ${ids.join(', ')}: the config does not name the source of the price and the date when it was read`,
        advice: 'add priceSource and priceDate to the contender',
      },
    ]
  },
} satisfies RunFinding
