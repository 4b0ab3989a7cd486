import { defineErrors, type ErrorTable } from '#prelude'

export type CliErrorCode =
  | 'COMMAND_LINE_INVALID'
  | 'FILE_EXISTS'
  | 'FILE_UNREADABLE'
  | 'FILE_UNWRITABLE'
  | 'FILE_SYSTEM_FAILED'
  | 'WORKING_FOLDER_GONE'
  | 'FORMAT_UNKNOWN'
  | 'OUTPUT_UNWRITABLE'
  | 'ROWS_UNWRITABLE'
  | 'FIGURE_UNDEFINED'
  | 'GLM_INVALID'
  | 'NOT_EXPLAINED'
  | 'ONE_SIDE'
  | 'RATINGS_INVALID'
  | 'ONE_TABLE_ONLY'
  | 'NOTHING_TO_REVIEW'

/** What can be wrong with a command line beyond its grammar. */
export const cliErrors: ErrorTable<CliErrorCode> = defineErrors({
  COMMAND_LINE_INVALID: {
    exit: 'badInput',
    meaning:
      'The command line names a command, an option or a value that there is not. --help lists what there is.',
  },
  FILE_EXISTS: {
    exit: 'badInput',
    meaning: 'transcribench overwrites an existing file only with --force.',
  },
  FILE_UNREADABLE: { exit: 'badInput', meaning: 'A file that the command line names cannot be read.' },
  FILE_UNWRITABLE: { exit: 'badInput', meaning: 'A file that the command line names cannot be written.' },
  FILE_SYSTEM_FAILED: {
    exit: 'badInput',
    meaning:
      'The system refused to read or write a file: its disk is full or fails, a permission is missing, or too many files are open.',
  },
  WORKING_FOLDER_GONE: {
    exit: 'badInput',
    meaning:
      'Names of files are relative to the folder that a command is started in, and this one was removed.',
  },
  OUTPUT_UNWRITABLE: {
    exit: 'badInput',
    meaning:
      'The result could not be written to stdout, because its disk is full, it is closed, or its device fails. What was ' +
      'written until then is not the whole result. A reader that closes a pipe early, such as head, is no error.',
  },
  ROWS_UNWRITABLE: {
    exit: 'badInput',
    meaning:
      'Rows wait in a temporary file until all of the input is read, because nothing is printed of an input that turns ' +
      'out to be wrong. Its folder is full or cannot be written; TMPDIR names another one.',
  },
  FIGURE_UNDEFINED: {
    exit: 'badInput',
    meaning:
      '`--print` was asked for a figure that these texts do not have: a rate has nothing to be divided by where no ' +
      'reference holds words, or where nothing was answered.',
  },
  FORMAT_UNKNOWN: {
    exit: 'badInput',
    meaning: 'Reports are written in the format that the ending of the file names, or that --format names.',
  },
  GLM_INVALID: {
    exit: 'badInput',
    meaning:
      "A file of sclite's replacements has lines that are no rules. A rule is FROM => TO, with the required context " +
      'after a slash: BACKUP => BACK UP / [ ] __ [ ]. Remarks begin with ;; and settings with *.',
  },
  ONE_SIDE: {
    exit: 'badInput',
    meaning:
      'An experiment holds sides against each other: the contenders of one config, each measured alone, or several ' +
      'configs, which may name different targets, builds or settings. With one side there is nothing to hold.',
  },
  RATINGS_INVALID: {
    exit: 'badInput',
    meaning:
      'A file for --ratings has two lists of four bounds, `accuracy` and `speed`, the bound of 5 first. ' +
      '`configs/ratings.yaml` shows the shape and explains both.',
  },
  ONE_TABLE_ONLY: {
    exit: 'badInput',
    meaning:
      'Comma-separated values hold one table: a second one has other columns. Ask for them one by one.',
  },
  NOTHING_TO_REVIEW: {
    exit: 'badInput',
    meaning:
      '`transcribench review` takes a run, whose corpus is then reviewed, or the name or path of a corpus.',
  },
  NOT_EXPLAINED: {
    exit: 'badInput',
    meaning:
      '`transcribench explain` knows error codes, metrics and profiles; without a name it lists them all.',
  },
})
