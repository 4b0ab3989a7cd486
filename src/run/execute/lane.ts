import { setMaxListeners } from 'node:events'
import type { CallTimes } from '#client/reply'
import type { RetryConfig } from '#config/bench-config'
import { timeouts } from '#contract/enums'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { GivenUpContender, RunCounts, RunEnding } from '#journal/run-record'
import type { RunWriter } from '#journal/run-writer'
import type { Clock } from '#load/clock'
import type { Schedule } from '#load/schedule'
import { startCircuit } from './circuit.ts'
import { startPace } from './pace.ts'
import { type Retries, readProgress, startRetries, startTally } from './progress.ts'
import type { Sender } from './senders.ts'

/** What happens during a run, for the programs that show it. Sent after the fact, never between two stamps. */
export type RunEvent =
  /** Other runs of this user cannot see which Modes this one holds. Sent for every target. */
  | { readonly kind: 'markUnwritten'; readonly folder: string; readonly reason: string }
  | {
      readonly kind: 'modeReady'
      readonly contenderId: string
      readonly modeName: string
      readonly isTemporary: boolean
    }
  | { readonly kind: 'warmingUp'; readonly contenderId: string }
  | {
      readonly kind: 'warmedUp'
      readonly contenderId: string
      readonly firstRequestMs: number | null
      readonly requestCount: number
      /** Whether latencies settled; null where too few answers were compared. */
      readonly hasSettled: boolean | null
    }
  | {
      readonly kind: 'attempted'
      readonly line: AttemptLine
      readonly counts: RunCounts
      readonly inFlight: number
      /** Requests whose last attempt was refused for a rate limit and that will be sent again. */
      readonly pausedCount: number
    }
  /** The server asked for a pause by refusing this attempt; until it is over, the contender is sent nothing. */
  | { readonly kind: 'paused'; readonly line: AttemptLine; readonly forSeconds: number }
  /** The contender is sent nothing more. */
  | { readonly kind: 'gaveUp'; readonly contender: GivenUpContender }
  | { readonly kind: 'ended'; readonly counts: RunCounts; readonly ending: RunEnding | null }
  | {
      readonly kind: 'modeLeft'
      readonly contenderId: string
      readonly reason: string
      /** The command that tries once more to give it back; null where that is for a person to do. */
      readonly clean: string | null
    }

/** What a plan is sent with. */
export interface ExecuteInput {
  readonly requests: readonly PlannedRequest[]
  readonly sender: Sender
  readonly writer: Pick<RunWriter, 'appendAttempt'>
  readonly clock: Clock
  readonly onEvent: (event: RunEvent) => void
  /** Zero of every time stamp in the journal, in the clock's milliseconds. */
  readonly startedAtMs: number
  /** How the requests of a measured block are sent. */
  scheduleOf(block: readonly PlannedRequest[]): Schedule
  /** Turns of the plan before the first one here; 0 where left out. */
  readonly firstTurn?: number | undefined
  /** A warm-up goes on until latencies have settled, up to this number of requests; no further than planned where left out. */
  readonly maxWarmUpOf?: ((contenderId: string) => number) | undefined
  /** Waited for once, before the first measured block. */
  readonly beforeMeasuring?: (() => Promise<void>) | undefined
  /** How often the run was resumed, this time included; 0 for a new one. */
  readonly segment: number
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
  /** Null: 60 s plus twice the audio's length. */
  readonly requestTimeoutSeconds: number | null
  /** Nothing more is sent; what is in flight is waited for. */
  readonly stop: AbortSignal
  /** What is in flight is dropped. */
  readonly drop: AbortSignal
}

/** Sent again by the policy of retries, and not after a pause. */
function isRepeat({ phase, attempt, pacedMs }: AttemptLine): boolean {
  return phase === 'measure' && attempt > 1 && pacedMs === undefined
}

export type RunState = ReturnType<typeof startRun>

/** What all lanes of a run share. */
export function startRun(input: ExecuteInput) {
  const { requests, earlier, clock, answered = new Set<number>() } = input
  const plannedCount = requests.filter(({ phase }) => phase === 'measure').length
  const tally = startTally(plannedCount, answered.size)
  for (const line of earlier) tally.add(line)
  const spentCount = earlier.filter(isRepeat).length
  const retries = startRetries(input.retries, { seed: input.seed, plannedCount, spentCount })
  const pace = startPace(input.pacedIds ?? new Set(), clock, input.requestsPerMinute ?? new Map())
  /** Whether an attempt is waited out or sent again by the policy of retries, its budget aside. */
  const mayFollow: Retries['mayFollow'] = (line, pausesBefore) =>
    pace.waitsOut(line) || retries.mayFollow(line, pausesBefore)
  const progress = readProgress(requests, { earlier, answered }, mayFollow)
  const circuit = startCircuit(input.sender, input)
  const halt = new AbortController()
  const stop = AbortSignal.any([input.stop, halt.signal])
  // One listener for each request in flight is meant, however many there are.
  setMaxListeners(0, stop, input.drop)
  const state = {
    input,
    // A stop drops the requests of a warm-up: nothing is measured by their answers.
    warmUp: { ...input, drop: AbortSignal.any([input.drop, input.stop]) },
    ...{ tally, retries, pace, progress, circuit, mayFollow },
    /** Nothing more is sent in any lane. */
    stop,
    /** Requests that were sent and are to be sent again, by index. */
    unsettled: new Set(progress.unsettled),
    isSettled: (request: PlannedRequest): boolean =>
      circuit.isGivenUp(request.contenderId) || progress.isSettled(request),
    /** Ends the run: nothing can succeed any more. */
    end(ending: RunEnding): void {
      state.ending = ending
      halt.abort()
    },
    /** Ends the run: an attempt could not be written down. */
    fail(error: unknown): void {
      state.fault ??= error
      halt.abort()
    },
    /** Over all lanes. */
    inFlight: 0,
    ending: null as RunEnding | null,
    fault: null as unknown,
  }
  return state
}

export type Lane = ReturnType<typeof startLane>

/** What is sent one block after the other. */
export function startLane(state: RunState) {
  const { input, retries, pace, progress, circuit } = state
  let blockHalt = new AbortController()
  let blockStop = state.stop
  const firstRequestMs = new Map<string, number>()
  let inFlight = 0
  let maxInFlight = 1
  /** Requests that were refused for a rate limit and will be sent again, by index. */
  const paused = new Set<number>()

  /** @returns the attempt as it was written down; null where it could not be, and so did not happen */
  const sendOnce = async (request: PlannedRequest, sending: DueAttempt): Promise<AttemptLine | null> => {
    inFlight += 1
    state.inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    paused.delete(request.index)
    const line = await attempt(request.phase === 'warmup' ? state.warmUp : input, request, sending)
    // A line that is half written is the last: whatever followed it could not be read.
    if (state.fault !== null) return null
    // A journal that cannot be written ends the run: what is not written down did not happen.
    const written = await input.writer.appendAttempt(line).then(
      () => true,
      (error: unknown) => {
        state.fail(error)
        return false
      },
    )
    if (!written) return null
    state.tally.add(line)
    if (!firstRequestMs.has(line.contenderId) && line.phase === 'warmup' && line.outcome.ok) {
      firstRequestMs.set(line.contenderId, line.endedAtMs - line.sentAtMs)
    }
    if (pace.waitsOut(line)) paused.add(line.index)
    const { inFlight: inFlightInAll } = state
    const counts = state.tally.counts()
    input.onEvent({ kind: 'attempted', line, counts, inFlight: inFlightInAll, pausedCount: paused.size })
    inFlight -= 1
    state.inFlight -= 1
    return line
  }

  const giveUp = (...contenders: readonly GivenUpContender[]): void => {
    // They all belong to this contender: no other one of the lane is sent anything meanwhile.
    paused.clear()
    // What was in flight with the request that ended the block says the same again.
    if (blockHalt.signal.aborted) return
    for (const contender of contenders) input.onEvent({ kind: 'gaveUp', contender })
    blockHalt.abort()
  }

  /** Whether there is a point in sending more to this contender. */
  const isPromising = async (line: AttemptLine): Promise<boolean> => {
    const prospect = await circuit.after(line, maxInFlight)
    if (prospect.kind === 'good' || state.stop.aborted) return !state.stop.aborted
    if (prospect.kind === 'lost') state.end(prospect.ending)
    else giveUp(...prospect.contenders)
    return false
  }

  /** @returns whether the request is sent again, when the pause is over */
  const isPaused = (line: AttemptLine, pauseCount: number): boolean => {
    const step = pace.after(line, pauseCount)
    if (step.kind === 'giveUp') giveUp(circuit.giveUp(line, step.reason))
    else if (step.kind === 'again' && step.startsPause !== null) {
      input.onEvent({ kind: 'paused', line, forSeconds: step.startsPause.forMs / 1000 })
    }
    return step.kind === 'again'
  }

  /**
   * @param nextNumber of attempts, where this segment sends the request several times
   * @returns its last attempt; null where there was none
   */
  const send = async (
    request: PlannedRequest,
    firstDueAtMs: number,
    nextNumber?: () => number,
  ): Promise<AttemptLine | null> => {
    const ended = blockStop
    let dueAtMs = firstDueAtMs
    let pausesBefore = progress.pausesBefore(request.index)
    let isAfterPause = false
    let last: AttemptLine | null = null
    for (let sent = 0; ; sent += 1) {
      const { heldMs, pauseCount } = await pace.pass(request.contenderId, ended)
      if (ended.aborted) return last
      const isPaced = isAfterPause || heldMs > 0
      const number = nextNumber?.() ?? progress.nextAttempt(request.index) + sent
      const line = await sendOnce(request, {
        dueAtMs: isPaced ? input.clock.nowMs() : dueAtMs,
        number,
        pacedMs: isPaced ? heldMs : null,
      })
      if (line === null) return last
      last = line
      if (state.mayFollow(line, pausesBefore)) state.unsettled.add(line.index)
      else state.unsettled.delete(line.index)
      if (!(await isPromising(line))) return line
      isAfterPause = isPaused(line, pauseCount)
      if (isAfterPause) {
        pausesBefore += 1
        continue
      }
      const waitMs = retries.waitMsAfter(line, pausesBefore)
      if (waitMs === null) {
        state.unsettled.delete(line.index)
        return line
      }
      dueAtMs = input.clock.nowMs() + waitMs
      await input.clock.sleepUntil(dueAtMs, ended)
      if (ended.aborted) return last
    }
  }
  return {
    /** @returns the signal that ends the block: the run's own, or its contender's end */
    startBlock(block: readonly PlannedRequest[]): AbortSignal {
      blockHalt = new AbortController()
      blockStop = AbortSignal.any([state.stop, blockHalt.signal])
      setMaxListeners(0, blockStop)
      const [first] = block
      if (first?.phase === 'warmup') input.onEvent({ kind: 'warmingUp', contenderId: first.contenderId })
      return blockStop
    },
    send,
    /** @param outcome whether latencies settled, after how many requests */
    endWarmUp(
      contenderId: string,
      outcome: { readonly requestCount: number; readonly hasSettled: boolean | null },
    ): void {
      if (blockStop.aborted) return
      const hopeless = circuit.afterWarmUp(contenderId)
      const firstMs = firstRequestMs.get(contenderId) ?? null
      if (hopeless === null)
        input.onEvent({ kind: 'warmedUp', contenderId, firstRequestMs: firstMs, ...outcome })
      else giveUp(hopeless)
    },
  }
}

interface DueAttempt {
  readonly dueAtMs: number
  /** From 1. */
  readonly number: number
  /** How long the server's rate limit held it back before it was due; null where it did not. */
  readonly pacedMs: number | null
}

/** Sends a request once. @returns the line of the journal that says what came of it */
async function attempt(
  input: Pick<ExecuteInput, 'sender' | 'startedAtMs' | 'segment' | 'requestTimeoutSeconds' | 'drop'>,
  request: PlannedRequest,
  { dueAtMs, number, pacedMs }: DueAttempt,
): Promise<AttemptLine> {
  const { phase, round, block, contenderId, utteranceId, index } = request
  const { sender } = input
  const audioSeconds = sender.audioSeconds(request)
  const { outcome, times, bodyBytes, transport, refusedTransport, resent } = await sender.send(request, {
    timeoutMs: 1000 * (input.requestTimeoutSeconds ?? defaultTimeoutSeconds(audioSeconds)),
    signal: input.drop,
  })
  const since = (atMs: number): number => thousandths(atMs - input.startedAtMs)
  return {
    index,
    attempt: number,
    ...(input.segment === 0 ? {} : { segment: input.segment }),
    phase,
    round,
    block,
    contenderId,
    utteranceId,
    modeId: sender.modeId(request),
    transport,
    ...(refusedTransport === undefined ? {} : { refusedTransport }),
    ...(pacedMs === null ? {} : { pacedMs: thousandths(pacedMs) }),
    audioSeconds,
    bodyBytes,
    ...(resent === undefined ? {} : { resentFor: resent.reasons, resentMs: thousandths(resent.forMs) }),
    // Time that was spent on requests that had to be sent again is in no latency.
    dueAtMs: since(dueAtMs + (resent?.forMs ?? 0)),
    sentAtMs: since(times.sentAtMs),
    firstByteAtMs: times.firstByteAtMs === null ? null : since(times.firstByteAtMs),
    endedAtMs: since(times.endedAtMs),
    ...(times.socket === undefined ? {} : { socket: socketLine(times.socket, since) }),
    outcome: outcome.ok ? { ok: true, answer: outcome.value } : { ok: false, failure: outcome.failure },
  }
}

function socketLine(
  { startedAtMs, connectMs, uploadedAtMs }: NonNullable<CallTimes['socket']>,
  since: (atMs: number) => number,
): NonNullable<AttemptLine['socket']> {
  return {
    startedAtMs: since(startedAtMs),
    connectMs: thousandths(connectMs),
    uploadedAtMs: uploadedAtMs === null ? null : since(uploadedAtMs),
  }
}

function defaultTimeoutSeconds(audioSeconds: number): number {
  return timeouts.clientSeconds + timeouts.clientPerAudioSecond * audioSeconds
}

/** Microseconds: more digits would only look exact. */
function thousandths(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
