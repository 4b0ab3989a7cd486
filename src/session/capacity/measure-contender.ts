import {
  type CapacityRemark,
  type ContenderCapacity,
  compareTexts,
  type DictationHabit,
  evaluateWhatIf,
  type FoundInterference,
  type FoundSimulation,
  foundCapacity,
  foundLevel,
  foundSweep,
  judgeOverload,
  type LevelSample,
  type LoadedServer,
  loadFigure,
  machineOf,
  makeSimulation,
  modelQueue,
  type Overload,
  type SearchResult,
  type ServerLimits,
  type Sweep,
  searchCapacity,
  standardQuestions,
  type TextsAlone,
} from '#capacity'
import type { ContenderConfig } from '#config'
import type { VerifiedCorpus } from '#corpus'
import type { PlannedRequest, RunCounts, RunWriter } from '#journal'
import { newSitting } from '../earlier-run.ts'
import type { MeasurePlan } from '../measure-plan.ts'
import { doctorCommand } from '../next-commands.ts'
import type { OpenServer } from '../open-server.ts'
import type { OpenTarget } from '../open-target.ts'
import { withSender } from '../with-sender.ts'
import { coldPath } from './cold-path.ts'
import { contenderCosts } from './costs.ts'
import { errorCounter } from './count-errors.ts'
import { withFresh } from './fresh-target.ts'
import { type LoadedTarget, loadedTarget } from './loaded-target.ts'
import type { CapacityOptions } from './measure-capacity.ts'
import { runSweep } from './run-sweep.ts'
import type { SpentProcessor } from './watch-processor.ts'

/** What is being done. */
export type CapacityStage = 'cold' | 'sweep' | 'search' | 'overload' | 'interference'

export interface ContenderInput
  extends Required<Pick<CapacityOptions, 'config' | 'request' | 'onEvent' | 'clock' | 'env'>>,
    Pick<CapacityOptions, 'stop' | 'drop' | 'command'> {
  readonly plan: MeasurePlan
  readonly target: OpenTarget | OpenServer
  readonly writer: RunWriter
  readonly corpus: VerifiedCorpus
  readonly habit: DictationHabit
  /** Another target like this one, where it is ours to start. */
  readonly open: () => Promise<OpenTarget | OpenServer>
  readonly startedAtMs: number
  readonly spent: SpentProcessor
  readonly next: { readonly index: number; readonly block: number }
}

export interface MeasuredContender {
  readonly capacity: ContenderCapacity
  readonly sendLagMs: readonly number[]
  readonly remarks: readonly CapacityRemark[]
  readonly planned: readonly PlannedRequest[]
  readonly counts: RunCounts
  readonly next: { readonly index: number; readonly block: number }
}

/** One contender: cold, in a sweep, under the search, overloaded, and beside long recordings. */
export function measureContender(
  input: ContenderInput,
  contender: ContenderConfig,
): Promise<MeasuredContender> {
  const { plan, target, writer, clock, env, config, onEvent } = input
  const tell = {
    onEvent: (event: Parameters<Parameters<typeof withSender>[0]['onEvent']>[0]) =>
      onEvent({ kind: 'run', event }),
  }
  return withSender(
    { config, plan, target, writer, sitting: newSitting, clock, env, ...tell },
    async (sender) => {
      const server = loadedTarget({
        contenderId: contender.id,
        corpus: input.corpus,
        sender,
        writer,
        clock,
        startedAtMs: input.startedAtMs,
        requestTimeoutSeconds: config.requestTimeoutSeconds,
        noSpeech: config.scoring.noSpeech,
        doctor: doctorCommand(config),
        stop: input.stop ?? new AbortController().signal,
        drop: input.drop ?? new AbortController().signal,
        ...tell,
        firstIndex: input.next.index,
        firstBlock: input.next.block,
      })
      return await putThrough(input, contender, server)
    },
  )
}

/** Draining an overload and seeing that it is over take about this many times as long as the overload. */
const overloadTimes = { slight: 1.2, heavy: 2 }
const drainFactor = { slight: 0.8, heavy: 1.8 }
const longestInterferenceSeconds = 15

async function putThrough(
  input: ContenderInput,
  contender: ContenderConfig,
  server: LoadedTarget,
): Promise<MeasuredContender> {
  const { config, request, clock, onEvent, corpus, habit } = input
  const beganAtMs = clock.nowMs()
  const secondsLeft = (): number => request.budgetSeconds - (clock.nowMs() - beganAtMs) / 1000
  const begin = (stage: CapacityStage): void =>
    onEvent({ kind: 'stage', contenderId: contender.id, stage, secondsLeft: secondsLeft() })
  const seed = config.seed
  const isStopped = (): boolean => input.stop?.aborted === true

  begin('cold')
  // Loads the model, so that the sweep begins warm.
  await server.measure({ kind: 'closed', inFlight: 1, forSeconds: 1, seed })
  const cold = await coldPath(
    { clock, budgetSeconds: request.budgetSeconds, withFresh: freshServers(input, server) },
    server,
    seed + 1,
  )
  begin('sweep')
  const workers = input.target.kind === 'embedded' ? request.decodes : null
  const { sweep, alone, closed } = await runSweep(input, {
    server,
    aloneSeconds: cold.steadyAnswerMs === null ? null : cold.steadyAnswerMs / 1000,
  })
  const limits = limitsOf(sweep)
  const overloadSeconds = isStopped() ? 0 : request.overloadSeconds
  const kept = overloadSeconds * (2 + drainFactor.slight + drainFactor.heavy) + interferenceSecondsOf(request)
  if (request.bears === null) begin('search')
  const lengths = corpus.utterances.map(({ durationSeconds }) => durationSeconds)
  const { promises } = request
  const machine = machineOf(closed, workers)
  const found =
    limits === null || isStopped() || request.bears !== null
      ? nothingFound
      : await searchCapacity(server, {
          promises,
          limits,
          model: machine === null ? null : modelQueue(machine, { lengths, promises, seed }),
          budgetSeconds: Math.max(0, secondsLeft() - kept),
          seed: seed + 100,
          precision: request.precision,
          isStopped,
          onLevel: (level) =>
            onEvent({ kind: 'level', contenderId: contender.id, level, secondsLeft: secondsLeft() }),
        })
  const capacity = found.first === null ? null : foundCapacity(found.first, habit)
  const perSecond = request.bears ?? capacity?.estimate.requestsPerSecond ?? null
  const overloads: Overload[] = []
  let interference: FoundInterference | null = null
  if (perSecond !== null && !isStopped()) {
    if (overloadSeconds > 0) {
      begin('overload')
      overloads.push(await overload(input, server, { perSecond, alone, times: 'slight' }))
      overloads.push(await overload(input, server, { perSecond, alone, times: 'heavy' }))
    }
    begin('interference')
    interference = await besideLongOnes(input, server, perSecond)
  }
  const count = errorCounter(corpus, config)
  const levels = found.levels.map((level) => {
    const samples = level.stretches.flatMap((stretch) => stretch.samples)
    const { differing, compared } = compareTexts(samples, alone, count, seed)
    return foundLevel(level, habit, { differing, compared })
  })
  const made = makeSimulation({ levels: found.levels, sweep: closed, workers, seed })
  const simulation = made === null ? null : { ...made, whatIfs: whatIfsOf(input, made) }
  const shown = foundSweep(sweep)
  return {
    capacity: {
      id: contender.id,
      engine: contender.engine,
      model: contender.model,
      capacity,
      ended: isStopped() ? 'interrupted' : request.bears === null ? found.ended : 'given',
      levels,
      confirmation:
        found.confirmation === null
          ? null
          : { load: loadFigure(found.confirmation.perSecond, habit), verdict: found.confirmation.verdict },
      sweep: shown,
      simulation,
      overloads,
      interference,
      cold,
      costs: contenderCosts({
        contender,
        capacity,
        sweep: shown,
        corpus,
        prices: request.prices,
        utilisation: request.utilisation,
        alone,
        count,
      }),
    },
    sendLagMs: server.sendLagMs,
    remarks: request.bears === null ? remarksOf(contender.id, request, { found, levels }) : [],
    planned: server.planned,
    counts: server.counts(),
    next: {
      index: input.next.index + server.planned.length,
      block: Math.max(input.next.block, ...server.planned.map(({ block }) => block)) + 1,
    },
  }
}

const nothingFound: SearchResult = {
  levels: [],
  capacities: [],
  first: null,
  confirmation: null,
  ended: 'budget',
  budgetsNeeded: null,
}

/** Asked only where the simulation has earned it. */
function whatIfsOf(
  { request, corpus, config, habit, command = [] }: ContenderInput,
  simulation: FoundSimulation,
): FoundSimulation['whatIfs'] {
  if (simulation.silentBecause !== null) return []
  const { promises } = request
  const measurement = { promises, habit, seed: config.seed, command, excluded: config.exclude }
  return standardQuestions(corpus.utterances).map((question) =>
    evaluateWhatIf(simulation, measurement, question),
  )
}

/** What the search has to know before it begins: null where the sweep saw too little. */
function limitsOf({ levels }: Sweep): ServerLimits | null {
  const alone = levels.find(({ inFlight }) => inFlight === 1)?.steady ?? null
  const last = levels.at(-1)?.steady ?? null
  if (alone === null || last === null) return null
  return {
    aloneSeconds: alone.meanServiceMs / 1000,
    serviceVariation: alone.serviceVariation,
    // With everything in flight: what a long queue would see, which on a thrashing server is not the most.
    mostPerSecond: last.perSecond,
  }
}

async function overload(
  { request, config, corpus }: ContenderInput,
  server: LoadedServer,
  {
    perSecond,
    alone,
    times,
  }: { readonly perSecond: number; readonly alone: TextsAlone; readonly times: keyof typeof overloadTimes },
): Promise<Overload> {
  const [promise] = request.promises
  if (promise === undefined) throw new TypeError('a capacity is that of a promise')
  const offered = overloadTimes[times] * perSecond
  const forSeconds = request.overloadSeconds
  const watchedSeconds = forSeconds * (1 + drainFactor[times])
  const seed = config.seed + (times === 'slight' ? 500 : 600)
  const samples = await server.measure({
    kind: 'open',
    perSecond: offered,
    forSeconds,
    prefill: 0,
    seed,
    after: { perSecond: perSecond / 2, forSeconds: watchedSeconds - forSeconds },
  })
  return judgeOverload(samples, {
    promise,
    times: overloadTimes[times],
    perSecond: offered,
    forSeconds,
    accuracy: compareTexts(samples, alone, errorCounter(corpus, config), seed),
  })
}

function interferenceSecondsOf({ budgetSeconds }: ContenderInput['request']): number {
  return Math.min(longestInterferenceSeconds, budgetSeconds / 20)
}

/** Somebody dictates at a third of the capacity, alone and then beside the longest recordings, sent one after the other. */
async function besideLongOnes(
  { config, corpus, request }: ContenderInput,
  server: LoadedTarget,
  perSecond: number,
): Promise<FoundInterference | null> {
  const sorted = corpus.utterances.toSorted((a, b) => b.durationSeconds - a.durationSeconds)
  const long = sorted.slice(0, Math.max(1, Math.floor(sorted.length / 5)))
  const short = sorted.slice(long.length)
  if (short.length === 0) return null
  const forSeconds = interferenceSecondsOf(request) / 2
  const seed = config.seed + 700
  const dictation = { kind: 'open', perSecond: perSecond / 3, forSeconds, prefill: 0, seed } as const
  const among = short.map(({ id }) => id)
  const alone = await server.measureAmong(dictation, among)
  const [beside, batch] = await Promise.all([
    server.measureAmong(dictation, among),
    server.measureAmong(
      { kind: 'closed', inFlight: 1, forSeconds, seed: seed + 1 },
      long.map(({ id }) => id),
    ),
  ])
  return {
    perSecond: perSecond / 3,
    longAudioSeconds: long.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0) / long.length,
    longRequests: batch.length,
    aloneP95Ms: p95Ms(alone),
    besideP95Ms: p95Ms(beside),
    requests: alone.length + beside.length,
  }
}

/** Nearest rank; null without answers. */
function p95Ms(samples: readonly LevelSample[]): number | null {
  const sorted = samples
    .filter(({ isAnswered }) => isAnswered)
    .map(({ dueAtMs, endedAtMs }) => endedAtMs - dueAtMs)
    .sort((a, b) => a - b)
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? null
}

/** Starts services like the one that is measured, one for each question about a cold one. */
function freshServers(
  input: ContenderInput,
  server: LoadedTarget,
): Parameters<typeof coldPath>[0]['withFresh'] {
  if (input.target.kind !== 'embedded') return null
  return (work) =>
    input.spent.aside(() => withFresh(input, (sender, startMs) => work(server.through(sender), startMs)))
}

function remarksOf(
  id: string,
  { budgetSeconds, precision }: ContenderInput['request'],
  { found, levels }: { readonly found: SearchResult; readonly levels: ContenderCapacity['levels'] },
): CapacityRemark[] {
  const remarks: CapacityRemark[] = []
  const differing = levels.reduce((sum, level) => sum + level.differingTexts, 0)
  const compared = levels.reduce((sum, level) => sum + level.comparedTexts, 0)
  if (differing > 0)
    remarks.push({
      severity: 'warning',
      message: `${id}: ${differing} of ${compared} texts under load are not those of the recordings alone`,
    })
  if (found.ended === 'budget')
    remarks.push({
      severity: 'note',
      message: `${id}: ${shortfallOf(found, precision)}. With more time: --budget ${largerBudget(found, budgetSeconds)}`,
    })
  return remarks
}

/** What the time did not suffice for. */
function shortfallOf({ first, confirmation }: SearchResult, precision: number): string {
  const { low = null, high = null } = first?.crossing ?? {}
  if (first === null) return 'the time was over before a capacity was found'
  if (low === null || high === null) return 'the time was over before the capacity had an interval'
  const half = Math.sqrt(high / low) - 1
  if (half > precision)
    return `the interval is ±${(100 * half).toFixed(0)}% wide, not the ±${(100 * precision).toFixed(0)}% that were asked for`
  return confirmation?.verdict === 'kept'
    ? 'the interval is narrow enough, but was not seen to stay so'
    : 'the capacity was not confirmed'
}

/** Where the sweep saw too little for a search, nothing is known but that so much usually suffices. */
const usualBudgetSeconds = 600

function largerBudget({ budgetsNeeded }: SearchResult, budgetSeconds: number): string {
  const seconds = budgetsNeeded === null ? usualBudgetSeconds : budgetsNeeded * budgetSeconds
  return seconds < 120 ? `${10 * Math.ceil(seconds / 10)}s` : `${Math.ceil(seconds / 60)}min`
}
