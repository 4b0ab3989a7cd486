import { defineErrors, type ErrorTable } from '#prelude'

const runExits = {
  TARGET_MODEL_MISSING: 'targetNotReady',
  TARGET_LOST: 'runNotValid',
  TARGET_FAILING: 'runNotValid',
  MODE_UNAVAILABLE: 'targetNotReady',
  AUDIO_TOO_LARGE: 'badInput',
  BILLED_MINUTES_EXCEEDED: 'badInput',
  RUN_NOT_VALID: 'runNotValid',
} as const

/** What can keep a run from starting or from ending well. */
export const runErrors: ErrorTable<keyof typeof runExits> = defineErrors(runExits)
