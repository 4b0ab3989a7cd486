import type { ContenderEvaluation, Interval, Percentile } from '#analysis'
import type { TableColumn } from './table.ts'
import { foreign } from './terminal.ts'
import { formatCount, formatFactor, formatMilliseconds, formatPercent, formatTimes } from './units.ts'

/** What is shown where there is no figure; the footnotes say why. */
export const absent = '–'

/** Columns of the summary's table, in the order of reading. The last to be dropped has the lowest number. */
export const contenderColumns: readonly TableColumn<ContenderEvaluation>[] = [
  {
    header: 'contender',
    align: 'left',
    dropOrder: 0,
    cell: ({ contender }) => foreign(contender.id),
    tone: () => 'strong',
  },
  { header: 'WER', align: 'right', dropOrder: 0, cell: ({ words }) => percent(words.rate) },
  {
    header: '95% interval',
    align: 'left',
    dropOrder: 0,
    cell: ({ words }) => interval(words.interval),
  },
  {
    header: 'sub',
    align: 'right',
    dropOrder: 3,
    cell: ({ words }) => formatCount(words.counts.substitutions),
  },
  { header: 'del', align: 'right', dropOrder: 3, cell: ({ words }) => formatCount(words.counts.deletions) },
  { header: 'ins', align: 'right', dropOrder: 3, cell: ({ words }) => formatCount(words.counts.insertions) },
  { header: 'CER', align: 'right', dropOrder: 2, cell: ({ characters }) => percent(characters.rate) },
  {
    header: 'speed',
    align: 'right',
    dropOrder: 0,
    cell: ({ systemSpeed }) => (systemSpeed.value === null ? absent : formatTimes(systemSpeed.value)),
  },
  {
    header: 'RTF p50',
    align: 'right',
    dropOrder: 4,
    cell: ({ realTimeFactor }) => percentile(realTimeFactor.p50, formatFactor),
  },
  {
    header: 'p50',
    align: 'right',
    dropOrder: 0,
    cell: ({ latencyMs }) => percentile(latencyMs.p50, formatMilliseconds),
  },
  {
    header: 'p95',
    align: 'right',
    dropOrder: 1,
    cell: ({ latencyMs }) => percentile(latencyMs.p95, formatMilliseconds),
  },
  {
    header: 'failed',
    align: 'right',
    dropOrder: 0,
    cell: ({ counts }) => formatCount(counts.failed),
    tone: ({ counts }) => (counts.failed > 0 ? 'bad' : null),
  },
]

/** Why the table shows no figure in some places, each reason once with whom it concerns. */
export function absenceNotes(contenders: readonly ContenderEvaluation[]): readonly string[] {
  const reasons = contenders.flatMap(({ contender, latencyMs, systemSpeed }) => [
    ...reasonOf('p50', contender.id, latencyMs.p50),
    ...reasonOf('p95', contender.id, latencyMs.p95),
    ...reasonOf('speed', contender.id, systemSpeed),
  ])
  const byText = Map.groupBy(reasons, ({ text }) => text)
  return [...byText].map(([text, those]) =>
    those.length === contenders.length ? text : `${text} (${those.map(({ id }) => foreign(id)).join(', ')})`,
  )
}

function reasonOf(
  name: string,
  id: string,
  figure: { readonly value: number } | { readonly value: null; readonly reason: string },
): readonly { readonly id: string; readonly text: string }[] {
  return figure.value === null ? [{ id, text: `${name} ${figure.reason}` }] : []
}

function percent(rate: number | null): string {
  return rate === null ? absent : formatPercent(rate)
}

function interval(bounds: Interval | null): string {
  return bounds === null ? absent : `${formatPercent(bounds.low)} – ${formatPercent(bounds.high)}`
}

function percentile(figure: Percentile, format: (value: number) => string): string {
  return figure.value === null ? absent : format(figure.value)
}
