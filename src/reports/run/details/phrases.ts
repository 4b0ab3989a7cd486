import type { CountedRate } from '#analysis'
import { formatCount, formatPercent, formatRange } from '../../layout/units.ts'

/** `12 of 240 (5.0%, 95% interval 2.9% – 8.5%)`. */
export function ratePhrase({ rate, numerator, denominator, interval }: CountedRate): string {
  if (rate === null) return `none of ${formatCount(denominator)}`
  const bounds = interval === null ? '' : `, 95% interval ${formatRange(interval, formatPercent)}`
  return `${formatCount(numerator)} of ${formatCount(denominator)} (${formatPercent(rate)}${bounds})`
}
