import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  arrivalRandom,
  checkIntervals,
  checkPositive,
  drawIntervals,
  type Intervals,
  intervals,
} from '../intervals.ts'
import type { Dispatch, PlannedSend, RequestList, Schedule } from '../schedules/schedule.ts'
import { type Flights, stopOnFault } from '../stop-on-fault.ts'
import { inWords, speechInWords } from '../wording.ts'
import { defineLoad } from './load-definition.ts'
import { aCount, aTime, intervalsIn, intervalsKey, secondsIn } from './shared-keys.ts'

const pauses = z
  .strictObject({
    meanSeconds: z.number().describe('Mean pause in seconds.'),
    intervals: intervals.describe('How pauses vary around it.'),
  })
  .meta({ id: 'Pauses', description: 'How long a speaker waits between reading a text and speaking again.' })
export type Pauses = DeepReadonly<z.infer<typeof pauses>>

export interface Speakers {
  /** How many people, a whole number from 1. */
  readonly speakers: number
  readonly pauses: Pauses
  readonly seed: number
}

/**
 * People dictating. Each pauses, speaks for as long as the audio lasts, sends what was said, and waits for the
 * text before anything else:
 *
 *   speaker 1  ┄┄┄▒▒▒▒▒▒▒├──┤┄┄┄┄┄┄┄▒▒▒├─┤┄┄┄┄▒▒▒▒▒├───┤      ┄ pause   ▒ speech   ├─┤ waits for the text
 *   speaker 2  ┄┄┄┄┄┄┄┄▒▒▒▒├─┤┄┄┄▒▒▒▒▒▒▒▒▒▒├──┤┄┄┄▒▒├─┤
 *
 * A request is due at the end of speech, never before the audio could have been spoken. A slow server makes
 * people speak less often, as it does in life; the time a speaker waited still counts from the end of speech.
 * Request p belongs to speaker p mod N, whatever the server does, and everybody begins somewhere within their
 * first pause, so that they do not all speak at once.
 *
 * @throws RangeError for speakers that cannot be counted, or pauses that are no length of time
 */
export function speakersSchedule({ speakers, pauses, seed }: Speakers): Schedule {
  if (!Number.isInteger(speakers) || speakers < 1)
    throw new RangeError(`1 or more speakers dictate, not ${speakers}`)
  checkPositive('the mean pause', pauses.meanSeconds)
  checkIntervals(pauses.intervals)
  const plan = (list: RequestList): readonly SpokenSend[] => planSpeech(list, { speakers, pauses, seed })
  const schedule: Schedule = {
    describe(meanAudioSeconds) {
      const { meanSeconds, intervals } = pauses
      const people = `${speakers} ${speakers === 1 ? 'speaker' : 'speakers'} dictating`
      const words = `${people}, pauses of ${inWords(meanSeconds)} s ${pausesInWords(intervals)}`
      if (meanAudioSeconds === undefined) return words
      const atMost = (speakers * meanAudioSeconds) / (meanSeconds + meanAudioSeconds)
      return `${words}, at most ${speechInWords(atMost)}`
    },
    latencyCountsFrom: 'due',
    requestCount: () => null,
    steadyCount: steadyTurns * speakers,
    part: () => schedule,
    plan,
    async dispatch(dispatch) {
      const spoken = plan(dispatch)
      const flights = stopOnFault(dispatch.stop)
      const startedAtMs = dispatch.clock.nowMs()
      const sent = await Promise.all(
        Array.from({ length: speakers }, (_, speaker) => {
          const own = spoken.flatMap((send, position) =>
            send.speaker === speaker && dispatch.isSent?.(position) !== true ? [{ ...send, position }] : [],
          )
          return speak(own, startedAtMs, { ...dispatch, ...flights })
        }),
      )
      flights.rethrow()
      return { sent: sent.reduce((sum, count) => sum + count, 0) }
    },
  }
  return schedule
}

/** Everybody speaks this often at least, so that the beginning, when all are about to speak, is a small part. */
const steadyTurns = 5

type SpokenSend = Extract<PlannedSend, { kind: 'spoken' }>

function planSpeech(
  { count, audioSeconds, round = 0 }: RequestList,
  { speakers, pauses, seed }: Speakers,
): SpokenSend[] {
  if (audioSeconds === undefined) throw new TypeError('speakers need to know how long each request speaks')
  const random = arrivalRandom(seed, round)
  const draw = drawIntervals(pauses.intervals, random)
  return Array.from({ length: count }, (_, position) => {
    const pauseMs = 1000 * pauses.meanSeconds * draw()
    return {
      kind: 'spoken',
      speaker: position % speakers,
      pauseMs: position < speakers ? pauseMs * random.unit() : pauseMs,
      speechMs: 1000 * audioSeconds(position),
    }
  })
}

/** One person, until there is nothing left to say. */
async function speak(
  sends: readonly (SpokenSend & { readonly position: number })[],
  startedAtMs: number,
  { clock, send, halt, watch }: Pick<Dispatch, 'clock' | 'send'> & Pick<Flights, 'halt' | 'watch'>,
): Promise<number> {
  let hasTextAtMs = startedAtMs
  let sent = 0
  for (const { position, pauseMs, speechMs } of sends) {
    const dueAtMs = hasTextAtMs + pauseMs + speechMs
    await clock.sleepUntil(dueAtMs, halt)
    if (halt.aborted) break
    sent += 1
    await watch(send(position, dueAtMs))
    hasTextAtMs = clock.nowMs()
  }
  return sent
}

function pausesInWords(intervals: Intervals): string {
  switch (intervals.kind) {
    case 'even':
      return 'each'
    case 'exponential':
      return 'on average (exponential)'
    case 'gamma':
      return `on average (gamma, shape ${inWords(intervals.shape)})`
  }
}

export const speakersLoad = defineLoad({
  kind: 'speakers',
  words: 'people who speak, send, wait for the text and pause',
  needs: {
    speakers: {
      ...aCount,
      description:
        'people who dictate: each speaks for as long as the audio lasts, sends, waits for the text, pauses',
      flag: { syntax: '--speakers <count>', reads: 'number' },
    },
  },
  may: {
    pause: {
      ...aTime,
      description: 'how long a speaker pauses on average before speaking again',
      flag: { syntax: '--pause <time>', reads: 'text' },
      standard: '10s',
    },
    intervals: intervalsKey,
  },
  impliedBy: ['speakers'],
  fields: {
    speakers: z.int().min(1).describe('Number of people.'),
    pauses: pauses.describe('Pauses of a speaker.'),
  },
  complete: ({ speakers, pause, intervals }) => ({
    speakers,
    pauses: { meanSeconds: secondsIn(pause), intervals: intervalsIn(intervals) },
  }),
  endsByItself: () => false,
  isMadeOfSpeech: () => true,
  schedule: (load, { seed }) => speakersSchedule({ ...load, seed }),
})
