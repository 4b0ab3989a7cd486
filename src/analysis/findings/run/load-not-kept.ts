import type { RunFinding } from '../run-facts.ts'

/** A closed load has this share of its requests in flight, at least. */
const keptShare = 0.95

export const loadNotKept = {
  code: 'LOAD_NOT_KEPT',
  severity: 'warning',
  meaning:
    "A closed schedule keeps N requests in flight; by Little's law the mean number in flight over the steady " +
    'windows is then N. Here it was more than 5% below, so the client left the server waiting and the speed is ' +
    'understated by about that share.',
  detect: ({ contenders, load }) =>
    contenders.flatMap(({ contender, systemSpeed }) => {
      const { id, concurrency = load.concurrency } = contender
      if (concurrency === null || systemSpeed.value === null) return []
      const { meanInFlight } = systemSpeed
      if (meanInFlight >= concurrency * keptShare) return []
      const share = Math.round((1 - meanInFlight / concurrency) * 100)
      return [
        {
          message:
            `on average ${meanInFlight.toFixed(2)} of ${concurrency} requests to ${id} were in ` +
            `flight: its speed is understated by about ${share}%`,
          advice: 'close other programs, or use longer audio',
        },
      ]
    }),
} satisfies RunFinding
