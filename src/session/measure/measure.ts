import { dirname, resolve } from 'node:path'
import type { Evaluation } from '#analysis'
import type { PriceList } from '#capacity'
import type { Connection } from '#client'
import { type BenchConfig, recordedConfig } from '#config'
import {
  createRun,
  journalErrors,
  type PlanLine,
  type RecordedRun,
  type RunRecord,
  readRun,
  reopenRun,
  type TelemetryLine,
} from '#journal'
import { type Clock, closedSchedule, type Schedule, systemClock } from '#load'
import { BenchError } from '#prelude'
import { executePlan, type RunEvent } from '#run'
import { sessionErrors } from '../errors.ts'
import { anewCommand, doctorCommand, replayCommand, resumeCommand, scoreCommand } from '../next-commands.ts'
import { readEarlierAnswers } from '../plan/earlier-answers.ts'
import { askForLoad, type OpenedCorpus, openCorpusFor, plannedUtterances, readLoad } from '../plan/inputs.ts'
import { type MeasurePlan, makePlan, type PlanPart, unansweredRequests } from '../plan/measure-plan.ts'
import { type TimeBefore, timeBefore } from '../plan/preview-run.ts'
import { pacedContenders, readPriceList } from '../plan/provider-terms.ts'
import { scoreRun } from '../stored/scores.ts'
import { type AnyTarget, isServer, watchedServer } from '../target/open-server.ts'
import { maxSockets, type TargetRequest } from '../target/open-target.ts'
import { openRunTargets, withAliases } from '../target/run-targets.ts'
import {
  type EarlierRun,
  explainMovedTarget,
  firstSegment,
  nextSegment,
  refuseDifferences,
  refuseOtherPlan,
} from './earlier-run.ts'
import { isRunAlive, removeStaleCopies } from './leftovers.ts'
import { readBeginning, resumeRecord, runId, startRecord, throwIfStopped, withLiveRun } from './run-record.ts'
import { withSender } from './with-sender.ts'

export interface MeasuredRun extends ExecutedRun {
  readonly evaluation: Evaluation
  /** Why the record of the end or the score could not be written, as on a full disk; null where both were. */
  readonly unwritten: unknown
}

/**
 * Measures what a config describes, scores the journal and writes the reports.
 *
 * @throws BenchError for every problem that the user can solve; completed attempts are then in the
 *   journal, and the Modes are restored
 */
export async function measure(
  options: MeasureOptions,
  execute: Executor = executeHere,
): Promise<MeasuredRun> {
  return scored(await execute(options), options)
}

/**
 * Measures a config, or goes on with what an earlier run has recorded of it.
 *
 * @throws BenchError as `measure`, and RUN_DIFFERS
 */
export async function measureAfter(options: MeasureOptions, earlier: EarlierRun): Promise<MeasuredRun> {
  return scored(await executeAfter(options, earlier), options)
}

async function scored(
  executed: ExecutedRun,
  { env = process.env }: Pick<MeasureOptions, 'env'>,
): Promise<MeasuredRun> {
  const { folder, record } = executed
  const { evaluation, unwritten } = await scoreRun(folder, { env, record })
  return { ...executed, evaluation, unwritten: executed.unwritten ?? scoreUnsaved(unwritten, folder) }
}

/** Every answer is in the journal: once there is disk space again, nothing has to be sent. */
function scoreUnsaved(fault: unknown, folder: string): unknown {
  if (!(fault instanceof BenchError)) return fault
  const { code, exit, message } = fault
  return new BenchError(code, exit, {
    message: `${message}; every answer is in its journal, its score is not saved`,
    hint: `free some disk space, then: ${scoreCommand(folder)}`,
    cause: fault,
  })
}

/**
 * Plan in, attempts out: sends what a config describes and writes every attempt to the journal of a run folder. `executeHere` does so
 * from this machine.
 *
 * @throws BenchError for every problem that the user can solve; completed attempts are kept
 */
export type Executor = (options: MeasureOptions) => Promise<ExecutedRun>

/** Progress of `measure`, for display. */
export type MeasureEvent =
  | { readonly kind: 'verified'; readonly checkedCount: number; readonly utteranceCount: number }
  | {
      readonly kind: 'planned'
      readonly plan: MeasurePlan
      readonly folder: string
      /** Null without a comparable earlier run, and for a resumed run. */
      readonly before: TimeBefore | null
    }
  /** What the server and the host use: four times a second while requests are sent. */
  | { readonly kind: 'sampled'; readonly line: TelemetryLine }
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
  /** What providers and machines cost; the list that comes with transcribench where left out. */
  readonly prices?: PriceList
  /** Sent instead of the whole plan. */
  readonly part?: PlanPart
  /** Waited for after the warm-up, before the first measured block. */
  readonly beforeMeasuring?: () => Promise<void>
}

/** A run whose attempts are in its folder, and that is not scored yet. */
export interface ExecutedRun {
  /** Absolute path of the run folder. */
  readonly folder: string
  readonly record: RunRecord
  /** With which it was measured. */
  readonly config: BenchConfig
  /** Why the record of the end could not be written, as on a full disk; null where it was. */
  readonly unwritten: unknown
}

/**
 * The executor of this machine: verifies the corpus, starts or finds the target, leases Modes, sends the plan, and gives the Modes
 * back.
 *
 * @throws BenchError as `measure`
 */
export function executeHere(options: MeasureOptions): Promise<ExecutedRun> {
  return executeAfter(options, null)
}

/**
 * Executes a config, or goes on with what an earlier run has recorded of it.
 *
 * @throws BenchError as `measure`, and RUN_DIFFERS
 */
async function executeAfter(options: MeasureOptions, earlier: EarlierRun | null): Promise<ExecutedRun> {
  const { config, onEvent = ignore, clock = systemClock, env = process.env } = options
  // Before the corpus: its buffers and a large corpus are not in memory at the same time.
  const beginning = await readBeginning(systemClock, env)
  const reading = earlier === null ? readLoad(config.load) : Promise.resolve(earlier.run.record.load)
  const opening = openCorpusFor(reading, config, { env, onEvent, signal: options.stop })
  const [read, corpus] = await opening.catch((error: unknown) => {
    throwIfStopped(options.stop)
    throw error
  })
  const request = { corpus, env, clock, ...placesFor(config.load) }
  await using targets = await openRunTargets(config, request).catch((error: unknown) => {
    throw earlier === null ? error : explainMovedTarget(error, earlier)
  })
  // Before anything is sent: the address may be that of something else now.
  if (earlier !== null) refuseDifferences(earlier, { corpus, targets: targets.opened })
  const opened = await withAliases(targets.opened, corpus)
  const unopened = targets.skipped
  const load = read ?? (await askForLoad(config.load, connectionOf(opened[0].target)))
  const prices = options.prices ?? (await readPriceList(null))
  const earlierAnswers =
    earlier?.purpose === 'resume'
      ? earlier.run.reused
      : await readEarlierAnswers(config, { resultsFolder: resolve(config.results), today: clock.today() })
  const plan = makePlan(config, {
    corpus,
    load,
    targets: opened,
    unopened,
    prices,
    earlierAnswers,
    part: options.part,
  })
  if (earlier !== null) refuseOtherPlan(earlier, plan)
  throwIfStopped(options.stop)
  const isResumed = earlier?.purpose === 'resume'
  const before = isResumed
    ? null
    : await timeBefore({ ...plan, requests: unansweredRequests(plan) }, resolve(config.results))
  await removeStaleCopies(resolve(config.results))
  await using writer = isResumed
    ? await reopenRun(earlier.run.folder)
    : await createRun(resolve(config.results), runId(clock.today(), config.name))
  const begin = {
    ...beginning,
    id: writer.id,
    config,
    settingSources: options.settingSources,
    command: options.command ?? [],
    plan,
    targets: opened,
    clock,
    resume: resumeCommand(writer.folder),
  }
  const record = isResumed ? resumeRecord(earlier.run.record, begin) : startRecord(begin)
  // The record makes a folder a run: where there is one, the plan is whole, whenever the process dies.
  if (!isResumed) {
    await writer.writePlan(planLines(corpus, plan))
    if (plan.reused.length > 0) await writer.writeReused(plan.reused)
  }
  await writer.writeRecord(record)
  onEvent({ kind: 'planned', plan, folder: writer.folder, before })
  const segment = isResumed ? nextSegment(earlier.run) : firstSegment
  const servers = await Promise.all(opened.map(({ id, target }) => watchedServer(id, target, env)))
  const anyTargets = opened.map(({ target }) => target)
  const onSample = (line: TelemetryLine): void => onEvent({ kind: 'sampled', line })
  const live = await withLiveRun({ record, writer, segment, servers, clock, env, onSample }, (startedAtMs) =>
    withSender({ config, plan, targets: anyTargets, writer, segment, clock, env, onEvent }, (sender) =>
      executePlan({
        requests: plan.requests,
        sender,
        writer,
        scheduleOf: ([first]) =>
          first?.phase === 'warmup' ? closedSchedule(1) : scheduleOf(plan, first?.contenderId),
        clock,
        startedAtMs,
        firstTurn: options.part?.firstTurn,
        beforeMeasuring: options.beforeMeasuring,
        earlier: segment.attempts,
        answered: new Set(plan.reused.map(({ index }) => index)),
        segment: segment.number,
        retries: config.retries,
        pacedIds: pacedContenders(config, plan, opened),
        requestsPerMinute: new Map(
          plan.paces.map(({ contenderId, requestsPerMinute }) => [contenderId, requestsPerMinute]),
        ),
        laneOf: config.parallel === true ? machineOfContender(plan) : undefined,
        seed: config.seed,
        resume: resumeCommand(writer.folder),
        doctor: opened.map((target) => doctorCommand(target.config)).join('; '),
        requestTimeoutSeconds: config.requestTimeoutSeconds,
        stop: options.stop ?? new AbortController().signal,
        drop: options.drop ?? new AbortController().signal,
        onEvent,
      }),
    ),
  )
  return { folder: writer.folder, record: live.record, config, unwritten: live.unwritten }
}

/** A closed load needs as many sockets as it keeps in flight; any other sends when it is time. */
function placesFor(load: BenchConfig['load']): Pick<TargetRequest, 'connections' | 'embeddedConcurrency'> {
  if (load.kind !== 'closed') return { connections: maxSockets }
  return { connections: load.concurrency, embeddedConcurrency: load.concurrency }
}

function connectionOf(target: AnyTarget): Connection | null {
  return isServer(target) ? null : target.connection
}

function* planLines(corpus: OpenedCorpus, { requests }: MeasurePlan): Iterable<PlanLine> {
  yield* plannedUtterances(corpus)
  yield* requests
}

/** That of the run, or of the contender where it has a separate number of requests in flight. */
function scheduleOf(plan: MeasurePlan, contenderId: string | undefined): Schedule {
  const own = plan.contenders.find(({ id }) => id === contenderId)?.concurrency
  return own === undefined ? plan.blockSchedule : closedSchedule(own)
}

/** Contenders that share a machine would slow each other down. */
function machineOfContender({ targets }: MeasurePlan): (contenderId: string) => string {
  const machines = new Map(
    targets.flatMap(({ machine, contenders }) => contenders.map(({ id }) => [id, machine] as const)),
  )
  return (id) => machines.get(id) ?? ''
}

const ignore = (): void => undefined

export interface ResumeOptions extends Omit<MeasureOptions, 'config'> {
  /** A run folder. */
  readonly folder: string
  /** Settings that were given once more. They can only be as they were; but the target may be found elsewhere now. */
  readonly given?: Partial<BenchConfig> | undefined
}

/**
 * Goes on with a run that ended before its plan was through, in its own folder: what its journal has settled is not
 * sent again, what it has not is.
 *
 * @throws BenchError RUN_COMPLETE, RUN_ALIVE, RUN_DIFFERS, and as `measure`
 */
export async function resumeRun({ folder, given = {}, ...options }: ResumeOptions): Promise<MeasuredRun> {
  const run = await readRun(folder)
  const { id, status, pid } = run.record
  if (await isRunAlive(folder)) {
    throw sessionErrors.make('RUN_ALIVE', {
      message: `${id} is still going on, as process ${pid}`,
      hint: 'wait for its end, or stop it with Ctrl-C where it runs',
    })
  }
  if (status === 'finished') {
    throw sessionErrors.make('RUN_COMPLETE', {
      message: `${id} went through its whole plan`,
      hint: `send the plan again as a new run: ${replayCommand(folder)}`,
    })
  }
  const recorded = configOf(run)
  const { target = recorded.target } = given
  const config = { ...recorded, target, results: dirname(run.folder) }
  return measureAfter({ ...options, config }, { run, purpose: 'resume', config: recorded, given })
}

export interface ReplayOptions extends Omit<MeasureOptions, 'config'> {
  /** A run folder. */
  readonly folder: string
  /** What is to be another than then; nothing else can be. */
  readonly changes?: Partial<Pick<BenchConfig, 'name' | 'target' | 'results'>> | undefined
}

/**
 * Sends the plan of a run again, as a separate run: the same requests in the same order, at the same moments, with
 * the same seeds.
 *
 * @throws BenchError RUN_DIFFERS, and as `measure`
 */
export async function replayRun({ folder, changes = {}, ...options }: ReplayOptions): Promise<MeasuredRun> {
  const run = await readRun(folder)
  // A plan that is sent again is sent as a whole.
  const config = { ...configOf(run), reuseSeconds: null, ...changes }
  return measureAfter({ ...options, config }, { run, purpose: 'replay', config, given: {} })
}

function configOf({ folder, record }: RecordedRun): BenchConfig {
  const parsed = recordedConfig.safeParse(record.config)
  if (parsed.success) return parsed.data
  throw journalErrors.make('RUN_UNREADABLE', {
    message: `the config in ${folder}/run.json is not one that this transcribench can measure again`,
    hint: `measure anew: ${anewCommand(record)}`,
    problems: parsed.error.issues.map(({ path, message }) => ({ where: path.join('.'), what: message })),
  })
}
