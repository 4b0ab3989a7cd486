import { defineErrors, type ErrorTable } from '#prelude'

const capacityExits = {
  OBJECTIVE_INVALID: 'badInput',
  PRICES_INVALID: 'badInput',
  CAPACITY_CUT_SHORT: 'runNotValid',
  CAPACITY_NOT_MEASURED: 'badInput',
} as const

/** Errors in the input of a capacity search. */
export const capacityErrors: ErrorTable<keyof typeof capacityExits> = defineErrors(capacityExits)
