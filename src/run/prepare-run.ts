import { resolve } from 'node:path'
import type { PriceList } from '#capacity/prices'
import type { Connection } from '#client/connection'
import type { BenchConfig } from '#config/bench-config'
import type { PlanLine } from '#journal/plan-line'
import type { RunRecord } from '#journal/run-record'
import { createRun, type RunWriter } from '#journal/run-writer'
import type { TelemetryLine } from '#journal/telemetry-line'
import { type Clock, systemClock } from '#load/clock'
import type { LoadShape } from '#load/loads/registry'
import { allOf, BenchError } from '#prelude'
import type { CorrectedReferences } from './errors-so-far.ts'
import type { RunEvent } from './execute/lane.ts'
import { type OpenedCorpus, openCorpusFor, plannedUtterances } from './inputs.ts'
import { readyOnAll } from './plan/contenders.ts'
import { readEarlierAnswers, reuseAnswers } from './plan/earlier-answers.ts'
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
import { askForLoad, readLoad } from './read-load.ts'
import { type RecordInput, readBeginning, startRecord } from './record.ts'
import { firstSegment, type RunSegment, throwIfStopped } from './segment.ts'
import { type AnyTarget, isServer } from './target/open-server.ts'
import { maxSockets } from './target/open-target.ts'
import { openRunTargets, type RunTarget, type RunTargetsRequest, withAliases } from './target/run-targets.ts'

/**
 * The origin of a run: its config, or also the record of an earlier run. `newRun`, `resumedRun` and `replayedRun`
 * make one; later code does not distinguish them.
 */
export interface RunOrigin {
  /** The load; null if the target has to be queried for it. */
  readLoad(): Promise<LoadShape | null>
  /** Returns the error to report for a target that cannot be opened. */
  explain(error: unknown): unknown
  /** @throws BenchError RUN_DIFFERS, before anything is sent, because an address may belong to another service now */
  checkTargets(corpus: OpenedCorpus, targets: readonly RunTarget[]): void
  readReuse(resultsFolder: string, today: Date): Promise<Reuse>
  /** @throws BenchError RUN_DIFFERS */
  checkPlan(plan: MeasurePlan, targets: readonly RunTarget[]): void
  /** Null without a comparable earlier run, and for a resumed run. */
  readTimeBefore(plan: MeasurePlan): Promise<TimeBefore | null>
  readonly segment: RunSegment
  openFolder(resultsFolder: string, id: string): Promise<RunWriter>
  /** Writes the plan and then the record. */
  begin(writer: RunWriter, input: RecordInput): Promise<RunRecord>
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
    readTimeBefore: (plan) => timeBefore({ ...plan, requests: unansweredRequests(plan) }, config),
    segment: firstSegment,
    openFolder: createRun,
    async begin(writer, input) {
      const { reused } = input.plan
      const record = startRecord(input)
      // A folder with a record is a run. The plan is written first, so that it is complete even if the process dies.
      await writer.writePlan(planLines(input.plan))
      if (reused.length > 0) await writer.writeReused(reused)
      await writer.writeRecord(record)
      return record
    },
  }
}

/**
 * Opens the corpus and the targets of a run and plans it: everything that precedes the run folder. Disposing closes
 * the targets.
 *
 * @throws BenchError as `measure`, and RUN_DIFFERS
 */
export async function prepareRun(options: MeasureOptions, origin: RunOrigin) {
  const { config, onEvent, clock = systemClock, env = process.env, part } = options
  // The speed of the host is measured first, so that its buffers and a large corpus are not in memory together.
  const beginning = await readBeginning(systemClock, env)
  const reading = { env, onEvent, signal: options.stop }
  // A closed load needs a socket for each request in flight; any other load sends on time and needs the maximum.
  const inFlight = config.load.kind === 'closed' ? config.load.concurrency : undefined
  const request = { env, clock, connections: inFlight ?? maxSockets, embeddedConcurrency: inFlight }
  const opening = openCorpusFor(origin.readLoad(), config, reading)
  const [read, corpus] = await withServerProblems(opening, config, request, origin.explain).catch(
    (error: unknown) => {
      throwIfStopped(options.stop)
      throw error
    },
  )
  await using preparing = new AsyncDisposableStack()
  const { opened, skipped } = preparing.use(
    await openRunTargets(config, { ...request, corpus }).catch((error: unknown) => {
      throw origin.explain(error)
    }),
  )
  origin.checkTargets(corpus, opened)
  const targets = await withAliases(opened, corpus)
  const load = read ?? (await askForLoad(config.load, findConnection(targets[0].target)))
  const prices = options.prices ?? (await readPriceList(null))
  const results = resolve(config.results)
  const reuse = await origin.readReuse(results, clock.today())
  const plan = makePlan(config, { corpus, load, targets, unopened: skipped, prices, reuse, part })
  origin.checkPlan(plan, targets)
  throwIfStopped(options.stop)
  const before = await origin.readTimeBefore(plan)
  const cleanUp = preparing.move()
  return { beginning, plan, targets, before, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() }
}

/**
 * A corpus that is opened, or its problems together with those of the servers, so that all can be mended at once. The
 * built-in service is not started for it.
 *
 * @param explain returns the error to report for a server that cannot be opened
 */
export async function withServerProblems<Opened>(
  opening: Promise<Opened>,
  config: BenchConfig,
  request: Omit<RunTargetsRequest, 'corpus'>,
  explain: RunOrigin['explain'] = (error) => error,
): Promise<Opened> {
  const checkServers = async (): Promise<void> => {
    const contenders = config.contenders.filter(({ target = config.target }) => target !== 'embedded')
    if (contenders.length === 0) return
    const withoutCorpus = { ...request, corpus: { utterances: [], texts: null } }
    await using found = await openRunTargets({ ...config, contenders }, withoutCorpus)
    readyOnAll(found.opened)
  }
  return await opening.catch(async (error: unknown) => {
    if (!(error instanceof BenchError)) throw error
    const servers = checkServers().catch((problem: unknown) => {
      throw explain(problem)
    })
    return (await allOf([opening, servers]))[0]
  })
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
  /** Usage of the server and the host, sampled four times a second while requests are sent. */
  | { readonly kind: 'sampled'; readonly line: TelemetryLine }
  | RunEvent

export interface MeasureOptions {
  /** Validated and complete config: see `resolveConfig`. */
  readonly config: BenchConfig
  /** Recorded in the run: see `ResolvedConfig`. */
  readonly settingSources?: RunRecord['settingSources']
  readonly onEvent?: (event: MeasureEvent) => void
  /** Stops sending; requests in flight are awaited, and the run ends as interrupted. */
  readonly stop?: AbortSignal
  /** Also drops requests in flight. */
  readonly drop?: AbortSignal
  /** The typed command, which is only recorded. */
  readonly command?: readonly string[]
  /** Environment of the run, with the keys of providers and servers; default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  /** Prices of providers and machines; default: the built-in list. */
  readonly prices?: PriceList | undefined
  /** Part of the plan to send; default: the whole plan. */
  readonly part?: PlanPart
  /** Awaited after the warm-up, before the first measured block. */
  readonly beforeMeasuring?: () => Promise<void>
}
