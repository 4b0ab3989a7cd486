import { defineErrors, type ErrorTable } from '#prelude'

const cliExits = {
  COMMAND_LINE_INVALID: 'badInput',
  FILE_EXISTS: 'badInput',
  FILE_UNREADABLE: 'badInput',
  FILE_UNWRITABLE: 'badInput',
  FILE_SYSTEM_FAILED: 'badInput',
  WORKING_FOLDER_GONE: 'badInput',
  OUTPUT_UNWRITABLE: 'badInput',
  ROWS_UNWRITABLE: 'badInput',
  FIGURE_UNDEFINED: 'badInput',
  FORMAT_UNKNOWN: 'badInput',
  GLM_INVALID: 'badInput',
  ONE_SIDE: 'badInput',
  RATINGS_INVALID: 'badInput',
  ONE_TABLE_ONLY: 'badInput',
  NOTHING_TO_REVIEW: 'badInput',
  IMPORT_NOT_NEEDED: 'badInput',
  NOT_EXPLAINED: 'badInput',
} as const

export const cliErrors: ErrorTable<keyof typeof cliExits> = defineErrors(cliExits)
