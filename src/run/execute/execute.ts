import { setMaxListeners } from 'node:events'
import type { RetryConfig } from '#config/bench-config'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { GivenUpContender, RunCounts, RunEnding } from '#journal/run-record'
import type { Clock } from '#load/clock'
import type { Schedule } from '#load/schedule'
import {
  expectInFlight,
  type FurtherWarmUp,
  hasSettled,
  maxSettlingMs,
  planFurther,
  repeatedPosition,
  sentAlone,
} from '#load/warm-up'
import { lazily } from '#prelude'
import { startCircuit } from './circuit.ts'
import { type Lane, type LaneInput, type RunState, startLane } from './lane.ts'
import { startPace } from './pace.ts'
import { readProgress, startTally, type Tally } from './progress.ts'
import { startRetries } from './retries.ts'
import type { Sender } from './senders.ts'

export interface ExecuteInput extends LaneInput {
  readonly requests: readonly PlannedRequest[]
  /** How the requests of a measured block are sent. */
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
    if (block.at(0)?.phase === 'warmup') {
      const stop = lane.startBlock(block)
      const lines = await warmUp(input, { lane, block, stop })
      lane.endBlock(block, { requestCount: lines.length, hasSettled: hasSettled(lines) })
      continue
    }
    await input.readyToMeasure()
    const stop = lane.startBlock(block)
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
        if (request !== undefined) await lane.send(request, dueAtMs)
      },
    })
    lane.endBlock(block)
  }
}

interface WarmUpBlock {
  readonly lane: Lane
  readonly block: readonly PlannedRequest[]
  readonly stop: AbortSignal
}

/**
 * Sends the planned requests of a warm-up, then sends its first ones again until latencies have settled. As many are sent at a time as the
 * load will have in flight, so that every worker of the server gets one. The next ones are sent when all of these are answered. A request
 * that is sent again is a further attempt in the journal. A failure ends the warm-up: it has no latency, and the circuit decides
 * what follows.
 *
 * @returns the last attempts of what was sent, in the order of sending
 */
async function warmUp(input: ExecuteInput, { lane, block, stop }: WarmUpBlock): Promise<AttemptLine[]> {
  const { clock } = input
  const lines: AttemptLine[] = []
  const numbers = new Map(block.map(({ index }) => [index, countFrom(lane.nextAttempt(index))]))
  const sendAtOnce = async (requests: readonly PlannedRequest[]): Promise<void> => {
    if (stop.aborted) return
    const sent = await Promise.all(
      requests.map((request) => lane.send(request, clock.nowMs(), numbers.get(request.index))),
    )
    lines.push(...sent.filter((line) => line !== null))
  }
  for (const request of block.slice(0, sentAlone)) await sendAtOnce([request])
  const { inFlight, requestCount } = planWarmUp(input, block, lines)
  for (let from = sentAlone; from < block.length; from += inFlight) {
    await sendAtOnce(block.slice(from, from + inFlight))
  }
  const untilMs = clock.nowMs() + maxSettlingMs
  for (let further = 0; further < requestCount; further += inFlight) {
    const isWhole = lines.length === block.length + further && lines.every(({ outcome }) => outcome.ok)
    if (!isWhole || stop.aborted || clock.nowMs() >= untilMs || hasSettled(lines) === true) break
    const positions = Array.from({ length: inFlight }, (_, own) =>
      repeatedPosition(further + own, block.length),
    )
    await sendAtOnce(positions.map((position) => block[position] as PlannedRequest))
  }
  return lines
}

function countFrom(first: number): () => number {
  let next = first
  return () => next++
}

/** @param lines of the requests that were sent alone */
function planWarmUp(
  { requests, maxWarmUpOf, scheduleOf }: Pick<ExecuteInput, 'requests' | 'maxWarmUpOf' | 'scheduleOf'>,
  block: readonly PlannedRequest[],
  lines: readonly AttemptLine[],
): FurtherWarmUp {
  const [first] = block
  if (first === undefined || maxWarmUpOf === undefined || lines.length === 0)
    return { inFlight: 1, requestCount: 0 }
  const own = requests.filter(
    ({ phase, contenderId }) => phase === 'measure' && contenderId === first.contenderId,
  )
  const blocks = [...Map.groupBy(own, (request) => request.block).values()]
  const answerMs = Math.min(...lines.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs))
  return planFurther({
    planned: block.length,
    measured: own.length,
    max: maxWarmUpOf(first.contenderId),
    inFlight: expectInFlight(
      scheduleOf(own),
      blocks.map((sent) => sent.map(({ send }) => send)),
      answerMs,
    ),
  })
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
 * Prepares requests as if they were due, without sending them, until this process keeps their due times. In the first second of a run the
 * engine of JavaScript still compiles what the start has used, in further threads, and files are read for the first time: of a short
 * open load, the first requests would leave 30 to 60 ms late, and the run would be reported as late.
 *
 * @param requests of the plan; what the first measured ones carry is read, and nothing is sent
 */
export async function rehearse(input: {
  readonly requests: readonly PlannedRequest[]
  readonly sender: Pick<Sender, 'rehearse'>
  readonly clock: Clock
  readonly stop: AbortSignal
}): Promise<void> {
  const { requests, sender, clock, stop } = input
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
    // A stop drops the requests of a warm-up: nothing is measured by their answers.
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
