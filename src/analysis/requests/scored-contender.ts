import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedUtterance } from '#journal/plan-line'
import type { RunRecord } from '#journal/run-record'
import type { LoadShape } from '#load/loads/registry'
import type { LevelCounts } from '#scoring/counts'
import type { EvaluatedLoad, WindowPart } from '../documents/evaluation.ts'
import { shapeOfContender } from './evaluated-load.ts'
import { hasOutcome, type LatencySample, type ScoredRequest, steadyLatencies } from './request-times.ts'
import type { ResolvedContender, ResolvedRequest } from './resolved-run.ts'
import type { TranscriptScorer } from './transcript-scorer.ts'

export interface ScoredContender {
  readonly resolved: ResolvedContender
  readonly requests: readonly ScoredRequest[]
  /** Latencies above 0 of the answered requests in the steady part. */
  readonly latencies: readonly LatencySample[]
}

/** @param load load of the run; a contender may have its own number of requests in flight */
export function scoreContender(
  resolved: ResolvedContender,
  scorer: TranscriptScorer,
  record: Pick<RunRecord, 'load'>,
  load: EvaluatedLoad,
): ScoredContender {
  const windows = windowParts(resolved.requests, shapeOfContender(record.load, resolved.contender))
  const scores = scoreTexts(resolved, scorer)
  const { askedCounts, maxAsked } = askedByUtterance(resolved)
  const requests = resolved.requests.map((request, index): ScoredRequest => {
    const { hypothesis, utterance, utteranceIndex } = request
    return {
      resolved: request,
      score: scores[index] ?? null,
      reference: hypothesis === null ? utterance.reference : scorer.reading(utterance, hypothesis),
      weight: maxAsked / Math.max(1, askedCounts[utteranceIndex] as number),
      window: windows[index] ?? null,
    }
  })
  return { resolved, requests, latencies: steadyLatencies(requests, load) }
}

function scoreTexts(
  { requests, utterances }: ResolvedContender,
  scorer: TranscriptScorer,
): readonly (LevelCounts | null)[] {
  // An answer is mostly the same as in the round before.
  const before = new Array<{ readonly text: string; readonly score: LevelCounts }>(utterances.length)
  return requests.map(({ hypothesis, utteranceIndex }) => {
    if (hypothesis === null) return null
    const last = before[utteranceIndex]
    if (last?.text === hypothesis) return last.score
    const score = scorer.score(utterances[utteranceIndex] as PlannedUtterance, hypothesis)
    before[utteranceIndex] = { text: hypothesis, score }
    return score
  })
}

function askedByUtterance({ requests, utterances }: ResolvedContender) {
  const askedCounts = new Uint32Array(utterances.length)
  let maxAsked = 0
  for (const { status, utteranceIndex } of requests) {
    if (!hasOutcome({ status })) continue
    const count = (askedCounts[utteranceIndex] as number) + 1
    askedCounts[utteranceIndex] = count
    maxAsked = Math.max(maxAsked, count)
  }
  return { askedCounts, maxAsked }
}

/** The first attempt of a request, which is the one that the load sent. */
interface FirstSending extends Pick<AttemptLine, 'sentAtMs' | 'dueAtMs' | 'endedAtMs'> {
  readonly resolved: ResolvedRequest
  readonly speaker: number
}

/**
 * Returns the window part of every request of one contender, in order; null for one that was not sent. Ramp-up and
 * drain depend on the sending time, not on the end, which would exclude slow requests.
 *
 * - Closed, N in flight: ramp-up is the first N of a block, which are sent at once; drain is the last N, with fewer
 *   and fewer in flight. One in flight has neither.
 * - Concurrent users: the first N, and all that is sent after the first user has sent their last request.
 * - Open: requests due before the first answer, while the server filled up, and those due in an equal time before the
 *   last one. It is not those without an answer by then, which are the worst under overload.
 *
 * A resumption of the run splits a block in two, each with its own ramp-up.
 */
function windowParts(requests: readonly ResolvedRequest[], load: LoadShape): readonly (WindowPart | null)[] {
  if (load.kind === 'closed' && load.concurrency === 1) {
    return requests.map(({ first }) => (first === null ? null : 'steady'))
  }
  const parts = new Map<ResolvedRequest, WindowPart>()
  const blocks = Map.groupBy(
    requests.filter(({ attempt }) => attempt !== null),
    ({ request, attempt }) => `${request.block} ${attempt?.segment ?? 0}`,
  )
  for (const block of blocks.values()) {
    const sendings = block.flatMap(firstSending).sort((a, b) => a.sentAtMs - b.sentAtMs)
    const partOf = partsOfBlock(sendings, load)
    for (const [position, sending] of sendings.entries()) {
      parts.set(sending.resolved, partOf(sending, position))
    }
  }
  return requests.map((request) => parts.get(request) ?? null)
}

function firstSending(resolved: ResolvedRequest): readonly FirstSending[] {
  const { first, request } = resolved
  if (first === null) return []
  const { sentAtMs, dueAtMs, endedAtMs } = first
  const speaker = request.send?.kind === 'spoken' ? request.send.speaker : 0
  return [{ resolved, sentAtMs, dueAtMs, endedAtMs, speaker }]
}

/** @param sendings at least one, in order of sending */
function partsOfBlock(
  sendings: readonly FirstSending[],
  load: LoadShape,
): (sending: FirstSending, position: number) => WindowPart {
  switch (load.kind) {
    case 'closed': {
      const { concurrency } = load
      const drainFrom = sendings.length - concurrency
      return (_, position) => (position < concurrency ? 'ramp' : position < drainFrom ? 'steady' : 'drain')
    }
    case 'users': {
      const lastOf = new Map(sendings.map(({ speaker, sentAtMs }) => [speaker, sentAtMs]))
      const firstSilenceMs = least(lastOf.values())
      return ({ sentAtMs }, position) =>
        position < load.users ? 'ramp' : sentAtMs > firstSilenceMs ? 'drain' : 'steady'
    }
    default: {
      const dueAtMs = sendings.map((sending) => sending.dueAtMs)
      const [firstMs, lastMs] = [least(dueAtMs), -least(dueAtMs.map((ms) => -ms))]
      const rampMs = least(sendings.map(({ endedAtMs }) => endedAtMs)) - firstMs
      return (sending) =>
        sending.dueAtMs < firstMs + rampMs ? 'ramp' : sending.dueAtMs > lastMs - rampMs ? 'drain' : 'steady'
    }
  }
}

function least(values: Iterable<number>): number {
  let smallest = Number.POSITIVE_INFINITY
  for (const value of values) smallest = Math.min(smallest, value)
  return smallest
}
