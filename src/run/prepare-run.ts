import { resolve } from 'node:path'
import type { PriceList } from '#capacity/prices'
import type { Connection } from '#client/connection'
import type { BenchConfig } from '#config/bench-config'
import type { PlanLine } from '#journal/plan-line'
import { runId } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import { createRun, type RunWriter } from '#journal/run-writer'
import type { TelemetryLine } from '#journal/telemetry-line'
import { type Clock, systemClock } from '#load/clock'
import type { LoadShape } from '#load/loads/registry'
import { type RunBeginning, readBeginning } from './beginning.ts'
import type { CorrectedReferences } from './errors-so-far.ts'
import type { RunEvent } from './execute/lane.ts'
import { firstSegment, type RunSegment, throwIfStopped } from './live-run.ts'
import { readEarlierAnswers, reuseAnswers } from './plan/earlier-answers.ts'
import { askForLoad, type OpenedCorpus, openCorpusFor, plannedUtterances, readLoad } from './plan/inputs.ts'
import {
  type MeasurePlan,
  makePlan,
  type PlanPart,
  type Reuse,
  reuseNothing,
  unansweredRequests,
} from './plan/measure-plan.ts'
import { type TimeBefore, timeBefore } from './plan/preview-run.ts'
import { readPriceList } from './plan/provider-terms.ts'
import { type RecordInput, startRecord } from './record.ts'
import { type AnyTarget, isServer } from './target/open-server.ts'
import { maxSockets, type TargetRequest } from './target/open-target.ts'
import { openRunTargets, type RunTarget, type RunTargets, withAliases } from './target/run-targets.ts'

/** All that is decided before the folder of a run exists, and how its folder is begun. Disposing closes the targets. */
export interface PreparedRun extends RunStart, AsyncDisposable {
  readonly beginning: RunBeginning
  readonly plan: MeasurePlan
  /** At least one. */
  readonly targets: RunTargets['opened']
}

/** How a run begins in its folder. */
interface RunStart {
  /** Null without a comparable earlier run, and for a resumed run. */
  readonly before: TimeBefore | null
  readonly segment: RunSegment
  openFolder(): Promise<RunWriter>
  /** Writes the record, before which the plan is there as a whole. */
  begin(writer: RunWriter, input: RecordInput): Promise<RunRecord>
}

/**
 * What a run is made of: its config, or what an earlier run has recorded as well. `newRun`, `resumedRun` and `replayedRun` make
 * one; no later code distinguishes them.
 */
export interface RunOrigin {
  /** Null where the target is asked for it. */
  readLoad(): Promise<LoadShape | null>
  /** Returns the error to report for a target that cannot be opened. */
  explain(error: unknown): unknown
  /** @throws BenchError RUN_DIFFERS, before anything is sent: an address may be that of something else now */
  checkTargets(found: { readonly corpus: OpenedCorpus; readonly targets: readonly RunTarget[] }): void
  readReuse(resultsFolder: string, today: Date): Promise<Reuse>
  /** @throws BenchError RUN_DIFFERS */
  checkPlan(plan: MeasurePlan): void
  start(plan: MeasurePlan, folder: { readonly results: string; readonly id: string }): Promise<RunStart>
}

/** Makes a run from its config alone. */
export function newRun(config: BenchConfig): RunOrigin {
  return {
    readLoad: () => readLoad(config.load),
    explain: (error) => error,
    checkTargets: () => undefined,
    async readReuse(resultsFolder, today) {
      const answers = await readEarlierAnswers(config, { resultsFolder, today })
      return answers === null ? reuseNothing : (asked) => reuseAnswers(answers, asked)
    },
    checkPlan: () => undefined,
    start: async (plan, { results, id }) => ({
      before: await timeBefore({ ...plan, requests: unansweredRequests(plan) }, results),
      segment: firstSegment,
      openFolder: () => createRun(results, id),
      async begin(writer, input) {
        const record = startRecord(input)
        // The record makes a folder a run: where there is one, the plan is whole, whenever the process dies.
        await writer.writePlan(planLines(plan))
        if (plan.reused.length > 0) await writer.writeReused(plan.reused)
        await writer.writeRecord(record)
        return record
      },
    }),
  }
}

/**
 * Opens the corpus and the targets of a run and plans it.
 *
 * @throws BenchError as `measure`, and RUN_DIFFERS
 */
export async function prepareRun(options: MeasureOptions, origin: RunOrigin): Promise<PreparedRun> {
  const { config, onEvent, clock = systemClock, env = process.env, part } = options
  // Before the corpus: its buffers and a large corpus are not in memory at the same time.
  const beginning = await readBeginning(systemClock, env)
  const reading = { env, onEvent, signal: options.stop }
  const [read, corpus] = await openCorpusFor(origin.readLoad(), config, reading).catch((error: unknown) => {
    throwIfStopped(options.stop)
    throw error
  })
  await using preparing = new AsyncDisposableStack()
  const request = { corpus, env, clock, ...placesFor(config.load) }
  const { opened, skipped } = preparing.use(
    await openRunTargets(config, request).catch((error: unknown) => {
      throw origin.explain(error)
    }),
  )
  origin.checkTargets({ corpus, targets: opened })
  const targets = await withAliases(opened, corpus)
  const load = read ?? (await askForLoad(config.load, findConnection(targets[0].target)))
  const prices = options.prices ?? (await readPriceList(null))
  const results = resolve(config.results)
  const reuse = await origin.readReuse(results, clock.today())
  const plan = makePlan(config, { corpus, load, targets, unopened: skipped, prices, reuse, part })
  origin.checkPlan(plan)
  throwIfStopped(options.stop)
  const start = await origin.start(plan, { results, id: runId(clock.today(), config.name) })
  const held = preparing.move()
  return { ...start, beginning, plan, targets, [Symbol.asyncDispose]: () => held.disposeAsync() }
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
      readonly corrected: CorrectedReferences
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
