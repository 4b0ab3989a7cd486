import type { PriceList } from '#capacity'
import { type BenchConfig, type ContenderConfig, detectedLanguage } from '#config'
import { spokenLanguage, type VerifiedCorpus } from '#corpus'
import type { PlannedRequest, RecordedOwnPrices } from '#journal'
import { isMadeOfSpeech, type LoadShape, makeSchedule, type Schedule } from '#load'
import { type Bill, billPlan, blockSchedule, isBilled, planRequests, planRoutes, type Route } from '#run'
import type { Profile } from '#scoring'
import { sessionErrors } from '../errors.ts'
import type { OpenServer } from '../target/open-server.ts'
import type { OpenTarget } from '../target/open-target.ts'
import type { AudioReach } from '../target/transport-facts.ts'
import { type ChosenContenders, readyContenders, type SkippedContender } from './contenders.ts'
import type { OpenedCorpus } from './open-corpus.ts'
import { type PlannedCost, planCosts } from './plan-costs.ts'
import { ownPrices, type PricedContender, pricedContender } from './prices.ts'
import { scoringProfile } from './scoring-profile.ts'

/** Everything that is decided before the first request. */
export interface MeasurePlan {
  readonly corpus: OpenedCorpus
  readonly target: Pick<OpenTarget | OpenServer, 'kind' | 'description' | 'health' | 'warnings'>
  readonly contenders: readonly PricedContender[]
  readonly skipped: readonly SkippedContender[]
  readonly load: LoadShape
  /** Of the whole load, as it is described. */
  readonly schedule: Schedule
  /** Of each block. */
  readonly blockSchedule: Schedule
  readonly requests: readonly PlannedRequest[]
  /** Of the order of everything, and of random arrivals. */
  readonly seed: number
  /** Answers are scored with it. */
  readonly profile: Profile
  /** How each utterance can go, by its id; the first one is used. Empty for a server that takes forms only. */
  readonly routes: ReadonlyMap<string, readonly Route[]>
  /** Where copies are put for utterances that go `staged`. */
  readonly stagingFolder: string | null
  /** What the billed contenders may cost; empty where none is billed. */
  readonly bills: readonly Bill[]
  /** The same with the prices that it is compared with. */
  readonly costs: readonly PlannedCost[]
  /** Prices that providers are compared with; undefined where no contender has a price. */
  readonly ownPrices: RecordedOwnPrices | undefined
}

/**
 * @param reach null where no audio has to find its way: a server that takes forms only, or texts
 * @throws BenchError BILLED_MINUTES_EXCEEDED, TARGET_HAS_NO_MODES, TARGET_MODEL_MISSING, NOTHING_TO_MEASURE, AUDIO_TOO_LARGE
 */
export function makePlan(
  config: BenchConfig,
  {
    corpus,
    load,
    target,
    reach,
    prices,
    chosen = { isChosen: true, command: [] },
  }: {
    corpus: OpenedCorpus
    load: LoadShape
    target: OpenTarget | OpenServer
    reach: AudioReach | null
    prices: PriceList
    chosen?: ChosenContenders
  },
): MeasurePlan {
  const { contenders: ready, skipped } = readyContenders(config, target, chosen)
  const contenders = ready.map((contender) =>
    pricedContender(withLanguage(contender, corpus), {
      prices,
      isBilled: isBilled(contender, target.models),
    }),
  )
  const routes = reach === null ? new Map() : planRoutes(corpus.utterances, config.transport, reach)
  const { kind, description, health, warnings } = target
  const planned = planLoad(config, { corpus, load, contenderIds: contenders.map(({ id }) => id) })
  const bills = billPlan(
    contenders.filter((contender) => isBilled(contender, target.models)),
    planned.requests,
    audioSecondsById(corpus),
    config.maxBilledMinutes,
  )
  const own = ownPrices(prices, contenders)
  return {
    corpus,
    target: { kind, description, health, warnings },
    contenders,
    skipped,
    load,
    ...planned,
    seed: config.seed,
    profile: scoringProfile(config, corpus.utterances),
    routes,
    stagingFolder: reach?.stagingFolder ?? null,
    bills,
    costs: planCosts(bills, contenders, own),
    ownPrices: own,
  }
}

/** A Mode that is made for a contender is asked for the language of the corpus; a named one keeps its own. */
function withLanguage(contender: ContenderConfig, corpus: VerifiedCorpus): ContenderConfig {
  if (contender.language !== null || contender.mode !== null) return contender
  return { ...contender, language: spokenLanguage(corpus.utterances) ?? detectedLanguage }
}

/**
 * The part of a plan that can be made without a target.
 *
 * @throws BenchError NOTHING_TO_MEASURE for a load that has no arrival; WORKLOAD_UNFIT for one that is made of speech
 *   where texts are sent
 */
export function planLoad(
  { seed, rounds, warmupRequests }: Pick<BenchConfig, 'seed' | 'rounds' | 'warmupRequests'>,
  {
    corpus,
    load,
    contenderIds,
  }: { corpus: VerifiedCorpus; load: LoadShape; contenderIds: readonly string[] },
): Pick<MeasurePlan, 'schedule' | 'blockSchedule' | 'requests'> {
  refuseSpeech(load, corpus)
  const schedule = makeSchedule(load, { seed, meanAudioSeconds: meanAudioSecondsOf(corpus) })
  const requests = planRequests({
    contenderIds,
    utterances: corpus.utterances.map(({ id, durationSeconds }) => ({ id, audioSeconds: durationSeconds })),
    schedule,
    wantedSeconds: load.kind === 'trace' ? load.entries.map(({ audioSeconds }) => audioSeconds) : null,
    rounds,
    warmupRequests,
    seed,
  })
  if (requests.some(({ phase }) => phase === 'measure')) {
    return { schedule, blockSchedule: blockSchedule({ schedule, rounds, contenderIds }), requests }
  }
  throw sessionErrors.make('NOTHING_TO_MEASURE', {
    message: `the load has no arrival in its time: ${schedule.describe()}`,
    hint: 'give it a higher rate or a longer duration: --rate, --duration',
  })
}

/** Texts have no audio length: no speaking rate, no trace and no seconds of speech apply to them. */
function refuseSpeech(load: LoadShape, { audioSeconds }: Pick<VerifiedCorpus, 'audioSeconds'>): void {
  if (audioSeconds > 0 || !isMadeOfSpeech(load)) return
  const what = load.kind === 'trace' || load.kind === 'speakers' ? load.kind : 'a rate in seconds of speech'
  throw sessionErrors.make('WORKLOAD_UNFIT', {
    message: `texts have no length in seconds, so that ${what} cannot be a load of them`,
    hint: 'send them at a rate of requests, --rate 2/s, or keep some in flight, --concurrency 4',
  })
}

/** Turns rates in speech into rates in requests: each utterance is sent equally often. */
export function meanAudioSecondsOf({
  audioSeconds,
  utterances,
}: Pick<VerifiedCorpus, 'audioSeconds' | 'utterances'>): number {
  return audioSeconds / utterances.length
}

/** Lengths of the utterances by id. */
export function audioSecondsById({
  utterances,
}: Pick<VerifiedCorpus, 'utterances'>): ReadonlyMap<string, number> {
  return new Map(utterances.map(({ id, durationSeconds }) => [id, durationSeconds]))
}
