import { defineErrors, type ErrorTable } from '#prelude'

const analysisExits = {
  MARGIN_TOO_FINE: 'badInput',
  NOT_COMPARABLE: 'badInput',
  PILOT_UNUSABLE: 'badInput',
  RUN_INCONSISTENT: 'badInput',
  THRESHOLD_INVALID: 'badInput',
} as const

/** Errors of runs and thresholds that are evaluated. */
export const analysisErrors: ErrorTable<keyof typeof analysisExits> = defineErrors(analysisExits)
