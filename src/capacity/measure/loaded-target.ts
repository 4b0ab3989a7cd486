import { meansNoSpeech, type NoSpeechRule } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunCounts } from '#journal/run-record'
import type { Clock } from '#load/clock'
import { closedSchedule } from '#load/loads/closed'
import { arrivalsSchedule } from '#load/open-schedule'
import { equalIssueOrder } from '#load/what-is-sent'
import { seededRandom } from '#prelude'
import { doctorCommand } from '#run/commands'
import { executePlan } from '#run/execute/execute'
import type { Sender } from '#run/execute/senders'
import { capacityErrors } from '../errors.ts'
import { type LevelSample, type LoadedServer, type LoadOrder, planArrivals } from '../loaded-server.ts'
import type { ContenderInput } from './contender-input.ts'

/** A server over HTTP that the capacity search can load. */
export type LoadedTarget = ReturnType<typeof loadedTarget>

/** Upper bound of requests per second in the plan of a closed load, which is ended by the clock. */
const maxPerSecond = 400

/**
 * Sends every load with the run module, which journals each attempt. Answers are not evaluated here, only passed on.
 */
export function loadedTarget(input: ContenderInput, contenderId: string, usualSender: Sender) {
  const { clock, config, corpus, startedAtMs, writer } = input
  const never = new AbortController().signal
  const { stop = never, drop = never } = input
  const planned: PlannedRequest[] = []
  const attempts: AttemptLine[] = []
  const sendLagMs: number[] = []
  const utteranceIds = corpus.utterances.map(({ id }) => id)
  let { index: nextIndex, block } = input.next
  let counts = sumOfCounts([])
  const elapsedSeconds = (): number => (clock.nowMs() - startedAtMs) / 1000

  const measureAmong = async (
    order: LoadOrder,
    among: readonly string[],
    sender: Sender = usualSender,
  ): Promise<LevelSample[]> => {
    const { schedule, count } = makeSchedule(order)
    const ids = equalIssueOrder(among, count, seededRandom(order.seed))
    const isOpen = order.kind === 'open'
    const phase = isOpen ? 'measure' : 'sweep'
    const first = nextIndex
    const ownBlock = block
    block += 1
    nextIndex += count
    const requests = ids.map((utteranceId, index): PlannedRequest => {
      const position = { index: first + index, phase, round: 1, block: ownBlock } as const
      return { kind: 'request', ...position, contenderId, utteranceId, send: null }
    })
    const lines: AttemptLine[] = []
    const dispatchedAtMs = clock.nowMs()
    const { signal, cancel } = findEnd(order, clock, stop)
    const execution = await executePlan({
      requests,
      sender,
      writer: {
        appendAttempt: async (line) => {
          await writer.appendAttempt(line)
          lines.push(line)
          attempts.push(line)
        },
      },
      scheduleOf: () => schedule,
      clock,
      startedAtMs,
      earlier: [],
      segment: 0,
      // A refusal shows that the server is overloaded; a retry would hide that.
      retries: { codes: [], most: 1, backOffSeconds: 1, budget: 0 },
      seed: order.seed,
      resume: 'transcribench capacity',
      doctor: doctorCommand(config),
      requestTimeoutSeconds: config.requestTimeoutSeconds,
      stop: signal,
      drop,
      onEvent: (event) => input.onEvent({ kind: 'run', event }),
    })
    cancel()
    // A stretch without arrivals lasts as long as planned.
    if (count === 0) await clock.sleepUntil(dispatchedAtMs + 1000 * order.forSeconds, stop, 'rough')
    const { ending } = execution
    if (isOpen) counts = sumOfCounts([counts, execution.counts])
    const sentCount = isOpen ? count : lines.length
    for (const request of requests.slice(0, sentCount)) planned.push(request)
    // Unused indexes of a closed load are reused, unless later ones are already in use.
    if (nextIndex === first + count) nextIndex = first + sentCount
    if (ending !== null && ending.code !== 'INTERRUPTED')
      throw capacityErrors.make('CAPACITY_CUT_SHORT', ending)
    if (isOpen) for (const { dueAtMs, sentAtMs } of lines) sendLagMs.push(sentAtMs - dueAtMs)
    return takeSamples(lines, dispatchedAtMs - startedAtMs, isOpen, config.scoring.noSpeech)
  }
  return {
    /** Requests planned so far, in the order of sending. */
    planned: planned as readonly PlannedRequest[],
    /** Attempts so far. */
    attempts: attempts as readonly AttemptLine[],
    /** Send lags in milliseconds of all open loads. */
    sendLagMs: sendLagMs as readonly number[],
    /** First index and block of the next contender; indexes have gaps if two loads ran at the same time. */
    next: () => ({ index: nextIndex, block }),
    /** Counts of the open loads. */
    counts: () => counts,
    /** Sends only the recordings with these ids, each equally often. */
    measureAmong,
    measure: (order: LoadOrder) => measureAmong(order, utteranceIds),
    /** The same target with another server behind it. */
    through: (sender: Sender): LoadedServer => ({
      measure: (order) => measureAmong(order, utteranceIds, sender),
      elapsedSeconds,
    }),
    elapsedSeconds,
  }
}

function makeSchedule(order: LoadOrder) {
  if (order.kind === 'closed')
    return { schedule: closedSchedule(order.inFlight), count: Math.ceil(order.forSeconds * maxPerSecond) }
  const dueAtMs = planArrivals(order)
  return { schedule: arrivalsSchedule(dueAtMs), count: dueAtMs.length }
}

/** A closed load ends after its duration, an open one after its last request; both end when they are stopped. */
function findEnd(order: LoadOrder, clock: Clock, stop: AbortSignal) {
  if (order.kind === 'open') return { signal: stop, cancel: () => undefined }
  const over = new AbortController()
  const cancelled = new AbortController()
  void clock.sleepUntil(clock.nowMs() + 1000 * order.forSeconds, cancelled.signal).then(() => over.abort())
  return { signal: AbortSignal.any([stop, over.signal]), cancel: () => cancelled.abort() }
}

export function sumOfCounts(all: readonly RunCounts[]): RunCounts {
  const sum: Record<keyof RunCounts, number> = { planned: 0, answered: 0, failed: 0, dropped: 0, notSent: 0 }
  for (const counts of all) for (const key of Object.keys(sum) as (keyof RunCounts)[]) sum[key] += counts[key]
  return sum
}

function takeSamples(
  lines: readonly AttemptLine[],
  startMs: number,
  isOpen: boolean,
  noSpeech: readonly NoSpeechRule[],
): LevelSample[] {
  const textOf = ({ outcome }: AttemptLine): string | null => {
    if (outcome.ok) return outcome.answer.text
    return meansNoSpeech(outcome.failure, noSpeech) ? '' : null
  }
  return lines
    .filter(({ outcome }) => outcome.ok || outcome.failure.kind !== 'dropped')
    .toSorted((a, b) => a.index - b.index)
    .map((line) => {
      const { utteranceId, audioSeconds, dueAtMs, sentAtMs, endedAtMs } = line
      const text = textOf(line)
      return {
        utteranceId,
        audioSeconds,
        dueAtMs: (isOpen ? dueAtMs : sentAtMs) - startMs,
        sentAtMs: sentAtMs - startMs,
        endedAtMs: endedAtMs - startMs,
        isAnswered: text !== null,
        isTurnedAway: text === null && isTurnedAway(line),
        text,
      }
    })
}

/** Whether a server refused a request as overloaded, by its code or status. */
function isTurnedAway({ outcome }: AttemptLine): boolean {
  if (outcome.ok) return false
  const { failure } = outcome
  if (failure.kind === 'refused' && failure.code === 'RATE_LIMITED') return true
  return 'httpStatus' in failure && (failure.httpStatus === 429 || failure.httpStatus === 503)
}
