import { meansNoSpeech, type NoSpeechRule } from '#contract/failures'
import type { VerifiedCorpus } from '#corpus/utterance'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunCounts } from '#journal/run-record'
import type { RunWriter } from '#journal/run-writer'
import type { Clock } from '#load/clock'
import { closedSchedule } from '#load/loads/closed'
import { arrivalsSchedule } from '#load/open-schedule'
import type { Schedule } from '#load/schedule'
import { equalIssueOrder } from '#load/what-is-sent'
import { seededRandom } from '#prelude'
import { executePlan } from '#run/execute/execute'
import type { RunEvent } from '#run/execute/lane'
import type { Sender } from '#run/execute/senders'
import { capacityErrors } from '../errors.ts'
import { type LevelSample, type LoadedServer, type LoadOrder, planArrivals } from '../loaded-server.ts'

/** A server over HTTP, as the search for its capacity puts it under load. */
export interface LoadedTarget extends LoadedServer {
  /** Requests that were planned so far, in the order of sending. */
  readonly planned: readonly PlannedRequest[]
  /** Everything that was sent so far. */
  readonly attempts: readonly AttemptLine[]
  /** Where the next contender goes on: indexes have gaps where two loads ran at the same time. */
  next(): { readonly index: number; readonly block: number }
  /** Of the open loads. */
  counts(): RunCounts
  /** How much later than due requests left, in milliseconds, of all open loads. */
  readonly sendLagMs: readonly number[]
  /** The same bookkeeping, with another server behind it. */
  through(sender: Sender): LoadedServer
  /** @param among ids of the recordings to send, each equally often; default: all */
  measureAmong(order: LoadOrder, among: readonly string[]): Promise<readonly LevelSample[]>
}

export interface LoadedTargetInput {
  readonly contenderId: string
  readonly corpus: Pick<VerifiedCorpus, 'utterances'>
  readonly sender: Sender
  readonly writer: Pick<RunWriter, 'appendAttempt'>
  readonly clock: Clock
  readonly startedAtMs: number
  readonly requestTimeoutSeconds: number | null
  /** Which refusals mean that no speech was recognised: answers without a text, not failures. */
  readonly noSpeech: readonly NoSpeechRule[]
  /** The command that asks the target what it has. */
  readonly doctor: string
  readonly stop: AbortSignal
  readonly drop: AbortSignal
  readonly onEvent: (event: RunEvent) => void
  /** Of the first request and the first block that this target is sent. */
  readonly firstIndex: number
  readonly firstBlock: number
}

/** More than any server answers in the time: a closed load ends by the clock. */
const maxPerSecond = 400

/**
 * Every load is sent by the run module, attempt by attempt into the journal; nothing here reads an answer but for
 * handing on its text.
 */
export function loadedTarget(input: LoadedTargetInput): LoadedTarget {
  const { clock, contenderId, corpus } = input
  const planned: PlannedRequest[] = []
  const attempts: AttemptLine[] = []
  const sendLagMs: number[] = []
  const utteranceIds = corpus.utterances.map(({ id }) => id)
  let block = input.firstBlock
  const counts = { planned: 0, answered: 0, failed: 0, dropped: 0, notSent: 0 }

  let nextIndex = input.firstIndex
  const elapsedSeconds = (): number => (clock.nowMs() - input.startedAtMs) / 1000

  const measureAmong = async (
    order: LoadOrder,
    among: readonly string[],
    sender: Sender = input.sender,
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
      const place = { index: first + index, phase, round: 1, block: ownBlock } as const
      return { kind: 'request', ...place, contenderId, utteranceId, send: null }
    })
    const lines: AttemptLine[] = []
    const dispatchedAtMs = clock.nowMs()
    const { signal, cancel } = findEnd(order, input)
    const execution = await executePlan({
      requests,
      sender,
      writer: {
        appendAttempt: async (line) => {
          await input.writer.appendAttempt(line)
          lines.push(line)
          attempts.push(line)
        },
      },
      scheduleOf: () => schedule,
      clock,
      startedAtMs: input.startedAtMs,
      earlier: [],
      segment: 0,
      // A refusal shows that the server is overloaded; a retry would hide that.
      retries: { codes: [], most: 1, backOffSeconds: 1, budget: 0 },
      seed: order.seed,
      resume: 'transcribench capacity',
      doctor: input.doctor,
      requestTimeoutSeconds: input.requestTimeoutSeconds,
      stop: signal,
      drop: input.drop,
      onEvent: input.onEvent,
    })
    cancel()
    // A stretch without any arrival lasts as long as one with.
    if (count === 0) await clock.sleepUntil(dispatchedAtMs + 1000 * order.forSeconds, input.stop, 'rough')
    const { ending } = execution
    if (isOpen) {
      counts.planned += execution.counts.planned
      counts.answered += execution.counts.answered
      counts.failed += execution.counts.failed
      counts.dropped += execution.counts.dropped
      counts.notSent += execution.counts.notSent
    }
    const sentCount = isOpen ? count : lines.length
    for (const request of requests.slice(0, sentCount)) planned.push(request)
    // Unused numbers of a closed load are given back, unless later ones are already in use.
    if (nextIndex === first + count) nextIndex = first + sentCount
    if (ending !== null && ending.code !== 'INTERRUPTED')
      throw capacityErrors.make('CAPACITY_CUT_SHORT', ending)
    if (isOpen) for (const { dueAtMs, sentAtMs } of lines) sendLagMs.push(sentAtMs - dueAtMs)
    return takeSamples(lines, {
      startMs: dispatchedAtMs - input.startedAtMs,
      isOpen,
      noSpeech: input.noSpeech,
    })
  }
  return {
    planned,
    attempts,
    sendLagMs,
    next: () => ({ index: nextIndex, block }),
    counts: () => ({ ...counts }),
    measureAmong,
    measure: (order) => measureAmong(order, utteranceIds),
    through: (sender) => ({
      measure: (order) => measureAmong(order, utteranceIds, sender),
      elapsedSeconds,
    }),
    elapsedSeconds,
  }
}

function makeSchedule(order: LoadOrder): { readonly schedule: Schedule; readonly count: number } {
  if (order.kind === 'closed')
    return { schedule: closedSchedule(order.inFlight), count: Math.ceil(order.forSeconds * maxPerSecond) }
  const dueAtMs = planArrivals(order)
  return { schedule: arrivalsSchedule(dueAtMs), count: dueAtMs.length }
}

/** A closed load ends after its duration, an open one after its last request; both end when they are stopped. */
function findEnd(
  order: LoadOrder,
  { stop, clock }: Pick<LoadedTargetInput, 'stop' | 'clock'>,
): { readonly signal: AbortSignal; cancel(): void } {
  if (order.kind === 'open') return { signal: stop, cancel: () => undefined }
  const over = new AbortController()
  const cancelled = new AbortController()
  void clock.sleepUntil(clock.nowMs() + 1000 * order.forSeconds, cancelled.signal).then(() => over.abort())
  return { signal: AbortSignal.any([stop, over.signal]), cancel: () => cancelled.abort() }
}

function takeSamples(
  lines: readonly AttemptLine[],
  stretch: { readonly startMs: number; readonly isOpen: boolean; readonly noSpeech: readonly NoSpeechRule[] },
): LevelSample[] {
  const { startMs, isOpen, noSpeech } = stretch
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

/** Too many requests, or not at the moment: what a full server says, by its code or the status. */
function isTurnedAway({ outcome }: AttemptLine): boolean {
  if (outcome.ok) return false
  const { failure } = outcome
  if (failure.kind === 'refused' && failure.code === 'RATE_LIMITED') return true
  return 'httpStatus' in failure && (failure.httpStatus === 429 || failure.httpStatus === 503)
}
