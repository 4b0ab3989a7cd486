import { defineErrors, type ErrorTable } from '#prelude'

export const scoringErrors: ErrorTable<'SCORING_PROFILE_UNKNOWN'> = defineErrors({
  SCORING_PROFILE_UNKNOWN: 'badInput',
})
