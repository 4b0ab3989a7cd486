import type { ContenderCapacity } from '../document/finding.ts'
import type { FleetSize, FoundFleet, UserHabit } from '../document/found-costs.ts'
import type { LoadFigure } from '../document/loads.ts'

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

/**
 * The load that one machine is known to sustain; null where none is. Too few machines are worse than too many: by the low end of the
 * interval, or by the confirmed load where that is higher. A single load of the search that met the objectives counts only where
 * neither is known: of several loads near the capacity, one meets them by luck.
 */
export function sustainedLoad({
  capacity,
  bounds,
  confirmation,
}: Pick<ContenderCapacity, 'capacity' | 'bounds' | 'confirmation'>): {
  readonly basis: NonNullable<FoundFleet['size']>['basis']
  readonly load: LoadFigure
} | null {
  const estimated =
    capacity?.low == null || !(capacity.low.requestsPerSecond > 0)
      ? null
      : { basis: capacity.basis, load: capacity.low }
  const confirmed =
    confirmation?.verdict === 'met' ? { basis: 'confirmed' as const, load: confirmation.load } : null
  const [highest] = [estimated, confirmed]
    .filter((each) => each !== null)
    .toSorted((a, b) => b.load.requestsPerSecond - a.load.requestsPerSecond)
  return highest ?? (bounds.met === null ? null : { basis: 'met', load: bounds.met })
}
