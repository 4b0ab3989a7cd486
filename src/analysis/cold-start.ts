import { quantile, sortSamples } from '#statistics'
import type { ModelLoading } from './evaluation.ts'
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
