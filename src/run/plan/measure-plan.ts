import type { PriceList } from '#capacity/prices'
import type { BenchConfig, ContenderConfig } from '#config/bench-config'
import type { VerifiedCorpus } from '#corpus/utterance'
import type { ReusedLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RecordedOwnPrices } from '#journal/run-record'
import { isMadeOfSpeech, type LoadShape, makeSchedule } from '#load/loads/registry'
import type { Schedule } from '#load/schedule'
import type { Profile } from '#scoring/profiles/profile'
import { type Bill, billPlan, isBilled } from '../execute/billing.ts'
import { runErrors } from '../execute/errors.ts'
import { planRoutes, type Routes } from '../execute/transport.ts'
import { type OpenedCorpus, scoringProfile } from '../inputs.ts'
import { type AnyTarget, findBaseUrl, retirementWarnings } from '../target/open-server.ts'
import type { RunTarget } from '../target/run-targets.ts'
import { readyOnAll, type SkippedContender, withCorpus } from './contenders.ts'
import type { AnswerableRequests } from './earlier-answers.ts'
import { blockSchedule, planRequests } from './order.ts'
import {
  findProviderId,
  ownPrices,
  type PlannedCost,
  type PlannedPace,
  type PricedContender,
  planCosts,
  plannedPaces,
  pricedContender,
  refuseBeyondLimits,
} from './provider-terms.ts'

/** A target with what it will be asked. */
export interface PlannedTarget
  extends Pick<AnyTarget, 'kind' | 'description' | 'health' | 'warnings'>,
    Pick<RunTarget, 'id' | 'machine' | 'roundTrip'> {
  readonly contenders: readonly PricedContender[]
  /** By contender. Empty for a server that takes forms only. */
  readonly routes: ReadonlyMap<string, Routes>
  /** Where copies are put for utterances that go `staged`. */
  readonly stagingFolder: string | null
}

/** Everything that is decided before the first request. */
export interface MeasurePlan {
  readonly corpus: OpenedCorpus
  /** At least one. */
  readonly targets: readonly PlannedTarget[]
  readonly contenders: readonly PricedContender[]
  readonly skipped: readonly SkippedContender[]
  readonly load: LoadShape
  /** Of the whole load, as it is described. */
  readonly schedule: Schedule
  /** Of each block. */
  readonly blockSchedule: Schedule
  readonly requests: readonly PlannedRequest[]
  /** Answers of earlier runs to some of them, which are not sent. */
  readonly reused: readonly ReusedLine[]
  /** How many requests of limited contenders may leave in a minute. */
  readonly paces: readonly PlannedPace[]
  /** Of the order of everything, and of random arrivals. */
  readonly seed: number
  /** Answers are scored with it. */
  readonly profile: Profile
  /** What the billed contenders may cost; empty where none is billed. */
  readonly bills: readonly Bill[]
  /** The same with the prices that it is compared with. */
  readonly costs: readonly PlannedCost[]
  /** Prices that providers are compared with; undefined where no contender has a price. */
  readonly ownPrices: RecordedOwnPrices | undefined
}

/**
 * @param reuse answers of earlier runs to its requests
 * @param part the requests, where they are planned already
 * @param unopened contenders whose target could not be opened
 * @throws BenchError BILLED_MINUTES_EXCEEDED, TARGET_HAS_NO_MODES, TARGET_MODEL_MISSING, NOTHING_TO_MEASURE, AUDIO_TOO_LARGE
 */
export function makePlan(
  config: BenchConfig,
  inputs: {
    readonly corpus: OpenedCorpus
    readonly load: LoadShape
    readonly targets: readonly RunTarget[]
    readonly unopened?: readonly SkippedContender[]
    readonly prices: PriceList
    readonly reuse?: Reuse
    readonly part?: PlanPart | undefined
  },
): MeasurePlan {
  const { corpus, load, targets, unopened = [], prices, reuse = reuseNothing, part } = inputs
  const ready = readyOnAll(targets)
  refuseBeyondLimits(targets, corpus)
  const planTargets = ready.map(({ target, contenders }) =>
    planTarget(target, contenders, corpus, prices, config.transport),
  )
  const order = config.contenders.map(({ id }) => id)
  const contenders = planTargets
    .flatMap((target) => target.contenders)
    .toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
  const contenderIds = contenders.map(({ id }) => id)
  const planned = planLoad(config, { corpus, load, contenderIds, part })
  const billedIds = new Set(
    ready.flatMap(({ target, contenders: own }) =>
      own.filter((contender) => isBilledOn(contender, target.target)).map(({ id }) => id),
    ),
  )
  const billed = contenders.filter(({ id }) => billedIds.has(id))
  const reused = reuse({
    requests: planned.requests,
    utterances: corpus.utterances,
    contenders: planTargets.flatMap(({ contenders: own }, place) =>
      own.flatMap((contender) => {
        const target = targets[place]
        return target === undefined || !billedIds.has(contender.id)
          ? []
          : [{ contender, baseUrl: findBaseUrl(target.target) }]
      }),
    ),
  })
  const left = unansweredRequests({ ...planned, reused })
  const bills =
    billed.length === 0 ? [] : billPlan(billed, left, audioSecondsById(corpus), config.maxBilledMinutes)
  const own = ownPrices(prices, contenders)
  return {
    corpus,
    targets: planTargets,
    contenders,
    skipped: [...unopened, ...ready.flatMap(({ skipped }) => skipped)],
    load,
    ...planned,
    reused,
    paces: plannedPaces(
      ready.flatMap(({ target, contenders: own }) =>
        own.map((contender) => ({ contender, target: target.target })),
      ),
      { requests: left, load, rateLimit: config.rateLimit },
    ),
    seed: config.seed,
    profile: scoringProfile(config, corpus),
    bills,
    costs: planCosts(bills, contenders, own, reused.length),
    ownPrices: own,
  }
}

/** Finds answers of earlier runs, so that their requests are not sent again. */
export type Reuse = (asked: AnswerableRequests) => readonly ReusedLine[]

export const reuseNothing: Reuse = () => []

/** What is left to be sent: of a contender whose answers are all there, not even the warm-up. */
export function unansweredRequests(
  plan: Pick<MeasurePlan, 'requests' | 'reused'>,
): readonly PlannedRequest[] {
  const { requests, reused } = plan
  // Mostly nothing is reused, and a plan may be large.
  if (reused.length === 0) return requests
  const answered = new Set(reused.map(({ index }) => index))
  const left = requests.filter(({ phase, index }) => phase === 'measure' && !answered.has(index))
  const asked = new Set(left.map(({ contenderId }) => contenderId))
  return requests.filter(
    ({ phase, index, contenderId }) => asked.has(contenderId) && (phase === 'warmup' || !answered.has(index)),
  )
}

/** Whatever a provider is asked is billed, unless the config says that it is free. */
function isBilledOn(contender: ContenderConfig, target: AnyTarget): boolean {
  return target.kind === 'provider' ? contender.usdPerMinute !== 0 : isBilled(contender, target.models)
}

function planTarget(
  { id, machine, roundTrip, reach, target, config }: RunTarget,
  contenders: readonly ContenderConfig[],
  corpus: OpenedCorpus,
  prices: PriceList,
  transport: BenchConfig['transport'],
): PlannedTarget {
  const { kind, description, health } = target
  const warnings = [...target.warnings, ...retirementWarnings(contenders, target)]
  return {
    ...{ id, machine, roundTrip, kind, description, health, warnings },
    contenders: contenders.map((contender) => ({
      ...pricedContender(withCorpus(contender, corpus), {
        prices,
        isBilled: isBilledOn(contender, target),
        provider: findProviderId(contender, config),
      }),
      ...(id === null ? {} : { target: id }),
    })),
    routes: reach === null ? new Map() : planTransports(contenders, corpus, transport, reach),
    stagingFolder: reach?.stagingFolder ?? null,
  }
}

/** Contenders with one transport share theirs. */
function planTransports(
  contenders: readonly ContenderConfig[],
  { utterances }: OpenedCorpus,
  usual: BenchConfig['transport'],
  reach: NonNullable<RunTarget['reach']>,
): ReadonlyMap<string, Routes> {
  const byTransport = new Map<BenchConfig['transport'], Routes>()
  return new Map(
    contenders.map(({ id, transport = usual }) => {
      const routes = byTransport.get(transport) ?? planRoutes(utterances, transport, reach)
      byTransport.set(transport, routes)
      return [id, routes]
    }),
  )
}

/**
 * The part of a plan that can be made without a target.
 *
 * @throws BenchError NOTHING_TO_MEASURE for a load that has no arrival; WORKLOAD_UNFIT for one that is made of speech
 *   where texts are sent
 */
export function planLoad(
  { seed, rounds, warmupRequests }: Pick<BenchConfig, 'seed' | 'rounds' | 'warmupRequests'>,
  inputs: {
    readonly corpus: VerifiedCorpus
    readonly load: LoadShape
    readonly contenderIds: readonly string[]
    /** Of a load that does not end by itself. */
    readonly minTurns?: number
    readonly part?: PlanPart | undefined
  },
): Pick<MeasurePlan, 'schedule' | 'blockSchedule' | 'requests'> {
  const { corpus, load, contenderIds, minTurns = 1, part } = inputs
  refuseSpeech(load, corpus)
  const meanAudioSeconds = part?.meanAudioSeconds ?? averageAudioSeconds(corpus)
  const schedule = makeSchedule(load, { seed, meanAudioSeconds })
  const shape = { schedule, rounds, contenderIds, minTurns }
  const requests =
    part?.requests ??
    planRequests({
      ...shape,
      utterances: corpus.utterances.map(({ id, durationSeconds }) => ({ id, audioSeconds: durationSeconds })),
      wantedSeconds: load.kind === 'trace' ? load.entries.map(({ audioSeconds }) => audioSeconds) : null,
      warmupRequests,
      seed,
    })
  if (requests.some(({ phase }) => phase === 'measure')) {
    return { schedule, blockSchedule: blockSchedule(shape), requests }
  }
  throw runErrors.make('NOTHING_TO_MEASURE', {
    message: `the load has no arrival in its time: ${schedule.describe()}`,
    hint: 'give it a higher rate or a longer duration: --rate, --duration',
  })
}

/** Texts have no audio length: no speaking rate, no trace and no seconds of speech apply to them. */
function refuseSpeech(load: LoadShape, { audioSeconds }: Pick<VerifiedCorpus, 'audioSeconds'>): void {
  if (audioSeconds > 0 || !isMadeOfSpeech(load)) return
  const what = load.kind === 'trace' || load.kind === 'users' ? load.kind : 'a rate in seconds of speech'
  throw runErrors.make('WORKLOAD_UNFIT', {
    message: `texts have no length in seconds, so that ${what} cannot be a load of them`,
    hint: 'send them at a rate of requests, --rate 2/s, or keep some in flight, --concurrency 4',
  })
}

/** Turns rates in speech into rates in requests: each utterance is sent equally often. */
export function averageAudioSeconds(corpus: Pick<VerifiedCorpus, 'audioSeconds' | 'utterances'>): number {
  const { audioSeconds, utterances } = corpus
  return audioSeconds / utterances.length
}

/** Lengths of the utterances by id, in seconds. */
export function audioSecondsById(corpus: Pick<VerifiedCorpus, 'utterances'>): ReadonlyMap<string, number> {
  const { utterances } = corpus
  return new Map(utterances.map(({ id, durationSeconds }) => [id, durationSeconds]))
}

/** Whole blocks of a plan that are sent as a separate plan, with numbers from 0. */
export interface PlanPart {
  /** The warm-up of its contenders, then its blocks. */
  readonly requests: readonly PlannedRequest[]
  /** Turns of the plan before the first one here: blocks of one turn meet the same arrivals, wherever they are sent. */
  readonly firstTurn: number
  /** Of the whole corpus: rates in seconds of speech depend on it. */
  readonly meanAudioSeconds: number
}

/**
 * Cuts a plan into parts, each in the order of the plan.
 *
 * @param cut each part has at most so much audio, but one unit in any case: a block where `isByBlock`, otherwise a pair of turns,
 *   which are in ABBA order
 */
export function cutPlan(
  requests: readonly PlannedRequest[],
  cut: {
    readonly contenderCount: number
    readonly audioSecondsOf: (utteranceId: string) => number
    readonly maxAudioSeconds: number
    readonly isByBlock: boolean
  },
): readonly Omit<PlanPart, 'meanAudioSeconds'>[] {
  const { contenderCount, audioSecondsOf, maxAudioSeconds, isByBlock } = cut
  const phases = Map.groupBy(requests, ({ phase }) => phase)
  const blocksInUnit = isByBlock ? 1 : 2 * contenderCount
  const units = Map.groupBy(phases.get('measure') ?? [], ({ block }) => Math.floor(block / blocksInUnit))
  const parts: PlannedRequest[][] = []
  let [part, seconds]: [PlannedRequest[], number] = [[], 0]
  for (const unit of units.values()) {
    const own = unit.reduce((sum, { utteranceId }) => sum + audioSecondsOf(utteranceId), 0)
    if (part.length === 0 || isByBlock || seconds + own > maxAudioSeconds) {
      part = []
      parts.push(part)
      seconds = 0
    }
    for (const request of unit) part.push(request)
    seconds += own
  }
  return parts.map((measured) => {
    const firstBlock = measured[0]?.block ?? 0
    const contenders = new Set(measured.map(({ contenderId }) => contenderId))
    const warmup = phases.get('warmup')?.filter(({ contenderId }) => contenders.has(contenderId)) ?? []
    const all = [...warmup, ...measured]
    // The warm-up has no block.
    const blockIn = (block: number): number => (block < 0 ? block : block - firstBlock)
    return {
      requests: all.map((request, index) => ({ ...request, index, block: blockIn(request.block) })),
      firstTurn: Math.floor(firstBlock / contenderCount),
    }
  })
}
