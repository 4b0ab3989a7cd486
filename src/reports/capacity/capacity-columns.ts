import {
  type CapacityFinding,
  type ContenderCapacity,
  type FoundCosts,
  type FoundFleet,
  type FoundLevel,
  type FoundSimulation,
  type FoundSweep,
  type FoundSweepLevel,
  type Offer,
  paretoFront,
} from '#capacity'
import { rateWords } from '../layout/rate-words.ts'
import type { TableColumn } from '../layout/table.ts'
import {
  counted,
  fixed,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatTimes,
  signed,
} from '../layout/units.ts'
import { formatRate } from './capacity-answer.ts'
import { breakEvenInWords, levelVerdict, money, shareText } from './capacity-words.ts'

const milliseconds = (value: number | null): string => (value === null ? '-' : formatMilliseconds(value))

export const levelColumns: readonly TableColumn<FoundLevel>[] = [
  {
    header: 'offered',
    align: 'right',
    dropOrder: 0,
    cell: (level) => `${formatRate(level.requestsPerSecond)}/s`,
  },
  { header: 'users', align: 'right', dropOrder: 3, cell: (level) => fixed(level.concurrentUsers, 0) },
  {
    header: 'achieved',
    align: 'right',
    dropOrder: 4,
    cell: (level) => `${formatRate(level.achievedPerSecond)}/s`,
  },
  { header: 'requests', align: 'right', dropOrder: 2, cell: (level) => formatCount(level.requests) },
  { header: 'p50', align: 'right', dropOrder: 0, cell: (level) => milliseconds(level.p50Ms) },
  { header: 'p95', align: 'right', dropOrder: 0, cell: (level) => milliseconds(level.p95Ms) },
  { header: 'p99', align: 'right', dropOrder: 5, cell: (level) => milliseconds(level.p99Ms) },
  { header: 'failed', align: 'right', dropOrder: 1, cell: (level) => formatPercent(level.failureRate) },
  { header: 'backlog', align: 'right', dropOrder: 1, cell: (level) => fixed(level.meanInSystem, 1) },
  {
    header: 'objectives',
    align: 'left',
    dropOrder: 0,
    cell: levelVerdict,
    tone: ({ verdict }) => (verdict === 'met' ? 'good' : verdict === 'violated' ? 'bad' : 'caution'),
  },
]

export const sweepColumns = ({ leads }: FoundSweep): readonly TableColumn<FoundSweepLevel>[] => [
  { header: 'in flight', align: 'right', dropOrder: 0, cell: ({ inFlight }) => formatCount(inFlight) },
  {
    header: 'speed',
    align: 'right',
    dropOrder: 0,
    cell: ({ speed }) => (speed === null ? '-' : formatTimes(speed)),
  },
  { header: 'p50', align: 'right', dropOrder: 0, cell: ({ p50Ms }) => milliseconds(p50Ms) },
  { header: 'p95', align: 'right', dropOrder: 0, cell: ({ p95Ms }) => milliseconds(p95Ms) },
  {
    header: 'other texts',
    align: 'right',
    dropOrder: 0,
    cell: ({ differingTexts, comparedTexts }) =>
      `${formatCount(differingTexts)} of ${formatCount(comparedTexts)}`,
  },
  {
    header: rateWords[leads].short,
    align: 'right',
    dropOrder: 1,
    cell: ({ errorRate }) => shareText(errorRate),
  },
  {
    header: 'against alone',
    align: 'right',
    dropOrder: 2,
    cell: ({ errorRateDifference: difference }) =>
      difference === null
        ? '-'
        : difference.interval === null
          ? `${signed(100 * difference.estimate, 2)} pp`
          : `${signed(100 * difference.estimate, 2)} pp (${signed(100 * difference.interval.low, 1)} to ${signed(100 * difference.interval.high, 1)})`,
  },
  { header: 'failed', align: 'right', dropOrder: 3, cell: ({ failed }) => formatCount(failed) },
  {
    header: 'CPU s/audio s',
    align: 'right',
    dropOrder: 4,
    cell: ({ cpuSecondsPerAudioSecond: used }) => (used === null ? '-' : fixed(used, 3)),
  },
  {
    header: 'memory',
    align: 'right',
    dropOrder: 5,
    cell: ({ peakResidentBytes: bytes }) =>
      bytes === null ? '-' : `${formatCount(Math.round(bytes / 2 ** 20))} MiB`,
  },
]

export const reproductionColumns: readonly TableColumn<FoundSimulation['reproductions'][number]>[] = [
  {
    header: 'measured load',
    align: 'right',
    dropOrder: 0,
    cell: ({ perSecond }) => `${formatRate(perSecond)}/s`,
  },
  {
    header: 'p50 measured',
    align: 'right',
    dropOrder: 1,
    cell: (row) => formatMilliseconds(row.measuredP50Ms),
  },
  {
    header: 'simulated',
    align: 'right',
    dropOrder: 1,
    cell: (row) => formatMilliseconds(row.simulatedP50Ms),
  },
  {
    header: 'p95 measured',
    align: 'right',
    dropOrder: 0,
    cell: (row) => formatMilliseconds(row.measuredP95Ms),
  },
  {
    header: 'simulated',
    align: 'right',
    dropOrder: 0,
    cell: (row) => formatMilliseconds(row.simulatedP95Ms),
  },
  {
    header: 'simulation',
    align: 'left',
    dropOrder: 0,
    cell: ({ isReproduced }) => (isReproduced ? '✓ reproduced' : '✗ not'),
  },
]

export const whatIfColumns: readonly TableColumn<FoundSimulation['whatIfs'][number]>[] = [
  { header: 'what if (simulated, check)', align: 'left', dropOrder: 0, cell: ({ question }) => question },
  {
    header: 'mean length',
    align: 'right',
    dropOrder: 3,
    cell: (row) => `${fixed(row.meanAudioSeconds, 1)} s`,
  },
  {
    header: 'capacity',
    align: 'right',
    dropOrder: 0,
    cell: ({ capacity }) => (capacity === null ? 'none' : `${formatRate(capacity.requestsPerSecond)}/s`),
  },
  {
    header: 'speech',
    align: 'right',
    dropOrder: 1,
    cell: ({ capacity }) => (capacity === null ? '-' : formatTimes(capacity.audioSecondsPerSecond)),
  },
  {
    header: 'users',
    align: 'right',
    dropOrder: 4,
    cell: ({ capacity }) => (capacity === null ? '-' : fixed(Math.floor(capacity.concurrentUsers + 1e-9), 0)),
  },
]

/** One thing that can be bought, local or not. */
export interface CostRow {
  readonly name: string
  readonly currency: string
  readonly perAudioHour: number | null
  readonly perThousandCorrectWords: number | null
  readonly billedShare: number | null
  readonly even: string
  readonly isOnFront: boolean
  readonly source: string
}

export function costRows(contender: ContenderCapacity, costs: FoundCosts): readonly CostRow[] {
  const { currency, local, cloud, paretoFront } = costs
  const own: CostRow[] =
    local === null
      ? []
      : [
          {
            name: `${contender.id}, this machine`,
            currency,
            perAudioHour: local.perAudioHour,
            perThousandCorrectWords: local.perThousandCorrectWords,
            billedShare: null,
            even: '-',
            isOnFront: paretoFront.includes(contender.id),
            source: `${formatPercent(local.utilisation, 0)} used, energy ${local.energyIs}`,
          },
        ]
  return [
    ...own,
    ...cloud.map((row) => ({
      name: row.name,
      currency,
      perAudioHour: row.perAudioHour,
      perThousandCorrectWords: row.perThousandCorrectWords,
      billedShare: row.billedShare,
      even: breakEvenInWords(row.breakEven),
      isOnFront: paretoFront.includes(row.id),
      source: `${row.source}, ${row.date}`,
    })),
  ]
}

export const costColumns: readonly TableColumn<CostRow>[] = [
  { header: 'cost', align: 'left', dropOrder: 0, cell: ({ name }) => name },
  {
    header: 'audio hour',
    align: 'right',
    dropOrder: 0,
    cell: (row) => money(row.perAudioHour, row.currency),
  },
  {
    header: '1,000 correct words',
    align: 'right',
    dropOrder: 1,
    cell: (row) => money(row.perThousandCorrectWords, row.currency),
  },
  {
    header: 'billed/spoken',
    align: 'right',
    dropOrder: 2,
    cell: ({ billedShare }) => (billedShare === null ? '-' : fixed(billedShare, 2)),
  },
  { header: 'own machine pays', align: 'left', dropOrder: 0, cell: ({ even }) => even },
]

/** What so many users cost in a year, one way of serving them. */
export interface YearlyRow {
  readonly name: string
  readonly currency: string
  readonly amount: number
  readonly source: string
  readonly date: string
}

export function yearlyRows(fleet: FoundFleet | null): readonly YearlyRow[] {
  if (fleet === null || fleet.yearly === null) return []
  const { currency, own, providers } = fleet.yearly
  return [
    ...(own === null ? [] : [{ ...own, name: counted(own.machines, 'such machine'), currency }]),
    ...providers.map((provider) => ({ ...provider, currency })),
  ]
}

export const yearlyColumns: readonly TableColumn<YearlyRow>[] = [
  { header: 'a year', align: 'left', dropOrder: 0, cell: ({ name }) => name },
  { header: 'costs', align: 'right', dropOrder: 0, cell: (row) => money(row.amount, row.currency) },
  { header: 'price read', align: 'left', dropOrder: 1, cell: ({ date }) => date },
  { header: 'source', align: 'left', dropOrder: 2, cell: ({ source }) => source },
]

/** Something that transcribes, with what one would choose it by. */
export interface OfferRow extends Offer {
  readonly currency: string
  readonly isOnFront: boolean
}

/** The contenders by accuracy, latency and cost, where there is a choice. The front is that of all of them together. */
export function offerRows({ contenders }: CapacityFinding): readonly OfferRow[] {
  const priced = contenders.flatMap(({ costs }) => (costs === null ? [] : [costs]))
  const offers = priced
    .flatMap((costs) => costs.offers)
    .filter(({ id }) => contenders.some((each) => each.id === id))
  if (offers.length < 2) return []
  const front = paretoFront(offers)
  const currency = priced[0]?.currency ?? 'USD'
  return offers.map((offer) => ({ ...offer, currency, isOnFront: front.includes(offer.id) }))
}

export const offerColumns = ({ contenders }: CapacityFinding): readonly TableColumn<OfferRow>[] => [
  { header: 'to choose from', align: 'left', dropOrder: 0, cell: ({ id }) => id },
  {
    // All contenders transcribe the same corpus.
    header: rateWords[contenders[0]?.sweep.leads ?? 'words'].short,
    align: 'right',
    dropOrder: 0,
    cell: ({ errorRate }) => shareText(errorRate),
  },
  { header: 'p95 alone', align: 'right', dropOrder: 0, cell: ({ p95Ms }) => milliseconds(p95Ms) },
  {
    header: 'audio hour',
    align: 'right',
    dropOrder: 0,
    cell: ({ perAudioHour, currency }) => money(perAudioHour, currency),
  },
  {
    header: 'front',
    align: 'left',
    dropOrder: 0,
    cell: ({ isOnFront, errorRate, p95Ms, perAudioHour }) => {
      if (isOnFront) return '✓ on the front'
      return [errorRate, p95Ms, perAudioHour].includes(null) ? 'not measured' : 'beaten'
    },
    tone: ({ isOnFront }) => (isOnFront ? 'good' : null),
  },
]
