import { basename } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { BenchConfig } from '#config/bench-config'
import { manifestFrom } from '#corpus/locate'
import { programVersion } from '#installation/installation'
import {
  type HostSpeed,
  type Json,
  type RecordedTarget,
  type RunEnding,
  type RunRecord,
  runFormatVersion,
} from '#journal/run-record'
import type { Clock } from '#load/clock'
import type { LoadShape } from '#load/loads/registry'
import { BenchError } from '#prelude'
import { readPowerSource } from '#telemetry/energy'
import { describeHost, sysFolderIn } from '#telemetry/host'
import { measureHostSpeed } from '#telemetry/host-speed'
import { endingFor } from './execute/circuit.ts'
import type { Execution } from './execute/execute.ts'
import { recordedRules, scoringProfileId } from './inputs.ts'
import { recordedContender } from './plan/contenders.ts'
import type { MeasurePlan } from './plan/measure-plan.ts'
import { type AnyTarget, findBaseUrl } from './target/open-server.ts'
import type { RunTarget } from './target/run-targets.ts'

/** Duration in seconds of the speed measurement before a run, which prevents comparing runs of unequal machines. */
const hostSpeedSeconds = 0.2

/** Time in milliseconds that a measured host speed stays valid; throttling lasts longer. */
const validForMs = 10_000

let latest: { readonly speed: HostSpeed; readonly measuredAtMs: number } | null = null

/** The speed of this machine, at most 10 s old, so that several short runs of one process measure it once. */
export function recentHostSpeed(clock: Pick<Clock, 'nowMs'>): HostSpeed {
  if (latest === null || performance.now() - latest.measuredAtMs > validForMs) {
    latest = { speed: measureHostSpeed(clock, hostSpeedSeconds), measuredAtMs: performance.now() }
  }
  return latest.speed
}

/** Reads the facts of the machine and this process for a record. Nothing else may run meanwhile. */
export async function readBeginning(clock: Clock, env: Readonly<Record<string, string | undefined>>) {
  return { hostSpeed: recentHostSpeed(clock), power: await readPowerSource(sysFolderIn(env)) }
}

export interface RunEnd extends Execution {
  /** The load, if it was not known before the run. */
  readonly load?: LoadShape | undefined
}

type RunBeginning = Awaited<ReturnType<typeof readBeginning>>

export interface RecordInput extends RunBeginning {
  /** Absolute path of the run folder. */
  readonly folder: string
  /** Names the data directory, whose corpora are found by name. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: BenchConfig
  readonly settingSources?: RunRecord['settingSources']
  readonly command: readonly string[]
  readonly plan: MeasurePlan
  /** At least one target. */
  readonly targets: readonly [RunTarget, ...RunTarget[]]
  readonly clock: Clock
  /** Command of `resumeCommand`; absent if the run cannot be resumed. */
  readonly resume?: string | undefined
}

export type RecordedPlan = ReturnType<typeof recordedPlan>

/** The part of a record that depends on the plan and not on the host. */
export function recordedPlan(
  { config, settingSources, command }: Pick<RecordInput, 'config' | 'settingSources' | 'command'>,
  { corpus, load, requests }: Pick<MeasurePlan, 'corpus' | 'load' | 'requests'>,
) {
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

/** The record of a run that begins. Its state is `started`, and stays so if the run dies. */
export function startRecord(input: RecordInput): RunRecord {
  const { folder, plan, targets, clock, env, hostSpeed, power, resume } = input
  return {
    formatVersion: runFormatVersion,
    id: basename(folder),
    ...recordedPlan(input, plan),
    manifest: manifestFrom(folder, plan.corpus.manifestPath, env),
    status: 'started',
    resume,
    startedAt: clock.today().toISOString(),
    endedAt: null,
    pid: process.pid,
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

/** The record of a resumed run: process and address may be new, the rest is unchanged. */
export function resumeRecord(
  record: RunRecord,
  input: Pick<RecordInput, 'clock' | 'config' | 'targets' | 'resume'>,
): RunRecord {
  const { clock, config, targets, resume } = input
  const [{ target }] = targets
  return {
    ...record,
    config: {
      ...(record.config as Readonly<Record<string, Json>>),
      target: config.target,
      maxBilledMinutes: config.maxBilledMinutes,
    },
    target: { ...record.target, kind: target.kind, baseUrl: findBaseUrl(target) },
    ...recordedTargets(targets),
    status: 'started',
    resume,
    endedAt: null,
    pid: process.pid,
    resumedAt: [...(record.resumedAt ?? []), clock.today().toISOString()],
    counts: null,
    ending: null,
    givenUp: undefined,
  }
}

/** The record of a run that has ended, with a complete plan or not. */
export function endRecord(
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

export function describeEnding(error: unknown): RunEnding {
  if (error instanceof BenchError) return endingFor(error)
  return {
    code: 'BUG',
    message: (error as Error).message,
    hint: 'this is a bug in transcribench; please report it',
  }
}
