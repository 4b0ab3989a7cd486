import { defineErrors, type ErrorTable } from '#prelude'

const capacityExits = {
  OBJECTIVE_INVALID: 'badInput',
  PRICES_INVALID: 'badInput',
  CAPACITY_CUT_SHORT: 'runNotValid',
  CAPACITY_NOT_MEASURED: 'badInput',
} as const

/** What can be wrong with what a capacity search is asked for. */
export const capacityErrors: ErrorTable<keyof typeof capacityExits> = defineErrors(capacityExits)

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
