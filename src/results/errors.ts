import { defineErrors, type ErrorTable } from '#prelude'

const resultsExits = {
  BASELINE_NAME: 'badInput',
  BASELINES_UNREADABLE: 'badInput',
  CALIBRATIONS_UNREADABLE: 'badInput',
  RUN_NOT_LISTED: 'badInput',
  DOCUMENT_UNREADABLE: 'badInput',
  CORPUS_GONE: 'badInput',
  PAGE_TOO_LARGE: 'badInput',
  SCORE_NOT_FOUND: 'badInput',
  EXPORT_AMBIGUOUS: 'badInput',
  EXPORT_UNWRITABLE: 'badInput',
  RUN_NOT_TRACKED: 'runNotValid',
  DUCKDB_MISSING: 'badInput',
  NOTHING_TO_QUERY: 'badInput',
  OBJECT_STORAGE_UNREADABLE: 'badInput',
  QUERY_FAILED: 'badInput',
  MERGE_MISMATCH: 'badInput',
} as const

export const resultsErrors: ErrorTable<keyof typeof resultsExits> = defineErrors(resultsExits)
