import type { PriceList } from '#capacity/prices'
import type { TargetWarning } from '#client/target'
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
import { type AnyTarget, findBaseUrl, isServer, retirementWarnings } from '../target/open-server.ts'
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

/** A target with the contenders and routes planned for it. */
export interface PlannedTarget
  extends Pick<AnyTarget, 'kind' | 'description' | 'health' | 'warnings'>,
    Pick<RunTarget, 'id' | 'machine' | 'roundTrip'> {
  readonly contenders: readonly PricedContender[]
  /** Routes by contender id. Empty for a server that takes only forms. */
  readonly routes: ReadonlyMap<string, Routes>
  /** Folder for the copies of `staged` utterances. */
  readonly stagingFolder: string | null
}

/** Everything that is decided before the first request. */
export interface MeasurePlan {
  readonly corpus: OpenedCorpus
  /** At least one target. */
  readonly targets: readonly PlannedTarget[]
  readonly contenders: readonly PricedContender[]
  readonly skipped: readonly SkippedContender[]
  readonly load: LoadShape
  /** Schedule of the whole load. */
  readonly schedule: Schedule
  /** Schedule of each block. */
  readonly blockSchedule: Schedule
  readonly requests: readonly PlannedRequest[]
  /** Answers of earlier runs to some of the requests, which are not sent. */
  readonly reused: readonly ReusedLine[]
  /** Limits of requests per minute. */
  readonly paces: readonly PlannedPace[]
  /** Seed of the order and of random arrivals. */
  readonly seed: number
  /** Profile by which answers are scored. */
  readonly profile: Profile
  /** Costs of the billed contenders; empty if none is billed. */
  readonly bills: readonly Bill[]
  /** The costs of `bills`, with the prices that they are compared with. */
  readonly costs: readonly PlannedCost[]
  /** Prices that providers are compared with; undefined if no contender has a price. */
  readonly ownPrices: RecordedOwnPrices | undefined
}

/**
 * @param reuse answers of earlier runs to its requests
 * @param part the requests, if they are already planned
 * @param unopened contenders whose target could not be opened
 * @throws BenchError BILLED_MINUTES_EXCEEDED, TARGET_HAS_NO_MODES, TARGET_MODEL_MISSING, NOTHING_TO_MEASURE and
 * others
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
    planTarget(target, contenders, corpus, prices, config),
  )
  const order = config.contenders.map(({ id }) => id)
  const contenders = planTargets
    .flatMap((target) => target.contenders)
    .toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
  const contenderIds = contenders.map(({ id }) => id)
  const planned = planLoad(config, { corpus, load, contenderIds, part })
  const billedAt = new Map(
    ready.flatMap(({ target: { target }, contenders: targetContenders }) =>
      targetContenders
        .filter((contender) => isBilledOn(contender, target))
        .map(({ id }) => [id, findBaseUrl(target)]),
    ),
  )
  const billed = contenders.filter(({ id }) => billedAt.has(id))
  const reused = reuse({
    requests: planned.requests,
    utterances: corpus.utterances,
    contenders: billed.map((contender) => ({ contender, baseUrl: billedAt.get(contender.id) ?? '' })),
  })
  const unanswered = unansweredRequests({ ...planned, reused })
  const bills =
    billed.length === 0 ? [] : billPlan(billed, unanswered, audioSecondsById(corpus), config.maxBilledMinutes)
  const machinePrices = ownPrices(prices, contenders)
  return {
    corpus,
    targets: planTargets,
    contenders,
    skipped: [...unopened, ...ready.flatMap(({ skipped }) => skipped)],
    load,
    ...planned,
    reused,
    paces: plannedPaces(
      ready.flatMap(({ target, contenders: targetContenders }) =>
        targetContenders.map((contender) => ({ contender, target: target.target })),
      ),
      { requests: unanswered, load, rateLimit: config.rateLimit },
    ),
    seed: config.seed,
    profile: scoringProfile(config, corpus),
    bills,
    costs: planCosts(bills, contenders, machinePrices, reused.length),
    ownPrices: machinePrices,
  }
}

/** Finds answers of earlier runs, so that their requests are not sent again. */
export type Reuse = (asked: AnswerableRequests) => readonly ReusedLine[]

export const reuseNothing: Reuse = () => []

/** The requests to send. A contender whose answers are all reused gets no warm-up either. */
export function unansweredRequests(
  plan: Pick<MeasurePlan, 'requests' | 'reused'>,
): readonly PlannedRequest[] {
  const { requests, reused } = plan
  // Usually nothing is reused, and copying a large plan would be wasteful.
  if (reused.length === 0) return requests
  const answered = new Set(reused.map(({ index }) => index))
  const unanswered = requests.filter(({ phase, index }) => phase === 'measure' && !answered.has(index))
  const contenderIds = new Set(unanswered.map(({ contenderId }) => contenderId))
  return requests.filter(
    ({ phase, index, contenderId }) =>
      contenderIds.has(contenderId) && (phase === 'warmup' || !answered.has(index)),
  )
}

/** Whether a contender is billed on a target: always on a provider, unless the config sets its price to 0. */
function isBilledOn(contender: ContenderConfig, target: AnyTarget): boolean {
  return target.kind === 'provider' ? contender.usdPerMinute !== 0 : isBilled(contender, target.models)
}

function planTarget(
  { id, machine, roundTrip, reach, target, config }: RunTarget,
  contenders: readonly ContenderConfig[],
  corpus: OpenedCorpus,
  prices: PriceList,
  { transport, stage }: Pick<BenchConfig, 'transport' | 'stage'>,
): PlannedTarget {
  const { kind, description, health } = target
  const isUnused = isServer(target) && (stage !== null || transport !== 'auto')
  const warnings = [
    ...target.warnings,
    ...retirementWarnings(contenders, target),
    ...(isUnused ? [uploadsOnly(description)] : []),
  ]
  return {
    id,
    machine,
    roundTrip,
    kind,
    description,
    health,
    warnings,
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

function uploadsOnly(description: string): TargetWarning {
  return {
    code: 'TRANSPORT_UNUSED',
    message: `${description} takes uploads alone, so transport and staging have no effect`,
    hint: 'leave out --transport and --stage for it',
  }
}

/** Routes by contender id; contenders with the same transport share one object. */
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
 * The part of a plan that needs no target.
 *
 * @throws BenchError NOTHING_TO_MEASURE for a load without arrivals; WORKLOAD_UNFIT for one defined by speech if
 * texts are sent
 */
export function planLoad(
  { seed, rounds, warmupRequests }: Pick<BenchConfig, 'seed' | 'rounds' | 'warmupRequests'>,
  inputs: {
    readonly corpus: VerifiedCorpus
    readonly load: LoadShape
    readonly contenderIds: readonly string[]
    /** Minimum number of turns of a load without a fixed duration. */
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

/** Texts have no audio length, so speaking rates, traces and seconds of speech do not apply to them. */
function refuseSpeech(load: LoadShape, { audioSeconds }: Pick<VerifiedCorpus, 'audioSeconds'>): void {
  if (audioSeconds > 0 || !isMadeOfSpeech(load)) return
  const loadName = load.kind === 'trace' || load.kind === 'users' ? load.kind : 'a rate in seconds of speech'
  throw runErrors.make('WORKLOAD_UNFIT', {
    message: `texts have no length in seconds, so that ${loadName} cannot be a load of them`,
    hint: 'send them at a rate of requests, --rate 2/s, or keep some in flight, --concurrency 4',
  })
}

/** Mean audio length in seconds, which converts speech rates into request rates. */
export function averageAudioSeconds(corpus: Pick<VerifiedCorpus, 'audioSeconds' | 'utterances'>): number {
  const { audioSeconds, utterances } = corpus
  return audioSeconds / utterances.length
}

export function audioSecondsById(corpus: Pick<VerifiedCorpus, 'utterances'>): ReadonlyMap<string, number> {
  const { utterances } = corpus
  return new Map(utterances.map(({ id, durationSeconds }) => [id, durationSeconds]))
}

/** Whole blocks of a plan that are sent as a separate plan, numbered from 0. */
export interface PlanPart {
  /** The warm-up of its contenders, then its blocks. */
  readonly requests: readonly PlannedRequest[]
  /** Number of earlier turns in the plan. Blocks of one turn have the same arrivals on every host. */
  readonly firstTurn: number
  /** Mean length in seconds over the whole corpus, on which rates in seconds of speech depend. */
  readonly meanAudioSeconds: number
}

/**
 * Cuts a plan into parts, each in the order of the plan.
 *
 * @param cut maximum audio of a part, which has at least one unit: a block if `isByBlock`, otherwise a pair of turns
 * in ABBA order
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
    const unitSeconds = unit.reduce((sum, { utteranceId }) => sum + audioSecondsOf(utteranceId), 0)
    if (part.length === 0 || isByBlock || seconds + unitSeconds > maxAudioSeconds) {
      part = []
      parts.push(part)
      seconds = 0
    }
    for (const request of unit) part.push(request)
    seconds += unitSeconds
  }
  return parts.map((measured) => {
    const firstBlock = measured[0]?.block ?? 0
    const contenders = new Set(measured.map(({ contenderId }) => contenderId))
    const warmup = phases.get('warmup')?.filter(({ contenderId }) => contenders.has(contenderId)) ?? []
    const all = [...warmup, ...measured]
    // Warm-up requests have block -1.
    const blockIn = (block: number): number => (block < 0 ? block : block - firstBlock)
    return {
      requests: all.map((request, index) => ({ ...request, index, block: blockIn(request.block) })),
      firstTurn: Math.floor(firstBlock / contenderCount),
    }
  })
}
