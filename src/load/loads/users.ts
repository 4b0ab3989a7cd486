import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { part } from '#prelude/document-fields'
import {
  arrivalRandom,
  checkIntervals,
  checkPositive,
  drawIntervals,
  type Intervals,
  intervals,
} from '../intervals.ts'
import { formatNumber, speechInWords } from '../rate.ts'
import {
  type BlockRequests,
  type Dispatch,
  type Flights,
  type PlannedSend,
  type Schedule,
  stopOnFault,
} from '../schedule.ts'
import { aCount, aTime, intervalsIn, intervalsKey, secondsIn } from './keys.ts'
import { defineLoad } from './load-definition.ts'

const pauses = part('Pauses', 'How long a user waits between reading a text and speaking again.', {
  meanSeconds: z.number().describe('Mean pause in seconds.'),
  intervals: intervals.describe('How pauses vary around it.'),
})
export type Pauses = DeepReadonly<z.infer<typeof pauses>>

export interface ConcurrentUsers {
  /** Number of users, a whole number from 1. */
  readonly users: number
  readonly pauses: Pauses
  readonly seed: number
}

/**
 * Simulates concurrent users. Each user pauses, speaks for as long as the audio lasts, sends the audio, and waits
 * for the text before the next pause:
 *
 *   user 1  ┄┄┄▒▒▒▒▒▒▒├──┤┄┄┄┄┄┄┄▒▒▒├─┤┄┄┄┄▒▒▒▒▒├───┤      ┄ pause   ▒ speech   ├─┤ waits for the text
 *   user 2  ┄┄┄┄┄┄┄┄▒▒▒▒├─┤┄┄┄▒▒▒▒▒▒▒▒▒▒├──┤┄┄┄▒▒├─┤
 *
 * A request is due at the end of its speech, so never before its audio could have been spoken. With a slow server
 * users speak less often, as in real use, but their waiting time still counts from the end of speech. Request p
 * belongs to user p mod N. Each user starts at a random moment of the first pause, so that they do not all speak at
 * once.
 *
 * @throws RangeError for users that cannot be counted, or pauses that are no length of time
 */
export function usersSchedule({ users, pauses, seed }: ConcurrentUsers): Schedule {
  if (!Number.isInteger(users) || users < 1)
    throw new RangeError(`there are 1 or more concurrent users, not ${users}`)
  checkPositive('the mean pause', pauses.meanSeconds)
  checkIntervals(pauses.intervals)
  const plan = (block: BlockRequests): readonly SpokenSend[] => planSpeech(block, { users, pauses, seed })
  const schedule: Schedule = {
    describe(meanAudioSeconds) {
      const { meanSeconds, intervals } = pauses
      const who = `${users} concurrent ${users === 1 ? 'user' : 'users'}`
      const words = `${who}, pauses of ${formatNumber(meanSeconds)} s ${pausesInWords(intervals)}`
      if (meanAudioSeconds === undefined) return words
      const atMost = (users * meanAudioSeconds) / (meanSeconds + meanAudioSeconds)
      return `${words}, at most ${speechInWords(atMost)}`
    },
    phases: [{ description: `${users} concurrent ${users === 1 ? 'user' : 'users'}`, seconds: null }],
    latencyCountsFrom: 'due',
    inFlight: null,
    requestCount: () => null,
    steadyCount: steadyTurns * users,
    part: () => schedule,
    plan,
    async dispatch(dispatch) {
      const unsent = plan(dispatch).flatMap((send, position) =>
        dispatch.isSent?.(position) === true ? [] : [{ ...send, position }],
      )
      const byUser = [...Map.groupBy(unsent, ({ speaker }) => speaker).values()]
      const random = arrivalRandom(seed, dispatch.round ?? 0)
      // A resumed run, too, begins somewhere within the pause of each user.
      for (const [first] of byUser)
        if (first !== undefined && first.position >= users) first.pauseMs *= random.unit()
      const flights = stopOnFault(dispatch.stop)
      const startedAtMs = dispatch.clock.nowMs()
      await Promise.all(byUser.map((sends) => speak(sends, startedAtMs, { ...dispatch, ...flights })))
      flights.rethrow()
    },
  }
  return schedule
}

/** Default mean pause of a user in seconds, for loads and for sizing machines. */
export const standardPauseSeconds = 20

/** Min times that each user speaks, so that the start, when all are about to speak, is a small part. */
const steadyTurns = 5

type SpokenSend = Extract<PlannedSend, { kind: 'spoken' }>

function planSpeech(
  { count, audioSeconds, round = 0 }: BlockRequests,
  { users, pauses, seed }: ConcurrentUsers,
): SpokenSend[] {
  if (audioSeconds === undefined)
    throw new TypeError('concurrent users need to know how long each request speaks')
  const random = arrivalRandom(seed, round)
  const draw = drawIntervals(pauses.intervals, random)
  return Array.from({ length: count }, (_, position) => {
    const pauseMs = 1000 * pauses.meanSeconds * draw()
    return {
      kind: 'spoken',
      speaker: position % users,
      pauseMs: position < users ? pauseMs * random.unit() : pauseMs,
      speechMs: 1000 * audioSeconds(position),
    }
  })
}

/** Runs one user until its block is sent. */
async function speak(
  sends: readonly (SpokenSend & { readonly position: number })[],
  startedAtMs: number,
  { clock, send, halt, watch }: Pick<Dispatch, 'clock' | 'send'> & Pick<Flights, 'halt' | 'watch'>,
): Promise<void> {
  let hasTextAtMs = startedAtMs
  for (const { position, pauseMs, speechMs } of sends) {
    const dueAtMs = hasTextAtMs + pauseMs + speechMs
    await clock.sleepUntil(dueAtMs, halt)
    if (halt.aborted) break
    await watch(send(position, dueAtMs))
    hasTextAtMs = clock.nowMs()
  }
}

function pausesInWords(intervals: Intervals): string {
  switch (intervals.kind) {
    case 'even':
      return 'each'
    case 'exponential':
      return 'on average (exponential)'
    case 'gamma':
      return `on average (gamma, shape ${formatNumber(intervals.shape)})`
  }
}

export const usersLoad = defineLoad({
  kind: 'users',
  words: 'concurrent users, who speak, send, wait for the text and pause',
  needs: {
    users: {
      ...aCount,
      description:
        'concurrent users: each speaks for as long as the audio lasts, sends, waits for the text, pauses',
      flag: { syntax: '--users <count>', reads: 'number' },
    },
  },
  may: {
    pause: {
      ...aTime,
      description: 'how long a user pauses on average before speaking again',
      flag: { syntax: '--pause <time>', reads: 'text' },
      standard: `${standardPauseSeconds}s`,
    },
    intervals: intervalsKey,
  },
  impliedBy: ['users'],
  fields: {
    users: z.int().min(1).describe('Number of concurrent users.'),
    pauses: pauses.describe('Pauses of a user.'),
  },
  complete: ({ users, pause, intervals }) => ({
    users,
    pauses: { meanSeconds: secondsIn(pause), intervals: intervalsIn(intervals) },
  }),
  endsByItself: () => false,
  isMadeOfSpeech: () => true,
  schedule: (load, { seed }) => usersSchedule({ ...load, seed }),
})
