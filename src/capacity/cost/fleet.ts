/** What a user does: speaks for as long as the audio, waits for the text, pauses. */
export interface UserHabit {
  readonly meanAudioSeconds: number
  readonly meanPauseSeconds: number
}

/** Requests per second of one user; the waiting makes it less, so this errs on the busy side. */
export function requestsPerUser({ meanAudioSeconds, meanPauseSeconds }: UserHabit): number {
  return 1 / (meanAudioSeconds + meanPauseSeconds)
}

export interface FleetSize {
  readonly machines: number
  /** One more, so that one may fail and the others still meet the objectives. */
  readonly machinesWithSpare: number
  readonly usersPerMachine: number
}

/** How many such machines it takes, each with its even part of the users; null where one machine has not capacity for one user. */
export function fleetFor(users: number, capacityPerSecond: number, habit: UserHabit): FleetSize | null {
  const usersPerMachine = Math.floor(capacityPerSecond / requestsPerUser(habit) + 1e-9)
  if (usersPerMachine < 1) return null
  const machines = Math.ceil(users / usersPerMachine)
  return { machines, machinesWithSpare: machines + 1, usersPerMachine }
}
