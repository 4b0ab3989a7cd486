import { setMaxListeners } from 'node:events'
import type { RetryConfig } from '#config/bench-config'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { GivenUpContender, RunCounts, RunEnding } from '#journal/run-record'
import type { Clock } from '#load/clock'
import type { Schedule } from '#load/schedule'
import { furtherWarmUps, hasSettled, maxSettlingMs, repeatedPosition } from '#load/warm-up'
import { lazily } from '#prelude'
import { startCircuit } from './circuit.ts'
import { type Lane, type LaneInput, type RunState, startLane } from './lane.ts'
import { readProgress, startPace, startRetries, startTally, type Tally } from './progress.ts'
import type { Sender } from './senders.ts'

export interface ExecuteInput extends LaneInput {
  readonly requests: readonly PlannedRequest[]
  /** How the requests of a block are sent. */
  scheduleOf(block: readonly PlannedRequest[]): Schedule
  /** Turns of the plan before the first one here; 0 where left out. */
  readonly firstTurn?: number | undefined
  /** A warm-up goes on until latencies have settled, up to this number of requests; no further than planned where left out. */
  readonly maxWarmUpOf?: ((contenderId: string) => number) | undefined
  /** Waited for once, before the first measured block. */
  readonly beforeMeasuring?: (() => Promise<void>) | undefined
  /** Attempts that are in the journal already: those of a resumed run. Empty for a new one. */
  readonly earlier: readonly AttemptLine[]
  /** Indices of requests that an earlier run has answered: they are not sent. None where left out. */
  readonly answered?: ReadonlySet<number> | undefined
  readonly retries: RetryConfig
  /** Contenders whose refusals for a rate limit are waited out: see `startPace`. None where left out. */
  readonly pacedIds?: ReadonlySet<string> | undefined
  /** Max requests that leave in a minute, of contenders that are limited. */
  readonly requestsPerMinute?: ReadonlyMap<string, number> | undefined
  /** Contenders for which it returns the same value are measured one after the other, the others at the same time. Default: all one after the other. */
  readonly laneOf?: ((contenderId: string) => string) | undefined
  /** Of the back-off of retries. */
  readonly seed: number
  /** The command that goes on with this run when it has ended before its plan was through. */
  readonly resume: string
  /** The command that asks the target what it has. */
  readonly doctor: string
  /** Nothing more is sent; what is in flight is waited for. */
  readonly stop: AbortSignal
}

export interface Execution {
  readonly counts: RunCounts
  /** Why it ended before the plan was through, or null. */
  readonly ending: RunEnding | null
  /** Contenders that were sent nothing more. */
  readonly givenUp: readonly GivenUpContender[]
}

/**
 * Sends the plan block by block and writes every attempt down before it counts as done. Never judges an
 * answer. Ends early, without throwing, when the stop signal comes or nothing can succeed any more. What earlier
 * segments have settled is passed over; contenders that are still to be measured are warmed up again, because their
 * server may be another process by now.
 *
 * @throws BenchError of the journal when an attempt cannot be written
 */
export async function executePlan(input: ExecuteInput): Promise<Execution> {
  const run = startRun(input)
  const { laneOf = () => '', beforeMeasuring } = input
  const readyToMeasure = lazily(async () => beforeMeasuring?.())
  const lanes = Map.groupBy(cutIntoBlocks(input.requests), ({ contenderId }) => laneOf(contenderId))
  await Promise.all(
    [...lanes.values()].map((blocks) => executeBlocks({ ...input, readyToMeasure }, run, blocks)),
  )
  if (run.fault() !== null) throw run.fault()
  const counts = run.tally.counts()
  const ending =
    run.ending() ??
    (input.stop.aborted && (counts.notSent + counts.dropped > 0 || run.awaitsRepeat())
      ? interrupted(input.resume)
      : null)
  input.onEvent({ kind: 'ended', counts, ending })
  return { counts, ending, givenUp: run.givenUp() }
}

async function executeBlocks(
  input: ExecuteInput & { readonly readyToMeasure: () => Promise<void> },
  run: RunInProgress,
  blocks: readonly Block[],
): Promise<void> {
  const lane = run.startLane()
  const { firstTurn = 0 } = input
  for (const { requests: block, turn } of blocks) {
    if (run.stop.aborted) break
    if (block.every(run.isSettled)) continue
    if (block.at(0)?.phase !== 'warmup') await input.readyToMeasure()
    const stop = lane.startBlock(block)
    const warmUp: AttemptLine[] = []
    await input.scheduleOf(block).dispatch({
      count: block.length,
      audioSeconds: (position) => {
        const request = block.at(position)
        return request === undefined ? 0 : input.sender.audioSeconds(request)
      },
      round: firstTurn + turn,
      clock: input.clock,
      ...(input.segment === 0 && (input.answered?.size ?? 0) === 0 ? {} : { isSent: settledIn(block, run) }),
      stop,
      send: async (position, dueAtMs) => {
        const request = block.at(position)
        const line = request === undefined ? null : await lane.send(request, dueAtMs)
        if (line?.phase === 'warmup') warmUp.push(line)
      },
    })
    if (block.at(0)?.phase === 'warmup') await warmUpFurther(input, { lane, block, stop, lines: warmUp })
    lane.endBlock(block, {
      requestCount: warmUp.length,
      hasSettled: hasSettled(warmUp.map(warmUpAnswer)),
    })
  }
}

/**
 * Sends requests of a warm-up again until latencies have settled, one after the other. They are further attempts of the same
 * requests in the journal. A failure ends it: what fails has no latency, and the circuit has to judge it.
 *
 * @param lines of the planned requests of the warm-up, each with its last attempt; further ones are added
 */
async function warmUpFurther(
  { requests, clock, maxWarmUpOf }: Pick<ExecuteInput, 'requests' | 'clock' | 'maxWarmUpOf'>,
  {
    lane,
    block,
    stop,
    lines,
  }: {
    readonly lane: Lane
    readonly block: readonly PlannedRequest[]
    readonly stop: AbortSignal
    readonly lines: AttemptLine[]
  },
): Promise<void> {
  const [first] = block
  if (first === undefined || maxWarmUpOf === undefined || lines.length < block.length) return
  const { contenderId } = first
  const measured = requests.filter((own) => own.phase === 'measure' && own.contenderId === contenderId).length
  const most = furtherWarmUps({ planned: block.length, measured, max: maxWarmUpOf(contenderId) })
  const lastNumber = new Map(lines.map(({ index, attempt }) => [index, attempt]))
  const untilMs = clock.nowMs() + maxSettlingMs
  for (let further = 0; further < most; further += 1) {
    const isOver = stop.aborted || clock.nowMs() >= untilMs || !lines.every(({ outcome }) => outcome.ok)
    if (isOver || hasSettled(lines.map(warmUpAnswer)) === true) return
    const request = block[repeatedPosition(further, block.length)] as PlannedRequest
    const line = await lane.send(request, clock.nowMs(), (lastNumber.get(request.index) ?? 0) + 1)
    if (line === null) return
    lastNumber.set(request.index, line.attempt)
    lines.push(line)
  }
}

function warmUpAnswer({ utteranceId, sentAtMs, endedAtMs }: AttemptLine): {
  readonly utteranceId: string
  readonly tookMs: number
} {
  return { utteranceId, tookMs: endedAtMs - sentAtMs }
}

/** Between two due times of a rehearsal. */
const beatMs = 10
/** Later than this, a beat has not kept its time. */
const tolerableMs = 5
/** The rehearsal is over when so many beats in a row have kept their time: 0.2 s. */
const steadyBeats = 20
/** On a machine that stays busy the rehearsal ends without that. */
const maxRehearsalMs = 2000

/**
 * Goes the way of a request that is due, up to its sending, until this process keeps its times. In the first second of a run the
 * engine of JavaScript still compiles what the start has used, in further threads, and files are read for the first time: of a short
 * open load, the first requests would leave 30 to 60 ms late, and the run would be judged by them.
 *
 * @param requests of the plan; what the first measured ones carry is read, and nothing is sent
 */
export async function rehearse({
  requests,
  sender,
  clock,
  stop,
}: {
  readonly requests: readonly PlannedRequest[]
  readonly sender: Pick<Sender, 'rehearse'>
  readonly clock: Clock
  readonly stop: AbortSignal
}): Promise<void> {
  const measured = requests.filter(({ phase }) => phase === 'measure')
  const untilMs = clock.nowMs() + maxRehearsalMs
  let inTime = 0
  for (let beat = 0; inTime < steadyBeats && clock.nowMs() < untilMs && !stop.aborted; beat += 1) {
    const dueAtMs = clock.nowMs() + beatMs
    await clock.sleepUntil(dueAtMs, stop)
    const request = measured[beat % Math.max(1, measured.length)]
    if (request !== undefined) await sender.rehearse?.(request)
    inTime = clock.nowMs() - dueAtMs <= tolerableMs ? inTime + 1 : 0
  }
}

/** Only for a run that is resumed or reuses answers: the first of the rest is then due at once, where a new run waits for its arrival. */
function settledIn(
  block: readonly PlannedRequest[],
  { isSettled }: Pick<RunInProgress, 'isSettled'>,
): (position: number) => boolean {
  return (position) => {
    const request = block.at(position)
    return request === undefined || isSettled(request)
  }
}

/** Sent again by the policy of retries, and not after a pause. */
function isRepeat({ phase, attempt, pacedMs }: AttemptLine): boolean {
  return phase === 'measure' && attempt > 1 && pacedMs === undefined
}

function interrupted(resume: string): RunEnding {
  return {
    code: 'INTERRUPTED',
    message: 'interrupted before the plan was through',
    hint: `what was measured is kept; go on with: ${resume}`,
  }
}

interface RunInProgress {
  readonly stop: AbortSignal
  readonly tally: Tally
  isSettled(request: PlannedRequest): boolean
  startLane(): Lane
  /** Whether a request that failed would have been sent again. */
  awaitsRepeat(): boolean
  ending(): RunEnding | null
  givenUp(): readonly GivenUpContender[]
  fault(): unknown
}

function startRun(input: ExecuteInput): RunInProgress {
  const planned = input.requests.filter(({ phase }) => phase === 'measure').length
  const { answered = new Set<number>() } = input
  const tally = startTally(planned, answered.size)
  for (const line of input.earlier) tally.add(line)
  const spentCount = input.earlier.filter(isRepeat).length
  const retries = startRetries(input.retries, { seed: input.seed, plannedCount: planned, spentCount })
  const pace = startPace(input.pacedIds ?? new Set(), input.clock, input.requestsPerMinute)
  const mayFollow: RunState['mayFollow'] = (line, pausesBefore) =>
    pace.waitsOut(line) || retries.mayFollow(line, pausesBefore)
  const progress = readProgress(input.requests, { earlier: input.earlier, answered }, mayFollow)
  const circuit = startCircuit(input.sender, input)
  const halt = new AbortController()
  const stop = AbortSignal.any([input.stop, halt.signal])
  // One listener for each request in flight is meant, however many there are.
  setMaxListeners(0, stop, input.drop)
  const state: RunState = {
    input,
    // Nothing that is worth waiting for is lost with the answers of a warm-up.
    warmUp: { ...input, drop: AbortSignal.any([input.drop, input.stop]) },
    ...{ tally, retries, pace, progress, circuit, stop, mayFollow },
    unsettled: new Set(progress.unsettled),
    end(ending) {
      state.ending = ending
      halt.abort()
    },
    fail(error) {
      state.fault ??= error
      halt.abort()
    },
    inFlight: 0,
    ending: null,
    fault: null,
  }
  return {
    stop,
    tally,
    isSettled: (request) =>
      circuit.givenUp().some(({ id }) => id === request.contenderId) || progress.isSettled(request),
    startLane: () => startLane(state),
    awaitsRepeat: () => state.unsettled.size > 0,
    ending: () => state.ending ?? circuit.ending(),
    givenUp: () => circuit.givenUp(),
    fault: () => state.fault,
  }
}

/** What one contender is sent in one go. */
interface Block {
  readonly contenderId: string
  readonly requests: readonly PlannedRequest[]
  /** Turns before this one: blocks of one turn meet the same arrivals. */
  readonly turn: number
}

/** The plan cut into its blocks. */
function cutIntoBlocks(requests: readonly PlannedRequest[]): Block[] {
  // Every contender has a block in every turn, also where no request of a random load falls into it.
  const contenders = new Set<string>()
  for (const { phase, contenderId } of requests) if (phase === 'measure') contenders.add(contenderId)
  // Those of a block follow each other, and in the warm-up so do those of a contender.
  return [...Map.groupBy(requests, ({ block, contenderId }) => `${block} ${contenderId}`).values()].flatMap(
    (own) => {
      const first = own.at(0)
      if (first === undefined) return []
      const { contenderId, block } = first
      return [{ contenderId, requests: own, turn: Math.max(0, Math.floor(block / contenders.size)) }]
    },
  )
}
