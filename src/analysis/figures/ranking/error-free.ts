import { errorCount } from '#scoring'
import type { Evaluation } from '../../documents/evaluation.ts'

/**
 * Share of the audio of a contender's measured requests that was answered without any error of the leading unit, by
 * seconds, 0..1. A failed request counts as one with errors.
 *
 * @returns null where nothing was sent, or the requests carry no audio
 */
export function errorFreeShare(
  { utterances, profile }: Pick<Evaluation, 'utterances' | 'profile'>,
  contenderId: string,
): number | null {
  let [all, errorFree] = [0, 0]
  for (const request of utterances) {
    if (request.contenderId !== contenderId || !['scored', 'failed'].includes(request.status)) continue
    const counts = request[profile.leads]
    all += request.audioSeconds
    if (request.status === 'scored' && counts !== null && errorCount(counts) === 0)
      errorFree += request.audioSeconds
  }
  return all === 0 ? null : errorFree / all
}
