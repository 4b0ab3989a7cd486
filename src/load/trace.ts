import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import type { DeepReadonly, Problem } from '#prelude'
import { loadErrors } from './errors.ts'

export const traceEntry = z
  .strictObject({
    endedAtSeconds: z.number().describe('End of the speech in seconds, from any start.'),
    audioSeconds: z.number().describe('Length of the speech in seconds.'),
  })
  .meta({ id: 'TraceEntry', description: 'One recorded dictation.' })
export type TraceEntry = DeepReadonly<z.infer<typeof traceEntry>>

/**
 * Reads a trace from CSV: `ended_at` (ISO 8601, or seconds) and `audio_seconds`.
 *
 *   ended_at,audio_seconds
 *   2026-11-21T08:00:04Z,4.2
 *   2026-11-21T08:00:09Z,2.8
 *
 * @param text the whole file
 * @param path what to call it in a message
 * @returns at least one entry, in order of time
 * @throws BenchError TRACE_UNUSABLE with every problem
 */
export function parseTrace(text: string, path: string): TraceEntry[] {
  const rows = readRows(text, path)
  const problems: Problem[] = []
  const entries: TraceEntry[] = []
  for (const { record, line } of rows) {
    const where = `${path}:${line}`
    const endedAtSeconds = secondsOf(record['ended_at'])
    const audioSeconds = numberOf(record['audio_seconds'])
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
  readonly line: number
}

function readRows(text: string, path: string): Row[] {
  try {
    const rows = parse(text, { columns: true, skip_empty_lines: true, trim: true, info: true })
    return (rows as unknown as { record: Row['record']; info: { lines: number } }[]).map(
      ({ record, info }) => ({ record, line: info.lines }),
    )
  } catch (cause) {
    throw unusable(
      path,
      [{ where: path, what: cause instanceof Error ? cause.message : String(cause) }],
      cause,
    )
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

/** Only the forms that mean one moment: a date alone, or a time without its zone, means another one elsewhere. */
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

function secondsOf(text: string | undefined): number | null {
  if (text === undefined || !isoTime.test(text)) return numberOf(text)
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? null : atMs / 1000
}

function numberOf(text: string | undefined): number | null {
  if (text === undefined || text === '') return null
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}

function shown(text: string | undefined): string {
  return text === undefined ? 'missing' : `"${text}"`
}
