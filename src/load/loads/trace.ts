import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import type { DeepReadonly, Problem } from '#prelude'
import { part } from '#prelude/document-fields'
import { loadErrors } from '../errors.ts'
import { arrivalsSchedule } from '../open-schedule.ts'
import { formatNumber } from '../rate.ts'
import type { Schedule } from '../schedule.ts'
import { defineLoad } from './load-definition.ts'

const traceEntry = part('TraceEntry', 'One recorded dictation.', {
  endedAtSeconds: z.number().describe('End of the speech in seconds, from any start.'),
  audioSeconds: z.number().describe('Length of the speech in seconds.'),
})
export type TraceEntry = DeepReadonly<z.infer<typeof traceEntry>>

/** Range of replay speeds. Outside it, a replay has little in common with the recorded day. */
const traceSpeeds = { slowest: 0.5, fastest: 20 } as const

/**
 * Sends when requests were sent on a recorded day, at the end of each utterance, at the same or another speed.
 * Rates, bursts and lulls are real, which no distribution reproduces.
 *
 *   recorded     ├──┬────────────┬┬──────────────┬───►
 *   twice as fast├─┬─────┬┬──────┬──►
 *
 * The speed divides the intervals; the audio keeps its length.
 *
 * @throws RangeError for no entries, entries that are not in order, or a speed outside 0.5 to 20
 */
export function traceSchedule({
  entries,
  speed,
}: {
  readonly entries: readonly TraceEntry[]
  readonly speed: number
}): Schedule {
  const { slowest, fastest } = traceSpeeds
  if (!(speed >= slowest && speed <= fastest)) {
    throw new RangeError(`a trace is replayed at ${slowest} to ${fastest} times its speed, not ${speed}`)
  }
  const [first] = entries
  if (first === undefined) throw new RangeError('a trace has at least one entry')
  const offsetsMs = entries.map((entry) => (1000 * (entry.endedAtSeconds - first.endedAtSeconds)) / speed)
  const atSpeed = speed === 1 ? 'its own speed' : `${formatNumber(speed)} times its speed`
  return arrivalsSchedule(
    offsetsMs,
    (span) => `trace of ${entries.length} requests over ${span}, at ${atSpeed}`,
    'the trace',
  )
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
  // The file or the recordings are read when a run is planned.
  configured: {
    trace: z.string().describe("Path of a CSV file; `recordings`: the target's own history."),
    speed,
  },
  complete: ({ trace, speed }) => ({ trace, speed }),
  endsByItself: () => true,
  isMadeOfSpeech: () => true,
  schedule: (load) => traceSchedule(load),
})

/**
 * Reads a trace from CSV: `ended_at` (ISO 8601, or seconds) and `audio_seconds`.
 *
 *   ended_at,audio_seconds
 *   2026-11-21T08:00:04Z,4.2
 *   2026-11-21T08:00:09Z,2.8
 *
 * @param text the whole file
 * @param path shown in messages
 * @returns at least one entry, in order of time
 * @throws BenchError TRACE_UNUSABLE with every problem
 */
export function parseTrace(text: string, path: string): TraceEntry[] {
  const rows = readRows(text, path)
  const problems: Problem[] = []
  const entries: TraceEntry[] = []
  for (const { record, info } of rows) {
    const where = `${path}:${info.lines}`
    const endedAtSeconds = parseSeconds(record['ended_at'])
    const audioSeconds = parseNumber(record['audio_seconds'])
    if (endedAtSeconds === null) {
      const what = `ended_at is ${shown(record['ended_at'])}, not an ISO 8601 time or a number of seconds`
      problems.push({ where, what })
    }
    if (audioSeconds === null || audioSeconds <= 0) {
      const what = `audio_seconds is ${shown(record['audio_seconds'])}, not a number above 0`
      problems.push({ where, what })
    }
    if (endedAtSeconds !== null && audioSeconds !== null) entries.push({ endedAtSeconds, audioSeconds })
  }
  if (rows.length === 0) problems.push({ where: path, what: 'there are no entries' })
  if (problems.length > 0) throw unusable(path, problems)
  return entries.toSorted((left, right) => left.endedAtSeconds - right.endedAtSeconds)
}

interface Row {
  readonly record: Readonly<Record<string, string | undefined>>
  readonly info: { readonly lines: number }
}

function readRows(text: string, path: string): Row[] {
  try {
    const rows = parse(text, { columns: true, skip_empty_lines: true, trim: true, info: true })
    return rows as unknown as Row[]
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause)
    throw unusable(path, [{ where: path, what }], cause)
  }
}

function unusable(path: string, problems: readonly Problem[], cause?: unknown): Error {
  return loadErrors.make('TRACE_UNUSABLE', {
    message: `the trace ${path} cannot be replayed`,
    hint: 'a trace has a first line "ended_at,audio_seconds", and one such as "10.5,3.2" for each recording',
    problems,
    cause,
  })
}

/** Accepts only forms that mean one moment. A date alone, or a time without a zone, depends on the machine's zone. */
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

function parseSeconds(text: string | undefined): number | null {
  if (text === undefined || !isoTime.test(text)) return parseNumber(text)
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? null : atMs / 1000
}

function parseNumber(text: string | undefined): number | null {
  if (text === undefined || text === '') return null
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}

function shown(text: string | undefined): string {
  return text === undefined ? 'missing' : `"${text}"`
}
