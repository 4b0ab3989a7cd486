import { setMaxListeners } from 'node:events'
import type { CallTimes } from '#client'
import type { RetryConfig } from '#config'
import { timeouts } from '#contract'
import type { AttemptLine, PlannedRequest, RunCounts, RunEnding, RunWriter } from '#journal'
import { type Clock, closedSchedule, type Schedule } from '#load'
import type { Rows } from '#prelude'
import { circuitOf } from './circuit.ts'
import type { RunEvent } from './events.ts'
import { type Progress, progressOf } from './progress.ts'
import { retriesOf } from './retries.ts'
import type { Sender } from './sender.ts'
import { type Tally, tallyOf } from './tally.ts'

export interface ExecuteInput {
  readonly requests: readonly PlannedRequest[]
  readonly sender: Sender
  readonly writer: Pick<RunWriter, 'appendAttempt'>
  /** Of the measured requests; the warm-up is sent one by one. */
  readonly schedule: Schedule
  readonly clock: Clock
  /** Zero of every time stamp in the journal, in the clock's milliseconds. */
  readonly startedAtMs: number
  /** Attempts that stand in the journal already: those of a run that is resumed. Empty for a new one. */
  readonly earlier: Rows<AttemptLine>
  /** How often the run was resumed, this time included; 0 for a new one. */
  readonly sitting: number
  readonly retries: RetryConfig
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
  /** What is in flight is dropped as well. */
  readonly drop: AbortSignal
  readonly onEvent: (event: RunEvent) => void
}

export interface Execution {
  readonly counts: RunCounts
  /** Why it ended before the plan was through, or null. */
  readonly ending: RunEnding | null
}

/**
 * Sends the plan block by block and writes every attempt down before it counts as done. Never judges an
 * answer. Ends early, without throwing, when the stop signal comes or nothing can succeed any more. What earlier
 * sittings have settled is passed over; contenders that are still to be measured are warmed up again, because their
 * server may be another process by now.
 *
 * @throws BenchError of the journal when an attempt cannot be written
 */
export async function executePlan(input: ExecuteInput): Promise<Execution> {
  const run = startRun(input)
  for (const { requests: block, turn } of blocksOf(input.requests)) {
    if (run.stop.aborted) break
    if (block.every(run.isSettled)) continue
    const stop = run.startBlock()
    const schedule = block[0]?.phase === 'warmup' ? closedSchedule(1) : input.schedule
    const lengths = block.map((request) => input.sender.audioSeconds(request))
    await schedule.dispatch({
      count: block.length,
      audioSeconds: (position) => lengths[position] ?? 0,
      round: turn,
      clock: input.clock,
      ...(input.sitting === 0 ? {} : { isSent: settledIn(block, run) }),
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
  return { counts, ending }
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
  startBlock(): AbortSignal
  send(request: PlannedRequest, dueAtMs: number): Promise<void>
  endBlock(block: readonly PlannedRequest[]): void
  ending(): RunEnding | null
  fault(): unknown
}

function startRun(input: ExecuteInput): RunInProgress {
  const planned = input.requests.filter((request) => request.phase === 'measure').length
  const tally = tallyOf(planned)
  for (const line of input.earlier) tally.add(line)
  const spentCount = input.earlier.filter(({ phase, attempt }) => phase === 'measure' && attempt > 1).length
  const retries = retriesOf(input.retries, { seed: input.seed, plannedCount: planned, spentCount })
  const progress: Progress = progressOf(input.requests, input.earlier, retries)
  const circuit = circuitOf(input.sender, input)
  const halt = new AbortController()
  const stop = AbortSignal.any([input.stop, halt.signal])
  // One listener for each request in flight is meant, however many there are.
  setMaxListeners(0, stop, input.drop)
  let blockHalt = new AbortController()
  const failing = new Set<string>()
  const firstRequestMs = new Map<string, number>()
  let inFlight = 0
  let mostInFlight = 1
  let ending: RunEnding | null = null
  let fault: unknown = null

  /** @returns the attempt as it was written down; null where it could not be, and so did not happen */
  const sendOnce = async (
    request: PlannedRequest,
    { dueAtMs, number }: { readonly dueAtMs: number; readonly number: number },
  ): Promise<AttemptLine | null> => {
    inFlight += 1
    mostInFlight = Math.max(mostInFlight, inFlight)
    const line = await attempt(input, request, { dueAtMs, number })
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
    input.onEvent({ kind: 'attempted', line, counts: tally.counts(), inFlight })
    inFlight -= 1
    return line
  }

  /** Whether there is a point in sending more to this contender. */
  const isPromising = async (line: AttemptLine): Promise<boolean> => {
    const prospect = await circuit.after(line, mostInFlight)
    if (prospect.kind === 'good' || stop.aborted) return !stop.aborted
    if (prospect.kind === 'lost') {
      ending = prospect.ending
      halt.abort()
    } else {
      failing.add(line.contenderId)
      blockHalt.abort()
    }
    return false
  }

  const send = async (request: PlannedRequest, firstDueAtMs: number): Promise<void> => {
    let dueAtMs = firstDueAtMs
    for (let number = progress.nextAttempt(request.index); ; number += 1) {
      const line = await sendOnce(request, { dueAtMs, number })
      if (line === null || !(await isPromising(line))) return
      const waitMs = retries.waitMsAfter(line)
      if (waitMs === null) return
      dueAtMs = input.clock.nowMs() + waitMs
      await input.clock.sleepUntil(dueAtMs, stop)
      if (stop.aborted) return
    }
  }
  return {
    stop,
    tally,
    isSettled: (request) => failing.has(request.contenderId) || progress.isSettled(request),
    startBlock() {
      blockHalt = new AbortController()
      const either = AbortSignal.any([stop, blockHalt.signal])
      setMaxListeners(0, either)
      return either
    },
    send,
    endBlock(block) {
      const [first] = block
      if (first?.phase !== 'warmup') return
      const { contenderId } = first
      input.onEvent({
        kind: 'warmedUp',
        contenderId,
        firstRequestMs: firstRequestMs.get(contenderId) ?? null,
      })
    },
    ending: () => ending ?? circuit.ending(),
    fault: () => fault,
  }
}

async function attempt(
  input: ExecuteInput,
  request: PlannedRequest,
  { dueAtMs, number }: { readonly dueAtMs: number; readonly number: number },
): Promise<AttemptLine> {
  const { phase, round, block, contenderId, utteranceId, index } = request
  const { sender } = input
  const audioSeconds = sender.audioSeconds(request)
  const { outcome, times, bodyBytes, transport, refusedTransport } = await sender.send(request, {
    timeoutMs: 1000 * (input.requestTimeoutSeconds ?? defaultTimeoutSeconds(audioSeconds)),
    signal: input.drop,
  })
  const since = (atMs: number): number => Math.round((atMs - input.startedAtMs) * 1000) / 1000
  return {
    index,
    attempt: number,
    ...(input.sitting === 0 ? {} : { sitting: input.sitting }),
    phase,
    round,
    block,
    contenderId,
    utteranceId,
    modeId: sender.modeId(request),
    transport,
    ...(refusedTransport === undefined ? {} : { refusedTransport }),
    audioSeconds,
    bodyBytes,
    dueAtMs: since(dueAtMs),
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
    connectMs: Math.round(connectMs * 1000) / 1000,
    uploadedAtMs: uploadedAtMs === null ? null : since(uploadedAtMs),
  }
}

function defaultTimeoutSeconds(audioSeconds: number): number {
  return timeouts.clientSeconds + timeouts.clientPerAudioSecond * audioSeconds
}

/** What one contender is sent in one go. */
interface Block {
  readonly requests: PlannedRequest[]
  /** Measured blocks of the same contender before this one: blocks of one turn meet the same arrivals. */
  readonly turn: number
}

/** The plan cut into its blocks. */
function blocksOf(requests: readonly PlannedRequest[]): Block[] {
  const blocks: Block[] = []
  const turns = new Map<string, number>()
  let previous: PlannedRequest | null = null
  for (const request of requests) {
    const { block, contenderId, phase } = request
    if (previous?.block === block && previous.contenderId === contenderId) {
      blocks.at(-1)?.requests.push(request)
    } else {
      const turn = turns.get(contenderId) ?? 0
      blocks.push({ requests: [request], turn })
      if (phase === 'measure') turns.set(contenderId, turn + 1)
    }
    previous = request
  }
  return blocks
}
