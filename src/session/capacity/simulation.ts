import {
  type DictationHabit,
  type FoundSimulation,
  fitServiceModel,
  type HostSpeedIndex,
  type Imagined,
  imagineCapacity,
  type LevelResult,
  loadFigure,
  type OtherMachine,
  relativeSpeed,
  reproduce,
  type SearchResult,
  type Sweep,
} from '#capacity'
import type { VerifiedUtterance } from '#corpus'
import type { CapacityRequest } from './measure-capacity.ts'

export interface SimulationInput {
  readonly found: Pick<SearchResult, 'levels'>
  readonly sweep: Pick<Sweep, 'effectiveServers'>
  readonly samplesAlone: readonly { readonly audioSeconds: number; readonly serviceMs: number }[]
  readonly request: Pick<CapacityRequest, 'promises' | 'machines'>
  readonly corpus: { readonly utterances: readonly Pick<VerifiedUtterance, 'durationSeconds'>[] }
  readonly habit: DictationHabit
  readonly seed: number
  readonly cpuCount: number
  /** Processors that the server keeps busy while one request is alone; null where nobody can see it. */
  readonly processorsPerWorker: number | null
  /** Of the machine that was measured; null: others cannot be held against it. */
  readonly hostSpeed: HostSpeedIndex | null
}

/** Loads that have to be reproduced before anything is imagined. */
const fewestReproduced = 2

/**
 * Makes a simulation of the server from what requests alone took, holds it against loads that were measured, and where
 * it reproduces two of them asks it what nobody measured.
 *
 * @returns null where too little was measured to make one
 */
export function imagineMachines(input: SimulationInput): FoundSimulation | null {
  const { found, sweep, samplesAlone, request, corpus, habit, seed, cpuCount } = input
  const service = fitServiceModel(samplesAlone)
  const workers = Math.max(1, Math.round(sweep.effectiveServers ?? 0))
  if (service === null || sweep.effectiveServers === null) return null
  const machine: Imagined = {
    service,
    workers,
    processorsPerWorker: Math.max(0.05, input.processorsPerWorker ?? 1),
    processors: cpuCount,
    queueBound: null,
    speed: 1,
  }
  const reproductions = found.levels.flatMap((level) => reproduced(level, machine, seed))
  const good = reproductions.filter(({ isReproduced }) => isReproduced).length
  const base = {
    fixedMs: service.fixedMs,
    perAudioSecondMs: service.perAudioSecondMs,
    workers,
    processorsPerWorker: machine.processorsPerWorker,
    reproductions,
  }
  if (good < fewestReproduced) {
    const silentBecause = `it reproduces ${good} of ${reproductions.length} measured loads, and speaks from ${fewestReproduced}`
    return { ...base, silentBecause, whatIfs: [] }
  }
  const lengths = corpus.utterances.map(({ durationSeconds }) => durationSeconds)
  const sorted = lengths.toSorted((a, b) => a - b)
  const half = Math.ceil(sorted.length / 2)
  const ask = (
    question: string,
    changed: Partial<Imagined>,
    mix: readonly number[],
  ): FoundSimulation['whatIfs'][number] => {
    const imagined = imagineCapacity(
      { ...machine, ...changed },
      { lengths: mix, promises: request.promises, seed },
    )
    const meanAudioSeconds = mix.reduce((sum, length) => sum + length, 0) / mix.length
    return {
      question,
      workers: changed.workers ?? workers,
      meanAudioSeconds,
      capacity:
        imagined.perSecond === null ? null : loadFigure(imagined.perSecond, { ...habit, meanAudioSeconds }),
    }
  }
  return {
    ...base,
    silentBecause: null,
    whatIfs: [
      ask('as it was measured', {}, lengths),
      ask('one more at once', { workers: workers + 1 }, lengths),
      ask(
        'twice as many at once on twice the processors',
        { workers: 2 * workers, processors: 2 * cpuCount },
        lengths,
      ),
      ask('only the shorter half of the recordings', {}, sorted.slice(0, half)),
      ask('only the longer half of the recordings', {}, sorted.slice(half)),
      ask('a machine twice as fast', { speed: 2 }, lengths),
      ...(input.hostSpeed === null ? [] : request.machines.map(elsewhere(input.hostSpeed, machine))).map(
        ({ question, changed }) => ask(question, changed, lengths),
      ),
    ],
  }
}

/** As many at once for each processor as here, each as much faster as the host speed index says. */
function elsewhere(
  own: HostSpeedIndex,
  { workers, processors: here }: Imagined,
): (other: OtherMachine) => { readonly question: string; readonly changed: Partial<Imagined> } {
  return ({ name, processors, speed: theirs }) => {
    const { estimate: speed, range } = relativeSpeed(own, theirs)
    const [low, high] = [range.low.toFixed(2), range.high.toFixed(2)]
    return {
      question: `${name}: ${speed.toFixed(2)} times as fast (${low} to ${high} by kind of work), ${processors} processors`,
      changed: { speed, processors, workers: Math.max(1, Math.round((workers * processors) / here)) },
    }
  }
}

function reproduced(
  { perSecond, stretches }: LevelResult,
  machine: Imagined,
  seed: number,
): FoundSimulation['reproductions'] {
  const [stretch] = stretches
  if (stretch === undefined) return []
  const made = reproduce(stretch.samples, machine, { perSecond, fromMs: stretch.fromMs, seed })
  return made === null ? [] : [made]
}
