import { defineErrors, type ErrorTable } from '#prelude'

const loadExits = {
  LOAD_TOO_LARGE: 'badInput',
  TRACE_UNUSABLE: 'badInput',
} as const

/** Errors of a load, and of the data that it is made from. */
export const loadErrors: ErrorTable<keyof typeof loadExits> = defineErrors(loadExits)
