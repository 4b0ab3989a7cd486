import { resolve } from 'node:path'
import type { Connection } from '#client'
import type { BenchConfig } from '#config'
import { createRun, type PlanLine, reopenRun, type TelemetryLine } from '#journal'
import { closedSchedule, type Schedule, systemClock } from '#load'
import { executePlan } from '#run'
import { doctorCommand, resumeCommand } from '../next-commands.ts'
import { readEarlierAnswers } from '../plan/earlier-answers.ts'
import { type MeasurePlan, makePlan, unansweredRequests } from '../plan/measure-plan.ts'
import { type OpenedCorpus, openCorpusFor, plannedUtterances } from '../plan/open-corpus.ts'
import { askForLoad, readLoad } from '../plan/open-load.ts'
import { pacedContenders } from '../plan/paced-contenders.ts'
import { readPriceList } from '../plan/prices.ts'
import { timeBefore } from '../plan/time-before.ts'
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
import type { ExecutedRun, MeasureOptions } from './executor.ts'
import { readBeginning, throwIfStopped, withLiveRun } from './live-run.ts'
import { resumeRecord, runId, startRecord } from './run-record.ts'
import { removeStaleCopies } from './staging.ts'
import { withSender } from './with-sender.ts'

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
export async function executeAfter(
  options: MeasureOptions,
  earlier: EarlierRun | null,
): Promise<ExecutedRun> {
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
