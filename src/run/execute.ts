import { setMaxListeners } from 'node:events'
import type { RetryConfig } from '#config'
import type { AttemptLine, GivenUpContender, PlannedRequest, RunCounts, RunEnding, RunWriter } from '#journal'
import type { Clock, Schedule } from '#load'
import type { Rows } from '#prelude'
import { type AttemptInput, attempt, type Sending } from './attempt.ts'
import { blocksOf } from './blocks.ts'
import { circuitOf } from './circuit.ts'
import type { RunEvent } from './events.ts'
import { type Passage, paceOf } from './pace.ts'
import { type Progress, progressOf } from './progress.ts'
import { retriesOf } from './retries.ts'
import { type Tally, tallyOf } from './tally.ts'

export interface ExecuteInput extends AttemptInput {
  readonly requests: readonly PlannedRequest[]
  readonly writer: Pick<RunWriter, 'appendAttempt'>
  /** How the requests of a block are sent. */
  scheduleOf(block: readonly PlannedRequest[]): Schedule
  readonly clock: Clock
  /** Attempts that are in the journal already: those of a resumed run. Empty for a new one. */
  readonly earlier: Rows<AttemptLine>
  readonly retries: RetryConfig
  /** Contenders whose refusals for a rate limit are waited out: see `paceOf`. None where left out. */
  readonly pacedIds?: ReadonlySet<string> | undefined
  /** Of the back-off of retries. */
  readonly seed: number
  /** The command that goes on with this run when it has ended before its plan was through. */
  readonly resume: string
  /** The command that asks the target what it has. */
  readonly doctor: string
  /** Nothing more is sent; what is in flight is waited for. */
  readonly stop: AbortSignal
  readonly onEvent: (event: RunEvent) => void
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
  for (const { requests: block, turn } of blocksOf(input.requests)) {
    if (run.stop.aborted) break
    if (block.every(run.isSettled)) continue
    const stop = run.startBlock(block)
    const lengths = block.map((request) => input.sender.audioSeconds(request))
    await input.scheduleOf(block).dispatch({
      count: block.length,
      audioSeconds: (position) => lengths[position] ?? 0,
      round: turn,
      clock: input.clock,
      ...(input.segment === 0 ? {} : { isSent: settledIn(block, run) }),
      stop,
      send: async (position, dueAtMs) => {
        const request = block[position]
        if (request !== undefined) await run.send(request, dueAtMs)
      },
    })
    run.endBlock(block)
  }
  if (run.fault() !== null) throw run.fault()
  const counts = run.tally.counts()
  const ending =
    run.ending() ??
    (input.stop.aborted && counts.notSent + counts.dropped > 0 ? interrupted(input.resume) : null)
  input.onEvent({ kind: 'ended', counts, ending })
  return { counts, ending, givenUp: run.givenUp() }
}

/** Only for a run that is resumed: the first of the rest is then due at once, where a new run waits for its arrival. */
function settledIn(
  block: readonly PlannedRequest[],
  { isSettled }: Pick<RunInProgress, 'isSettled'>,
): (position: number) => boolean {
  return (position) => {
    const request = block[position]
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
  /** @returns the signal that ends the block: the run's own, or its contender's end */
  startBlock(block: readonly PlannedRequest[]): AbortSignal
  send(request: PlannedRequest, dueAtMs: number): Promise<void>
  endBlock(block: readonly PlannedRequest[]): void
  ending(): RunEnding | null
  givenUp(): readonly GivenUpContender[]
  fault(): unknown
}

function startRun(input: ExecuteInput): RunInProgress {
  const planned = input.requests.filter((request) => request.phase === 'measure').length
  const tally = tallyOf(planned)
  for (const line of input.earlier) tally.add(line)
  const spentCount = input.earlier.filter(isRepeat).length
  const retries = retriesOf(input.retries, { seed: input.seed, plannedCount: planned, spentCount })
  const pace = paceOf(input.pacedIds ?? new Set(), input.clock)
  const progress: Progress = progressOf(
    input.requests,
    input.earlier,
    (line, pausesBefore) => pace.waitsOut(line) || retries.mayFollow(line, pausesBefore),
  )
  const circuit = circuitOf(input.sender, input)
  const halt = new AbortController()
  const stop = AbortSignal.any([input.stop, halt.signal])
  // One listener for each request in flight is meant, however many there are.
  setMaxListeners(0, stop, input.drop)
  // Nothing that is worth waiting for is lost with the answers of a warm-up.
  const warmUp: AttemptInput = { ...input, drop: AbortSignal.any([input.drop, input.stop]) }
  let blockHalt = new AbortController()
  let blockStop = stop
  const firstRequestMs = new Map<string, number>()
  let inFlight = 0
  let maxInFlight = 1
  /** Requests that were refused for a rate limit and will be sent again, by index. */
  const paused = new Set<number>()
  let ending: RunEnding | null = null
  let fault: unknown = null

  /** @returns the attempt as it was written down; null where it could not be, and so did not happen */
  const sendOnce = async (request: PlannedRequest, sending: Sending): Promise<AttemptLine | null> => {
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    paused.delete(request.index)
    const line = await attempt(request.phase === 'warmup' ? warmUp : input, request, sending)
    // Beyond a line that is half written, nothing could be read.
    if (fault !== null) return null
    // A journal that cannot be written ends the run: what is not written down did not happen.
    const written = await input.writer.appendAttempt(line).then(
      () => true,
      (error: unknown) => {
        fault ??= error
        halt.abort()
        return false
      },
    )
    if (!written) return null
    tally.add(line)
    if (!firstRequestMs.has(line.contenderId) && line.phase === 'warmup' && line.outcome.ok) {
      firstRequestMs.set(line.contenderId, line.endedAtMs - line.sentAtMs)
    }
    if (pace.waitsOut(line)) paused.add(line.index)
    input.onEvent({ kind: 'attempted', line, counts: tally.counts(), inFlight, pausedCount: paused.size })
    inFlight -= 1
    return line
  }

  const giveUp = (contender: GivenUpContender): void => {
    // They all belong to this contender: no other one is sent anything meanwhile.
    paused.clear()
    input.onEvent({ kind: 'gaveUp', contender })
    blockHalt.abort()
  }

  /** Whether there is a point in sending more to this contender. */
  const isPromising = async (line: AttemptLine): Promise<boolean> => {
    const prospect = await circuit.after(line, maxInFlight)
    if (prospect.kind === 'good' || stop.aborted) return !stop.aborted
    if (prospect.kind === 'lost') {
      ending = prospect.ending
      halt.abort()
    } else giveUp(prospect.contender)
    return false
  }

  /** @returns whether the request is sent again, when the pause is over */
  const isPaused = (line: AttemptLine, passage: Passage): boolean => {
    const step = pace.after(line, passage)
    if (step.kind === 'giveUp') giveUp(circuit.giveUp(line, step.reason))
    else if (step.kind === 'again' && step.startsPause !== null) {
      input.onEvent({ kind: 'paused', line, forSeconds: step.startsPause.forMs / 1000 })
    }
    return step.kind === 'again'
  }

  const send = async (request: PlannedRequest, firstDueAtMs: number): Promise<void> => {
    const ended = blockStop
    let dueAtMs = firstDueAtMs
    let pausesBefore = progress.pausesBefore(request.index)
    let isAfterPause = false
    for (let number = progress.nextAttempt(request.index); ; number += 1) {
      const passage = await pace.pass(request.contenderId, ended)
      if (ended.aborted) return
      const isPaced = isAfterPause || passage.heldMs > 0
      const line = await sendOnce(request, {
        dueAtMs: isPaced ? input.clock.nowMs() : dueAtMs,
        number,
        pacedMs: isPaced ? passage.heldMs : null,
      })
      if (line === null || !(await isPromising(line))) return
      isAfterPause = isPaused(line, passage)
      if (isAfterPause) {
        pausesBefore += 1
        continue
      }
      const waitMs = retries.waitMsAfter(line, pausesBefore)
      if (waitMs === null) return
      dueAtMs = input.clock.nowMs() + waitMs
      await input.clock.sleepUntil(dueAtMs, ended)
      if (ended.aborted) return
    }
  }
  return {
    stop,
    tally,
    isSettled: (request) =>
      circuit.givenUp().some(({ id }) => id === request.contenderId) || progress.isSettled(request),
    startBlock(block) {
      blockHalt = new AbortController()
      blockStop = AbortSignal.any([stop, blockHalt.signal])
      setMaxListeners(0, blockStop)
      const [first] = block
      if (first?.phase === 'warmup') input.onEvent({ kind: 'warmingUp', contenderId: first.contenderId })
      return blockStop
    },
    send,
    endBlock(block) {
      const [first] = block
      if (first?.phase !== 'warmup' || blockStop.aborted) return
      const { contenderId } = first
      const hopeless = circuit.afterWarmUp(contenderId)
      if (hopeless !== null) return giveUp(hopeless)
      input.onEvent({
        kind: 'warmedUp',
        contenderId,
        firstRequestMs: firstRequestMs.get(contenderId) ?? null,
      })
    },
    ending: () => ending ?? circuit.ending(),
    givenUp: () => circuit.givenUp(),
    fault: () => fault,
  }
}
