import { defineErrors, type ErrorTable } from '#prelude'

export const scoringErrors: ErrorTable<'SCORING_PROFILE_UNKNOWN'> = defineErrors({
  SCORING_PROFILE_UNKNOWN: {
    exit: 'badInput',
    meaning:
      'A scoring profile names the rules by which texts are made comparable before words are counted. The ' +
      'id that was given is not one of them, so nothing can be scored under it.',
  },
})
