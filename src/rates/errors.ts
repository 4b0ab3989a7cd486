import { defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with what texts are grouped by. */
export const ratesErrors: ErrorTable<'GROUPING_UNKNOWN'> = defineErrors({
  GROUPING_UNKNOWN: {
    exit: 'badInput',
    meaning:
      'Texts are grouped by speaker, by the bucket of a duration in seconds, or by a tag. Speakers come from the ids of ' +
      'trn files and from the field speaker of JSON Lines; every further field of JSON Lines is a tag. None of the ' +
      'utterances has the one that was asked for.',
  },
})
