import { defineErrors, type ErrorTable } from '#prelude'

export type ReviewErrorCode = 'REVIEW_PORT_TAKEN' | 'CORRECTIONS_UNWRITABLE'

/** What can go wrong while references are reviewed. */
export const reviewErrors: ErrorTable<ReviewErrorCode> = defineErrors({
  REVIEW_PORT_TAKEN: {
    exit: 'badInput',
    meaning: 'Another program listens on the port that --port names. Without it a free one is taken.',
  },
  CORRECTIONS_UNWRITABLE: {
    exit: 'badInput',
    meaning:
      'The file of corrections beside the manifest cannot be written. Nothing is confirmed that is not on disk.',
  },
})
