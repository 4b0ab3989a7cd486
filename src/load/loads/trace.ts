import { z } from 'zod'
import { openSchedule } from '../schedules/open-schedule.ts'
import type { Schedule } from '../schedules/schedule.ts'
import { type TraceEntry, traceEntry } from '../trace.ts'
import { inWords, speechInWords } from '../wording.ts'
import { defineLoad } from './load-definition.ts'

export interface Trace {
  /** At least one, in order of time. */
  readonly entries: readonly TraceEntry[]
  /** 2: two hours in one. From 0.5 to 20. */
  readonly speed: number
}

/** Beyond these, a replayed day has little to do with the one that was recorded. */
const traceSpeeds: { readonly slowest: number; readonly fastest: number } = {
  slowest: 0.5,
  fastest: 20,
}

/**
 * Sends when requests were once sent: at the end of each utterance of a recorded day, at its own or another speed.
 * Rates, bursts and lulls are those of life, which no distribution has all of.
 *
 *   recorded     ├──┬────────────┬┬──────────────┬───►
 *   twice as fast├─┬─────┬┬──────┬──►
 *
 * The speed divides the intervals; the audio stays as long as it is.
 *
 * @throws RangeError for no entries, entries that are not in order, or a speed outside 0.5 to 20
 */
export function traceSchedule({ entries, speed }: Trace): Schedule {
  const { slowest, fastest } = traceSpeeds
  if (!(speed >= slowest && speed <= fastest)) {
    throw new RangeError(`a trace is replayed at ${slowest} to ${fastest} times its speed, not ${speed}`)
  }
  const [first] = entries
  if (first === undefined) throw new RangeError('a trace has at least one entry')
  const offsetsMs = entries.map((entry) => (1000 * (entry.endedAtSeconds - first.endedAtSeconds)) / speed)
  if (offsetsMs.some((offsetMs, position) => !(offsetMs >= (offsetsMs[position - 1] ?? 0)))) {
    throw new RangeError('the entries of a trace are in order of time')
  }
  const atSpeed = speed === 1 ? 'its own speed' : `${inWords(speed)} times its speed`
  return openSchedule({
    describe: (meanAudioSeconds) => {
      const spanSeconds = (offsetsMs.at(-1) ?? 0) / 1000
      const replay = `trace of ${entries.length} requests over ${inWords(spanSeconds)} s, at ${atSpeed}`
      if (meanAudioSeconds === undefined || spanSeconds === 0) return replay
      const speech = (meanAudioSeconds * (entries.length - 1)) / spanSeconds
      return `${replay}, ${speechInWords(speech)} on average`
    },
    phases: [{ description: 'the trace', seconds: null }],
    endsByItself: true,
    arrivals: (limit) => offsetsMs.slice(0, limit),
  })
}

const speed = z.number().describe('Speed of the replay: 2 puts two hours into one.')

export const traceLoad = defineLoad({
  kind: 'trace',
  words: 'recorded arrivals are repeated',
  needs: {
    trace: {
      parser: z.string().trim().min(1),
      description:
        'what to repeat: a CSV file with the columns ended_at and audio_seconds, or recordings, which asks the target ' +
        'for its own history',
      expects: 'the path of a CSV file, or "recordings"',
      flag: { syntax: '--trace <file>', reads: 'text', fileEnding: '.csv' },
    },
  },
  may: {
    speed: {
      parser: z.number().min(traceSpeeds.slowest).max(traceSpeeds.fastest),
      description:
        'how fast a trace is repeated: 2 puts two hours into one; the audio stays as long as it is',
      expects: `a number from ${traceSpeeds.slowest} to ${traceSpeeds.fastest}`,
      flag: { syntax: '--speed <times>', reads: 'number' },
      standard: 1,
    },
  },
  impliedBy: ['trace'],
  fields: { entries: z.array(traceEntry).describe('In order of time.'), speed },
  // What a trace is made from is read when a run is planned.
  configured: {
    trace: z.string().describe("Path of a CSV file; `recordings`: the target's own history."),
    speed,
  },
  complete: ({ trace, speed }) => ({ trace, speed }),
  endsByItself: () => true,
  isMadeOfSpeech: () => true,
  schedule: (load) => traceSchedule(load),
})
