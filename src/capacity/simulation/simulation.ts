import { shellWord } from '#prelude'
import { atWorkOf, type ClosedLevel, idleSlowdownOf, turningAwayOf } from '../at-work.ts'
import type { UserHabit } from '../document/found-costs.ts'
import type { FoundSimulation, FoundWhatIf, Reproduction } from '../document/found-simulation.ts'
import type { Objective } from '../objective.ts'
import { loadFigure } from '../search/found-level.ts'
import type { Level } from '../search/level.ts'
import { reproduce } from './reproduction.ts'
import { fitServiceModel, timesAlone } from './service-model.ts'
import { boundedBy, capacityFinder, type SimulatedServer } from './simulated-capacity.ts'

/** Loads that have to be reproduced before the simulation is asked anything. */
const fewestReproduced = 2

export interface SimulationInput {
  readonly levels: readonly Level[]
  /** Closed, the first with one in flight. */
  readonly sweep: readonly ClosedLevel[]
  /** Requests that the server works on at once, where that is set; null: found from the sweep. */
  readonly workers: number | null
  readonly seed: number
}

/**
 * Makes a simulation of the server from what requests took alone and several at once, and compares it with the loads
 * that were measured. It has been asked nothing yet.
 *
 * @returns null where too little was measured to make one
 */
export function makeSimulation({ levels, sweep, workers, seed }: SimulationInput): FoundSimulation | null {
  const swept = simulationOf(sweep, workers)
  if (swept === null) return null
  const undisturbed = levels.flatMap(({ stretches }) =>
    stretches.flatMap(({ samples }) => timesAlone(samples, swept.workers)),
  )
  const refusals = turningAwayOf(
    levels.flatMap(({ stretches }) => stretches.map(({ samples }) => samples)),
    { closed: sweep.flatMap(({ turns }) => turns), workers: swept.workers },
  )
  const idleSlowdown = idleSlowdownOf(swept, swept.slowdowns, undisturbed)
  const server = boundedBy(serverOf({ ...swept, idleSlowdown }), refusals)
  const simulation = { ...swept, idleSlowdown, queueBound: server.queueBound }
  const reproductions = levels.flatMap(({ stretches }) => {
    const made = reproduce(stretches, server, seed)
    return made === null ? [] : [made]
  })
  const silentBecause = refusals.kind === 'unexplained' ? refusesUnexplained : whySilent(reproductions)
  return { ...simulation, reproductions, silentBecause, whatIfs: [] }
}

const refusesUnexplained =
  'the server refuses requests at moments at which it takes others with more inside, by a rate limit perhaps'

function whySilent(reproductions: readonly Reproduction[]): string | null {
  const good = reproductions.filter(({ isReproduced }) => isReproduced).length
  if (good >= fewestReproduced) return null
  return reproductions.length === 0
    ? 'no load was measured to compare it with'
    : `it reproduces ${good} of ${reproductions.length} measured loads; ${fewestReproduced} are needed`
}

/** The server as a sweep shows it, before any load was measured; null where too little was. */
export function simulatedServerOf(
  sweep: readonly ClosedLevel[],
  workers: number | null,
): SimulatedServer | null {
  const simulation = simulationOf(sweep, workers)
  return simulation === null ? null : serverOf(simulation)
}

type UntriedSimulation = Omit<FoundSimulation, 'reproductions' | 'silentBecause' | 'whatIfs'>

function simulationOf(sweep: readonly ClosedLevel[], workers: number | null): UntriedSimulation | null {
  const alone = sweep.find(({ inFlight }) => inFlight === 1)
  const service = fitServiceModel(
    (alone?.turns.flat() ?? [])
      .filter(({ isAnswered }) => isAnswered)
      .map(({ audioSeconds, sentAtMs, endedAtMs }) => ({ audioSeconds, serviceMs: endedAtMs - sentAtMs })),
  )
  const atWork = service === null ? null : atWorkOf(sweep, service, workers)
  if (service === null || atWork === null) return null
  const { share: atWorkShare, slowdowns } = atWork
  return { ...service, workers: atWork.workers, atWorkShare, slowdowns, idleSlowdown: 1 }
}

function serverOf(simulation: UntriedSimulation): SimulatedServer {
  const {
    fixedMs,
    perAudioSecondMs,
    ratios,
    workers,
    atWorkShare,
    slowdowns,
    idleSlowdown,
    queueBound = null,
  } = simulation
  return {
    service: { fixedMs, perAudioSecondMs, ratios },
    workers,
    share: atWorkShare,
    slowdowns,
    idleSlowdown,
    queueBound,
  }
}

/** The measurement whose simulation is asked. */
export interface AskedMeasurement {
  readonly objectives: readonly Objective[]
  readonly habit: UserHabit
  readonly seed: number
  /** The words of its command. */
  readonly command: readonly string[]
  /** Recordings that the measurement left out. */
  readonly excluded: readonly string[]
}

/** A recording of the mix. */
export interface MixedRecording {
  readonly id: string
  readonly durationSeconds: number
}

/** A use of the server that was not measured. */
export interface Question {
  readonly words: string
  /** The mix; each equally often. */
  readonly mix: readonly MixedRecording[]
  /** Recordings that were measured and are not in the mix. */
  readonly without?: readonly string[] | undefined
}

/** Answers a question by simulation. */
export function evaluateWhatIf(
  simulation: FoundSimulation,
  measurement: AskedMeasurement,
  question: Question,
): FoundWhatIf {
  const { objectives, seed, habit } = measurement
  const lengths = question.mix.map(({ durationSeconds }) => durationSeconds)
  const meanAudioSeconds = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const perSecond = capacityFinder(serverOf(simulation), { lengths, seed })(objectives)
  return {
    question: question.words,
    meanAudioSeconds,
    capacity: perSecond === null ? null : loadFigure(perSecond, { ...habit, meanAudioSeconds }),
    check: checkOf(measurement, question),
  }
}

/** A command with more ids than this is not one that anybody types. */
const mostIds = 20

/** The command that measures it; null where there is none. */
function checkOf({ command, excluded }: AskedMeasurement, { without = [] }: Question): string | null {
  if (command.length === 0 || without.length === 0 || without.length > mostIds) return null
  // An output file of the first measurement is not overwritten.
  return [
    ...['--exclude', '-o', '--output'].reduce(withoutFlag, command),
    '--exclude',
    [...excluded, ...without].join(','),
  ]
    .map(shellWord)
    .join(' ')
}

/** A command line without a flag and its values. */
export function withoutFlag(command: readonly string[], flag: string): readonly string[] {
  return command.filter(
    (word, index) => word !== flag && command[index - 1] !== flag && !word.startsWith(`${flag}=`),
  )
}

/** What every simulation that may answer is asked. */
export function standardQuestions(mix: readonly MixedRecording[]): readonly Question[] {
  const sorted = mix.toSorted((a, b) => a.durationSeconds - b.durationSeconds)
  const middle = Math.ceil(sorted.length / 2)
  const [shorter, longer] = [sorted.slice(0, middle), sorted.slice(middle)]
  const idsOf = (recordings: readonly MixedRecording[]): readonly string[] => recordings.map(({ id }) => id)
  return [
    { words: 'as it was measured', mix },
    { words: 'only the shorter half of the recordings', mix: shorter, without: idsOf(longer) },
    { words: 'only the longer half of the recordings', mix: longer, without: idsOf(shorter) },
  ].filter((question) => question.mix.length > 0)
}
