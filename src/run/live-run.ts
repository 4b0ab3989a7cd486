import { performance } from 'node:perf_hooks'
import type { BenchConfig } from '#config/bench-config'
import { programVersion } from '#installation/installation'
import type { AttemptLine } from '#journal/attempt-line'
import type { RecordedRun } from '#journal/run-reader'
import {
  type HostSpeed,
  type Json,
  type RecordedHost,
  type RecordedTarget,
  type RunEnding,
  type RunRecord,
  runFormatVersion,
} from '#journal/run-record'
import type { RunWriter } from '#journal/run-writer'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { Clock } from '#load/clock'
import type { LoadShape } from '#load/loads/registry'
import { BenchError, faultOf, firstError } from '#prelude'
import { readPowerSource } from '#telemetry/energy'
import { describeHost, sysFolderIn } from '#telemetry/host'
import { measureHostSpeed } from '#telemetry/host-speed'
import { processStart } from '#telemetry/processes'
import { startSampling, type WatchedServer } from '#telemetry/sampling'
import { runErrors } from './execute/errors.ts'
import type { Execution } from './execute/execute.ts'
import { recordedContender } from './plan/contenders.ts'
import { recordedRules, scoringProfileId } from './plan/inputs.ts'
import type { MeasurePlan } from './plan/measure-plan.ts'
import { type AnyTarget, findBaseUrl } from './target/open-server.ts'
import type { RunTarget } from './target/run-targets.ts'

/** What is read of the machine and of this process before a run. */
export interface RunBeginning {
  /** See `processStart`. */
  readonly processStartedAt: string | null
  readonly hostSpeed: HostSpeed
  readonly power: RecordedHost['power']
}

/** Reads what a record says of the machine and of this process. The machine does nothing else meanwhile. */
export async function readBeginning(clock: Clock, env: LiveRun['env']): Promise<RunBeginning> {
  const hostSpeed = recentHostSpeed(clock)
  const [processStartedAt, power] = await Promise.all([
    processStart(process.pid),
    readPowerSource(sysFolderIn(env)),
  ])
  return { hostSpeed, processStartedAt, power }
}

/** Before a run: two runs of machines that differ in speed are not compared. */
const hostSpeedSeconds = 0.2

/** A throttled machine stays so for longer. */
const validForMs = 10_000

let latest: { readonly speed: HostSpeed; readonly measuredAtMs: number } | null = null

/** The speed of this machine, measured at most ten seconds ago: several short runs of one process measure it once. */
export function recentHostSpeed(clock: Pick<Clock, 'nowMs'>): HostSpeed {
  if (latest === null || performance.now() - latest.measuredAtMs > validForMs) {
    latest = { speed: measureHostSpeed(clock, hostSpeedSeconds), measuredAtMs: performance.now() }
  }
  return latest.speed
}

/** @throws BenchError STOPPED_EARLY: before the run folder exists there is nothing to keep */
export function throwIfStopped(stop: AbortSignal | undefined): void {
  if (stop?.aborted !== true) return
  throw runErrors.make('STOPPED_EARLY', {
    message: 'interrupted before anything was sent; nothing was written',
    hint: 'measure again with the same command',
  })
}

export interface RunEnd extends Execution {
  /** The load that was put on, where it was not known before. */
  readonly load?: LoadShape | undefined
}

export interface RecordInput extends RunBeginning {
  /** The run folder's name. */
  readonly id: string
  readonly config: BenchConfig
  readonly settingSources?: RunRecord['settingSources']
  readonly command: readonly string[]
  readonly plan: MeasurePlan
  /** At least one. */
  readonly targets: readonly [RunTarget, ...RunTarget[]]
  readonly clock: Clock
  /** See `resumeCommand`; left out where a run is not gone on with. */
  readonly resume?: string | undefined
}

/** The part of a record that does not depend on the host. */
export type RecordedPlan = Pick<
  RunRecord,
  | 'name'
  | 'command'
  | 'config'
  | 'settingSources'
  | 'workload'
  | 'seed'
  | 'rounds'
  | 'load'
  | 'scoringProfile'
  | 'scoringRules'
  | 'noSpeech'
  | 'corpus'
>

/** What a record says of the plan of a run, wherever it is measured. */
export function recordedPlan({
  config,
  settingSources,
  command,
  plan: { corpus, load, requests },
}: Pick<RecordInput, 'config' | 'settingSources' | 'command'> & {
  readonly plan: Pick<MeasurePlan, 'corpus' | 'load' | 'requests'>
}): RecordedPlan {
  return {
    name: config.name,
    command,
    config: JSON.parse(JSON.stringify(config)) as Json,
    settingSources,
    workload: config.workload,
    seed: config.seed,
    rounds: requests.reduce((most, { round }) => Math.max(most, round), 1),
    load,
    scoringProfile: scoringProfileId(config, corpus),
    scoringRules: recordedRules(config),
    noSpeech: config.scoring.noSpeech,
    corpus: {
      name: corpus.name,
      fingerprint: corpus.fingerprint,
      utteranceCount: corpus.utterances.length,
      sampledFrom: corpus.sampledFrom,
      audioSeconds: corpus.audioSeconds,
      ...(corpus.utterances.every(({ language }) => language !== null)
        ? {}
        : { writtenLanguage: corpus.writtenLanguage }),
      excluded: config.exclude,
    },
  }
}

/** The record of a run that begins: `started`, which it stays if the run dies. */
export function startRecord(input: RecordInput): RunRecord {
  const { id, plan, targets, clock, processStartedAt, hostSpeed, power, resume } = input
  return {
    formatVersion: runFormatVersion,
    id,
    ...recordedPlan(input),
    status: 'started',
    resume,
    startedAt: clock.today().toISOString(),
    endedAt: null,
    pid: process.pid,
    processStartedAt,
    contenders: plan.contenders.map(recordedContender),
    ...(plan.ownPrices === undefined ? {} : { ownPrices: plan.ownPrices }),
    skipped: plan.skipped,
    target: recordedTarget(targets[0].target),
    ...recordedTargets(targets),
    host: { ...describeHost(programVersion()), speed: hostSpeed, power },
    counts: null,
    ending: null,
  }
}

function recordedTarget(target: AnyTarget): RecordedTarget {
  const { kind, health, models } = target
  return { kind, baseUrl: findBaseUrl(target), health, models }
}

function recordedTargets(targets: readonly RunTarget[]): Pick<RunRecord, 'targets'> {
  if (targets.length === 1) return {}
  return {
    targets: targets.map(({ id, target, machine, roundTrip }) => ({
      ...recordedTarget(target),
      id: id ?? '',
      machine,
      roundTripMs: roundTrip?.medianMs ?? null,
    })),
  }
}

/** The record of a run that goes on: another process writes it, perhaps to another address, and the rest stays as it was. */
export function resumeRecord(
  record: RunRecord,
  input: Pick<RecordInput, 'clock' | 'config' | 'targets' | 'processStartedAt' | 'resume'>,
): RunRecord {
  const { clock, config, targets, processStartedAt, resume } = input
  const [{ target }] = targets
  return {
    ...record,
    config: { ...(record.config as Readonly<Record<string, Json>>), target: config.target },
    target: { ...record.target, kind: target.kind, baseUrl: findBaseUrl(target) },
    ...recordedTargets(targets),
    status: 'started',
    resume,
    endedAt: null,
    pid: process.pid,
    processStartedAt,
    resumedAt: [...(record.resumedAt ?? []), clock.today().toISOString()],
    counts: null,
    ending: null,
    givenUp: undefined,
  }
}

/** One stretch of a run, from a start of the program to its end, however it ended. */
export interface RunSegment {
  /** From 0. */
  readonly number: number
  /** The run's clock when the segment begins. */
  readonly beginsAtMs: number
  /** Attempts of the segments before. */
  readonly attempts: readonly AttemptLine[]
}

export const firstSegment: RunSegment = { number: 0, beginsAtMs: 0, attempts: [] }

export function nextSegment({ record, attempts, telemetry }: RecordedRun): RunSegment {
  const stamps = [...attempts.map(({ endedAtMs }) => endedAtMs), ...telemetry.map(({ atMs }) => atMs)]
  return {
    number: (record.resumedAt?.length ?? 0) + 1,
    beginsAtMs: stamps.reduce((most, stamp) => Math.max(most, stamp), 0),
    attempts,
  }
}

interface LiveRun {
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
    await writer.writeRecord({ ...failed, ending: describeEnding(error) }).catch(() => undefined)
    throw error
  }
}

/** The record of a run that has come to its end, through its plan or before. */
function endRecord(
  record: RunRecord,
  { counts, ending, givenUp, load = record.load }: RunEnd,
  clock: Clock,
): RunRecord {
  const isInterrupted = ending?.code === 'INTERRUPTED'
  const status = ending === null ? 'finished' : isInterrupted ? 'interrupted' : 'failed'
  return {
    ...record,
    load,
    status,
    endedAt: clock.today().toISOString(),
    counts,
    ending,
    ...(givenUp.length === 0 ? {} : { givenUp }),
  }
}

/** What a run that could not go on says of itself. */
export function describeEnding(error: unknown): RunEnding {
  if (error instanceof BenchError) return { code: error.code, message: error.message, hint: error.hint }
  return {
    code: 'BUG',
    message: (error as Error).message,
    hint: 'this is a bug in transcribench; please report it',
  }
}
