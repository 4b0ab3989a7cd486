import { resolve } from 'node:path'
import type { PriceList } from '#capacity'
import type { BenchConfig } from '#config'
import type { PlannedRequest } from '#journal'
import type { Schedule } from '#load'
import { billPlan } from '#run'
import type { Profile } from '#scoring'
import { withCorpus } from './contenders.ts'
import { type ExpectedLoad, expectLoad } from './expect-load.ts'
import { audioSecondsById, meanAudioSecondsOf, planLoad, unansweredRequests } from './measure-plan.ts'
import { type OpenedCorpus, openCorpusFor } from './open-corpus.ts'
import { readLoad } from './open-load.ts'
import { type PlannedCost, planCosts } from './plan-costs.ts'
import { previewReuse, type ReusePreview } from './preview-reuse.ts'
import { mayBeBilled, ownPrices, pricedContender, providerIdOf } from './prices.ts'
import { scoringProfile } from './scoring-profile.ts'
import { type TimeBefore, timeBefore } from './time-before.ts'

/** What would be sent, as far as it is known without a target. */
export interface RunPreview {
  readonly corpus: OpenedCorpus
  readonly meanAudioSeconds: number
  /** Answers are scored with it. */
  readonly profile: Profile
  /** Null where only the target knows the load: the history that it is to be replayed. */
  readonly load: { readonly schedule: Schedule; readonly requests: readonly PlannedRequest[] } | null
  readonly expected: ExpectedLoad | null
  /** Null without a comparable earlier run. */
  readonly before: TimeBefore | null
  readonly reuse: ReusePreview
  /** What contenders that providers bill may cost, as far as that can be known without a target. */
  readonly costs: readonly PlannedCost[]
}

/**
 * Verifies the corpus, reads the trace and makes the plan; touches no target.
 *
 * @throws BenchError BILLED_MINUTES_EXCEEDED, and as `measure` does for what can be found out before
 */
export async function previewRun(
  config: BenchConfig,
  { env, prices }: { readonly env: Readonly<Record<string, string | undefined>>; readonly prices: PriceList },
): Promise<RunPreview> {
  const [shape, corpus] = await openCorpusFor(readLoad(config.load), config, { env })
  const meanAudioSeconds = meanAudioSecondsOf(corpus)
  const profile = scoringProfile(config, corpus)
  const resultsFolder = resolve(config.results)
  if (shape === null) {
    const reuse = { reused: [], unknownIds: [] }
    return { corpus, meanAudioSeconds, profile, load: null, expected: null, before: null, reuse, costs: [] }
  }
  const contenderIds = config.contenders.map(({ id }) => id)
  const load = planLoad(config, { corpus, load: shape, contenderIds })
  const reuse = await previewReuse(config, { corpus, requests: load.requests, env, resultsFolder })
  const requests = unansweredRequests({ ...load, ...reuse })
  return {
    corpus,
    meanAudioSeconds,
    profile,
    load,
    expected: expectLoad(requests, audioSecondsById(corpus)),
    before: await timeBefore({ corpus, load: shape, ...load, requests }, resultsFolder),
    reuse,
    costs: expectedCosts(config, { corpus, requests, prices, reuse }),
  }
}

function expectedCosts(
  config: BenchConfig,
  {
    corpus,
    requests,
    prices,
    reuse,
  }: {
    readonly corpus: OpenedCorpus
    readonly requests: readonly PlannedRequest[]
    readonly prices: PriceList
    readonly reuse: ReusePreview
  },
): readonly PlannedCost[] {
  const contenders = config.contenders.map((contender) =>
    pricedContender(withCorpus(contender, corpus), {
      prices,
      isBilled: mayBeBilled(contender, config),
      provider: providerIdOf(contender, config),
    }),
  )
  const billed = contenders.filter((contender) => mayBeBilled(contender, config))
  const maxMinutes = reuse.unknownIds.length === 0 ? config.maxBilledMinutes : Number.POSITIVE_INFINITY
  const bills = billPlan(billed, requests, audioSecondsById(corpus), maxMinutes)
  return planCosts(
    bills.filter(({ minutes }) => minutes > 0 || reuse.reused.length === 0),
    contenders,
    ownPrices(prices, contenders),
  )
}
