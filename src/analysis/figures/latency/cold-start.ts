import type { AttemptLine } from '#journal/attempt-line'
import { hasSettled } from '#load/warm-up'
import { median, quantile, sortSamples } from '#statistics/quantiles'
import type { ModelLoading, UntilSteady, WarmUp } from '../../documents/speed.ts'
import { type AnsweredTimes, answeredTimes } from '../../requests/request-times.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'

/**
 * What loading the model took, apart from every steady figure: what the server says of the first warm-up request;
 * where it says nothing, that request's service time less the median of the same utterance while measuring. A model
 * that was loaded before the run gives about 0, which is then the truth.
 */
export function modelLoading(contender: Pick<ResolvedContender, 'warmup' | 'requests'>): ModelLoading {
  const { warmup, requests } = contender
  const [first] = warmup.toSorted((a, b) => a.sentAtMs - b.sentAtMs)
  if (first === undefined) return { value: null, reason: 'nothing was sent to warm up' }
  if (!first.outcome.ok) return { value: null, reason: 'the first warm-up request was not answered' }
  const { serverLoadMs } = first.outcome.answer
  if (serverLoadMs !== null) return { value: serverLoadMs, from: 'server' }
  const { utteranceId } = first
  const steadyMs = requests.flatMap(({ attempt, status }) =>
    attempt !== null && status === 'scored' && attempt.utteranceId === utteranceId
      ? attempt.endedAtMs - attempt.sentAtMs
      : [],
  )
  const usualMs = median(steadyMs)
  if (usualMs === null) {
    return { value: null, reason: 'the utterance of the first warm-up request was not answered again' }
  }
  return { value: Math.max(0, first.endedAtMs - first.sentAtMs - usualMs), from: 'difference' }
}

/** Of the steady speed: then it is there. */
const steadyShare = 0.95
/** The speed of this many answers in a row is the speed at that time. */
const batch = 5
/** What an utterance usually takes is the median of this many answers at least, of which the first may be slow. */
const fewestRepeats = 3

/**
 * How long it took until work was done as fast as later: until a batch of answers in a row comes to 95 % of the steady
 * throughput. The work of an answer is what its utterance usually takes, so that a batch of long recordings is not held
 * for a slow one; the time that other contenders had in between does not count.
 *
 *   throughput of a batch = sum of usual times / requests in flight / time that the batch took
 *
 * @param concurrency null for loads that are not sent as fast as they can be answered
 * @param isSteady whether the request of a row belongs to the steady part
 */
export function untilSteady(
  resolved: Pick<ResolvedContender, 'utterances' | 'warmup' | 'requests' | 'sendings'>,
  load: { readonly concurrency: number | null; readonly isSteady: (row: number) => boolean },
): UntilSteady {
  const { concurrency, isSteady } = load
  const { warmup, sendings } = resolved
  if (concurrency === null)
    return { value: null, reason: 'an open load is not sent as fast as it can be answered' }
  if (warmup.length === 0) return { value: null, reason: 'nothing was sent to warm up' }
  const usualMs = usualTimes(resolved, isSteady)
  const { utteranceIds, atMs } = inOwnTime(
    [warmup, sendings].map((part) => part.filter(({ segment = 0 }) => segment === 0)),
  )
  for (let from = 0; from + batch <= atMs.length; from += 1) {
    const works = utteranceIds.slice(from, from + batch).map((id) => usualMs.get(id))
    if (works.includes(undefined)) {
      return {
        value: null,
        reason: `needs ${fewestRepeats} answers to each utterance to know what it usually takes`,
      }
    }
    const fromMs = atMs[from - 1] ?? 0
    const tookMs = (atMs[from + batch - 1] ?? 0) - fromMs
    const workMs = works.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) / concurrency
    if (workMs >= steadyShare * tookMs) return { value: fromMs }
  }
  return { value: null, reason: 'no batch of answers was as fast as the steady part' }
}

/** Median service time of each utterance that was answered often enough. */
function usualTimes(
  { utterances, requests }: Pick<ResolvedContender, 'utterances' | 'requests'>,
  isSteady: (row: number) => boolean,
): ReadonlyMap<string, number> {
  const { utterancePlaces, serviceMs } = answeredTimes(requests, isSteady)
  const usual = new Map<string, number>()
  for (const [utterance, place] of utterancePlaces.entries()) {
    const took = serviceMs(utterance)
    const id = utterances[place]?.id
    if (id === undefined || took.length < fewestRepeats) continue
    usual.set(id, median(took) ?? 0)
  }
  return usual
}

/** The answers of one contender in order, each at the time that the contender had been sent anything until then. */
function inOwnTime(parts: readonly (readonly AttemptLine[])[]): Answers {
  const spans = new Map<number, { fromMs: number; untilMs: number; beforeMs: number }>()
  for (const sendings of parts) {
    for (const { block, sentAtMs, endedAtMs } of sendings) {
      const span = spans.get(block)
      if (span === undefined) spans.set(block, { fromMs: sentAtMs, untilMs: endedAtMs, beforeMs: 0 })
      else {
        span.fromMs = Math.min(span.fromMs, sentAtMs)
        span.untilMs = Math.max(span.untilMs, endedAtMs)
      }
    }
  }
  let beforeMs = 0
  for (const span of [...spans.values()].sort((a, b) => a.fromMs - b.fromMs)) {
    span.beforeMs = beforeMs
    beforeMs += span.untilMs - span.fromMs
  }
  const [ids, times]: [string[], number[]] = [[], []]
  for (const sendings of parts) {
    for (const { utteranceId, block, endedAtMs, outcome } of sendings) {
      const span = spans.get(block)
      if (!outcome.ok || span === undefined) continue
      ids.push(utteranceId)
      times.push(span.beforeMs + endedAtMs - span.fromMs)
    }
  }
  const order = times.map((_, answer) => answer).sort((a, b) => (times[a] as number) - (times[b] as number))
  return {
    utteranceIds: order.map((answer) => ids[answer] as string),
    atMs: order.map((answer) => times[answer] as number),
  }
}

/** In the order of time. */
interface Answers {
  readonly utteranceIds: readonly string[]
  readonly atMs: readonly number[]
}

/** What a warm-up came to: how many requests it had, whether latencies had settled, and what of it is in the measured part. */
export function warmUpFigures(
  { warmup, requests }: Pick<ResolvedContender, 'warmup' | 'requests'>,
  { kind }: { readonly kind: string },
): WarmUp {
  const segment = Math.max(0, ...warmup.map((line) => line.segment ?? 0))
  // A resumed run was warmed up again, perhaps on another process of its server.
  const last = warmup.filter((line) => (line.segment ?? 0) === segment)
  const inOrder = last.toSorted((a, b) => a.sentAtMs - b.sentAtMs)
  return {
    requestCount: warmup.length,
    hasSettled: last.every(({ outcome }) => outcome.ok) ? hasSettled(inOrder) : null,
    slowBeginning: kind === 'closed' ? slowBeginning(answeredTimes(requests)) : null,
  }
}

/** Of the answers after them, which say how much times differ anyway. */
const fewestLater = 40
/** Less is no matter of the warm-up. */
const leastSlowness = 1.25
/** One slow answer may be chance: two in a row are so once in 400 runs. */
const fewestSlow = 2

/** Each utterance is its own control: a time over the median of all its times. */
function slowBeginning({ utterancePlaces, sentAtMs, serviceMs }: AnsweredTimes): WarmUp['slowBeginning'] {
  const answers: { readonly sentAtMs: number; readonly slowness: number; readonly usualMs: number }[] = []
  for (const utterance of utterancePlaces.keys()) {
    const [sent, took] = [sentAtMs(utterance), serviceMs(utterance)]
    const usualMs = median(took)
    if (usualMs === null || usualMs <= 0 || took.length < fewestRepeats) continue
    for (const [row, ms] of took.entries()) {
      answers.push({ sentAtMs: sent[row] as number, slowness: ms / usualMs, usualMs })
    }
  }
  answers.sort((a, b) => a.sentAtMs - b.sentAtMs)
  const half = answers.slice(answers.length >> 1).map(({ slowness }) => slowness)
  const usual = quantile(sortSamples(half), 0.95)
  if (usual === null || half.length < fewestLater) return null
  const limit = Math.max(leastSlowness, usual)
  const settled = answers.findIndex(({ slowness }) => slowness <= limit)
  const slow = answers.slice(0, settled)
  const times = median(slow.map(({ slowness }) => slowness))
  if (times === null || slow.length < fewestSlow) return { requestCount: 0, times: 1, timeShare: 0 }
  const additionalMs = slow.reduce((sum, { slowness, usualMs }) => sum + (slowness - 1) * usualMs, 0)
  const allMs = answers.reduce((sum, { slowness, usualMs }) => sum + slowness * usualMs, 0)
  return { requestCount: slow.length, times, timeShare: Math.min(1, Math.max(0, additionalMs / allMs)) }
}
