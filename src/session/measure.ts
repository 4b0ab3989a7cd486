import { resolve } from 'node:path'
import type { Evaluation } from '#analysis'
import type { PriceList } from '#capacity'
import type { BenchConfig } from '#config'
import { createRun, type RunRecord, type RunWriter, reopenRun } from '#journal'
import { type Clock, closedSchedule, systemClock } from '#load'
import { executePlan, type RunEvent } from '#run'
import {
  linuxPowerSupplies,
  measureHostSpeed,
  processStart,
  readPowerSource,
  startSampling,
} from '#telemetry'
import type { ChosenContenders } from './contenders.ts'
import {
  type EarlierRun,
  furtherSitting,
  newSitting,
  refuseDifferences,
  refuseOtherPlan,
  type Sitting,
  tellOfMove,
} from './earlier-run.ts'
import { sessionErrors } from './errors.ts'
import { type MeasurePlan, makePlan } from './measure-plan.ts'
import { doctorCommand, resumeCommand } from './next-commands.ts'
import { openCorpusFor, plannedUtterances } from './open-corpus.ts'
import { askForLoad, readLoad } from './open-load.ts'
import { type OpenServer, openAnyTarget } from './open-server.ts'
import { foldersOf, type OpenTarget, type TargetRequest } from './open-target.ts'
import { pacedContenders } from './paced-contenders.ts'
import { readPriceList } from './prices.ts'
import { endingOf, endRecord, resumeRecord, runId, startRecord } from './run-record.ts'
import { scoreRun } from './score-run.ts'
import { removeForsakenCopies } from './staging.ts'
import { type TimeBefore, timeBefore } from './time-before.ts'
import { audioReach } from './transport-facts.ts'
import { withSender } from './with-sender.ts'

/** What happens while `measure` works, for whoever wants to show it. */
export type MeasureEvent =
  | { readonly kind: 'verified'; readonly checkedCount: number; readonly utteranceCount: number }
  | {
      readonly kind: 'planned'
      readonly plan: MeasurePlan
      readonly folder: string
      /** Null where no earlier run tells, and where a run is resumed. */
      readonly before: TimeBefore | null
    }
  | RunEvent

export interface MeasureOptions {
  /** Validated and complete: see `resolveConfig`. */
  readonly config: BenchConfig
  /** Recorded in the run: see `ResolvedConfig`. */
  readonly settingSources?: RunRecord['settingSources']
  readonly onEvent?: (event: MeasureEvent) => void
  /** Nothing more is sent; what is in flight is waited for, and the run ends as interrupted. */
  readonly stop?: AbortSignal
  /** What is in flight is dropped as well. */
  readonly drop?: AbortSignal
  /** Recorded in the run; nothing is read from it. */
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  /** What providers and machines cost; the list that comes with asrbench where left out. */
  readonly prices?: PriceList
}

export interface MeasuredRun {
  /** Absolute path of the run folder. */
  readonly folder: string
  readonly record: RunRecord
  /** With which it was measured. */
  readonly config: BenchConfig
  readonly evaluation: Evaluation
}

/**
 * Measures what a config describes: verifies the corpus, starts or finds the target, leases Modes, sends
 * the plan, gives the Modes back, scores the journal and writes the reports.
 *
 * @throws BenchError for everything a person can mend; attempts that were completed are then in the
 *   journal, and the Modes are given back
 */
export function measure(options: MeasureOptions): Promise<MeasuredRun> {
  return measureAfter(options, null)
}

/**
 * Measures a config, or goes on with what an earlier run has recorded of it.
 *
 * @throws BenchError as `measure`, and RUN_DIFFERS
 */
export async function measureAfter(
  options: MeasureOptions,
  earlier: EarlierRun | null,
): Promise<MeasuredRun> {
  const { config, onEvent = ignore, clock = systemClock, env = process.env } = options
  const reading = earlier === null ? readLoad(config.load) : Promise.resolve(earlier.run.record.load)
  const opening = openCorpusFor(reading, config, { env, onEvent, signal: options.stop })
  const [read, corpus] = await opening.catch((error: unknown) => {
    throwIfStopped(options)
    throw error
  })
  const hostSpeed = measureHostSpeed(systemClock, hostSpeedSeconds)
  await using target = await openAnyTarget({
    target: config.target,
    keyFrom: config.keyFrom,
    enginesFile: config.engines,
    env,
    clock,
    ...placesFor(config.load),
    readableFolders: foldersOf(corpus.utterances.map((utterance) => utterance.audioPath)),
  }).catch((error: unknown) => {
    throw earlier === null ? error : tellOfMove(error, earlier)
  })
  const load = read ?? (await askForLoad(config.load, target.kind === 'openai' ? null : target.connection))
  const reach =
    target.kind === 'openai' || corpus.texts !== null
      ? null
      : await audioReach(config, corpus.utterances, target)
  if (earlier !== null) refuseDifferences(earlier, { corpus, target })
  const prices = options.prices ?? (await readPriceList(null))
  const plan = makePlan(config, { corpus, load, target, reach, prices, chosen: chosenOf(options) })
  if (earlier !== null) refuseOtherPlan(earlier, plan)
  throwIfStopped(options)
  const isResumed = earlier?.purpose === 'resume'
  const before = isResumed ? null : await timeBefore(plan, resolve(config.results))
  await removeForsakenCopies(resolve(config.results))
  await using writer = isResumed
    ? await reopenRun(earlier.run.folder)
    : await createRun(resolve(config.results), runId(clock.today(), config.name))
  const [processStartedAt, power] = await Promise.all([
    processStart(process.pid),
    readPowerSource(linuxPowerSupplies),
  ])
  const begin = {
    id: writer.id,
    config,
    settingSources: options.settingSources,
    command: options.command ?? [],
    plan,
    target,
    clock,
    processStartedAt,
    hostSpeed,
    power,
    resume: resumeCommand(writer.folder),
  }
  const record = isResumed ? resumeRecord(earlier.run.record, begin) : startRecord(begin)
  // The record makes a folder a run: where there is one, the plan is whole, whenever the process dies.
  if (!isResumed) await writer.writePlan([...plannedUtterances(corpus), ...plan.requests])
  await writer.writeRecord(record)
  onEvent({ kind: 'planned', plan, folder: writer.folder, before })
  const sitting = isResumed ? furtherSitting(earlier.run) : newSitting
  const finished = await carryOut(
    { ...options, onEvent, clock, env },
    { plan, target, record, writer, sitting },
  )
  return {
    folder: writer.folder,
    record: finished,
    config,
    evaluation: await scoreRun(writer.folder, { env }),
  }
}

/** Before each run: two runs of machines that differ in speed are not compared. */
const hostSpeedSeconds = 0.2

/** Fine enough for blocks of a second: the server's processor time is read at both ends of each. */
const samplingMs = 250

/**
 * A closed load needs as many sockets as it keeps in flight. Any other sends when it is time: with fewer sockets than
 * requests in flight, the rest would wait in the client, and the instrument would measure itself.
 */
function placesFor(load: BenchConfig['load']): Pick<TargetRequest, 'connections' | 'embeddedConcurrency'> {
  if (load.kind !== 'closed') return { connections: mostSockets }
  return { connections: load.concurrency, embeddedConcurrency: load.concurrency }
}

/** Below the 1,024 open files that a process may usually have. */
const mostSockets = 1000

/** Where nobody says where settings are from, a program has chosen them. */
function chosenOf({ settingSources, command = [] }: MeasureOptions): ChosenContenders {
  return { isChosen: settingSources?.['contenders'] !== 'default', command }
}

const ignore = (): void => undefined

/** Before the run folder exists there is nothing to keep. */
function throwIfStopped({ stop }: MeasureOptions): void {
  if (stop?.aborted !== true) return
  throw sessionErrors.make('STOPPED_EARLY', {
    message: 'interrupted before anything was sent; nothing was written',
    hint: 'measure again with the same command',
  })
}

interface PreparedRun {
  readonly plan: MeasurePlan
  readonly target: OpenTarget | OpenServer
  readonly record: RunRecord
  readonly writer: RunWriter
  readonly sitting: Sitting
}

/** Leases, sends and gives back, and writes down how it ended, whichever way that was. */
async function carryOut(
  options: MeasureOptions & Required<Pick<MeasureOptions, 'onEvent' | 'clock' | 'env'>>,
  { plan, target, record, writer, sitting }: PreparedRun,
): Promise<RunRecord> {
  const { config, clock, env, onEvent } = options
  try {
    // The clock of a run stands still while it lies dead.
    const startedAtMs = clock.nowMs() - sitting.beginsAtMs
    const mark = sitting.number === 0 ? {} : { sitting: sitting.number }
    await using _sampling = startSampling({
      pid: target.serverPid,
      clock,
      everyMs: samplingMs,
      onSample: (line) => writer.appendTelemetry({ ...line, ...mark, atMs: line.atMs - startedAtMs }),
    })
    const execution = await withSender(
      { config, plan, target, writer, sitting, clock, env, onEvent },
      (sender) =>
        executePlan({
          requests: plan.requests,
          sender,
          writer,
          scheduleOf: ([first]) => (first?.phase === 'warmup' ? closedSchedule(1) : plan.schedule),
          clock,
          startedAtMs,
          earlier: sitting.attempts,
          sitting: sitting.number,
          retries: config.retries,
          pacedIds: pacedContenders(config, plan, target),
          seed: config.seed,
          resume: resumeCommand(writer.folder),
          doctor: doctorCommand(config),
          requestTimeoutSeconds: config.requestTimeoutSeconds,
          stop: options.stop ?? new AbortController().signal,
          drop: options.drop ?? new AbortController().signal,
          onEvent,
        }),
    )
    const finished = endRecord(record, execution, clock)
    await writer.writeRecord(finished)
    return finished
  } catch (error) {
    const failed = { ...record, status: 'failed' as const, endedAt: clock.today().toISOString() }
    // On a full disk the record cannot be written either; the reason that counts is the first one.
    await writer.writeRecord({ ...failed, ending: endingOf(error) }).catch(() => undefined)
    throw error
  }
}
