import { setMaxListeners } from 'node:events'
import type { CallTimes } from '#client/reply'
import { timeouts } from '#contract/enums'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { GivenUpContender, RunCounts, RunEnding } from '#journal/run-record'
import type { RunWriter } from '#journal/run-writer'
import type { Clock } from '#load/clock'
import type { Circuit } from './circuit.ts'
import type { Pace, Passage } from './pace.ts'
import type { Progress, Tally } from './progress.ts'
import type { Retries } from './retries.ts'
import type { Sender } from './senders.ts'

/** What attempts are made with, and where they are written down and reported. */
export interface LaneInput extends AttemptInput {
  readonly writer: Pick<RunWriter, 'appendAttempt'>
  readonly clock: Clock
  readonly onEvent: (event: RunEvent) => void
}

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

/** What all lanes of a run share. */
export interface RunState {
  readonly input: LaneInput
  /** For requests of a warm-up. */
  readonly warmUp: AttemptInput
  readonly tally: Tally
  readonly retries: Retries
  readonly pace: Pace
  readonly progress: Progress
  readonly circuit: Circuit
  /** Whether an attempt is waited out or sent again by the policy of retries, its budget aside. */
  readonly mayFollow: Retries['mayFollow']
  /** Requests that were sent and are to be sent again, by index. */
  readonly unsettled: Set<number>
  /** Nothing more is sent in any lane. */
  readonly stop: AbortSignal
  /** Ends the run: nothing can succeed any more. */
  end(ending: RunEnding): void
  /** Ends the run: an attempt could not be written down. */
  fail(error: unknown): void
  /** Over all lanes. */
  inFlight: number
  ending: RunEnding | null
  fault: unknown
}

/** How far a warm-up has come. */
interface WarmUpState {
  readonly requestCount: number
  readonly hasSettled: boolean | null
}

/** What is sent one block after the other. */
export interface Lane {
  /** @returns the signal that ends the block: the run's own, or its contender's end */
  startBlock(block: readonly PlannedRequest[]): AbortSignal
  /** The number of the first attempt of a request in this segment. */
  nextAttempt(index: number): number
  /**
   * @param nextNumber of attempts, where this segment sends the request several times
   * @returns its last attempt; null where there was none
   */
  send(request: PlannedRequest, dueAtMs: number, nextNumber?: () => number): Promise<AttemptLine | null>
  /** @param warmUp what came of a warm-up */
  endBlock(block: readonly PlannedRequest[], warmUp?: WarmUpState): void
}

export function startLane(state: RunState): Lane {
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
  const isPaused = (line: AttemptLine, passage: Passage): boolean => {
    const step = pace.after(line, passage)
    if (step.kind === 'giveUp') giveUp(circuit.giveUp(line, step.reason))
    else if (step.kind === 'again' && step.startsPause !== null) {
      input.onEvent({ kind: 'paused', line, forSeconds: step.startsPause.forMs / 1000 })
    }
    return step.kind === 'again'
  }

  const send: Lane['send'] = async (request, firstDueAtMs, nextNumber) => {
    const ended = blockStop
    let dueAtMs = firstDueAtMs
    let pausesBefore = progress.pausesBefore(request.index)
    let isAfterPause = false
    let last: AttemptLine | null = null
    for (let sent = 0; ; sent += 1) {
      const passage = await pace.pass(request.contenderId, ended)
      if (ended.aborted) return last
      const isPaced = isAfterPause || passage.heldMs > 0
      const number = nextNumber?.() ?? progress.nextAttempt(request.index) + sent
      const line = await sendOnce(request, {
        dueAtMs: isPaced ? input.clock.nowMs() : dueAtMs,
        number,
        pacedMs: isPaced ? passage.heldMs : null,
      })
      if (line === null) return last
      last = line
      if (state.mayFollow(line, pausesBefore)) state.unsettled.add(line.index)
      else state.unsettled.delete(line.index)
      if (!(await isPromising(line))) return line
      isAfterPause = isPaused(line, passage)
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
    startBlock(block) {
      blockHalt = new AbortController()
      blockStop = AbortSignal.any([state.stop, blockHalt.signal])
      setMaxListeners(0, blockStop)
      const [first] = block
      if (first?.phase === 'warmup') input.onEvent({ kind: 'warmingUp', contenderId: first.contenderId })
      return blockStop
    },
    nextAttempt: progress.nextAttempt,
    send,
    endBlock(block, warmUp) {
      const [first] = block
      if (first === undefined || warmUp === undefined || blockStop.aborted) return
      const { contenderId } = first
      const hopeless = circuit.afterWarmUp(contenderId)
      if (hopeless !== null) return giveUp(hopeless)
      input.onEvent({
        kind: 'warmedUp',
        contenderId,
        firstRequestMs: firstRequestMs.get(contenderId) ?? null,
        ...warmUp,
      })
    },
  }
}

interface AttemptInput {
  readonly sender: Sender
  /** Zero of every time stamp in the journal, in the clock's milliseconds. */
  readonly startedAtMs: number
  /** How often the run was resumed, this time included; 0 for a new one. */
  readonly segment: number
  /** Null: 60 s plus twice the audio's length. */
  readonly requestTimeoutSeconds: number | null
  /** What is in flight is dropped. */
  readonly drop: AbortSignal
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
  input: AttemptInput,
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
