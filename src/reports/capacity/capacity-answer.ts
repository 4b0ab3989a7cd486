import type { ContenderCapacity, FoundCapacity, FoundFleet, LoadFigure } from '#capacity'
import { counted, fixed, formatCount, formatMilliseconds } from '../layout/units.ts'

/** The figures that matter: `150`, `12.0`, `3.00`, `0.42`; below a tenth two of them: `0.0033`. */
export function formatRate(value: number): string {
  if (value > 0 && value < 0.0995) return value.toPrecision(2)
  return fixed(value, value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2)
}

/** `3.0 requests per second`. */
export function requests(value: number): string {
  return `${formatRate(value)} requests per second`
}

/** What a load is worth: `22.0 hours of speech per hour, or 150 concurrent users`. */
export function worth({ audioSecondsPerSecond, concurrentUsers }: LoadFigure): string {
  const users = counted(Math.floor(concurrentUsers + 1e-9), 'concurrent user')
  return `${formatRate(audioSecondsPerSecond)} hours of speech per hour, or ${users}`
}

/** The answer, first of all: a number, how sure it is, what limits it, how it was confirmed, and the machines that it takes. */
export function answerSentences(contender: ContenderCapacity): readonly string[] {
  const machines = fleetSentence(contender.fleet)
  return [...sustainedSentences(contender), ...(machines === null ? [] : [machines])]
}

function sustainedSentences(contender: ContenderCapacity): readonly string[] {
  const { id, capacity, ended } = contender
  if (ended === 'given') return [`${id}: the capacity was given with --known-capacity, and not measured.`]
  if (contender.change != null) return changedAnswer(id, contender.change)
  if (capacity === null) return boundedAnswer(contender)
  const { basis, estimate } = capacity
  if (basis === 'simulated')
    return [
      `${id} is estimated to sustain ${requests(estimate.requestsPerSecond)} within its objectives ` +
        `(simulated${intervalInWords(capacity)}): ${worth(estimate)}.`,
      `${certaintyInWords(contender)} ${endInWords(ended)} open loads showed more: give it a longer --budget.`,
    ]
  return [
    `${id} sustains ${requests(estimate.requestsPerSecond)} within its objectives ` +
      `(measured${intervalInWords(capacity)}): ${worth(estimate)}.`,
    `${limitInWords(capacity)} ${confirmationInWords(contender)}`,
  ]
}

function intervalInWords({ low, high }: FoundCapacity): string {
  if (low === null || high === null) return ', its interval is not known'
  return `, 95% interval ${formatRate(low.requestsPerSecond)} to ${formatRate(high.requestsPerSecond)}`
}

function limitInWords({ limitedBy }: FoundCapacity): string {
  return limitedBy === null
    ? 'No objective is violated up to the most that it does: its throughput is the limit.'
    : `“${limitedBy}” is violated first.`
}

function confirmationInWords({ confirmation, ended }: ContenderCapacity): string {
  if (confirmation === null)
    return ended === 'interrupted'
      ? 'Not confirmed: it was interrupted.'
      : 'Not confirmed: that takes a longer --budget.'
  const load = requests(confirmation.load.requestsPerSecond)
  switch (confirmation.verdict) {
    case 'met':
      return `Confirmed at ${load} in a separate test with new random arrivals.`
    case 'violated':
      return `A separate test at ${load}, with new random arrivals, violated it.`
    case 'undecided':
      return `A separate test at ${load} was too short to confirm it.`
  }
}

/** What single loads leave no doubt about. */
function certaintyInWords({ bounds: { met, violated } }: ContenderCapacity): string {
  if (met === null && violated === null) return 'No bound is certain: no load was measured for long enough.'
  const parts = [
    ...(met === null ? [] : [`${requests(met.requestsPerSecond)} meet the objectives`]),
    ...(violated === null ? [] : [`${requests(violated.requestsPerSecond)} violate them`]),
  ]
  return `Certain: ${parts.join(', ')}.`
}

function endInWords(ended: ContenderCapacity['ended']): string {
  return ended === 'interrupted' ? 'It was interrupted before' : 'The budget was used before'
}

/** Of a server that was not the same from beginning to end. */
function changedAnswer(
  id: string,
  { times, firstEstimate, lastEstimate }: NonNullable<ContenderCapacity['change']>,
): readonly string[] {
  const estimates =
    firstEstimate === null || lastEstimate === null
      ? ''
      : ` The estimate of its capacity went from ${formatRate(firstEstimate)} to ${requests(lastEstimate)}.`
  return [
    `${id} has no single capacity: it became ${times > 1 ? 'slower' : 'faster'} while it was measured. A request alone took ` +
      `${fixed(times, 2)} times as long at the end of the search as at its beginning.${estimates}`,
    'Find out what changed (memory, temperature, other work on its machine), and measure again when its speed is steady.',
  ]
}

/** Where neither open loads nor a simulation gave a capacity: the bounds that there are. */
function boundedAnswer(contender: ContenderCapacity): readonly string[] {
  const { id, bounds, levels, sweep, ended } = contender
  const { met, violated } = bounds
  const alone = sweep.levels.find(({ inFlight }) => inFlight === 1) ?? null
  if (met !== null)
    return [
      `${id} sustains at least ${requests(met.requestsPerSecond)} within its objectives` +
        `${violated === null ? '' : `, and less than ${formatRate(violated.requestsPerSecond)}`}: ${worth(met)}.`,
      `${endInWords(ended)} its capacity was known.`,
    ]
  if (violated !== null)
    return [
      `${id} sustains less than ${requests(violated.requestsPerSecond)} within its objectives, the lowest load that violates them` +
        `${missesInWords(levels, violated)}.`,
      ...(alone?.p95Ms == null || alone.failed > 0
        ? []
        : [`95% of requests that are alone take up to ${formatMilliseconds(alone.p95Ms)}: allow more time.`]),
    ]
  const rates = sweep.levels.flatMap(({ requestsPerSecond }) => requestsPerSecond ?? [])
  if (rates.length === 0 && alone !== null && alone.failed > 0)
    return [
      `${id} sustains 0 requests per second: all ${formatCount(alone.failed)} requests that were alone failed.`,
    ]
  if (rates.length === 0) return [`${id}: ${endInWords(ended).toLowerCase()} any load was measured.`]
  const exceeded = exceededInWords(levels)
  if (exceeded !== null)
    return [
      `What ${id} sustains within its objectives is not known${silenceInWords(contender)}. ${exceeded}`,
      'Give it a longer --budget.',
    ]
  return [
    `${id} sustains at most ${requests(Math.max(...rates))}, the throughput of the sweep; what it sustains within its ` +
      'objectives is not known: no load was measured for long enough.',
  ]
}

function silenceInWords({ simulation }: ContenderCapacity): string {
  return simulation?.silentBecause == null ? '' : `: ${simulation.silentBecause}`
}

/** Fewer misses exceed by chance. */
const fewestExceeding = 4

/** The lowest load at which more missed than may, though not without doubt; null where there is none. */
function exceededInWords(levels: ContenderCapacity['levels']): string | null {
  for (const { requestsPerSecond, objectives } of levels)
    for (const { objective, misses, requests: count, verdict, moreNeeded } of objectives)
      if (verdict === 'undecided' && moreNeeded === null && misses >= fewestExceeding)
        return (
          `It is probably less than ${requests(requestsPerSecond)}, where ${formatCount(misses)} of ${formatCount(count)} requests ` +
          `missed “${objective}”, more than may.`
        )
  return null
}

function missesInWords(levels: ContenderCapacity['levels'], { requestsPerSecond }: LoadFigure): string {
  const level = levels.find((each) => each.requestsPerSecond === requestsPerSecond)
  const missed = level?.objectives.find(({ verdict }) => verdict === 'violated')
  return missed === undefined
    ? ''
    : ` (${formatCount(missed.misses)} of ${formatCount(missed.requests)} requests missed “${missed.objective}”)`
}

/** How many machines so many users need. */
export function fleetSentence(fleet: FoundFleet | null): string | null {
  if (fleet === null) return null
  const users = `${formatCount(fleet.users)} concurrent users`
  if (fleet.size === null)
    return `How many such machines ${users} need is not known: one is not known to sustain one user.`
  const { machines, machinesWithSpare, usersPerMachine, basis } = fleet.size
  return (
    `${users} need ${counted(machines, 'such machine')}, or ${formatCount(machinesWithSpare)} to tolerate the failure ` +
    `of one (${counted(usersPerMachine, 'user')} on each, by ${basisInWords(basis)}).`
  )
}

function basisInWords(basis: NonNullable<FoundFleet['size']>['basis']): string {
  switch (basis) {
    case 'confirmed':
      return 'the load that was confirmed'
    case 'met':
      return 'the highest load that met the objectives'
    case 'measured':
      return 'the low end of the interval'
    case 'simulated':
      return 'the low end of the simulated interval'
  }
}
