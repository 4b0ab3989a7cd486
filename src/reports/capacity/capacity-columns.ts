import { type FoundCosts, type FoundFleet, paretoFront } from '#capacity/cost'
import type { CapacityFinding, ContenderCapacity } from '#capacity/finding'
import type { FoundLevel, FoundSimulation, FoundSweep, FoundSweepLevel } from '#capacity/found-loads'
import { columnsOf, figure, type ShownColumn, shownColumns } from '../layout/table.ts'
import {
  absent,
  counted,
  fixed,
  formatCount,
  formatFactor,
  formatMilliseconds,
  formatPercent,
  formatPoints,
  formatTimes,
  orAbsent,
  rateWords,
  signed,
} from '../layout/units.ts'
import { breakEvenInWords, formatRate, levelVerdict, money } from './capacity-words.ts'

export interface LevelRow {
  readonly finding: CapacityFinding
  readonly contender: ContenderCapacity
  readonly level: FoundLevel
}

export function levelRows(finding: CapacityFinding, contender: ContenderCapacity): readonly LevelRow[] {
  return contender.levels.map((level) => ({ finding, contender, level }))
}

const perSecond = (rate: number): string => `${formatRate(rate)}/s`
const { column, count, file, milliseconds, rate, text } = columnsOf<LevelRow>()

/** Columns of the measured loads, in the order of their file. */
export const levelFileColumns = [
  file('run', ({ finding }) => finding.id),
  file('contender', ({ contender }) => contender.id),
  column('offered_requests_per_second', ({ level }) => level.requestsPerSecond, perSecond, 'offered'),
  file('offered_audio_seconds_per_second', ({ level }) => level.audioSecondsPerSecond),
  column(
    'concurrent_users',
    ({ level }) => level.concurrentUsers,
    (users) => fixed(users, 0),
    {
      header: 'users',
      dropOrder: 3,
    },
  ),
  column('achieved_requests_per_second', ({ level }) => level.achievedPerSecond, perSecond, {
    header: 'achieved',
    dropOrder: 4,
  }),
  file('measured_seconds', ({ level }) => level.measuredSeconds),
  count('requests', ({ level }) => level.requests, { dropOrder: 2 }),
  rate('failure_rate', ({ level }) => level.failureRate, { header: 'failed', dropOrder: 1 }),
  milliseconds('response_p50_ms', ({ level }) => level.p50Ms, 'p50'),
  milliseconds('response_p95_ms', ({ level }) => level.p95Ms, 'p95'),
  milliseconds('response_p99_ms', ({ level }) => level.p99Ms, { header: 'p99', dropOrder: 5 }),
  column(
    'mean_in_system',
    ({ level }) => level.meanInSystem,
    (requests) => fixed(requests, 1),
    {
      header: 'backlog',
      dropOrder: 1,
    },
  ),
  file('backlog_growth_per_request', ({ level }) => level.backlogGrowth),
  file('stability', ({ level }) => level.stability),
  text('verdict', ({ level }) => level.verdict, {
    header: 'objectives',
    cell: ({ level }) => levelVerdict(level),
    tone: ({ level: { verdict } }) =>
      verdict === 'met' ? 'good' : verdict === 'violated' ? 'bad' : 'caution',
  }),
  file('violated_objectives', ({ level: { objectives } }) => {
    const violated = objectives.filter(({ verdict }) => verdict === 'violated')
    return violated.map(({ objective }) => objective).join('; ') || null
  }),
  file('differing_texts', ({ level }) => level.differingTexts),
  file('compared_texts', ({ level }) => level.comparedTexts),
  file('capacity_requests_per_second', (row) => row.contender.capacity?.estimate.requestsPerSecond ?? null),
  file('capacity_basis', ({ contender }) => contender.capacity?.basis ?? null),
  file('capacity_low', ({ contender }) => contender.capacity?.low.requestsPerSecond ?? null),
  file('capacity_high', ({ contender }) => contender.capacity?.high.requestsPerSecond ?? null),
]

export const levelColumns = shownColumns(levelFileColumns, [
  'offered_requests_per_second',
  'concurrent_users',
  'achieved_requests_per_second',
  'requests',
  'response_p50_ms',
  'response_p95_ms',
  'response_p99_ms',
  'failure_rate',
  'mean_in_system',
  'verdict',
])

export const sweepColumns = ({ leads }: FoundSweep): readonly ShownColumn<FoundSweepLevel>[] => [
  figure('in flight', ({ inFlight }) => inFlight, formatCount),
  figure('speed', ({ speed }) => speed, formatTimes),
  figure('p50', ({ p50Ms }) => p50Ms, formatMilliseconds),
  figure('p95', ({ p95Ms }) => p95Ms, formatMilliseconds),
  {
    header: 'other texts',
    align: 'right',
    cell: ({ differingTexts, comparedTexts }) =>
      `${formatCount(differingTexts)} of ${formatCount(comparedTexts)}`,
  },
  figure(rateWords[leads].short, ({ errorRate }) => errorRate, formatPercent, { dropOrder: 1 }),
  {
    header: 'against no load',
    align: 'right',
    dropOrder: 2,
    cell: ({ errorRateDifference }) =>
      orAbsent(errorRateDifference, ({ estimate, interval }) =>
        interval === null
          ? formatPoints(estimate)
          : `${formatPoints(estimate)} (${signed(100 * interval.low, 1)} to ${signed(100 * interval.high, 1)})`,
      ),
  },
  figure('failed', ({ failed }) => failed, formatCount, { dropOrder: 3 }),
  figure('CPU s/audio s', ({ cpuSecondsPerAudioSecond: used }) => used, formatFactor, { dropOrder: 4 }),
  figure(
    'memory',
    ({ peakResidentBytes: bytes }) => bytes,
    (held) => `${formatCount(Math.round(held / 2 ** 20))} MiB`,
    { dropOrder: 5 },
  ),
]

export const reproductionColumns: readonly ShownColumn<FoundSimulation['reproductions'][number]>[] = [
  { header: 'measured load', align: 'right', cell: ({ perSecond }) => `${formatRate(perSecond)}/s` },
  figure('p50 measured', (row) => row.measuredP50Ms, formatMilliseconds, { dropOrder: 1 }),
  figure('simulated', (row) => row.simulatedP50Ms, formatMilliseconds, { dropOrder: 1 }),
  figure('p95 measured', (row) => row.measuredP95Ms, formatMilliseconds),
  figure('simulated', (row) => row.simulatedP95Ms, formatMilliseconds),
  { header: 'simulation', cell: ({ isReproduced }) => (isReproduced ? '✓ reproduced' : '✗ not') },
]

export const whatIfColumns: readonly ShownColumn<FoundSimulation['whatIfs'][number]>[] = [
  { header: 'what if (simulated, check)', cell: ({ question }) => question },
  {
    header: 'mean length',
    align: 'right',
    dropOrder: 3,
    cell: (row) => `${fixed(row.meanAudioSeconds, 1)} s`,
  },
  {
    header: 'capacity',
    align: 'right',
    cell: ({ capacity }) => (capacity === null ? 'none' : `${formatRate(capacity.requestsPerSecond)}/s`),
  },
  figure('speech', ({ capacity }) => capacity?.audioSecondsPerSecond, formatTimes, { dropOrder: 1 }),
  figure(
    'users',
    ({ capacity }) => capacity?.concurrentUsers,
    (users) => fixed(Math.floor(users + 1e-9), 0),
    { dropOrder: 4 },
  ),
]

export type CostRow = ReturnType<typeof costRows>[number]

export function costRows(contender: ContenderCapacity, costs: FoundCosts) {
  const { currency, local, cloud } = costs
  return [
    ...(local === null
      ? []
      : [
          {
            name: `${contender.id}, this machine`,
            currency,
            perAudioHour: local.perAudioHour,
            perThousandCorrectWords: local.perThousandCorrectWords,
            billedShare: null,
            even: absent,
            source: `${formatPercent(local.utilisation, 0)} used, energy ${local.energyIs}`,
          },
        ]),
    ...cloud.map(({ name, perAudioHour, perThousandCorrectWords, billedShare, breakEven, source, date }) => ({
      name,
      currency,
      perAudioHour,
      perThousandCorrectWords,
      billedShare,
      even: breakEvenInWords(breakEven),
      source: `${source}, ${date}`,
    })),
  ]
}

export const costColumns: readonly ShownColumn<CostRow>[] = [
  { header: 'cost', cell: ({ name }) => name },
  { header: 'audio hour', align: 'right', cell: (row) => money(row.perAudioHour, row.currency) },
  {
    header: '1,000 correct words',
    align: 'right',
    dropOrder: 1,
    cell: (row) => money(row.perThousandCorrectWords, row.currency),
  },
  figure(
    'billed/spoken',
    ({ billedShare }) => billedShare,
    (share) => fixed(share, 2),
    { dropOrder: 2 },
  ),
  { header: 'own machine pays', cell: ({ even }) => even },
]

export function yearlyRows(fleet: FoundFleet | null) {
  if (fleet === null || fleet.yearly === null) return []
  const { currency, own, providers } = fleet.yearly
  return [
    ...(own === null ? [] : [{ ...own, name: counted(own.machines, 'such machine'), currency }]),
    ...providers.map((provider) => ({ ...provider, currency })),
  ]
}

export const yearlyColumns: readonly ShownColumn<ReturnType<typeof yearlyRows>[number]>[] = [
  { header: 'a year', cell: ({ name }) => name },
  { header: 'costs', align: 'right', cell: (row) => money(row.amount, row.currency) },
  { header: 'price read', dropOrder: 1, cell: ({ date }) => date },
  { header: 'source', dropOrder: 2, cell: ({ source }) => source },
]

/** The contenders by accuracy, latency and cost, if there are several, with their common Pareto front. */
export function offerRows({ contenders }: CapacityFinding) {
  const priced = contenders.flatMap(({ costs }) => costs ?? [])
  const offers = priced
    .flatMap((costs) => costs.offers)
    .filter(({ id }) => contenders.some((each) => each.id === id))
  if (offers.length < 2) return []
  const front = paretoFront(offers)
  const currency = priced[0]?.currency ?? 'USD'
  return offers.map((offer) => ({ ...offer, currency, isOnFront: front.includes(offer.id) }))
}

export const offerColumns = ({
  contenders,
}: CapacityFinding): readonly ShownColumn<ReturnType<typeof offerRows>[number]>[] => [
  { header: 'to choose from', cell: ({ id }) => id },
  {
    // The leading rate is that of the first contender, because all contenders transcribe the same corpus.
    header: rateWords[contenders[0]?.sweep.leads ?? 'words'].short,
    align: 'right',
    cell: ({ errorRate }) => orAbsent(errorRate, formatPercent),
  },
  figure('p95 alone', ({ p95Ms }) => p95Ms, formatMilliseconds),
  {
    header: 'audio hour',
    align: 'right',
    cell: ({ perAudioHour, currency }) => money(perAudioHour, currency),
  },
  {
    header: 'front',
    cell: ({ isOnFront, errorRate, p95Ms, perAudioHour }) => {
      if (isOnFront) return '✓ on the front'
      return [errorRate, p95Ms, perAudioHour].includes(null) ? 'not measured' : 'beaten'
    },
    tone: ({ isOnFront }) => (isOnFront ? 'good' : null),
  },
]
