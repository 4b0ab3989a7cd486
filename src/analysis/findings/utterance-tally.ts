import { type ErrorLevel, errorCount, errorRate, referenceLength } from '#scoring'
import type { ScoredContender } from '../requests/scored-contender.ts'

/** Errors of the leading rate and cuts of one contender by utterance. */
export interface UtteranceTally {
  readonly contenderId: string
  readonly leads: ErrorLevel
  readonly idAt: (place: number) => string
  /** Sums over all rounds, by the place of the utterance in the plan. */
  readonly errors: Float64Array
  readonly lengths: Float64Array
  /** How often the utterance that was scored most often was scored. */
  readonly passes: number
  /** With more errors than words or characters. */
  readonly overfullIds: ReadonlySet<string>
  /** By utterance: seconds at which the server cut the recording. */
  readonly cuts: ReadonlyMap<string, readonly number[]>
}

export function utteranceTally({ resolved, requests }: ScoredContender, leads: ErrorLevel): UtteranceTally {
  const errors = new Float64Array(resolved.utterances.length)
  const lengths = new Float64Array(resolved.utterances.length)
  const scored = new Uint32Array(resolved.utterances.length)
  const overfullIds = new Set<string>()
  const cuts = new Map<string, readonly number[]>()
  for (const { resolved: request, score } of requests) {
    const outcome = request.attempt?.outcome
    const own = outcome?.ok === true ? outcome.answer.cutsSeconds : undefined
    if (own !== undefined) cuts.set(request.utterance.id, own)
    if (score === null) continue
    const place = request.utterancePlace
    scored[place] = (scored[place] as number) + 1
    errors[place] = (errors[place] as number) + errorCount(score[leads])
    lengths[place] = (lengths[place] as number) + referenceLength(score[leads])
    if ((errorRate(score[leads]) ?? 0) > 1) overfullIds.add(request.utterance.id)
  }
  const idAt = (place: number): string => resolved.utterances[place]?.id ?? ''
  const passes = scored.reduce((most, count) => Math.max(most, count), 0)
  return { contenderId: resolved.contender.id, leads, idAt, errors, lengths, passes, overfullIds, cuts }
}
