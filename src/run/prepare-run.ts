import { resolve } from 'node:path'
import type { PriceList } from '#capacity/prices'
import type { Connection } from '#client/connection'
import type { BenchConfig } from '#config/bench-config'
import type { PlanLine } from '#journal/plan-line'
import { type RecordedRun, runId } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import { createRun, type RunWriter, reopenRun } from '#journal/run-writer'
import type { TelemetryLine } from '#journal/telemetry-line'
import { type Clock, systemClock } from '#load/clock'
import { type EarlierRun, explainMovedTarget, refuseDifferences, refuseOtherPlan } from './earlier-run.ts'
import type { RunEvent } from './execute/lane.ts'
import { readEarlierAnswers } from './plan/earlier-answers.ts'
import { askForLoad, openCorpusFor, plannedUtterances, readLoad } from './plan/inputs.ts'
import { type MeasurePlan, makePlan, type PlanPart, unansweredRequests } from './plan/measure-plan.ts'
import { type TimeBefore, timeBefore } from './plan/preview-run.ts'
import { readPriceList } from './plan/provider-terms.ts'
import {
  firstSegment,
  nextSegment,
  type RecordInput,
  type RunBeginning,
  type RunSegment,
  readBeginning,
  resumeRecord,
  startRecord,
  throwIfStopped,
} from './run-record.ts'
import { type AnyTarget, isServer } from './target/open-server.ts'
import { maxSockets, type TargetRequest } from './target/open-target.ts'
import { openRunTargets, type RunTargets, withAliases } from './target/run-targets.ts'

/** All that is decided before the folder of a run exists, and how its folder is begun. Disposing closes the targets. */
export interface PreparedRun extends RunStart, AsyncDisposable {
  readonly beginning: RunBeginning
  readonly plan: MeasurePlan
  /** At least one. */
  readonly targets: RunTargets['opened']
}

/** In what a new run and one that goes on differ; nothing else asks which it is. */
interface RunStart {
  /** Null without a comparable earlier run, and for a resumed run. */
  readonly before: TimeBefore | null
  readonly segment: RunSegment
  openFolder(): Promise<RunWriter>
  /** Writes the record, before which the plan is there as a whole. */
  begin(writer: RunWriter, input: RecordInput): Promise<RunRecord>
}

/**
 * Opens the corpus and the targets of a run and plans it. A run that is resumed or replayed is made of what its earlier run
 * has recorded.
 *
 * @throws BenchError as `measure`, and RUN_DIFFERS
 */
export async function prepareRun(options: MeasureOptions, earlier: EarlierRun | null): Promise<PreparedRun> {
  const { config, onEvent, clock = systemClock, env = process.env } = options
  // Before the corpus: its buffers and a large corpus are not in memory at the same time.
  const beginning = await readBeginning(systemClock, env)
  const reading = earlier === null ? readLoad(config.load) : Promise.resolve(earlier.run.record.load)
  const [read, corpus] = await openCorpusFor(reading, config, { env, onEvent, signal: options.stop }).catch(
    (error: unknown) => {
      throwIfStopped(options.stop)
      throw error
    },
  )
  await using preparing = new AsyncDisposableStack()
  const request = { corpus, env, clock, ...placesFor(config.load) }
  const { opened, skipped } = preparing.use(
    await openRunTargets(config, request).catch((error: unknown) => {
      throw earlier === null ? error : explainMovedTarget(error, earlier)
    }),
  )
  // Before anything is sent: the address may be that of something else now.
  if (earlier !== null) refuseDifferences(earlier, { corpus, targets: opened })
  const targets = await withAliases(opened, corpus)
  const load = read ?? (await askForLoad(config.load, findConnection(targets[0].target)))
  const prices = options.prices ?? (await readPriceList(null))
  const results = resolve(config.results)
  const resumed = earlier?.purpose === 'resume' ? earlier.run : null
  const earlierAnswers =
    resumed?.reused ?? (await readEarlierAnswers(config, { resultsFolder: results, today: clock.today() }))
  const { part } = options
  const plan = makePlan(config, { corpus, load, targets, unopened: skipped, prices, earlierAnswers, part })
  if (earlier !== null) refuseOtherPlan(earlier, plan)
  throwIfStopped(options.stop)
  const start =
    resumed === null
      ? await startAnew(plan, { results, newId: () => runId(clock.today(), config.name) })
      : goOn(resumed)
  const held = preparing.move()
  return { ...start, beginning, plan, targets, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

async function startAnew(
  plan: MeasurePlan,
  { results, newId }: { readonly results: string; readonly newId: () => string },
): Promise<RunStart> {
  return {
    before: await timeBefore({ ...plan, requests: unansweredRequests(plan) }, results),
    segment: firstSegment,
    openFolder: () => createRun(results, newId()),
    async begin(writer, input) {
      const record = startRecord(input)
      // The record makes a folder a run: where there is one, the plan is whole, whenever the process dies.
      await writer.writePlan(planLines(plan))
      if (plan.reused.length > 0) await writer.writeReused(plan.reused)
      await writer.writeRecord(record)
      return record
    },
  }
}

function goOn(run: RecordedRun): RunStart {
  return {
    before: null,
    segment: nextSegment(run),
    openFolder: () => reopenRun(run.folder),
    async begin(writer, input) {
      const record = resumeRecord(run.record, input)
      await writer.writeRecord(record)
      return record
    },
  }
}

/** A closed load needs as many sockets as it keeps in flight; any other sends when it is time. */
function placesFor(load: BenchConfig['load']): Pick<TargetRequest, 'connections' | 'embeddedConcurrency'> {
  if (load.kind !== 'closed') return { connections: maxSockets }
  return { connections: load.concurrency, embeddedConcurrency: load.concurrency }
}

function findConnection(target: AnyTarget): Connection | null {
  return isServer(target) ? null : target.connection
}

function* planLines({ corpus, requests }: MeasurePlan): Iterable<PlanLine> {
  yield* plannedUtterances(corpus)
  yield* requests
}

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
  readonly prices?: PriceList | undefined
  /** Sent instead of the whole plan. */
  readonly part?: PlanPart
  /** Waited for after the warm-up, before the first measured block. */
  readonly beforeMeasuring?: () => Promise<void>
}
