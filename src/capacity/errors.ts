import { defineErrors, type ErrorTable } from '#prelude'

export type CapacityErrorCode = 'OBJECTIVE_INVALID' | 'PRICES_INVALID'

/** What can be wrong with what a capacity search is asked for. */
export const capacityErrors: ErrorTable<CapacityErrorCode> = defineErrors({
  OBJECTIVE_INVALID: {
    exit: 'badInput',
    meaning:
      'An objective reads `<percentile> <= <time>`, as in `p95 <= 2s`, or `<percentile> <= <time> + <number>d`, as in ' +
      '`p95 <= 0.5s + 0.2d`, where d is the length of the audio in seconds; or `failures <= <share>%`. The time counts ' +
      'from the moment a request was due to the last byte of its answer, and a request that fails is not answered in ' +
      'time. A time without its unit is refused, because 2 may mean 2 s or 2 ms.',
  },
  PRICES_INVALID: {
    exit: 'badInput',
    meaning:
      'A price list cannot be used: a price has no source or no date, a figure is no number, or a name is there twice. ' +
      '`configs/prices.yaml` shows the shape and explains every key. Costs are not estimated from half a list.',
  },
})

/** What a word of the capacity screens means that is no metric of a run. */
interface CapacityTerm {
  readonly aliases: readonly string[]
  readonly meaning: string
  readonly formula: string
}

export const capacityTerms: Readonly<Record<string, CapacityTerm>> = {
  backlog: {
    aliases: ['queue'],
    meaning:
      'Requests in the system: sent and not yet answered, waiting or being decoded. The column of a load is the mean over ' +
      'the time that was measured. A backlog that grows with time means that the load is above the capacity, however short ' +
      'the latencies still are.',
    formula:
      'arrivals - departures, at even moments; growth = slope of Sen over time / requests per second, with its interval',
  },
}
