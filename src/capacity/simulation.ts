import { seededRandom, shellWord } from '#prelude'
import { quantile, sortSamples } from '#statistics/quantiles'
import type { UserHabit } from './cost.ts'
import { loadFigure } from './found.ts'
import type { FoundSimulation, FoundWhatIf, Reproduction } from './found-loads.ts'
import { isJudged, type Level } from './level.ts'
import type { Stretch } from './loaded-server.ts'
import type { Objective } from './objective.ts'
import {
  type ClosedLevel,
  countAtWork,
  fitServiceModel,
  measureIdleSlowdown,
  modelTurningAway,
  timesAlone,
} from './server-model.ts'
import {
  boundedBy,
  capacityFinder,
  drawJobs,
  listRequests,
  type SimulatedServer,
  simulateQueue,
} from './simulated-server.ts'

/** Minimum number of reproduced loads before the simulation may answer questions. */
const fewestReproduced = 2

export interface SimulationInput {
  readonly levels: readonly Level[]
  /** Closed levels, the first with one in flight. */
  readonly sweep: readonly ClosedLevel[]
  /** Number of workers if it is configured; null to estimate it from the sweep. */
  readonly workers: number | null
  readonly seed: number
}

/**
 * Makes a simulation of the server from the times of single and concurrent requests, and compares it with the
 * measured loads. It contains no answers yet.
 *
 * @returns null if too little was measured to make one
 */
export function makeSimulation({ levels, sweep, workers, seed }: SimulationInput): FoundSimulation | null {
  const swept = prepareSimulation(sweep, workers)
  if (swept === null) return null
  const undisturbed = levels.flatMap(({ stretches }) =>
    stretches.flatMap(({ samples }) => timesAlone(samples, swept.workers)),
  )
  const refusals = modelTurningAway(
    levels.flatMap(({ stretches }) => stretches.map(({ samples }) => samples)),
    { closed: sweep.flatMap(({ turns }) => turns), workers: swept.workers },
  )
  const idleSlowdown = measureIdleSlowdown(swept, swept.slowdowns, undisturbed)
  const server = boundedBy(makeServer({ ...swept, idleSlowdown }), refusals)
  const simulation = { ...swept, idleSlowdown, queueBound: server.queueBound }
  const reproductions = levels.flatMap(({ stretches }) => {
    const reproduction = reproduce(stretches, server, seed)
    return reproduction === null ? [] : [reproduction]
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

/** The simulation of a server from its sweep alone; null if too little was measured. */
export function simulateServer(
  sweep: readonly ClosedLevel[],
  workers: number | null,
): SimulatedServer | null {
  const simulation = prepareSimulation(sweep, workers)
  return simulation === null ? null : makeServer(simulation)
}

type UntriedSimulation = Omit<FoundSimulation, 'reproductions' | 'silentBecause' | 'whatIfs'>

function prepareSimulation(sweep: readonly ClosedLevel[], workers: number | null): UntriedSimulation | null {
  const alone = sweep.find(({ inFlight }) => inFlight === 1)
  const service = fitServiceModel(
    (alone?.turns.flat() ?? [])
      .filter(({ isAnswered }) => isAnswered)
      .map(({ audioSeconds, sentAtMs, endedAtMs }) => ({ audioSeconds, serviceMs: endedAtMs - sentAtMs })),
  )
  const atWork = service === null ? null : countAtWork(sweep, service, workers)
  if (service === null || atWork === null) return null
  const { share: atWorkShare, slowdowns } = atWork
  return { ...service, workers: atWork.workers, atWorkShare, slowdowns, idleSlowdown: 1, queueBound: null }
}

function makeServer(simulation: UntriedSimulation): SimulatedServer {
  const { fixedMs, perAudioSecondMs, ratios, workers, slowdowns, idleSlowdown, queueBound } = simulation
  const service = { fixedMs, perAudioSecondMs, ratios }
  return { service, share: simulation.atWorkShare, workers, slowdowns, idleSlowdown, queueBound }
}

/** The measurement whose simulation is evaluated. */
export interface AskedMeasurement {
  readonly objectives: readonly Objective[]
  readonly habit: UserHabit
  readonly seed: number
  /** Arguments of its command. */
  readonly command: readonly string[]
  /** Ids of recordings that the measurement excluded. */
  readonly excluded: readonly string[]
  /** Utterances of the whole corpus, if a sample of it was measured; else null. */
  readonly sampledFrom: number | null
}

export interface MixedRecording {
  readonly id: string
  readonly durationSeconds: number
}

/** An unmeasured use of the server. */
export interface Question {
  readonly words: string
  /** The recordings of the mix, each equally frequent. */
  readonly mix: readonly MixedRecording[]
  /** Ids of measured recordings that are not in the mix. */
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
  const perSecond = capacityFinder(makeServer(simulation), { lengths, seed })(objectives)
  return {
    question: question.words,
    meanAudioSeconds,
    capacity: perSecond === null ? null : loadFigure(perSecond, { ...habit, meanAudioSeconds }),
    check: writeCheck(measurement, question),
  }
}

/** Maximum number of ids in a command that a user would type. */
const maxIds = 20

/** The command that measures the question; null if there is none. */
function writeCheck(
  { command, excluded, sampledFrom }: AskedMeasurement,
  { without = [] }: Question,
): string | null {
  if (command.length === 0 || without.length === 0 || without.length > maxIds) return null
  // Without these recordings, the same command would draw another sample.
  if (sampledFrom !== null) return null
  // The output options are removed, so that the first measurement's file is not overwritten.
  return [
    ...['--exclude', '-o', '--output'].reduce(withoutFlag, command),
    '--exclude',
    [...excluded, ...without].join(','),
  ]
    .map(shellWord)
    .join(' ')
}

export function withoutFlag(command: readonly string[], flag: string): readonly string[] {
  return command.filter(
    (word, index) => word !== flag && command[index - 1] !== flag && !word.startsWith(`${flag}=`),
  )
}

/** The questions that every usable simulation answers. */
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

/** Maximum relative error of a simulation that may answer questions. */
const farthest = 0.25
/** Repeats of the simulation of one load, so that its noise is small relative to that of the measurement. */
const repeats = 20

/**
 * Simulates a measured load with its own arrivals and lengths, and compares median and tail of the response times.
 * Requests of a warm-up are simulated, but not compared.
 *
 * @param stretches at one load
 */
export function reproduce(
  stretches: readonly Stretch[],
  server: SimulatedServer,
  seed: number,
): Reproduction | null {
  const random = seededRandom(seed)
  const measured: number[] = []
  const simulated: number[] = []
  for (const stretch of stretches) {
    const samples = stretch.samples.toSorted((a, b) => a.dueAtMs - b.dueAtMs)
    const judged = samples.map((sample) => isJudged(stretch, sample))
    for (const [index, { isAnswered, endedAtMs, dueAtMs }] of samples.entries())
      if (judged[index] === true && isAnswered) measured.push(endedAtMs - dueAtMs)
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const jobs = drawJobs(server, listRequests(samples), random)
      for (const [index, responseMs] of simulateQueue(jobs, server).entries())
        if (!Number.isNaN(responseMs) && judged[index] === true) simulated.push(responseMs)
    }
  }
  const [sortedMeasured, sortedSimulated] = [sortSamples(measured), sortSamples(simulated)]
  const [measuredP50Ms, measuredP95Ms] = [quantile(sortedMeasured, 0.5), quantile(sortedMeasured, 0.95)]
  const [simulatedP50Ms, simulatedP95Ms] = [quantile(sortedSimulated, 0.5), quantile(sortedSimulated, 0.95)]
  if (measuredP50Ms === null || measuredP95Ms === null || simulatedP50Ms === null || simulatedP95Ms === null)
    return null
  const isNear = (a: number, b: number): boolean => Math.abs(Math.log(a / b)) <= Math.log1p(farthest)
  return {
    perSecond: stretches[0]?.perSecond ?? Number.NaN,
    requests: measured.length,
    measuredP50Ms,
    simulatedP50Ms,
    measuredP95Ms,
    simulatedP95Ms,
    isReproduced: isNear(measuredP50Ms, simulatedP50Ms) && isNear(measuredP95Ms, simulatedP95Ms),
  }
}
