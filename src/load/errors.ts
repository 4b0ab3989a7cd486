import { defineErrors, type ErrorTable } from '#prelude'

const loadExits = {
  LOAD_TOO_LARGE: 'badInput',
  TRACE_UNUSABLE: 'badInput',
} as const

/** What can be wrong with a load, and with the data that it is made from. */
export const loadErrors: ErrorTable<keyof typeof loadExits> = defineErrors(loadExits)
