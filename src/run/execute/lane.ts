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
import { faultOf } from '#prelude'
import { startCircuit } from './circuit.ts'
import { startPace } from './pace.ts'
import { countRetries, type Retries, readProgress, startRetries, startTally } from './progress.ts'
import type { Sender } from './senders.ts'

/** Events of a run, for progress displays. They are emitted afterwards, never between two time stamps. */
export type RunEvent =
  /** The marker was not written, so other runs of this user cannot see these Modes. Emitted per target. */
  | { readonly kind: 'markUnwritten'; readonly folder: string; readonly reason: string }
  /** Copies of recordings by an earlier run were not removed; `what` is a sentence with run, reason and advice. */
  | { readonly kind: 'copiesKept'; readonly what: string }
  | { readonly kind: 'warmingUp'; readonly contenderId: string }
  | {
      readonly kind: 'warmedUp'
      readonly contenderId: string
      readonly firstRequestMs: number | null
      readonly requestCount: number
      /** Whether latencies settled; null if too few answers were compared. */
      readonly hasSettled: boolean | null
    }
  | {
      readonly kind: 'attempted'
      readonly line: AttemptLine
      readonly counts: RunCounts
      readonly inFlight: number
      /** Measured requests whose last attempt was refused for a rate limit and that will be sent again. */
      readonly pausedCount: number
      /** Whether this is one of them. */
      readonly isPaused: boolean
    }
  /** The server refused this attempt for a rate limit; until the pause is over, the contender is sent nothing. */
  | { readonly kind: 'paused'; readonly line: AttemptLine; readonly forSeconds: number }
  /** No further request is sent to the contender. */
  | { readonly kind: 'gaveUp'; readonly contender: GivenUpContender }
  | { readonly kind: 'ended'; readonly counts: RunCounts; readonly ending: RunEnding | null }
  | {
      readonly kind: 'modeLeft'
      readonly contenderId: string
      readonly reason: string
      /** Command that tries again to restore the Mode; null if only the user can do it. */
      readonly clean: string | null
    }

/** Input of the execution of a plan. */
export interface ExecuteInput {
  readonly requests: readonly PlannedRequest[]
  readonly sender: Sender
  readonly writer: Pick<RunWriter, 'appendAttempt'>
  readonly clock: Clock
  readonly onEvent: (event: RunEvent) => void
  /** Zero of all time stamps in the journal, in the clock's milliseconds. */
  readonly startedAtMs: number
  /** The schedule of a measured block. */
  scheduleOf(block: readonly PlannedRequest[]): Schedule
  /** Number of turns of the plan before the first one here; default: 0. */
  readonly firstTurn?: number | undefined
  /** Max requests of a warm-up for each in flight, the planned ones included; 0 or absent: only the planned ones. */
  readonly maxWarmUpOf?: ((contenderId: string) => number) | undefined
  /** Awaited once, before the first measured block. */
  readonly beforeMeasuring?: (() => Promise<void>) | undefined
  /** Number of times that the run was resumed, this time included; 0 for a new run. */
  readonly segment: number
  /** Attempts of the journal so far, for a resumed run; empty for a new one. */
  readonly earlier: readonly AttemptLine[]
  /** Indices of requests that an earlier run has answered, which are not sent; default: none. */
  readonly answered?: ReadonlySet<number> | undefined
  readonly retries: RetryConfig
  /** Contenders whose rate-limit refusals are waited out: see `startPace`; default: none. */
  readonly waitedOutIds?: ReadonlySet<string> | undefined
  /** Maximum number of requests per minute to contenders with a limit. */
  readonly requestsPerMinute?: ReadonlyMap<string, number> | undefined
  /** Contenders with equal values are measured one after the other, the rest concurrently. Default: all are equal. */
  readonly laneOf?: ((contenderId: string) => string) | undefined
  /** Seed of the back-off of retries. */
  readonly seed: number
  /** Command that resumes the run after it ended before the end of the plan. */
  readonly resume: string
  /** Command that checks the target. */
  readonly doctor: string
  /** Null for the default: 60 s plus twice the audio's length. */
  readonly requestTimeoutSeconds: number | null
  /** Stops sending; requests in flight are awaited. */
  readonly stop: AbortSignal
  /** Drops requests in flight. */
  readonly drop: AbortSignal
}

export type RunState = ReturnType<typeof startRun>

/** State that all lanes of a run share. */
export function startRun(input: ExecuteInput) {
  const { requests, earlier, clock, answered = new Set<number>() } = input
  const plannedCount = requests.filter(({ phase }) => phase === 'measure').length
  const tally = startTally(plannedCount, answered.size)
  for (const line of earlier) tally.add(line)
  const pace = startPace(input.waitedOutIds ?? new Set(), clock, input.requestsPerMinute ?? new Map())
  const spentCount = countRetries(earlier, pace.waitsOut)
  const retries = startRetries(input.retries, { seed: input.seed, plannedCount, spentCount })
  /** Whether an attempt is waited out, or retried by the policy if the budget allows. */
  const mayFollow: Retries['mayFollow'] = (line, uncounted) =>
    pace.waitsOut(line) || retries.mayFollow(line, uncounted)
  const progress = readProgress(requests, { earlier, answered }, { mayFollow, waitsOut: pace.waitsOut })
  const circuit = startCircuit(input.sender, input)
  const halt = new AbortController()
  const stop = AbortSignal.any([input.stop, halt.signal])
  // There is one listener for each request in flight, so any number is intended.
  setMaxListeners(0, stop, input.drop)
  const state = {
    input,
    // A stop drops the requests of a warm-up, because their answers are not measured.
    warmUp: { ...input, drop: AbortSignal.any([input.drop, input.stop]) },
    tally,
    retries,
    pace,
    progress,
    circuit,
    mayFollow,
    /** Stops sending in all lanes. */
    stop,
    /** Indices of requests that were sent and will be sent again. */
    toRepeat: new Set(progress.toRepeat),
    /** Contenders of measured requests that wait for the end of a rate limit, by index. */
    paused: new Map<number, string>(),
    isDone: (request: PlannedRequest): boolean =>
      circuit.isGivenUp(request.contenderId) || progress.isDone(request),
    /** Ends the run because no request can succeed any more. */
    end(ending: RunEnding): void {
      state.ending = ending
      halt.abort()
    },
    /** Ends the run because an attempt could not be recorded. */
    fail(error: unknown): void {
      state.fault ??= error
      halt.abort()
    },
    /** Number of requests in flight over all lanes. */
    inFlight: 0,
    ending: null as RunEnding | null,
    fault: null as unknown,
  }
  return state
}

/** Sends the blocks of contenders that are measured one after the other: by default those of all. */
export class Lane {
  readonly #state: RunState
  #blockHalt = new AbortController()
  #blockStop: AbortSignal
  readonly #firstRequestMs = new Map<string, number>()
  #inFlight = 0
  #maxInFlight = 1

  constructor(state: RunState) {
    this.#state = state
    this.#blockStop = state.stop
  }

  /** @returns the signal that ends the block: the run stops, or its contender is given up */
  startBlock(block: readonly PlannedRequest[]): AbortSignal {
    const { input, stop } = this.#state
    this.#blockHalt = new AbortController()
    this.#blockStop = AbortSignal.any([stop, this.#blockHalt.signal])
    setMaxListeners(0, this.#blockStop)
    const [first] = block
    if (first?.phase === 'warmup') input.onEvent({ kind: 'warmingUp', contenderId: first.contenderId })
    return this.#blockStop
  }

  /**
   * Sends a request, and again after pauses and retries.
   *
   * @param nextNumber gives attempt numbers if this segment sends the request several times
   * @returns its last attempt; null if there was none
   */
  async send(
    request: PlannedRequest,
    firstDueAtMs: number,
    nextNumber?: () => number,
  ): Promise<AttemptLine | null> {
    const { input, pace, progress, toRepeat, mayFollow } = this.#state
    const ended = this.#blockStop
    let dueAtMs = firstDueAtMs
    let uncounted = progress.uncountedAttempts(request.index)
    let isAfterPause = false
    let last: AttemptLine | null = null
    for (let sent = 0; ; sent += 1) {
      const { heldMs, pauseCount } = await pace.admit(request.contenderId, ended)
      if (ended.aborted) return last
      const isPaced = isAfterPause || heldMs > 0
      const line = await this.#sendOnce(request, {
        dueAtMs: isPaced ? input.clock.nowMs() : dueAtMs,
        number: nextNumber?.() ?? progress.nextAttempt(request.index) + sent,
        pacedMs: isPaced ? heldMs : null,
      })
      if (line === null) return last
      last = line
      if (mayFollow(line, uncounted)) toRepeat.add(line.index)
      else toRepeat.delete(line.index)
      const next = await this.#whatFollows(line, { pauseCount, uncounted })
      if (next.kind === 'nothing') return line
      isAfterPause = next.kind === 'pause'
      if (next.kind === 'retry') {
        dueAtMs = input.clock.nowMs() + next.waitMs
        await input.clock.sleepUntil(dueAtMs, ended)
        if (ended.aborted) return last
      } else uncounted += 1
    }
  }

  /** Decides what follows an attempt: nothing, another one after the pause of a rate limit, or a retry by the policy. */
  async #whatFollows(
    line: AttemptLine,
    { pauseCount, uncounted }: { readonly pauseCount: number; readonly uncounted: number },
  ): Promise<
    | { readonly kind: 'nothing' }
    | { readonly kind: 'pause' }
    | { readonly kind: 'retry'; readonly waitMs: number }
  > {
    if (!(await this.#isPromising(line))) return { kind: 'nothing' }
    if (this.#pauseOrGiveUp(line, pauseCount)) return { kind: 'pause' }
    const waitMs = this.#state.retries.waitMsAfter(line, uncounted)
    if (waitMs !== null) return { kind: 'retry', waitMs }
    this.#state.toRepeat.delete(line.index)
    return { kind: 'nothing' }
  }

  /** @param outcome whether latencies settled, and after how many requests */
  endWarmUp(
    contenderId: string,
    outcome: { readonly requestCount: number; readonly hasSettled: boolean | null },
  ): void {
    if (this.#blockStop.aborted) return
    const { input, circuit } = this.#state
    const hopeless = circuit.afterWarmUp(contenderId)
    const firstRequestMs = this.#firstRequestMs.get(contenderId) ?? null
    if (hopeless === null) input.onEvent({ kind: 'warmedUp', contenderId, firstRequestMs, ...outcome })
    else this.#giveUp(hopeless)
  }

  /** @returns the recorded attempt; null if it could not be recorded, and so does not count */
  async #sendOnce(request: PlannedRequest, sending: DueAttempt): Promise<AttemptLine | null> {
    const state = this.#state
    const { input, pace, paused, tally, warmUp } = state
    this.#inFlight += 1
    state.inFlight += 1
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight)
    const line = await attempt(request.phase === 'warmup' ? warmUp : input, request, sending)
    // A half-written line has to be the last one, because lines after it could not be read.
    if (state.fault !== null) return null
    // A journal that cannot be written ends the run, because an unrecorded attempt does not count.
    const fault = await faultOf(input.writer.appendAttempt(line))
    if (fault !== null) {
      state.fail(fault)
      return null
    }
    tally.add(line)
    if (!this.#firstRequestMs.has(line.contenderId) && line.phase === 'warmup' && line.outcome.ok) {
      this.#firstRequestMs.set(line.contenderId, line.endedAtMs - line.sentAtMs)
    }
    const isPaused = line.phase === 'measure' && pace.waitsOut(line)
    if (isPaused) paused.set(line.index, line.contenderId)
    else paused.delete(line.index)
    const { inFlight } = state
    const counts = tally.counts()
    input.onEvent({ kind: 'attempted', line, counts, inFlight, pausedCount: paused.size, isPaused })
    this.#inFlight -= 1
    state.inFlight -= 1
    return line
  }

  /** Whether further requests to this contender can succeed. */
  async #isPromising(line: AttemptLine): Promise<boolean> {
    const { circuit, stop, end } = this.#state
    const prospect = await circuit.after(line, this.#maxInFlight)
    if (prospect.kind === 'good' || stop.aborted) return !stop.aborted
    if (prospect.kind === 'lost') end(prospect.ending)
    else this.#giveUp(...prospect.contenders)
    return false
  }

  /** @returns whether the request is sent again after the pause */
  #pauseOrGiveUp(line: AttemptLine, pauseCount: number): boolean {
    const { input, pace, circuit } = this.#state
    const step = pace.after(line, pauseCount)
    if (step.kind === 'giveUp') this.#giveUp(circuit.giveUp(line, step.reason))
    else if (step.kind === 'again' && step.startsPause !== null) {
      input.onEvent({ kind: 'paused', line, forSeconds: step.startsPause.forMs / 1000 })
    }
    return step.kind === 'again'
  }

  #giveUp(...contenders: readonly GivenUpContender[]): void {
    const { input, circuit, paused } = this.#state
    for (const [index, contenderId] of paused) if (circuit.isGivenUp(contenderId)) paused.delete(index)
    // Requests that were in flight with the one that ended the block would repeat its event.
    if (this.#blockHalt.signal.aborted) return
    for (const contender of contenders) input.onEvent({ kind: 'gaveUp', contender })
    this.#blockHalt.abort()
  }
}

interface DueAttempt {
  readonly dueAtMs: number
  /** Counted from 1. */
  readonly number: number
  /** Milliseconds that a rate limit held the request back before it was due; null if none did. */
  readonly pacedMs: number | null
}

/** Sends a request once. @returns the line of the journal for it */
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
    // Time of requests that the client had to resend is excluded from the latency.
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

/** Rounds to microseconds, because further digits would suggest a false precision. */
function thousandths(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
