import { dirname, resolve } from 'node:path'
import type { Evaluation } from '#analysis/documents/evaluation'
import { correctReferences } from '#analysis/requests/transcript-scorer'
import { type BenchConfig, recordedConfig } from '#config/bench-config'
import { runId } from '#journal/find-run'
import { type RecordedRun, readRun } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import { journalErrors, type RunWriter } from '#journal/run-writer'
import type { TelemetryLine } from '#journal/telemetry-line'
import { systemClock } from '#load/clock'
import { closedSchedule } from '#load/loads/closed'
import type { Schedule } from '#load/schedule'
import { BenchError, shellWord } from '#prelude'
import { corpusScoring, scoreRun } from '#results/scores'
import { anewCommand, doctorCommand, replayCommand, resumeCommand, scoreCommand } from './commands.ts'
import { changedFields, replayedRun, resumedRun } from './earlier-run.ts'
import type { CorrectedReferences } from './errors-so-far.ts'
import { runErrors } from './execute/errors.ts'
import { executePlan, rehearse } from './execute/execute.ts'
import { plannedUtterances } from './inputs.ts'
import { removeStaleCopies } from './leftovers.ts'
import { openSender } from './open-sender.ts'
import type { MeasurePlan } from './plan/measure-plan.ts'
import { waitedOutContenders } from './plan/provider-terms.ts'
import { type MeasureOptions, newRun, prepareRun, type RunOrigin } from './prepare-run.ts'
import type { RecordInput } from './record.ts'
import { claimRun, type RunSegment, withSegment } from './segment.ts'
import { watchedServer } from './target/open-server.ts'

export interface MeasuredRun extends ExecutedRun {
  readonly evaluation: Evaluation
  /** Why the final record or the score could not be written, as on a full disk; null if both were. */
  readonly unwritten: unknown
}

/**
 * Measures what a config describes, scores the journal and writes the reports.
 *
 * @throws BenchError for every problem that the user can solve; completed attempts are then in the journal, and the
 * Modes are restored
 */
export async function measure(
  options: MeasureOptions,
  execute: Executor = executeHere,
): Promise<MeasuredRun> {
  return scored(execute(options), options)
}

export interface ResumeOptions extends Omit<MeasureOptions, 'config'> {
  readonly folder: string
  /** Fields that this command gives, by their paths. They must equal the recorded ones, except those of `changedFields`. */
  readonly given?: ReadonlyMap<string, unknown> | undefined
}

/**
 * Resumes an unfinished run in its own folder: requests that are done in its journal are not sent again, the
 * others are.
 *
 * @throws BenchError RUN_COMPLETE, RUN_ALIVE, RUN_DIFFERS, and as `measure`
 */
export async function resumeRun({
  folder,
  given = new Map(),
  ...options
}: ResumeOptions): Promise<MeasuredRun> {
  using _claim = await claimRun(folder)
  const run = await readRun(folder)
  refuseMerged(run)
  if (run.record.status === 'finished') {
    throw runErrors.make('RUN_COMPLETE', {
      message: `${run.record.id} went through its whole plan`,
      hint: `send the plan again as a new run: ${replayCommand(folder)}`,
    })
  }
  const recorded = readRecordedConfig(run)
  const config = { ...recorded, ...changedFields(recorded, given), results: dirname(run.folder) }
  const origin = resumedRun(run, recorded, given)
  return await scored(executeFrom(origin, { ...options, config }), options)
}

export interface ReplayOptions extends Omit<MeasureOptions, 'config'> {
  readonly folder: string
  /** The only settings that may differ from the recorded ones. */
  readonly changes?: Partial<Pick<BenchConfig, 'name' | 'target' | 'results'>> | undefined
}

/**
 * Replays the plan of a run as a separate run: the same requests in the same order, at the same times, with the same
 * seeds.
 *
 * @throws BenchError RUN_DIFFERS, and as `measure`
 */
export async function replayRun({ folder, changes = {}, ...options }: ReplayOptions): Promise<MeasuredRun> {
  const run = await readRun(folder)
  refuseMerged(run)
  // A replay sends the whole plan, so it reuses no answers.
  const config = { ...readRecordedConfig(run), reuseSeconds: null, ...changes }
  return scored(executeFrom(replayedRun(run, config), { ...options, config }), options)
}

/** @throws BenchError RUN_COMPLETE for a merged run, whose contenders are those of several hosts */
function refuseMerged({ record }: RecordedRun): void {
  const [host] = record.hosts ?? []
  if (host === undefined) return
  const [firstRun = record.id] = host.runIds
  const isOfFleet = record.fleetMode !== undefined
  throw runErrors.make('RUN_COMPLETE', {
    message: `${record.id} is merged from the runs of several hosts, and cannot be sent from one`,
    hint: isOfFleet
      ? `measure anew: ${anewCommand(record)}`
      : `send one of its runs again, from its host: transcribench replay ${shellWord(firstRun)}`,
  })
}

async function scored(
  executing: Promise<ExecutedRun>,
  { env = process.env }: Pick<MeasureOptions, 'env'>,
): Promise<MeasuredRun> {
  const executed = await executing
  const { folder, record } = executed
  const { evaluation, unwritten } = await scoreRun(folder, { env, record })
  return { ...executed, evaluation, unwritten: executed.unwritten ?? scoreUnsaved(unwritten, folder) }
}

/** Every answer is in the journal, so once there is disk space again only the score has to be repeated. */
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
 * Sends what a config describes, and writes every attempt to the journal of a run folder. `executeHere` does so from
 * this machine, `fleetExecutor` of #fleet from several.
 *
 * @throws BenchError for every problem that the user can solve; completed attempts are kept
 */
export type Executor = (options: MeasureOptions) => Promise<ExecutedRun>

/** A run whose attempts are in its folder, before it is scored. */
export interface ExecutedRun {
  /** Absolute path of the run folder. */
  readonly folder: string
  readonly record: RunRecord
  /** Config of the run. */
  readonly config: BenchConfig
  /** Why the final record could not be written, as on a full disk; null if it was. */
  readonly unwritten: unknown
}

/**
 * The executor of this machine: verifies the corpus, starts or finds the target, leases Modes, sends the plan, and
 * restores the Modes.
 *
 * @throws BenchError as `measure`
 */
export function executeHere(options: MeasureOptions): Promise<ExecutedRun> {
  return executeFrom(newRun(options.config), options)
}

/**
 * Prepares a run, begins it, sends its requests and records its end.
 *
 * @throws BenchError as `measure`, and RUN_DIFFERS
 */
async function executeFrom(origin: RunOrigin, options: MeasureOptions): Promise<ExecutedRun> {
  const { config, onEvent = ignore, clock = systemClock, env = process.env } = options
  await using prepared = await prepareRun(options, origin)
  const { beginning, plan, targets, before } = prepared
  const corrected = await correctedReferences(plan, options)
  const results = resolve(config.results)
  for (const what of (await removeStaleCopies(results)).kept) onEvent({ kind: 'copiesKept', what })
  await using writer = await origin.openFolder(results, runId(clock.today(), config.name))
  const record = await origin.begin(writer, {
    ...beginning,
    folder: writer.folder,
    env,
    config,
    settingSources: options.settingSources,
    command: options.command ?? [],
    plan,
    targets,
    clock,
    resume: resumeCommand(writer.folder),
  })
  onEvent({ kind: 'planned', plan, corrected, folder: writer.folder, before })
  const live = await sendPlan(options, { plan, targets, writer, record, segment: origin.segment })
  return { folder: writer.folder, record: live.record, config, unwritten: live.unwritten }
}

/** References that the score of a run will use instead of those of its corpus. */
async function correctedReferences(
  { corpus }: MeasurePlan,
  { env = process.env }: MeasureOptions,
): Promise<CorrectedReferences> {
  const { corrections = null } = await corpusScoring(corpus.manifestPath, corpus.name, env)
  if (corrections === null) return new Map()
  const { material, applied } = correctReferences({ utterances: [...plannedUtterances(corpus)] }, corrections)
  const ids = new Set(applied?.correctedIds)
  return new Map(
    material.utterances.filter(({ id }) => ids.has(id)).map(({ id, reference }) => [id, reference]),
  )
}

/** Sends the plan to its targets while the machine is sampled, and records how that ended. */
async function sendPlan(
  options: MeasureOptions,
  run: Pick<RecordInput, 'plan' | 'targets'> & {
    readonly writer: RunWriter
    readonly record: RunRecord
    readonly segment: RunSegment
  },
) {
  const { config, onEvent = ignore, clock = systemClock, env = process.env } = options
  const { plan, writer, segment } = run
  const servers = await Promise.all(run.targets.map(({ id, target }) => watchedServer(id, target, env)))
  const targets = run.targets.map(({ target }) => target)
  const onSample = (line: TelemetryLine): void => onEvent({ kind: 'sampled', line })
  const { stop = new AbortController().signal, drop = new AbortController().signal } = options
  return withSegment({ ...run, servers, clock, env, onSample }, async (startedAtMs) => {
    await using cleanUp = new AsyncDisposableStack()
    const sender = await openSender({ config, plan, targets, writer, segment, clock, env, onEvent }, cleanUp)
    return await executePlan({
      requests: plan.requests,
      sender,
      writer,
      scheduleOf: ([first]) => findSchedule(plan, first?.contenderId),
      clock,
      startedAtMs,
      firstTurn: options.part?.firstTurn,
      maxWarmUpOf: limitWarmUp(options, plan),
      async beforeMeasuring() {
        // Requests of a closed load have no due times to rehearse.
        if (plan.schedule.latencyCountsFrom === 'due') {
          await rehearse({ requests: plan.requests, sender, clock, stop })
        }
        await options.beforeMeasuring?.()
      },
      earlier: segment.attempts,
      answered: new Set(plan.reused.map(({ index }) => index)),
      segment: segment.number,
      retries: config.retries,
      waitedOutIds: waitedOutContenders(config, plan.load, run.targets),
      requestsPerMinute: new Map(
        plan.paces.map(({ contenderId, requestsPerMinute }) => [contenderId, requestsPerMinute]),
      ),
      laneOf: config.parallel === true ? machineOfContender(plan) : undefined,
      seed: config.seed,
      resume: resumeCommand(writer.folder),
      doctor: run.targets.map((target) => doctorCommand(target.config)).join('; '),
      requestTimeoutSeconds: config.requestTimeoutSeconds,
      stop,
      drop,
      onEvent,
    })
  })
}

/**
 * Maximum warm-up of a contender. A free one is extended until latencies settle; billed or rate-limited ones are not.
 * A fleet host warms up for each of many parts, so there the planned warm-up is enough.
 */
function limitWarmUp(
  { config, part }: Pick<MeasureOptions, 'config' | 'part'>,
  { bills, paces }: MeasurePlan,
): ((contenderId: string) => number) | undefined {
  if (part !== undefined) return undefined
  const spared = new Set([...bills, ...paces].map(({ contenderId }) => contenderId))
  return (contenderId) => (spared.has(contenderId) ? 0 : config.maxWarmupRequests)
}

/** The schedule of the run, or of the contender if it sets its own number of requests in flight. */
function findSchedule(plan: MeasurePlan, contenderId: string | undefined): Schedule {
  const concurrency = plan.contenders.find(({ id }) => id === contenderId)?.concurrency
  return concurrency === undefined ? plan.blockSchedule : closedSchedule(concurrency)
}

/** The machine of each contender. Contenders that share one are not measured at the same time. */
function machineOfContender({ targets }: MeasurePlan): (contenderId: string) => string {
  const machines = new Map(
    targets.flatMap(({ machine, contenders }) => contenders.map(({ id }) => [id, machine] as const)),
  )
  return (id) => machines.get(id) ?? ''
}

const ignore = (): void => undefined

function readRecordedConfig({ folder, record }: RecordedRun): BenchConfig {
  const parsed = recordedConfig.safeParse(record.config)
  if (parsed.success) return parsed.data
  throw journalErrors.make('RUN_UNREADABLE', {
    message: `the config in ${folder}/run.json is not one that this transcribench can measure again`,
    hint: `measure anew: ${anewCommand(record)}`,
    problems: parsed.error.issues.map(({ path, message }) => ({ where: path.join('.'), what: message })),
  })
}
