import { defineErrors, type ErrorTable } from '#prelude'

export type ReviewErrorCode = 'REVIEW_PORT_TAKEN' | 'CORRECTIONS_UNWRITABLE' | 'CORRECTION_REFUSED'

/** What can go wrong while references are reviewed. */
export const reviewErrors: ErrorTable<ReviewErrorCode> = defineErrors({
  REVIEW_PORT_TAKEN: {
    exit: 'badInput',
    meaning: 'Another program listens on the port that --port names. Without it a free one is taken.',
  },
  CORRECTION_REFUSED: {
    exit: 'badInput',
    meaning:
      'A correction names an utterance that is not under review, or corrects a text that is not its reference (any more). ' +
      'It would count for nothing when the run is scored, so it is not written down.',
  },
  CORRECTIONS_UNWRITABLE: {
    exit: 'badInput',
    meaning:
      'The file of corrections next to the manifest cannot be written. Nothing is confirmed that is not on disk.',
  },
})
