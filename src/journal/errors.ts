import { defineErrors, type ErrorTable } from '#prelude'

export type JournalErrorCode =
  | 'RESULTS_UNWRITABLE'
  | 'RESULTS_DISK_FULL'
  | 'RUN_NOT_FOUND'
  | 'RUN_AMBIGUOUS'
  | 'RUN_UNREADABLE'
  | 'RUN_FORMAT_NEWER'

/** What can be wrong with the folder of a run. */
export const journalErrors: ErrorTable<JournalErrorCode> = defineErrors({
  RESULTS_UNWRITABLE: {
    exit: 'badInput',
    meaning:
      'The results folder cannot be created or written. Every attempt is written before it counts as done, so a ' +
      'run without a writable folder would lose what it measured and is not started.',
  },
  RESULTS_DISK_FULL: {
    exit: 'badInput',
    meaning:
      'The disk that holds the results folder is full. The run stops at once: attempts that are already in the ' +
      'journal stay, the rest counts as not sent.',
  },
  RUN_NOT_FOUND: {
    exit: 'badInput',
    meaning:
      'No run folder has this name. A run is named by its folder, a unique beginning of it, or `latest`.',
  },
  RUN_AMBIGUOUS: { exit: 'badInput', meaning: 'More than one run folder begins like this.' },
  RUN_UNREADABLE: {
    exit: 'badInput',
    meaning:
      'A file in the run folder is missing or is not what transcribench wrote there. Nothing was changed.',
  },
  RUN_FORMAT_NEWER: {
    exit: 'badInput',
    meaning:
      'The run was written by a newer transcribench. Older versions refuse it, because a field that they do not know ' +
      'might change what the figures mean.',
  },
})
