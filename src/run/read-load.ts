import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Connection } from '#client/connection'
import { limits } from '#contract/enums'
import { describeFailure } from '#contract/failures'
import type { Recording } from '#contract/resources'
import type { LoadConfig, LoadShape } from '#load/loads/registry'
import { parseTrace, type TraceEntry } from '#load/loads/trace'
import { runErrors } from './execute/errors.ts'

/** Value in a config that stands for the target's own history. */
const fromTarget = 'recordings'

/**
 * Reads the input of a load if it is a file.
 *
 * @returns null if only the target has the input: see `askForLoad`
 * @throws BenchError TRACE_UNREADABLE, TRACE_UNUSABLE
 */
export async function readLoad(load: LoadConfig): Promise<LoadShape | null> {
  if (load.kind !== 'trace') return load
  const { trace, speed } = load
  if (trace === fromTarget) return null
  const text = await readFile(resolve(trace), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw runErrors.make('TRACE_UNREADABLE', {
      message: `the trace ${trace} cannot be read (${cause.code})`,
      hint: 'name a CSV file, or "recordings" for the target\'s own history: transcribench explain TRACE_UNUSABLE',
      cause,
    })
  })
  return { kind: 'trace', entries: parseTrace(text, trace), speed }
}

/**
 * Reads the history of the target and makes a load of it. It uses the newest recordings, as many as one answer
 * contains, and does not keep their texts.
 *
 * @param connection null for a target without a history
 * @throws BenchError TRACE_UNREADABLE if there are none, or the target does not report them
 */
export async function askForLoad(load: LoadConfig, connection: Connection | null): Promise<LoadShape> {
  if (load.kind !== 'trace') return load
  if (connection === null) {
    throw runErrors.make('TRACE_UNREADABLE', {
      message: 'a transcription server has no recordings to replay',
      hint: 'replay a file instead: --trace <file>',
    })
  }
  const found = await connection.searchRecordings({ limit: limits.searchResults.maximum })
  if (!found.ok) {
    throw runErrors.make('TRACE_UNREADABLE', {
      message: `the target does not give its recordings: ${describeFailure(found.failure)}`,
      hint: 'replay a file instead: --trace <file>',
    })
  }
  const entries = found.value.recordings
    .flatMap(makeEntries)
    .toSorted((left, right) => left.endedAtSeconds - right.endedAtSeconds)
  if (entries.length === 0) {
    throw runErrors.make('TRACE_UNREADABLE', {
      message: 'the target has no recordings with a time and a length to replay',
      hint: 'replay a file instead: --trace <file>',
    })
  }
  return { kind: 'trace', entries, speed: load.speed }
}

/** Trace entries of recordings. A recording's date is the time at which it was stored, the end of the speech. */
function makeEntries({ date, duration }: Recording): TraceEntry[] {
  const endedAtMs = Date.parse(date)
  if (Number.isNaN(endedAtMs) || !(duration > 0)) return []
  return [{ endedAtSeconds: endedAtMs / 1000, audioSeconds: duration }]
}
