import { defineErrors, type ErrorTable } from '#prelude'

export type CliErrorCode = 'FILE_EXISTS' | 'FILE_UNREADABLE' | 'FILE_UNWRITABLE' | 'NOT_EXPLAINED'

/** What can be wrong with a command line beyond its grammar. */
export const cliErrors: ErrorTable<CliErrorCode> = defineErrors({
  FILE_EXISTS: {
    exit: 'badInput',
    meaning: 'asrbench never writes over a file of yours unless it is told to with --force.',
  },
  FILE_UNREADABLE: { exit: 'badInput', meaning: 'A file that the command line names cannot be read.' },
  FILE_UNWRITABLE: { exit: 'badInput', meaning: 'A file that the command line names cannot be written.' },
  NOT_EXPLAINED: {
    exit: 'badInput',
    meaning: '`asrbench explain` knows error codes, metrics and profiles; without a name it lists them all.',
  },
})
