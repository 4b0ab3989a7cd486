import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { Ranking } from '#analysis/documents/ranking'
import { leadingFirst, rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { type ShownColumn, shownColumns } from '../layout/table.ts'
import { absent, rateWords } from '../layout/units.ts'
import { type ContenderRow, contenderColumns } from './contender-columns.ts'
import { inRankOrder, ranksMeaning, rankText } from './ranks.ts'

export function contenderRows(
  evaluation: Evaluation,
  contenders: readonly ContenderEvaluation[] = inRankOrder(evaluation),
): readonly ContenderRow[] {
  return contenders.map((contender) => ({ evaluation, contender }))
}

/** The table of a run in a terminal, in Markdown and in JUnit, in reading order: the leading rate first. */
export function summaryColumns({
  profile: { leads },
}: Pick<Evaluation, 'profile'>): readonly ShownColumn<ContenderRow>[] {
  const { lead, other, unit } = nameRates(leads)
  return shownColumns(contenderColumns(leads), [
    'contender',
    `${lead}_rate`,
    `${lead}_low95_rate`,
    'answered',
    `${lead}_all_rate`,
    `${unit}_substitutions`,
    `${unit}_deletions`,
    `${unit}_insertions`,
    `${other}_rate`,
    'rtfx',
    'rtf_p50',
    'latency_p50_ms',
    'latency_p95_ms',
    'post_processed_rate',
    'usd_per_audio_hour',
    'cpu_seconds_per_audio_second',
    'joules_per_audio_hour',
    'failed',
  ])
}

/** The table of a run on a page, where kinds of errors and costs have separate figures. */
export function pageSummaryColumns({
  profile: { leads },
  ranking,
}: Pick<Evaluation, 'profile' | 'ranking'>): readonly ShownColumn<ContenderRow>[] {
  const { lead, other } = nameRates(leads)
  const [name, ...figures] = shownColumns(contenderColumns(leads), [
    'contender',
    `${lead}_rate`,
    `${lead}_low95_rate`,
    `reference_${leads}`,
    'answered',
    `${lead}_all_rate`,
    'failed',
    `${other}_rate`,
    'rtfx',
    'latency_p50_ms',
    'latency_p95_ms',
    'post_processed_rate',
  ])
  return [...(name === undefined ? [] : [name]), ...placeColumns(ranking), ...figures]
}

export function waitingColumns({
  profile: { leads },
}: Pick<Evaluation, 'profile'>): readonly ShownColumn<ContenderRow>[] {
  return shownColumns(contenderColumns(leads), [
    'contender',
    'rtfx',
    'latency_p50_ms',
    'latency_p90_ms',
    'latency_p95_ms',
    'latency_p99_ms',
    'server_decode_p50_ms',
    'server_latency_p50_ms',
    'first_request_ms',
  ])
}

export function findHeader(name: string, leads: ErrorLevel): string {
  return shownColumns(contenderColumns(leads), [name])[0]?.header ?? name
}

function nameRates(leads: ErrorLevel) {
  const [, other = leads] = leadingFirst(leads)
  return { lead: rateMetrics[leads], other: rateMetrics[other], unit: rateWords[leads].unit }
}

/** The ranks of a contender; several if differences are not certain. Two contenders need no column. */
function placeColumns(ranking: Ranking | null): readonly ShownColumn<ContenderRow>[] {
  if (ranking === null || ranking.bands.length < 3) return []
  const bands = new Map(ranking.bands.map((band) => [band.contenderId, band]))
  return [
    {
      header: 'place',
      align: 'right',
      meaning: ranksMeaning(ranking),
      cell: ({ contender }) => {
        const band = bands.get(contender.contender.id)
        return band === undefined ? absent : rankText(band)
      },
    },
  ]
}
