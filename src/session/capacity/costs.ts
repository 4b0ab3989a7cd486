import {
  breakEven,
  type CountErrors,
  cloudCost,
  type FoundCapacity,
  type FoundCosts,
  type FoundSweep,
  localCost,
  type PriceList,
  paretoFront,
  type TextsAlone,
  type Worth,
} from '#capacity'
import type { ContenderConfig } from '#config'
import type { VerifiedCorpus } from '#corpus'

export interface CostsInput {
  readonly contender: Pick<ContenderConfig, 'id' | 'model'>
  readonly capacity: FoundCapacity | null
  readonly sweep: FoundSweep
  readonly corpus: VerifiedCorpus
  readonly prices: PriceList | null
  readonly utilisation: number
  readonly alone: TextsAlone
  readonly count: CountErrors
}

/** A day has so many seconds for each second of its capacity. */
const hoursPerDay = 24

/** What this contender costs on this machine, beside what providers would charge for the same recordings. */
export function contenderCosts(input: CostsInput): FoundCosts | null {
  const { contender, capacity, sweep, corpus, prices, utilisation } = input
  if (prices === null) return null
  const worth = worthOf(input)
  const wordErrorRate = sweep.levels.find(({ inFlight }) => inFlight === 1)?.wordErrorRate ?? null
  const durations = corpus.utterances.map(({ durationSeconds }) => durationSeconds)
  const used = sweep.levels.findLast(({ cpuSecondsPerAudioSecond }) => cpuSecondsPerAudioSecond !== null)
  // A cloud model is not bought by the machine: only its price list says what it costs.
  const priced = prices.cloud.find(
    ({ models }) => contender.model !== null && models.includes(contender.model),
  )
  const local =
    priced !== undefined || capacity === null || used?.cpuSecondsPerAudioSecond == null
      ? null
      : localCost(prices, {
          capacityAudioSecondsPerSecond: capacity.estimate.audioSecondsPerSecond,
          utilisation,
          cpuSecondsPerAudioSecond: used.cpuSecondsPerAudioSecond,
          joulesPerAudioHour: null,
          worth,
        })
  const cloud = prices.cloud.flatMap((price) => {
    const measured = price === priced && worth !== null ? { worth, wordErrorRate } : null
    const cost = cloudCost(price, durations, measured)
    if (cost === null) return []
    const most = (capacity?.estimate.audioSecondsPerSecond ?? 0) * hoursPerDay
    return [{ ...cost, breakEven: local === null ? null : breakEven(local, cost, most) }]
  })
  const aloneP95Ms = sweep.levels.find(({ inFlight }) => inFlight === 1)?.p95Ms ?? null
  const own = {
    id: contender.id,
    wordErrorRate,
    p95Ms: aloneP95Ms,
    perAudioHour:
      (priced === undefined ? local : cloud.find(({ id }) => id === priced.id))?.perAudioHour ?? null,
  }
  const offers = [
    own,
    ...cloud
      .filter(({ id }) => id !== priced?.id)
      .map(({ id, perAudioHour }) => ({ id, wordErrorRate: null, p95Ms: null, perAudioHour })),
  ]
  return { currency: prices.currency, local, cloud, offers, paretoFront: paretoFront(offers) }
}

/** Correct words of one pass over the recordings, each alone. */
function worthOf({ corpus, alone, count }: CostsInput): Worth | null {
  let [audioSeconds, correctWords] = [0, 0]
  for (const { id, durationSeconds } of corpus.utterances) {
    const text = alone.get(id)?.[0]
    const counted = text === undefined ? null : count(id, text)
    if (counted === null) return null
    audioSeconds += durationSeconds
    correctWords += counted.hits
  }
  return { audioSeconds, correctWords }
}
