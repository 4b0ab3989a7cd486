import type { ContenderConfig } from '#config/bench-config'
import type { VerifiedCorpus } from '#corpus/utterance'
import { findProviderId } from '#run/plan/provider-terms'
import {
  breakEven,
  cloudCost,
  type FoundCosts,
  type FoundFleet,
  hoursPerDay,
  localCost,
  paretoFront,
  type Worth,
  yearlyCosts,
} from '../cost.ts'
import { fleetFor, sustainedLoad } from '../found.ts'
import type { FoundCapacity, FoundSweep } from '../found-loads.ts'
import { findPrice } from '../prices.ts'
import type { CountErrors, TextsAlone } from '../sweep.ts'
import type { ContenderInput } from './contender-input.ts'

/** Cost of this contender, with the charges of providers for the same recordings; null without prices. */
export function contenderCosts(
  { config, corpus, request: { prices, utilisation } }: ContenderInput,
  contender: ContenderConfig,
  found: {
    readonly capacity: FoundCapacity | null
    readonly sweep: FoundSweep
    readonly alone: TextsAlone
    readonly count: CountErrors
  },
): FoundCosts | null {
  const { capacity, sweep } = found
  if (prices === null) return null
  const worth = estimateWorth(corpus, found.alone, found.count)
  const errorRate = sweep.levels.find(({ inFlight }) => inFlight === 1)?.errorRate ?? null
  const durations = corpus.utterances.map(({ durationSeconds }) => durationSeconds)
  const used = sweep.levels.findLast(({ cpuSecondsPerAudioSecond }) => cpuSecondsPerAudioSecond !== null)
  // A cloud model does not run on this machine, so only its price list gives a cost.
  const priced = findPrice(prices, { model: contender.model, provider: findProviderId(contender, config) })
  const local =
    priced !== null || capacity === null || used?.cpuSecondsPerAudioSecond == null
      ? null
      : localCost(prices, {
          capacityAudioSecondsPerSecond: capacity.estimate.audioSecondsPerSecond,
          utilisation,
          cpuSecondsPerAudioSecond: used.cpuSecondsPerAudioSecond,
          worth,
        })
  const cloud = prices.cloud.flatMap((price) => {
    const measured = price === priced && worth !== null ? { worth, errorRate } : null
    const cost = cloudCost(price, durations, measured)
    if (cost === null) return []
    const maxAudioHoursPerDay = (capacity?.estimate.audioSecondsPerSecond ?? 0) * hoursPerDay
    return [{ ...cost, breakEven: local === null ? null : breakEven(local, cost, maxAudioHoursPerDay) }]
  })
  const aloneP95Ms = sweep.levels.find(({ inFlight }) => inFlight === 1)?.p95Ms ?? null
  const offer = {
    id: contender.id,
    errorRate,
    p95Ms: aloneP95Ms,
    perAudioHour: (priced === null ? local : cloud.find(({ id }) => id === priced.id))?.perAudioHour ?? null,
  }
  return { currency: prices.currency, local, cloud, offers: [offer], paretoFront: paretoFront([offer]) }
}

/** Number of machines for the requested users, with yearly costs; null without users. */
export function contenderFleet(
  { habit, request: { users, prices, utilisation } }: ContenderInput,
  found: Parameters<typeof sustainedLoad>[0],
  costs: FoundCosts | null,
): FoundFleet | null {
  if (users === null) return null
  const sustained = sustainedLoad(found)
  const size = sustained === null ? null : fleetFor(users, sustained.load.requestsPerSecond, habit)
  const yearly =
    prices === null || costs === null
      ? null
      : yearlyCosts({ users, machines: size?.machines ?? null }, habit, {
          currency: prices.currency,
          utilisation,
          local: costs.local,
          machine: prices.machine,
          cloud: costs.cloud,
        })
  return {
    users,
    size: size === null || sustained === null ? null : { ...size, basis: sustained.basis },
    yearly,
  }
}

/** Correct words of one pass over the recordings, each measured alone. */
function estimateWorth(corpus: VerifiedCorpus, alone: TextsAlone, count: CountErrors): Worth | null {
  let [audioSeconds, correctWords] = [0, 0]
  for (const { id, durationSeconds } of corpus.utterances) {
    const text = alone.get(id)?.[0]
    const counted = text === undefined ? null : count.count(id, text)
    if (counted === null) return null
    audioSeconds += durationSeconds
    correctWords += counted.correctWords
  }
  return { audioSeconds, correctWords }
}
