import { defineErrors, type ErrorTable } from '#prelude'

/** What can be wrong with the place that transcribench runs in. */
export const installationErrors: ErrorTable<'HOME_UNKNOWN'> = defineErrors({
  HOME_UNKNOWN: {
    exit: 'badInput',
    meaning:
      'Models, corpora and records of runs are kept below the home folder. HOME is not set, and the system knows no home of this ' +
      'user, as in a container that runs under a number without a name.',
  },
})
