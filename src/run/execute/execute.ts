import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunEnding } from '#journal/run-record'
import type { Clock } from '#load/clock'
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
import { type ExecuteInput, Lane, type RunState, startRun } from './lane.ts'
import type { Sender } from './senders.ts'

export type Execution = Awaited<ReturnType<typeof executePlan>>

/**
 * Sends the plan block by block and records every attempt before it counts as done. Never judges an answer. Ends
 * early, without throwing, when the stop signal comes or no request can succeed any more. Requests that were done
 * in earlier segments are skipped; unfinished contenders are warmed up again, because their server may be a new process.
 *
 * @returns also why it ended before the end of the plan, null if it did not, and the contenders that were given up
 * @throws BenchError of the journal if an attempt cannot be written
 */
export async function executePlan(input: ExecuteInput) {
  const run = startRun(input)
  const { stop, laneOf = () => '', beforeMeasuring } = input
  const readyToMeasure = lazily(async () => beforeMeasuring?.())
  const lanes = Map.groupBy(cutIntoBlocks(input.requests), ({ contenderId }) => laneOf(contenderId))
  await Promise.all([...lanes.values()].map((blocks) => executeBlocks(run, blocks, readyToMeasure)))
  if (run.fault !== null) throw run.fault
  const counts = run.tally.counts()
  const isLeft = counts.notSent + counts.dropped > 0 || run.toRepeat.size > 0
  const ending =
    run.ending ?? run.circuit.ending() ?? (stop.aborted && isLeft ? interrupted(input.resume) : null)
  input.onEvent({ kind: 'ended', counts, ending })
  return { counts, ending, givenUp: run.circuit.givenUp() }
}

async function executeBlocks(
  run: RunState,
  blocks: readonly Block[],
  readyToMeasure: () => Promise<void>,
): Promise<void> {
  const lane = new Lane(run)
  const { input } = run
  const { sender, clock, firstTurn = 0 } = input
  const hasAnswers = input.segment > 0 || (input.answered?.size ?? 0) > 0
  for (const { contenderId, requests: block, turn } of blocks) {
    if (run.stop.aborted) break
    if (block.every(run.isDone)) continue
    if (block.at(0)?.phase === 'warmup') {
      const lines = await warmUp(run, lane, block)
      lane.endWarmUp(contenderId, { requestCount: lines.length, hasSettled: hasSettled(lines) })
      continue
    }
    await readyToMeasure()
    const requestAt = (position: number): PlannedRequest => block.at(position) as PlannedRequest
    await input.scheduleOf(block).dispatch({
      count: block.length,
      audioSeconds: (position) => sender.audioSeconds(requestAt(position)),
      round: firstTurn + turn,
      clock,
      // The first unsent request is due at once, whereas in a new run it is due at its planned arrival.
      ...(hasAnswers ? { isSent: (position: number) => run.isDone(requestAt(position)) } : {}),
      stop: lane.startBlock(block),
      send: async (position, dueAtMs) => void (await lane.send(requestAt(position), dueAtMs)),
    })
  }
}

/**
 * Sends the planned requests of a warm-up, then repeats the first ones until latencies have settled. A batch has as
 * many requests as the load will have in flight, so that every worker of the server gets one, and the next batch
 * follows when all are answered. Each repetition is a further attempt in the journal. A failure ends the warm-up: it
 * has no latency, and the circuit decides what follows.
 *
 * @returns the last attempt of each request, in the order of sending
 */
async function warmUp(
  { input, progress }: RunState,
  lane: Lane,
  block: readonly PlannedRequest[],
): Promise<AttemptLine[]> {
  const { clock } = input
  const stop = lane.startBlock(block)
  const lines: AttemptLine[] = []
  const numbers = new Map(block.map(({ index }) => [index, countFrom(progress.nextAttempt(index))]))
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
    const positions = Array.from({ length: inFlight }, (_, offset) =>
      repeatedPosition(further + offset, block.length),
    )
    await sendAtOnce(positions.map((position) => block[position] as PlannedRequest))
  }
  return lines
}

function countFrom(first: number): () => number {
  let next = first
  return () => next++
}

/** @param lines of the requests that were sent one at a time */
function planWarmUp(
  { requests, maxWarmUpOf, scheduleOf }: Pick<ExecuteInput, 'requests' | 'maxWarmUpOf' | 'scheduleOf'>,
  block: readonly PlannedRequest[],
  lines: readonly AttemptLine[],
): FurtherWarmUp {
  const [first] = block
  if (first === undefined || maxWarmUpOf === undefined || lines.length === 0)
    return { inFlight: 1, requestCount: 0 }
  const measured = requests.filter(
    ({ phase, contenderId }) => phase === 'measure' && contenderId === first.contenderId,
  )
  const blocks = [...Map.groupBy(measured, (request) => request.block).values()]
  const answerMs = Math.min(...lines.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs))
  return planFurther({
    planned: block.length,
    measured: measured.length,
    max: maxWarmUpOf(first.contenderId),
    inFlight: expectInFlight(
      scheduleOf(measured),
      blocks.map((sent) => sent.map(({ send }) => send)),
      answerMs,
    ),
  })
}

/** Time between two due times of a rehearsal. */
const beatMs = 10
/** Maximum lateness of a beat that counts as on time. */
const tolerableMs = 5
/** Number of beats on time in a row that end the rehearsal: 0.2 s. */
const steadyBeats = 20
/** Maximum duration of a rehearsal, for a machine that stays busy. */
const maxRehearsalMs = 2000

/**
 * Prepares requests as if they were due, without sending them, until this process keeps their due times. In the first
 * second of a run, V8 still compiles the start-up code in further threads, and files are read for the first time.
 * Without a rehearsal, the first requests of a short open load would leave 30 to 60 ms late.
 *
 * @param requests of the plan; the payloads of the first measured ones are read, and nothing is sent
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

function interrupted(resume: string): RunEnding {
  return {
    code: 'INTERRUPTED',
    message: 'interrupted before the plan was through',
    hint: `what was measured is kept; go on with: ${resume}`,
  }
}

/** Consecutive requests to one contender. */
interface Block {
  readonly contenderId: string
  readonly requests: readonly PlannedRequest[]
  /** Number of earlier turns. Blocks of one turn have the same arrivals. */
  readonly turn: number
}

function cutIntoBlocks(requests: readonly PlannedRequest[]): Block[] {
  // Every contender has a block in every turn, even if no request of a random load falls into it.
  const contenders = new Set<string>()
  for (const { phase, contenderId } of requests) if (phase === 'measure') contenders.add(contenderId)
  // Requests of a block are adjacent, as are those of a contender in the warm-up.
  return [...Map.groupBy(requests, ({ block, contenderId }) => `${block} ${contenderId}`).values()].flatMap(
    (group) => {
      const first = group.at(0)
      if (first === undefined) return []
      const { contenderId, block } = first
      return [{ contenderId, requests: group, turn: Math.max(0, Math.floor(block / contenders.size)) }]
    },
  )
}
