import type { FleetSize, UserHabit } from '../document/found-costs.ts'

/** Requests per second of one user; the waiting makes it less, so this errs on the busy side. */
export function requestsPerUser({ meanAudioSeconds, meanPauseSeconds }: UserHabit): number {
  return 1 / (meanAudioSeconds + meanPauseSeconds)
}

/** How many such machines it takes, each with its even part of the users; null where one machine has not capacity for one user. */
export function fleetFor(users: number, capacityPerSecond: number, habit: UserHabit): FleetSize | null {
  const usersPerMachine = Math.floor(capacityPerSecond / requestsPerUser(habit) + 1e-9)
  if (usersPerMachine < 1) return null
  const machines = Math.ceil(users / usersPerMachine)
  return { machines, machinesWithSpare: machines + 1, usersPerMachine }
}
