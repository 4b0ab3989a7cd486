import { openSchedule } from './schedules/open-schedule.ts'
import type { Schedule } from './schedules/schedule.ts'
import { inWords, speechInWords } from './wording.ts'

/**
 * Sends at the given moments: arrivals that were drawn before.
 *
 * @param dueAtMs milliseconds after the start, ascending
 * @throws RangeError for a moment before the start, or one before its predecessor
 */
export function arrivalsSchedule(dueAtMs: readonly number[]): Schedule {
  if (dueAtMs.some((atMs, position) => !(atMs >= (dueAtMs[position - 1] ?? 0))))
    throw new RangeError('arrivals are in order of time, from 0')
  return openSchedule({
    describe: (meanAudioSeconds) => {
      const spanSeconds = (dueAtMs.at(-1) ?? 0) / 1000
      const given = `${dueAtMs.length} given arrivals over ${inWords(spanSeconds)} s`
      if (meanAudioSeconds === undefined || spanSeconds === 0) return given
      return `${given}, ${speechInWords((meanAudioSeconds * (dueAtMs.length - 1)) / spanSeconds)} on average`
    },
    phases: [{ description: 'given arrivals', seconds: null }],
    endsByItself: true,
    arrivals: (limit) => dueAtMs.slice(0, limit),
  })
}
