import { defineErrors, type ErrorTable } from '#prelude'

const runExits = {
  TARGET_MODEL_MISSING: 'targetNotReady',
  TARGET_LOST: 'runNotValid',
  TARGET_FAILING: 'runNotValid',
  MODE_UNAVAILABLE: 'targetNotReady',
  AUDIO_TOO_LARGE: 'badInput',
  BILLED_MINUTES_EXCEEDED: 'badInput',
  RUN_NOT_VALID: 'runNotValid',
  PRICES_UNREADABLE: 'badInput',
  RUN_COMPLETE: 'badInput',
  RUN_ALIVE: 'badInput',
  RUN_DIFFERS: 'badInput',
  EMBEDDED_SERVICE_FAILED: 'targetNotReady',
  REFERENCE_WITHOUT_WORDS: 'badInput',
  CONFORMANCE_RULE_UNKNOWN: 'badInput',
  STAGING_FOLDER_UNKNOWN: 'badInput',
  STAGING_FAILED: 'badInput',
  TRACE_UNREADABLE: 'badInput',
  WORKLOAD_UNFIT: 'badInput',
  STOPPED_EARLY: 'interrupted',
  NOTHING_TO_MEASURE: 'badInput',
  FLEET_UNFIT: 'badInput',
} as const

/** Errors that prevent a run from starting or from ending well. */
export const runErrors: ErrorTable<keyof typeof runExits> = defineErrors(runExits)
