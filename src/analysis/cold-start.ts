import type { AttemptLine } from '#journal'
import { quantile, sortSamples } from '#statistics'
import type { ModelLoading, UntilSteady } from './evaluation.ts'
import type { JudgedContender } from './judged-run.ts'

/**
 * What loading the model took, apart from every steady figure: what the server says of the first warm-up request;
 * where it says nothing, that request's service time less the median of the same utterance while measuring. A model
 * that was loaded before the run gives about 0, which is then the truth.
 */
export function modelLoading({
  warmup,
  requests,
}: Pick<JudgedContender, 'warmup' | 'requests'>): ModelLoading {
  const [first] = warmup.toSorted((a, b) => a.sentAtMs - b.sentAtMs)
  if (first === undefined) return { value: null, reason: 'nothing was sent to warm up' }
  if (!first.outcome.ok) return { value: null, reason: 'the first warm-up request was not answered' }
  const { serverLoadMs } = first.outcome.answer
  if (serverLoadMs !== null) return { value: serverLoadMs, from: 'server' }
  const steadyMs = requests.flatMap(({ attempt, status }) =>
    attempt !== null && status === 'scored' && attempt.utteranceId === first.utteranceId
      ? [attempt.endedAtMs - attempt.sentAtMs]
      : [],
  )
  const usualMs = quantile(sortSamples(steadyMs), 0.5)
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
 * @param steady indexes of the requests of the steady part
 */
export function untilSteady(
  { warmup, requests, sendings }: Pick<JudgedContender, 'warmup' | 'requests' | 'sendings'>,
  { concurrency, steady }: { readonly concurrency: number | null; readonly steady: ReadonlySet<number> },
): UntilSteady {
  if (concurrency === null)
    return { value: null, reason: 'an open load is not sent as fast as it can be answered' }
  if (warmup.length === 0) return { value: null, reason: 'nothing was sent to warm up' }
  const usualMs = usualTimes(requests, steady)
  const answers = inOwnTime([...warmup, ...sendings].filter(({ sitting = 0 }) => sitting === 0))
  for (let from = 0; from + batch <= answers.length; from += 1) {
    const works = answers.slice(from, from + batch).map(({ utteranceId }) => usualMs.get(utteranceId))
    if (works.includes(undefined)) {
      return {
        value: null,
        reason: `needs ${fewestRepeats} answers to each utterance to know what it usually takes`,
      }
    }
    const fromMs = answers[from - 1]?.atMs ?? 0
    const tookMs = (answers[from + batch - 1]?.atMs ?? 0) - fromMs
    const workMs = works.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) / concurrency
    if (workMs >= steadyShare * tookMs) return { value: fromMs }
  }
  return { value: null, reason: 'no batch of answers was as fast as the steady part' }
}

/** Median service time of each utterance that was answered often enough. */
function usualTimes(
  requests: JudgedContender['requests'],
  steady: ReadonlySet<number>,
): ReadonlyMap<string, number> {
  const times = new Map<string, number[]>()
  for (const { request, attempt, status } of requests) {
    if (attempt === null || status !== 'scored' || !steady.has(request.index)) continue
    const known = times.get(request.utteranceId) ?? []
    known.push(attempt.endedAtMs - attempt.sentAtMs)
    times.set(request.utteranceId, known)
  }
  return new Map(
    [...times].flatMap(([id, ms]) =>
      ms.length < fewestRepeats ? [] : [[id, quantile(sortSamples(ms), 0.5) ?? 0] as const],
    ),
  )
}

/** The answers of one contender, each at the time that the contender had been sent anything until then. */
function inOwnTime(
  sendings: readonly AttemptLine[],
): readonly { readonly utteranceId: string; readonly atMs: number }[] {
  const stretches = [...Map.groupBy(sendings, ({ block }) => block).values()].map((lines) => ({
    lines,
    fromMs: lines.reduce((least, { sentAtMs }) => Math.min(least, sentAtMs), Number.POSITIVE_INFINITY),
    untilMs: lines.reduce((most, { endedAtMs }) => Math.max(most, endedAtMs), Number.NEGATIVE_INFINITY),
  }))
  let beforeMs = 0
  const answers: { utteranceId: string; atMs: number }[] = []
  for (const { lines, fromMs, untilMs } of stretches.toSorted((a, b) => a.fromMs - b.fromMs)) {
    for (const { utteranceId, endedAtMs, outcome } of lines) {
      if (outcome.ok) answers.push({ utteranceId, atMs: beforeMs + endedAtMs - fromMs })
    }
    beforeMs += untilMs - fromMs
  }
  return answers.sort((a, b) => a.atMs - b.atMs)
}
