import { setMaxListeners } from 'node:events'
import type { CallTimes } from '#client'
import { describeFailure, timeouts } from '#contract'
import type { AttemptLine, PlannedRequest, RunCounts, RunEnding, RunWriter } from '#journal'
import { type Clock, closedSchedule, type Schedule } from '#load'
import { runErrors } from './errors.ts'
import type { RunEvent } from './events.ts'
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
 * answer. Ends early, without throwing, when the stop signal comes or the target is lost.
 *
 * @throws BenchError of the journal when an attempt cannot be written
 */
export async function executePlan(input: ExecuteInput): Promise<Execution> {
  const run = startRun(input)
  for (const { requests: block, turn } of blocksOf(input.requests)) {
    if (run.stop.aborted) break
    const schedule = block[0]?.phase === 'warmup' ? closedSchedule(1) : input.schedule
    const lengths = block.map((request) => input.sender.audioSeconds(request))
    await schedule.dispatch({
      count: block.length,
      audioSeconds: (position) => lengths[position] ?? 0,
      round: turn,
      clock: input.clock,
      stop: run.stop,
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
    run.ending() ?? (input.stop.aborted && counts.notSent + counts.dropped > 0 ? interrupted : null)
  input.onEvent({ kind: 'ended', counts, ending })
  return { counts, ending }
}

const interrupted: RunEnding = {
  code: 'INTERRUPTED',
  message: 'interrupted before the plan was through',
  hint: 'what was measured is kept; measure again with: asrbench run',
}

interface RunInProgress {
  readonly stop: AbortSignal
  readonly tally: Tally
  send(request: PlannedRequest, dueAtMs: number): Promise<void>
  endBlock(block: readonly PlannedRequest[]): void
  ending(): RunEnding | null
  fault(): unknown
}

function startRun(input: ExecuteInput): RunInProgress {
  const tally = tallyOf(input.requests.filter((request) => request.phase === 'measure').length)
  const halt = new AbortController()
  const stop = AbortSignal.any([input.stop, halt.signal])
  // One listener for each request in flight is meant, however many there are.
  setMaxListeners(0, stop, input.drop)
  const firstRequestMs = new Map<string, number>()
  let inFlight = 0
  let mostInFlight = 1
  let timeoutsInARow = 0
  let ending: RunEnding | null = null
  let fault: unknown = null

  const send = async (request: PlannedRequest, dueAtMs: number): Promise<void> => {
    inFlight += 1
    mostInFlight = Math.max(mostInFlight, inFlight)
    const line = await attempt(input, request, dueAtMs)
    // A journal that cannot be written ends the run: what is not written down did not happen.
    const written = await input.writer.appendAttempt(line).then(
      () => true,
      (error: unknown) => {
        fault = error
        halt.abort()
        return false
      },
    )
    if (!written) return
    tally.add(line)
    if (!firstRequestMs.has(line.contenderId) && line.phase === 'warmup' && line.outcome.ok) {
      firstRequestMs.set(line.contenderId, line.endedAtMs - line.sentAtMs)
    }
    input.onEvent({ kind: 'attempted', line, counts: tally.counts(), inFlight })
    inFlight -= 1
    timeoutsInARow = isTimeout(line) ? timeoutsInARow + 1 : 0
    const isStalled = timeoutsInARow >= mostTimeoutsInARow * mostInFlight
    const lost = isStalled ? stalled(input.sender, timeoutsInARow) : await targetLost(input.sender, line)
    if (lost === null || stop.aborted) return
    ending = lost
    halt.abort()
  }
  return {
    stop,
    tally,
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
    ending: () => ending,
    fault: () => fault,
  }
}

async function attempt(input: ExecuteInput, request: PlannedRequest, dueAtMs: number): Promise<AttemptLine> {
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
    attempt: 1,
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

/** For each place in flight: a server that lets so many pass in a row does not come back within this run. */
const mostTimeoutsInARow = 5

function isTimeout({ outcome }: AttemptLine): boolean {
  return !outcome.ok && outcome.failure.kind === 'timedOut'
}

function stalled({ baseUrl }: Sender, timeoutCount: number): RunEnding {
  const { message, hint, code } = runErrors.make('TARGET_LOST', {
    message: `the target at ${baseUrl} does not answer any more: ${timeoutCount} requests in a row ran into their time-out`,
    hint: 'start it again, see asrbench doctor; a longer time is given by --timeout 5min',
  })
  return { code, message, hint }
}

/** A request that could not reach the server is only a failed request as long as /health still answers. */
async function targetLost(sender: Sender, { outcome, index }: AttemptLine): Promise<RunEnding | null> {
  const mayBeGone = !outcome.ok && ['unreachable', 'timedOut'].includes(outcome.failure.kind)
  if (!mayBeGone) return null
  if (await sender.isAlive()) return null
  const { message, hint, code } = runErrors.make('TARGET_LOST', {
    message: `the target at ${sender.baseUrl} is gone: request ${index} was ${describeFailure(outcome.failure)}, and /health is too`,
    hint: 'start it again, see asrbench doctor, then asrbench run and asrbench modes clean',
  })
  return { code, message, hint }
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
