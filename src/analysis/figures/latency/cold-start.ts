import type { AttemptLine } from '#journal/attempt-line'
import { hasSettled } from '#load/warm-up'
import { median, quantile, sortSamples } from '#statistics/quantiles'
import type { ModelLoading, UntilSteady, WarmUp } from '../../documents/speed.ts'
import { type Answered, answeredAttempts, serviceTimeMs } from '../../requests/request-times.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'

/**
 * Estimates the time to load the model, separate from all steady figures. It is what the server reports for the first
 * warm-up request, or else that request's service time minus the median of the same utterance while measuring. It is
 * about 0 for a model that was loaded before the run.
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
      ? serviceTimeMs(attempt)
      : [],
  )
  const usualMs = median(steadyMs)
  if (usualMs === null) {
    return { value: null, reason: 'the utterance of the first warm-up request was not answered again' }
  }
  return { value: Math.max(0, serviceTimeMs(first) - usualMs), from: 'difference' }
}

/** Share of the steady throughput from which a batch counts as steady. */
const steadyShare = 0.95
/** Number of consecutive answers whose throughput is measured. */
const batch = 5
/** Min number of answers for the usual time of an utterance, which is their median, because the first may be slow. */
const fewestRepeats = 3

/**
 * Returns the time until throughput was steady: until a batch of consecutive answers has 95 % of the steady
 * throughput. The work of an answer is the usual time of its utterance, so that a batch of long recordings does not
 * look slow. Time of other contenders in between does not count.
 *
 *   throughput of a batch = sum of usual times / requests in flight / time that the batch took
 *
 * @param concurrency null for loads that do not send as soon as they get an answer
 * @param isSteady whether the request of a row is in the steady part
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

/** Returns the median service time of each utterance with enough answers. */
function usualTimes(
  { utterances, requests }: Pick<ResolvedContender, 'utterances' | 'requests'>,
  isSteady: (row: number) => boolean,
): ReadonlyMap<string, number> {
  const usual = new Map<string, number>()
  for (const [index, attempts] of answeredAttempts(requests, isSteady)) {
    const id = utterances[index]?.id
    if (id === undefined || attempts.length < fewestRepeats) continue
    usual.set(id, median(attempts.map(serviceTimeMs)) ?? 0)
  }
  return usual
}

/** Returns the answers of one contender in order, on a clock that runs only during its blocks. */
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

/** Answers in order of time. */
interface Answers {
  readonly utteranceIds: readonly string[]
  readonly atMs: readonly number[]
}

/** Returns the number of warm-up requests, whether latencies settled, and the slow requests of the measured part. */
export function warmUpFigures(
  { warmup, requests }: Pick<ResolvedContender, 'warmup' | 'requests'>,
  { kind }: { readonly kind: string },
): WarmUp {
  const segment = Math.max(0, ...warmup.map((line) => line.segment ?? 0))
  // A resumed run was warmed up again, perhaps with another process of its server.
  const last = warmup.filter((line) => (line.segment ?? 0) === segment)
  const inOrder = last.toSorted((a, b) => a.sentAtMs - b.sentAtMs)
  return {
    requestCount: warmup.length,
    hasSettled: last.every(({ outcome }) => outcome.ok) ? hasSettled(inOrder) : null,
    slowBeginning: kind === 'closed' ? slowBeginning(answeredAttempts(requests)) : null,
  }
}

/** Min number of later answers, which show the usual variation of times. */
const fewestLater = 40
/** Min slowness of a slow request; less is not caused by the warm-up. */
const leastSlowness = 1.25
/** Min number of consecutive slow requests. One may be chance; two in a row occur in one of 400 runs. */
const fewestSlow = 2

/** Each utterance is its own control: the slowness is a time divided by the median of all its times. */
function slowBeginning(answered: Answered): WarmUp['slowBeginning'] {
  const answers: { readonly attempt: AttemptLine; readonly usualMs: number }[] = []
  for (const attempts of answered.values()) {
    const usualMs = median(attempts.map(serviceTimeMs))
    if (usualMs === null || usualMs <= 0 || attempts.length < fewestRepeats) continue
    for (const attempt of attempts) answers.push({ attempt, usualMs })
  }
  answers.sort((a, b) => a.attempt.sentAtMs - b.attempt.sentAtMs)
  const slownessOf = ({ attempt, usualMs }: (typeof answers)[number]): number =>
    serviceTimeMs(attempt) / usualMs
  const half = answers.slice(answers.length >> 1).map(slownessOf)
  const usual = quantile(sortSamples(half), 0.95)
  if (usual === null || half.length < fewestLater) return null
  const limit = Math.max(leastSlowness, usual)
  const settled = answers.findIndex((answer) => slownessOf(answer) <= limit)
  const slow = answers.slice(0, settled)
  const times = median(slow.map(slownessOf))
  if (times === null || slow.length < fewestSlow) return { requestCount: 0, times: 1, timeShare: 0 }
  const additionalMs = slow.reduce((sum, answer) => sum + (slownessOf(answer) - 1) * answer.usualMs, 0)
  const allMs = answers.reduce((sum, answer) => sum + slownessOf(answer) * answer.usualMs, 0)
  return { requestCount: slow.length, times, timeShare: Math.min(1, Math.max(0, additionalMs / allMs)) }
}
