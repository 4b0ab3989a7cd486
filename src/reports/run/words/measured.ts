import type { MetricUnit } from '#analysis'
import {
  fixed,
  formatChange,
  formatFactor,
  formatJoules,
  formatMilliseconds,
  formatPercent,
  formatPoints,
  formatTimes,
} from '../../layout/units.ts'

/** A value in a metric's own unit, as people read it. */
export function formatMeasured(value: number, unit: MetricUnit): string {
  switch (unit) {
    case 'rate':
      return formatPercent(value, 2)
    case 'rateDifference':
      return formatPoints(value)
    case 'relativeDifference':
      return formatChange(value)
    case 'ms':
      return formatMilliseconds(value)
    case 'times':
      return formatTimes(value)
    case 'ratio':
      return formatFactor(value)
    case 'megabytesPerHour':
      return `${fixed(value, 1)} MB/h`
    case 'joulesPerHour':
      return `${formatJoules(value)}/h`
  }
}
