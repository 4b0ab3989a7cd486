import type { RunRecord, RunWriter, TelemetryLine } from '#journal'
import type { Clock } from '#load'
import { firstError } from '#prelude'
import { processStart, readPowerSource, startSampling, sysFolderOf, type WatchedServer } from '#telemetry'
import { sessionErrors } from '../errors.ts'
import { faultOf } from '../fault-of.ts'
import type { RunSegment } from './earlier-run.ts'
import { recentHostSpeed } from './recent-host-speed.ts'
import { endingOf, endRecord, type RunBeginning, type RunEnd } from './run-record.ts'

/** Reads what a record says of the machine and of this process. The machine does nothing else meanwhile. */
export async function readBeginning(clock: Clock, env: LiveRun['env']): Promise<RunBeginning> {
  const hostSpeed = recentHostSpeed(clock)
  const [processStartedAt, power] = await Promise.all([
    processStart(process.pid),
    readPowerSource(sysFolderOf(env)),
  ])
  return { hostSpeed, processStartedAt, power }
}

/** @throws BenchError STOPPED_EARLY: before the run folder exists there is nothing to keep */
export function throwIfStopped(stop: AbortSignal | undefined): void {
  if (stop?.aborted !== true) return
  throw sessionErrors.make('STOPPED_EARLY', {
    message: 'interrupted before anything was sent; nothing was written',
    hint: 'measure again with the same command',
  })
}

export interface LiveRun {
  readonly record: RunRecord
  readonly writer: Pick<RunWriter, 'appendTelemetry' | 'writeRecord'>
  readonly segment: RunSegment
  /** With the names of their targets where there are several. */
  readonly servers: readonly WatchedServer[]
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  /** Receives every sample, `atMs` by the clock. */
  readonly onSample?: (line: TelemetryLine) => void
}

export interface EndedRun<End> {
  readonly record: RunRecord
  readonly end: End
  /** Why the record of the end could not be written; null where it was. */
  readonly unwritten: unknown
}

/** Fine enough for blocks of a second: the server's processor time is read at both ends of each. */
const samplingMs = 250

/**
 * Does the work of a run whose record is written: samples the machine while the work goes on, and writes down how it ended,
 * whichever way that was.
 *
 * @param work is given zero of every time stamp in the journal, in the clock's milliseconds
 * @throws what the work throws, with the record saying so
 */
export async function withLiveRun<End extends RunEnd>(
  { record, writer, segment, servers, clock, env, onSample }: LiveRun,
  work: (startedAtMs: number) => Promise<End>,
): Promise<EndedRun<End>> {
  try {
    // The clock of a run pauses between its segments.
    const startedAtMs = clock.nowMs() - segment.beginsAtMs
    const mark = segment.number === 0 ? {} : { segment: segment.number }
    await using _sampling = startSampling({
      servers,
      clock,
      env,
      everyMs: samplingMs,
      onSample: async (line) => {
        onSample?.(line)
        await writer.appendTelemetry({ ...line, ...mark, atMs: line.atMs - startedAtMs })
      },
    })
    const end = await work(startedAtMs)
    const finished = endRecord(record, end, clock)
    return { record: finished, end, unwritten: await faultOf(writer.writeRecord(finished)) }
  } catch (thrown) {
    // A full disk refuses the answers of the work first, and the last sample when sampling ends.
    const error = firstError(thrown)
    const failed = { ...record, status: 'failed' as const, endedAt: clock.today().toISOString() }
    // On a full disk the record cannot be written either; the reason that counts is the first one.
    await writer.writeRecord({ ...failed, ending: endingOf(error) }).catch(() => undefined)
    throw error
  }
}
