import type { ContenderCapacity, LoadFigure } from '#capacity'
import type { FirstFigure } from '../layout/first-figure.ts'
import { formatCount, formatMilliseconds } from '../layout/units.ts'
import { formatRate } from './capacity-answer.ts'

/** What a page shows large of a contender: the capacity in three units, and the latency without other requests. */
export function capacityFigures(contender: ContenderCapacity): readonly FirstFigure[] {
  return [...loadFigures(contender), ...aloneFigure(contender)]
}

interface Known {
  readonly load: LoadFigure
  readonly low: LoadFigure | null
  readonly high: LoadFigure | null
  /** What the figures are, where they have no interval. */
  readonly meaning: string
}

function knownLoad({ capacity, bounds }: ContenderCapacity): Known | null {
  if (capacity !== null) {
    const { estimate, low, high, basis } = capacity
    return { load: estimate, low, high, meaning: basis }
  }
  if (bounds.met === null) return null
  return { load: bounds.met, low: null, high: null, meaning: 'at least' }
}

function loadFigures(contender: ContenderCapacity): readonly FirstFigure[] {
  const known = knownLoad(contender)
  if (known === null) return []
  const { load, low, high, meaning } = known
  const figure = (label: string, unit: keyof LoadFigure, format: (value: number) => string): FirstFigure => ({
    label,
    value: format(load[unit]),
    detail:
      low === null || high === null ? meaning : `${format(low[unit])} to ${format(high[unit])}, ${meaning}`,
  })
  return [
    figure('requests per second', 'requestsPerSecond', formatRate),
    figure('concurrent users', 'concurrentUsers', (users) => formatCount(Math.floor(users + 1e-9))),
    figure('hours of speech per hour', 'audioSecondsPerSecond', formatRate),
  ]
}

function aloneFigure({ sweep }: ContenderCapacity): readonly FirstFigure[] {
  const p95Ms = sweep.levels.find(({ inFlight }) => inFlight === 1)?.p95Ms ?? null
  return p95Ms === null
    ? []
    : [
        {
          label: 'p95 without load',
          value: formatMilliseconds(p95Ms),
          detail: 'latency, one request at a time',
        },
      ]
}
