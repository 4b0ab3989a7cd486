import { targetOf } from '#journal'
import type { RunFinding } from '../run-facts.ts'

export const priceUnknown = {
  code: 'PRICE_UNKNOWN',
  severity: 'note',
  meaning:
    'A cloud provider bills this audio, and neither the config nor the price list has a price of its model, or an option of the ' +
    'contender is billed in addition. The minutes are counted ' +
    'and capped, and no cost is claimed.',
  detect: ({ material: { record } }) => {
    const ids = record.contenders
      .filter(
        (contender) => contender.usdPerMinute == null && targetOf(record, contender).kind === 'provider',
      )
      .map(({ id }) => id)
    if (ids.length === 0) return []
    return [
      {
        message: `the price of ${ids.join(', ')} is not known: the report has no cost of it`,
        advice: 'add usdPerMinute, priceSource and priceDate to the contender, or name a list: --prices',
      },
    ]
  },
} satisfies RunFinding
