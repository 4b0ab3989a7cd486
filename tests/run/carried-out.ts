import type { RequestFailure } from '#contract/failures'
import type { AttemptAnswer, AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import { closedSchedule } from '#load/loads/closed'
import { type Execution, executePlan } from '#run/execute/execute'
import type { RunEvent } from '#run/execute/lane'
import type { Sender } from '#run/execute/senders'
import { virtualClock } from '../load/virtual-clock.ts'

export const answer: AttemptAnswer = {
  text: 'yes',
  rawText: null,
  engine: 'e',
  model: 'm',
  language: null,
  serverLoadMs: null,
  serverDecodeMs: null,
  serverLatencyMs: 1,
}

/** A request that is measured. */
export function aRequest(contenderId: string, utteranceId: string): PlannedRequest {
  const place = { index: 0, phase: 'measure', round: 1, block: 0 } as const
  return { kind: 'request', ...place, contenderId, utteranceId, send: null }
}

/** A refusal with HTTP 429. */
export function refused(code: string, retryAfterSeconds?: number): RequestFailure {
  const said = { kind: 'refused', code, message: 'no', hint: null, httpStatus: 429 } as const
  return retryAfterSeconds === undefined ? said : { ...said, retryAfterSeconds }
}

/** A plan of one block for each contender, and a server that does what the test says. */
export interface Order {
  /** What becomes of an attempt, both counted from 0. */
  fate(request: PlannedRequest, attempt: number): RequestFailure | null
  readonly count?: number
  readonly contenders?: readonly string[]
  /** Whether the contenders are measured at the same time. */
  readonly isParallel?: boolean
  readonly policy?: { readonly codes: readonly string[]; readonly most: number; readonly budget: number }
  readonly earlier?: readonly AttemptLine[]
  /** Contenders whose rate limits are waited out. */
  readonly paced?: readonly string[]
  readonly concurrency?: number
  readonly requestsPerMinute?: number
  /** How long an answer takes; of a contender by its number among those of the contender, from 0. */
  readonly answerMs?: number | ((contenderId: string, number: number) => number)
  /** Warm-up requests of each contender. */
  readonly warmup?: number
  /** Max requests of a warm-up that goes on until latencies settle. */
  readonly maxWarmup?: number
  /** Whether Ctrl-C comes while this request is in flight. */
  isInterrupted?(request: PlannedRequest): boolean
}

export interface CarriedOut extends Execution {
  readonly lines: readonly AttemptLine[]
  readonly events: readonly RunEvent[]
  /** Whether the request in flight was dropped, for each interruption. */
  readonly dropped: readonly boolean[]
}

const none = { codes: [], most: 2, budget: 1 }

/** Carries the plan out on a virtual clock. */
export async function carriedOut({
  fate,
  count = 10,
  contenders = ['mine'],
  isParallel = false,
  policy = none,
  earlier = [],
  paced = [],
  concurrency = 1,
  requestsPerMinute,
  answerMs = 0,
  warmup = 0,
  maxWarmup,
  isInterrupted = () => false,
}: Order): Promise<CarriedOut> {
  const clock = virtualClock()
  const lines: AttemptLine[] = []
  const events: RunEvent[] = []
  const dropped: boolean[] = []
  const stop = new AbortController()
  const sent = new Map<number, number>()
  const asked = new Map<string, number>()
  const requests: PlannedRequest[] = []
  const add = (
    phase: PlannedRequest['phase'],
    block: number,
    contenderId: string,
    position: number,
  ): void => {
    const place = { index: requests.length, phase, round: phase === 'warmup' ? 0 : 1, block }
    requests.push({ kind: 'request', ...place, contenderId, utteranceId: `u${position}`, send: null })
  }
  for (const contenderId of contenders)
    for (let position = 0; position < warmup; position += 1) add('warmup', -1, contenderId, position)
  for (const [block, contenderId] of contenders.entries())
    for (let position = 0; position < count; position += 1) add('measure', block, contenderId, position)
  const sender: Sender = {
    baseUrl: 'http://127.0.0.1:1',
    audioSeconds: () => 1,
    modeId: () => null,
    isAlive: async () => true,
    async send(request, { signal }) {
      const attempt = sent.get(request.index) ?? 0
      sent.set(request.index, attempt + 1)
      if (isInterrupted(request)) {
        stop.abort()
        dropped.push(signal?.aborted === true)
      }
      const failure = fate(request, attempt)
      const sentAtMs = clock.nowMs()
      const number = asked.get(request.contenderId) ?? 0
      asked.set(request.contenderId, number + 1)
      const tookMs = typeof answerMs === 'number' ? answerMs : answerMs(request.contenderId, number)
      if (tookMs > 0) await clock.sleepUntil(sentAtMs + tookMs)
      const endedAtMs = clock.nowMs()
      return {
        outcome: failure === null ? { ok: true, value: answer } : { ok: false, failure },
        times: { sentAtMs, firstByteAtMs: endedAtMs, endedAtMs },
        bodyBytes: 1,
        transport: 'path',
      }
    },
  }
  const running = executePlan({
    requests,
    sender,
    writer: { appendAttempt: async (line) => void lines.push(line) },
    scheduleOf: () => closedSchedule(concurrency),
    clock,
    maxWarmUpOf: maxWarmup === undefined ? undefined : () => maxWarmup,
    startedAtMs: 0,
    earlier,
    segment: earlier.length === 0 ? 0 : 1,
    retries: { ...policy, backOffSeconds: 1 },
    waitedOutIds: new Set(paced),
    requestsPerMinute: new Map(
      requestsPerMinute === undefined ? [] : contenders.map((id) => [id, requestsPerMinute] as const),
    ),
    laneOf: isParallel ? (contenderId) => contenderId : undefined,
    seed: 7,
    resume: 'transcribench run --resume this',
    doctor: 'transcribench doctor this',
    requestTimeoutSeconds: null,
    stop: stop.signal,
    drop: new AbortController().signal,
    onEvent: (event) => events.push(event),
  })
  await clock.runUntilIdle()
  return { ...(await running), lines, events, dropped }
}
