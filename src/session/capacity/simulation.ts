import {
  atWorkOf,
  type ClosedLevel,
  type DictationHabit,
  extendSlowdowns,
  type FoundSimulation,
  type FoundWhatIf,
  fitServiceModel,
  type HostSpeedIndex,
  type Imagined,
  idleSlowdownOf,
  imagineCapacity,
  type LevelResult,
  loadFigure,
  type OtherMachine,
  paceOf,
  type Reproduction,
  relativeSpeed,
  reproduce,
  type SearchResult,
  type ServicePromise,
  slowdownOfCopies,
  slowdownsFromCopies,
  spreadSlowdowns,
  timesAlone,
  usualServiceMs,
  workOfWaiting,
} from '#capacity'
import { shellWord } from '#prelude'

/** Loads that have to be reproduced before anything is imagined. */
const fewestReproduced = 2

export interface SimulationInput {
  readonly found: Pick<SearchResult, 'levels'>
  /** Closed, the first with one in flight. */
  readonly sweep: readonly (ClosedLevel & {
    /** Busy on this machine, of the server and of this process; null where nobody can see the server's. */
    readonly busyProcessors: number | null
  })[]
  /** One request on each of so many copies of the server, in turn with the levels of the sweep. */
  readonly copies: readonly ClosedLevel[]
  /** Where somebody has set it. */
  readonly workers: number | null
  readonly seed: number
}

/**
 * Makes a simulation of the server from what requests took alone and several at once, and holds it against the loads
 * that were measured. It has been asked nothing yet.
 *
 * @returns null where too little was measured to make one
 */
export function makeSimulation({
  found,
  sweep,
  copies,
  workers,
  seed,
}: SimulationInput): FoundSimulation | null {
  const swept = simulationOf(sweep, workers)
  if (swept === null) return null
  const loads = found.levels.flatMap(({ stretches }) => stretches.map(({ samples }) => samples))
  const waited = loads.flatMap((samples) => workOfWaiting(samples, swept))
  const pace = paceOf(waited, (audioSeconds) => swept.atWorkShare * usualServiceMs(swept, audioSeconds))
  const undisturbed = loads.flatMap((samples) => timesAlone(samples, swept.workers))
  const idleSlowdown = idleSlowdownOf(swept, { slowdowns: swept.slowdowns, pace }, undisturbed)
  const alone = sweep.find(({ inFlight }) => inFlight === 1) ?? { turns: [] }
  const inTheWay = copies
    .map((level) => slowdownOfCopies(level, alone, { service: swept, share: swept.atWorkShare }))
    .filter((each) => each !== null)
  const simulation = { ...swept, pace, idleSlowdown, copies: inTheWay }
  const machine = imaginedOf(simulation)
  const reproductions = found.levels.flatMap(({ perSecond, stretches }: LevelResult) => {
    const made = reproduce(stretches, machine, { perSecond, seed })
    return made === null ? [] : [made]
  })
  return { ...simulation, reproductions, silentBecause: whySilent(reproductions), whatIfs: [] }
}

function whySilent(reproductions: readonly Reproduction[]): string | null {
  const good = reproductions.filter(({ isReproduced }) => isReproduced).length
  if (good >= fewestReproduced) return null
  return reproductions.length === 0
    ? 'no load was measured that it could be held against'
    : `it reproduces ${good} of ${reproductions.length} measured loads, and speaks from ${fewestReproduced}`
}

/** The server as a sweep shows it, before any load was measured; null where too little was. */
export function machineOf(sweep: SimulationInput['sweep'], workers: number | null): Imagined | null {
  const simulation = simulationOf(sweep, workers)
  return simulation === null ? null : imaginedOf(simulation)
}

type UntriedSimulation = Omit<FoundSimulation, 'reproductions' | 'silentBecause' | 'whatIfs'>

function simulationOf(sweep: SimulationInput['sweep'], workers: number | null): UntriedSimulation | null {
  const alone = sweep.find(({ inFlight }) => inFlight === 1)
  const service = fitServiceModel(
    (alone?.turns.flat() ?? [])
      .filter(({ isAnswered }) => isAnswered)
      .map(({ audioSeconds, sentAtMs, endedAtMs }) => ({ audioSeconds, serviceMs: endedAtMs - sentAtMs })),
  )
  const atWork = service === null ? null : atWorkOf(sweep, service, workers)
  if (service === null || atWork === null) return null
  const full = sweep.findLast(({ inFlight }) => inFlight > atWork.workers) ?? sweep.at(-1)
  return {
    ...service,
    workers: atWork.workers,
    atWorkShare: atWork.share,
    slowdowns: atWork.slowdowns,
    pace: 1,
    idleSlowdown: 1,
    processorsPerWorker: full?.busyProcessors == null ? null : full.busyProcessors / atWork.workers,
    copies: [],
  }
}

function imaginedOf(simulation: UntriedSimulation): Imagined {
  const { fixedMs, perAudioSecondMs, ratios, workers, atWorkShare, slowdowns, pace, idleSlowdown } =
    simulation
  return {
    service: { fixedMs, perAudioSecondMs, ratios },
    workers,
    share: atWorkShare,
    slowdowns,
    idleSlowdown,
    queueBound: null,
    speed: 1 / pace,
  }
}

/** What a simulation is asked about the machine that it was made on. */
export interface AskedMachine {
  readonly processors: number
  readonly speed: HostSpeedIndex | null
  readonly promises: readonly ServicePromise[]
  readonly habit: DictationHabit
  readonly seed: number
  /** What was measured, and how: the words of its command, and whether the service was started for it. */
  readonly command: readonly string[]
  readonly isEmbedded: boolean
  /** Recordings that the measurement left out. */
  readonly excluded: readonly string[]
}

/** A recording of the mix. */
export interface MixedRecording {
  readonly id: string
  readonly durationSeconds: number
}

/** Something that nobody measured. What is left out is as it was measured. */
export interface Question {
  readonly words: string
  /** The mix; each equally often. */
  readonly mix: readonly MixedRecording[]
  /** Recordings that were measured and are not in the mix. */
  readonly without?: readonly string[] | undefined
  readonly workers?: number | undefined
  readonly speed?: number | undefined
  readonly processors?: number | undefined
}

/** Answers a question, or says why it cannot. */
export function ask(simulation: FoundSimulation, machine: AskedMachine, question: Question): FoundWhatIf {
  const { words, mix, workers = simulation.workers, speed = 1, processors = machine.processors } = question
  const lengths = mix.map(({ durationSeconds }) => durationSeconds)
  const meanAudioSeconds = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const base = { question: words, workers, meanAudioSeconds, check: checkOf(machine, question) }
  const atOnce = slowdownsOf(simulation, machine, { workers, processors })
  if ('refusedBecause' in atOnce) {
    return { ...base, capacity: null, evidence: '', refusedBecause: atOnce.refusedBecause }
  }
  const imagined = imaginedOf(simulation)
  const { perSecond } = imagineCapacity(
    { ...imagined, workers, slowdowns: atOnce.slowdowns, speed: speed * imagined.speed },
    { lengths, promises: machine.promises, seed: machine.seed },
  )
  return {
    ...base,
    capacity: perSecond === null ? null : loadFigure(perSecond, { ...machine.habit, meanAudioSeconds }),
    evidence: atOnce.evidence,
    refusedBecause: null,
  }
}

/** More ids than this make no command that anybody types. */
const mostIds = 20

/** The command that measures it here, where there is one. */
function checkOf(
  { command, isEmbedded, excluded, processors: here }: AskedMachine,
  { workers, speed = 1, processors = here, without = [] }: Question,
): string | null {
  const isElsewhere = speed !== 1 || processors !== here
  const isSame = workers === undefined && without.length === 0
  if (command.length === 0 || isElsewhere || isSame || without.length > mostIds) return null
  if (workers !== undefined && !isEmbedded) return null
  const left = [...excluded, ...without]
  // What is written somewhere is not written over.
  const replaced = ['--exclude', '-o', '--output', ...(workers === undefined ? [] : ['--decodes'])]
  return [
    ...replaced.reduce(withoutFlag, command),
    ...(workers === undefined ? [] : ['--decodes', `${workers}`]),
    ...(left.length === 0 ? [] : ['--exclude', left.join(',')]),
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

function slowdownsOf(
  { workers: measured, slowdowns, processorsPerWorker, copies }: FoundSimulation,
  machine: AskedMachine,
  { workers, processors }: { readonly workers: number; readonly processors: number },
):
  | { readonly slowdowns: readonly number[]; readonly evidence: string }
  | { readonly refusedBecause: string } {
  if (processors !== machine.processors) {
    return {
      slowdowns: spreadSlowdowns(slowdowns, workers, processors / machine.processors),
      evidence: 'as if processors were as much in each other’s way as here',
    }
  }
  if (workers <= measured) {
    return {
      slowdowns: slowdowns.slice(0, workers),
      evidence:
        measured === 1
          ? 'one at once, as it was measured'
          : `how much ${workers} at once are in each other’s way was measured`,
    }
  }
  const most = copies.at(-1)
  if (most !== undefined && workers <= most.copies) {
    const nearest = copies.find((each) => each.copies >= workers) ?? most
    return {
      slowdowns: slowdownsFromCopies(slowdowns, workers, copies),
      evidence:
        `on ${nearest.copies} copies of it at once, one request each, a request took ${nearest.slowdown.toFixed(2)} times ` +
        'as long as on one alone (measured)',
    }
  }
  if (processorsPerWorker === null)
    return { refusedBecause: 'nobody can see from here how busy that server’s processors are' }
  if (workers > processors)
    return {
      refusedBecause: `it works on ${measured} at once on ${processors} ${processors === 1 ? 'processor' : 'processors'}; what more would do has to be measured`,
    }
  const allAtOnce = machine.speed?.allAtOnce ?? null
  return {
    slowdowns: extendSlowdowns(slowdowns, workers, {
      processors,
      perWorker: processorsPerWorker,
      allAtOnce,
    }),
    evidence:
      `one keeps ${processorsPerWorker.toFixed(2)} of ${processors} processors busy; ` +
      (allAtOnce === null
        ? 'taken that processors are not in each other’s way'
        : `with all busy each does ${Math.round(100 * allAtOnce)}% of what one does alone (by matrices that fit into its caches: ` +
          'an estimate, as models read more memory than that)'),
  }
}

/** What is asked of every simulation that may speak. */
export function standardQuestions(
  { workers }: FoundSimulation,
  { processors, speed }: AskedMachine,
  mix: readonly MixedRecording[],
  machines: readonly OtherMachine[],
): readonly Question[] {
  const sorted = mix.toSorted((a, b) => a.durationSeconds - b.durationSeconds)
  const middle = Math.ceil(sorted.length / 2)
  const [shorter, longer] = [sorted.slice(0, middle), sorted.slice(middle)]
  const idsOf = (recordings: readonly MixedRecording[]): readonly string[] => recordings.map(({ id }) => id)
  return [
    { words: 'as it was measured', mix },
    { words: 'one more at once', mix, workers: workers + 1 },
    {
      words: 'twice as many at once on twice the processors',
      mix,
      workers: 2 * workers,
      processors: 2 * processors,
    },
    { words: 'only the shorter half of the recordings', mix: shorter, without: idsOf(longer) },
    { words: 'only the longer half of the recordings', mix: longer, without: idsOf(shorter) },
    { words: 'a machine twice as fast', mix, speed: 2 },
    ...(speed === null ? [] : machines.map((other) => elsewhere(speed, { workers, processors }, other, mix))),
  ].filter((question) => question.mix.length > 0)
}

/** As many at once for each processor as here, each as much faster as the host speed index says. */
export function elsewhere(
  own: HostSpeedIndex,
  here: { readonly workers: number; readonly processors: number },
  { name, processors, speed: theirs }: OtherMachine,
  mix: readonly MixedRecording[],
): Question {
  const { estimate: speed, range } = relativeSpeed(own, theirs)
  const [low, high] = [range.low.toFixed(2), range.high.toFixed(2)]
  return {
    words: `${name}: ${speed.toFixed(2)} times as fast (${low} to ${high} by kind of work), ${processors} processors`,
    mix,
    speed,
    processors,
    workers: Math.max(1, Math.round((here.workers * processors) / here.processors)),
  }
}
