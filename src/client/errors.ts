import { defineErrors, type ErrorTable } from '#prelude'

const clientExits = {
  TARGET_INVALID: 'badInput',
  TARGET_NOT_FOUND: 'targetNotReady',
  TARGET_AMBIGUOUS: 'badInput',
  TARGET_STALE: 'targetNotReady',
  TARGET_UNREACHABLE: 'targetNotReady',
  TARGET_NOT_THE_API: 'targetNotReady',
  TARGET_TOKEN_MISSING: 'badInput',
  TARGET_TOKEN_REFUSED: 'targetNotReady',
  TARGET_KEY_MISSING: 'badInput',
  TARGET_HAS_NO_MODES: 'badInput',
  DISCOVERY_FILE_UNREADABLE: 'targetNotReady',
} as const

/** Errors of a target that are found before the first request is measured. */
export const clientErrors: ErrorTable<keyof typeof clientExits> = defineErrors(clientExits)
