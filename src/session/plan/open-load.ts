import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Connection } from '#client'
import { describeFailure, limits, type Recording } from '#contract'
import { type LoadConfig, type LoadShape, parseTrace, type TraceEntry } from '#load'
import { sessionErrors } from '../errors.ts'

/** The word in a config for the target's own history. */
const fromTarget = 'recordings'

/**
 * Reads the input of a load, where that is a file.
 *
 * @returns null where only the target has the input: see `askForLoad`
 * @throws BenchError TRACE_UNREADABLE, TRACE_UNUSABLE
 */
export async function readLoad(load: LoadConfig): Promise<LoadShape | null> {
  if (load.kind !== 'trace') return load
  const { trace, speed } = load
  if (trace === fromTarget) return null
  const text = await readFile(resolve(trace), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw sessionErrors.make('TRACE_UNREADABLE', {
      message: `the trace ${trace} cannot be read (${cause.code})`,
      hint: 'name a CSV file, or "recordings" for the target\'s own history: transcribench explain TRACE_UNUSABLE',
      cause,
    })
  })
  return { kind: 'trace', entries: parseTrace(text, trace), speed }
}

/**
 * Asks the target for its history and makes a load of it. The newest recordings count, as many as one answer holds;
 * their texts are not kept.
 *
 * @param connection null for a target that keeps no history
 * @throws BenchError TRACE_UNREADABLE where there are none, or the target does not report them
 */
export async function askForLoad(load: LoadConfig, connection: Connection | null): Promise<LoadShape> {
  if (load.kind !== 'trace') return load
  if (connection === null) {
    throw sessionErrors.make('TRACE_UNREADABLE', {
      message: 'a server of /v1/audio/transcriptions has no recordings to replay',
      hint: 'replay a file instead: --trace <file>',
    })
  }
  const found = await connection.searchRecordings({ limit: limits.searchResults.maximum })
  if (!found.ok) {
    throw sessionErrors.make('TRACE_UNREADABLE', {
      message: `the target does not give its recordings: ${describeFailure(found.failure)}`,
      hint: 'replay a file instead: --trace <file>',
    })
  }
  const entries = found.value.recordings
    .flatMap(entryOf)
    .toSorted((left, right) => left.endedAtSeconds - right.endedAtSeconds)
  if (entries.length === 0) {
    throw sessionErrors.make('TRACE_UNREADABLE', {
      message: 'the target has no recordings with a time and a length to replay',
      hint: 'replay a file instead: --trace <file>',
    })
  }
  return { kind: 'trace', entries, speed: load.speed }
}

/** A recording's date is the moment it was stored, which is the end of the speech. */
function entryOf({ date, duration }: Recording): TraceEntry[] {
  const endedAtMs = Date.parse(date)
  if (Number.isNaN(endedAtMs) || !(duration > 0)) return []
  return [{ endedAtSeconds: endedAtMs / 1000, audioSeconds: duration }]
}
