import { basename, resolve } from 'node:path'
import type { PriceList } from '#capacity/prices'
import type { BenchConfig, ContenderConfig } from '#config/bench-config'
import { programVersion } from '#installation/installation'
import type { ReusedLine } from '#journal/attempt-line'
import { listRuns } from '#journal/find-run'
import type { PlannedRequest } from '#journal/plan-line'
import { readRecord } from '#journal/run-reader'
import { readTargetName } from '#journal/run-record'
import { systemClock } from '#load/clock'
import { offeredLoad, type PlannedArrival } from '#load/rate'
import { sumOf } from '#prelude'
import { type RunSummary, readRunSummary } from '#results/summaries'
import { describeHost } from '#telemetry/host'
import { billPlan } from '../execute/billing.ts'
import { type OpenedCorpus, openCorpusFor, scoringProfile } from '../inputs.ts'
import { readLoad } from '../read-load.ts'
import { findServerAddress } from '../target/open-server.ts'
import { withCorpus } from './contenders.ts'
import { readEarlierAnswers, reuseAnswers } from './earlier-answers.ts'
import {
  audioSecondsById,
  averageAudioSeconds,
  type MeasurePlan,
  planLoad,
  unansweredRequests,
} from './measure-plan.ts'
import {
  findProviderId,
  mayBeBilled,
  ownPrices,
  type PlannedCost,
  planCosts,
  pricedContender,
  readPriceList,
} from './provider-terms.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Verifies the corpus, reads the trace and makes the plan, without a target.
 *
 * @param prices default: the built-in list, which is read only if something may be billed
 * @returns requests and costs as far as they are known without a target: `load` is null if it replays the history of
 * the target; `before` is null without a comparable earlier run
 * @throws BenchError BILLED_MINUTES_EXCEEDED, and the errors of `measure` that can be detected here
 */
export async function previewRun(config: BenchConfig, env: Environment, prices?: PriceList) {
  const [shape, corpus] = await openCorpusFor(readLoad(config.load), config, { env })
  const meanAudioSeconds = averageAudioSeconds(corpus)
  const profile = scoringProfile(config, corpus)
  if (shape === null) {
    const reuse = { reused: [], unknownIds: [] }
    return { corpus, meanAudioSeconds, profile, load: null, expected: null, before: null, reuse, costs: [] }
  }
  // This also refuses keywords that the corpus does not have, before anything is sent.
  const contenders = config.contenders.map((contender) => withCorpus(contender, corpus))
  const contenderIds = config.contenders.map(({ id }) => id)
  const load = planLoad(config, { corpus, load: shape, contenderIds })
  const reuse = await previewReuse(config, corpus, load.requests, env)
  const requests = unansweredRequests({ ...load, ...reuse })
  return {
    corpus,
    meanAudioSeconds,
    profile,
    load,
    expected: expectLoad(requests, audioSecondsById(corpus)),
    before: await timeBefore({ corpus, load: shape, ...load, requests }, config),
    reuse,
    costs: contenders.some((contender) => mayBeBilled(contender, config))
      ? expectedCosts(config, contenders, corpus, requests, reuse, prices ?? (await readPriceList(null)))
      : [],
  }
}

function expectedCosts(
  config: BenchConfig,
  unpriced: readonly ContenderConfig[],
  corpus: OpenedCorpus,
  requests: readonly PlannedRequest[],
  reuse: ReusePreview,
  prices: PriceList,
): readonly PlannedCost[] {
  const contenders = unpriced.map((contender) =>
    pricedContender(contender, {
      prices,
      isBilled: mayBeBilled(contender, config),
      provider: findProviderId(contender, config),
    }),
  )
  const billed = contenders.filter((contender) => mayBeBilled(contender, config))
  const maxMinutes = reuse.unknownIds.length === 0 ? config.maxBilledMinutes : Number.POSITIVE_INFINITY
  const bills = billPlan(billed, requests, audioSecondsById(corpus), maxMinutes)
  return planCosts(bills, contenders, ownPrices(prices, contenders), reuse.reused.length)
}

/** Reusable answers of earlier runs, as far as they are known without querying a target. */
interface ReusePreview {
  readonly reused: readonly ReusedLine[]
  /** Billed contenders whose target address is unknown before the run, which then looks for their answers. */
  readonly unknownIds: readonly string[]
}

async function previewReuse(
  config: BenchConfig,
  corpus: OpenedCorpus,
  requests: readonly PlannedRequest[],
  env: Environment,
): Promise<ReusePreview> {
  const resultsFolder = resolve(config.results)
  const answers = await readEarlierAnswers(config, { resultsFolder, today: systemClock.today() })
  if (answers === null) return { reused: [], unknownIds: [] }
  const billed = config.contenders
    .filter((contender) => mayBeBilled(contender, config))
    .map((contender) => {
      const { target = config.target, keyFrom = null } = contender
      const place = { env, keyFrom: contender.target === undefined ? config.keyFrom : keyFrom }
      return { contender: withCorpus(contender, corpus), baseUrl: findServerAddress(target, place) }
    })
  const addressed = billed.flatMap(({ contender, baseUrl }) =>
    baseUrl === null ? [] : [{ contender, baseUrl }],
  )
  return {
    reused: reuseAnswers(answers, { requests, utterances: corpus.utterances, contenders: addressed }),
    unknownIds: billed.filter(({ baseUrl }) => baseUrl === null).map(({ contender }) => contender.id),
  }
}

/**
 * Estimates of the load and duration of a plan, before anything is sent.
 *
 * @param audioSeconds by utterance id
 */
export function expectLoad(
  requests: readonly PlannedRequest[],
  audioSeconds: Pick<ReadonlyMap<string, number>, 'get'>,
) {
  const measured = requests.filter(({ phase }) => phase === 'measure')
  const blocks: PlannedArrival[][] = []
  let atLeastMs: number | null = 0
  for (const block of Map.groupBy(measured, (request) => request.block).values()) {
    blocks.push(
      block.flatMap(({ send, utteranceId }) =>
        send?.kind === 'due'
          ? [{ dueAtMs: send.dueAtMs, audioSeconds: audioSeconds.get(utteranceId) ?? 0 }]
          : [],
      ),
    )
    const lengthMs = measureLength(block)
    atLeastMs = atLeastMs === null || lengthMs === null ? null : atLeastMs + lengthMs
  }
  return {
    /** The rates of the planned times, which differ from the configured rate if random; null without times. */
    offered: offeredLoad(blocks),
    /** Seconds of audio of all measured requests. */
    audioSeconds: measured.reduce((sum, { utteranceId }) => sum + (audioSeconds.get(utteranceId) ?? 0), 0),
    /** Minimum duration of the measurement in seconds; null if it depends only on the server. */
    atLeastSeconds: atLeastMs === null ? null : atLeastMs / 1000,
    /** The first times of the first block, in seconds from its start; empty if none are planned. */
    firstMoments: (blocks[0] ?? []).slice(0, 5).map(({ dueAtMs }) => dueAtMs / 1000),
  }
}

/** Milliseconds that a block takes if all answers are instant; null if its requests wait for each other. */
function measureLength(block: readonly PlannedRequest[]): number | null {
  const spokenMs = new Map<number, number>()
  let lastMs = 0
  for (const { send } of block) {
    if (send === null || send.kind === 'next') return null
    const endMs =
      send.kind === 'due' ? send.dueAtMs : (spokenMs.get(send.speaker) ?? 0) + send.pauseMs + send.speechMs
    if (send.kind === 'spoken') spokenMs.set(send.speaker, endMs)
    lastMs = Math.max(lastMs, endMs)
  }
  return lastMs
}

/** Estimated duration of a plan at the speeds of earlier runs. */
export interface TimeBefore {
  readonly seconds: number
  /** The newest run that the estimate is based on. */
  readonly runId: string
  /** Whether that run had this corpus, and all of these contenders. */
  readonly isSameCorpus: boolean
}

/** Maximum number of runs to read: older ones give no better estimate, and reading takes time. */
const maxRuns = 20

/**
 * Finds the newest run of a results folder with these contenders, this target, this corpus, this load and such a machine;
 * otherwise the newest speed of each contender on any corpus. The estimate is shown before anything is sent.
 *
 * @returns null if a contender was not measured so, and if the plan itself fixes its duration
 */
export async function timeBefore(
  plan: Pick<MeasurePlan, 'corpus' | 'load' | 'schedule' | 'requests'>,
  { results, target }: Pick<BenchConfig, 'results' | 'target'>,
): Promise<TimeBefore | null> {
  if (plan.load.kind !== 'closed' || plan.schedule.requestCount() !== null) return null
  const readTarget = (folder: string): Promise<string | null> =>
    readRecord(folder).then(readTargetName, () => null)
  const plannedIds = new Set(plan.requests.map(({ contenderId }) => contenderId))
  const speeds = new Map<string, number>()
  let newestId: string | null = null
  for (const folder of (await listRuns(resolve(results))).slice(-maxRuns).reverse()) {
    const summary = await readRunSummary(folder)
    if (summary === null || !isAlike(summary, plan) || (await readTarget(folder)) !== target) continue
    const runSpeeds = readSpeeds(summary)
    const runId = basename(folder)
    if (summary.corpus.fingerprint === plan.corpus.fingerprint) {
      const seconds = secondsAt(runSpeeds, plan)
      if (seconds !== null) return { seconds, runId, isSameCorpus: true }
    }
    for (const [contenderId, speed] of runSpeeds) {
      if (!plannedIds.has(contenderId) || speeds.has(contenderId)) continue
      speeds.set(contenderId, speed)
      newestId ??= runId
    }
  }
  const seconds = secondsAt(speeds, plan)
  return seconds === null || newestId === null ? null : { seconds, runId: newestId, isSameCorpus: false }
}

function isAlike({ run, load }: RunSummary, plan: Pick<MeasurePlan, 'corpus' | 'schedule'>): boolean {
  const { cpuModel, cpuCount } = describeHost(programVersion())
  return (
    run.cpuModel === cpuModel &&
    run.cpuCount === cpuCount &&
    load.description === plan.schedule.describe(averageAudioSeconds(plan.corpus))
  )
}

/** RTFx by contender. */
function readSpeeds({ contenders }: RunSummary): ReadonlyMap<string, number> {
  return new Map(
    contenders.flatMap(({ id, metrics }) => {
      const speed = metrics['rtfx']?.value ?? null
      return speed !== null && speed > 0 ? [[id, speed] as const] : []
    }),
  )
}

/** Seconds of the requests at these speeds; null if the speed of a contender is not known. */
function secondsAt(
  speeds: ReadonlyMap<string, number>,
  { corpus, requests }: Pick<MeasurePlan, 'corpus' | 'requests'>,
): number | null {
  const lengths = audioSecondsById(corpus)
  const measured = requests.filter(({ phase }) => phase === 'measure')
  if (measured.length === 0) return null
  let seconds = 0
  for (const [contenderId, contenderRequests] of Map.groupBy(measured, (request) => request.contenderId)) {
    const speed = speeds.get(contenderId)
    if (speed === undefined) return null
    const audioSeconds = sumOf(contenderRequests, ({ utteranceId }) => lengths.get(utteranceId) ?? 0)
    seconds += audioSeconds / speed
  }
  return seconds
}
