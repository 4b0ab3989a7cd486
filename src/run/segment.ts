import { basename, join } from 'node:path'
import { isLocked } from '#installation/files'
import type { AttemptLine } from '#journal/attempt-line'
import { type RecordedRun, readRecord, segmentBeginMs } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import { lockRun, type RunWriter, runFiles } from '#journal/run-writer'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { Clock } from '#load/clock'
import { faultOf, firstError } from '#prelude'
import { startSampling, type WatchedServer } from '#telemetry/sampling'
import { runErrors } from './execute/errors.ts'
import { describeEnding, endRecord, type RunEnd } from './record.ts'

/** @throws BenchError STOPPED_EARLY, because before the run folder exists nothing can be kept */
export function throwIfStopped(stop: AbortSignal | undefined): void {
  if (stop?.aborted !== true) return
  throw runErrors.make('STOPPED_EARLY', {
    message: 'interrupted before anything was sent; nothing was written',
    hint: 'measure again with the same command',
  })
}

/**
 * Locks the folder of an earlier run, so that no other process goes on with it at the same time. The record must be read
 * afterwards: another process may have ended the run before.
 *
 * @throws BenchError RUN_ALIVE
 */
export async function claimRun(folder: string): Promise<Disposable> {
  const lock = await lockRun(folder)
  if (lock !== null) return lock
  const pid = await readRecord(folder).then(
    (record) => `, as process ${record.pid}`,
    () => '',
  )
  throw runErrors.make('RUN_ALIVE', {
    message: `${basename(folder)} is still going on${pid}`,
    hint: 'wait for its end, or stop it with Ctrl-C where it runs',
  })
}

/**
 * Whether a process is writing a run.
 *
 * @throws BenchError RUN_NOT_FOUND, RUN_UNREADABLE
 */
export async function isRunAlive(folder: string): Promise<boolean> {
  const { status } = await readRecord(folder)
  return status === 'started' && (await isLocked(join(folder, runFiles.lock)))
}

/** One segment of a run, from a start of the program to its end, for whatever reason it ended. */
export interface RunSegment {
  /** Counted from 0. */
  readonly number: number
  /** Time of the run's clock at which the segment begins, in milliseconds. */
  readonly beginsAtMs: number
  /** Attempts of the earlier segments. */
  readonly attempts: readonly AttemptLine[]
}

export const firstSegment: RunSegment = { number: 0, beginsAtMs: 0, attempts: [] }

export function nextSegment({ record, attempts, telemetry }: RecordedRun): RunSegment {
  const number = (record.resumedAt?.length ?? 0) + 1
  return { number, beginsAtMs: segmentBeginMs({ attempts, telemetry }, number), attempts }
}

interface SegmentInput {
  readonly record: RunRecord
  readonly writer: Pick<RunWriter, 'appendTelemetry' | 'writeRecord'>
  readonly segment: RunSegment
  /** Watched servers, named by target if there are several. */
  readonly servers: readonly WatchedServer[]
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  /** Receives every sample, `atMs` by the clock. */
  readonly onSample: (line: TelemetryLine) => void
}

/** Sampling interval. Blocks may last one second, and the server's processor time is read at both ends of each. */
const samplingMs = 250

/**
 * Does the work of a run whose record is written: samples the machine during the work, and always records how the run
 * ended.
 *
 * @param work gets the zero of all time stamps in the journal, in the clock's milliseconds
 * @returns also why the final record could not be written; null if it was
 * @throws the error of the work, after recording it
 */
export async function withSegment<End extends RunEnd>(
  { record, writer, segment, servers, clock, env, onSample }: SegmentInput,
  work: (startedAtMs: number) => Promise<End>,
) {
  try {
    // The clock of a run stops between its segments.
    const startedAtMs = clock.nowMs() - segment.beginsAtMs
    const mark = segment.number === 0 ? {} : { segment: segment.number }
    await using _sampling = startSampling({
      servers,
      clock,
      env,
      everyMs: samplingMs,
      onSample: async (line) => {
        onSample(line)
        await writer.appendTelemetry({ ...line, ...mark, atMs: line.atMs - startedAtMs })
      },
    })
    const end = await work(startedAtMs)
    const finished = endRecord(record, end, clock)
    return { record: finished, end, unwritten: await faultOf(writer.writeRecord(finished)) }
  } catch (thrown) {
    // On a full disk, writing the answers fails first, and writing the last sample fails afterwards.
    const error = firstError(thrown)
    const failed = { ...record, status: 'failed' as const, endedAt: clock.today().toISOString() }
    // On a full disk the record cannot be written either, so the first error is the one to report.
    await writer.writeRecord({ ...failed, ending: describeEnding(error) }).catch(() => undefined)
    throw error
  }
}
