import { defineErrors, type ErrorTable } from '#prelude'

const fleetExits = {
  FLEET_PACKAGES_MISSING: 'badInput',
  FLEET_KEY_MISSING: 'badInput',
  FLEET_QUEUE_UNREACHABLE: 'targetNotReady',
  FLEET_BLOCKS_FAILED: 'runNotValid',
  FLEET_HOSTS_MISSING: 'runNotValid',
  FLEET_STOPPED: 'interrupted',
  FLEET_RUN_UNKNOWN: 'badInput',
  FLEET_RUN_DIFFERS: 'badInput',
  FLEET_MODE_UNFIT: 'badInput',
  FLEET_FILE_TOO_LARGE: 'badInput',
  FLEET_VERSION_DIFFERS: 'badInput',
} as const

/** Errors between the hosts of a fleet. */
export const fleetErrors: ErrorTable<keyof typeof fleetExits> = defineErrors(fleetExits)
