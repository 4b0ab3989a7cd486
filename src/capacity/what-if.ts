import { equalIssueOrder, poissonSchedule } from '#load'
import { type Random, seededRandom } from '#prelude'
import { quantile, sortSamples } from '#statistics'
import type { LevelSample } from './loaded-server.ts'
import { allowance, isMiss, type ServicePromise } from './promise.ts'
import {
  type Arrival,
  type SimulatedAnswer,
  type SimulatedMachine,
  simulateQueue,
  slowdownOf,
} from './queue-simulation.ts'
import { drawServiceMs, type ServiceModel } from './service-model.ts'

/** A machine as it was measured, or as somebody imagines it. */
export interface Imagined extends SimulatedMachine {
  readonly service: ServiceModel
  /** Of a request's time alone, the part in which it holds a worker: 0..1. */
  readonly share: number
}

/** What is asked of a machine. */
export interface ImaginedUse {
  /** The mix, in seconds of audio; every length equally often. */
  readonly lengths: readonly number[]
  readonly promises: readonly ServicePromise[]
  readonly seed: number
}

/** A measured load held against its simulation. */
export interface Reproduction {
  readonly perSecond: number
  readonly requests: number
  readonly measuredP50Ms: number
  readonly simulatedP50Ms: number
  readonly measuredP95Ms: number
  readonly simulatedP95Ms: number
  readonly isReproduced: boolean
}

/** A simulation that is further off than this from what was measured does not speak. */
const farthest = 0.25
/** Repeats of the simulation of one load: its own noise is then small beside that of the measurement. */
const repeats = 20

/**
 * Simulates a load that was measured, with its own arrivals and lengths, and compares the middle and the tail of
 * the response times. Two loads have to be reproduced before a simulation may say anything of a third.
 *
 * @param stretches of the load; what is due before `fromMs` is simulated too, but not compared
 */
export function reproduce(
  stretches: readonly { readonly samples: readonly LevelSample[]; readonly fromMs: number }[],
  machine: Imagined,
  { perSecond, seed }: { readonly perSecond: number; readonly seed: number },
): Reproduction | null {
  const random = seededRandom(seed)
  const parts = stretches.map(({ samples, fromMs }) => ({
    ordered: samples.toSorted((a, b) => a.dueAtMs - b.dueAtMs),
    fromMs,
  }))
  const judged = parts.flatMap(({ ordered, fromMs }) =>
    ordered.filter(({ dueAtMs, isAnswered }) => dueAtMs >= fromMs && isAnswered),
  )
  const measured = sortSamples(judged.map(({ endedAtMs, dueAtMs }) => endedAtMs - dueAtMs))
  const simulated: number[] = []
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const { ordered, fromMs } of parts) {
      const arrivals = ordered.map(({ dueAtMs, audioSeconds }) => ({
        dueAtMs,
        ...drawJob(machine, audioSeconds, random),
      }))
      for (const [index, { responseMs }] of simulateQueue(arrivals, machine).entries()) {
        if (responseMs !== null && (ordered[index]?.dueAtMs ?? 0) >= fromMs) simulated.push(responseMs)
      }
    }
  }
  const sorted = sortSamples(simulated)
  const [measuredP50Ms, measuredP95Ms] = [quantile(measured, 0.5), quantile(measured, 0.95)]
  const [simulatedP50Ms, simulatedP95Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.95)]
  if (measuredP50Ms === null || measuredP95Ms === null || simulatedP50Ms === null || simulatedP95Ms === null)
    return null
  const isNear = (a: number, b: number): boolean => Math.abs(Math.log(a / b)) <= Math.log1p(farthest)
  return {
    perSecond,
    requests: judged.length,
    measuredP50Ms,
    simulatedP50Ms,
    measuredP95Ms,
    simulatedP95Ms,
    isReproduced: isNear(measuredP50Ms, simulatedP50Ms) && isNear(measuredP95Ms, simulatedP95Ms),
  }
}

/** One request's time alone, as this machine would spend it. */
export function drawJob(
  { service, share }: Imagined,
  audioSeconds: number,
  random: Random,
): Omit<Arrival, 'dueAtMs'> {
  const aloneMs = drawServiceMs(service, audioSeconds, random)
  return { audioSeconds, workMs: share * aloneMs, besideMs: (1 - share) * aloneMs }
}

export interface ImaginedCapacity {
  /** Requests per second; null where the promise is broken even by requests that are alone. */
  readonly perSecond: number | null
  readonly audioSecondsPerSecond: number | null
  /** The promise that breaks first. */
  readonly limitedBy: ServicePromise | null
}

/** Requests of one simulated load: the share of misses is known to about a tenth of it. */
const requestsOfLoad = 20_000
const settling = 1_000

/**
 * The capacity of a machine that nobody has measured, by simulation: the highest load at which all promises are kept,
 * found by bisection with the same arrivals, lengths and chances at every load.
 */
export function imagineCapacity(
  machine: Imagined,
  { lengths, promises, seed }: ImaginedUse,
): ImaginedCapacity {
  const random = seededRandom(seed)
  const order = equalIssueOrder(lengths, requestsOfLoad, random)
  const unit = poissonSchedule({ perSecond: 1, forSeconds: null, seed }).plan({ count: requestsOfLoad })
  const jobs = order.map((audioSeconds, index) => {
    const send = unit[index]
    return {
      ...drawJob(machine, audioSeconds, random),
      dueAtMs: send?.kind === 'due' ? send.dueAtMs : 0,
    }
  })
  const broken = (perSecond: number): ServicePromise | null => {
    const arrivals = jobs.map((job): Arrival => ({ ...job, dueAtMs: job.dueAtMs / perSecond }))
    return brokenPromise(simulateQueue(arrivals, machine).slice(settling), promises)
  }
  const meanWorkMs = jobs.reduce((sum, { workMs }) => sum + workMs, 0) / jobs.length
  const atOnce = Array.from(
    { length: machine.workers },
    (_, index) => (index + 1) / slowdownOf(machine.slowdowns, index + 1),
  )
  let high = (1000 * Math.max(...atOnce)) / meanWorkMs
  let low = high / 1000
  if (broken(low) !== null) return { perSecond: null, audioSecondsPerSecond: null, limitedBy: broken(low) }
  let limitedBy = broken(high)
  while (high / low > 1.005) {
    const middle = Math.sqrt(low * high)
    const breaks = broken(middle)
    if (breaks === null) low = middle
    else {
      high = middle
      limitedBy = breaks
    }
  }
  const meanAudio = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  return { perSecond: low, audioSecondsPerSecond: low * meanAudio, limitedBy }
}

function brokenPromise(
  answers: readonly SimulatedAnswer[],
  promises: readonly ServicePromise[],
): ServicePromise | null {
  const misses = (promise: ServicePromise): number =>
    answers.filter(({ responseMs, audioSeconds }) =>
      isMiss(promise, { responseMs: responseMs ?? 0, audioSeconds, isAnswered: responseMs !== null }),
    ).length
  return promises.find((promise) => misses(promise) > allowance(promise) * answers.length) ?? null
}

/** Somebody who dictates: speaks for as long as the audio, waits for the text, pauses. */
export interface DictationHabit {
  readonly meanAudioSeconds: number
  readonly meanPauseSeconds: number
}

/** Requests per second of one person who dictates; the waiting makes it less, so this errs on the busy side. */
export function requestsPerPerson({ meanAudioSeconds, meanPauseSeconds }: DictationHabit): number {
  return 1 / (meanAudioSeconds + meanPauseSeconds)
}

export interface FleetSize {
  readonly people: number
  readonly machines: number
  /** So many that one may fail and the others still keep the promise. */
  readonly machinesWithSpare: number
  readonly peoplePerMachine: number
}

/** How many such machines it takes, each with its even part of the people. */
export function fleetFor(people: number, capacityPerSecond: number, habit: DictationHabit): FleetSize | null {
  const peoplePerMachine = Math.floor(capacityPerSecond / requestsPerPerson(habit) + 1e-9)
  if (peoplePerMachine < 1) return null
  const machines = Math.ceil(people / peoplePerMachine)
  return { people, machines, machinesWithSpare: machines + 1, peoplePerMachine }
}
