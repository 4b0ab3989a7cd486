import type { ContenderEvaluation, Evaluation } from '#analysis'
import { rateMetrics } from '#scoring'
import type { Column } from '../../layout/column.ts'
import {
  column,
  intervalColumns,
  millisecondsColumn,
  rateColumn,
  textColumn,
} from '../../layout/column-kinds.ts'
import { rateWords } from '../../layout/rate-words.ts'
import { formatDollars, formatMilliseconds, formatTimes, orAbsent } from '../../layout/units.ts'
import { type DimensionName, dimensionsOf } from '../dimensions.ts'
import { incomparableMark, marked, withheldSentence } from '../words/speed-words.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

interface CellRow {
  readonly at: string
  readonly value: string
  readonly figures: ContenderEvaluation
}

/** The contenders of a matrix by one of its dimensions; null where it is none of them. */
export function matrixDetails(evaluation: Evaluation, name: DimensionName): DetailTable | null {
  const { contenders, profile, speeds } = evaluation
  const dimension = dimensionsOf(contenders).find((one) => one.name === name)
  if (dimension === undefined) return null
  const { title, values, lines } = dimension
  const rows = lines.flatMap(({ label, contenders: own }): readonly CellRow[] =>
    own.map((figures, place) => ({ at: label, value: values[place] ?? '', figures })),
  )
  const { short } = rateWords[profile.leads]
  const mark = incomparableMark(speeds)
  const markedMs = (ms: number | null): string => marked(orAbsent(ms, formatMilliseconds), mark)
  const withheld = withheldSentence(evaluation)
  const columns: readonly Column<CellRow>[] = [
    textColumn('at', lines.length > 1 ? { header: 'with' } : null, ({ at }) => at),
    textColumn(name, { header: title }, ({ value }) => value),
    rateColumn(
      `${rateMetrics[profile.leads]}_rate`,
      { header: short },
      ({ figures }) => figures[profile.leads].rate,
    ),
    ...intervalColumns<CellRow>(
      rateMetrics[profile.leads],
      ({ figures }) => figures[profile.leads].interval,
      { dropOrder: 3 },
    ),
    column(
      'rtfx',
      {
        header: 'speed',
        cell: ({ figures }) => marked(orAbsent(figures.systemSpeed.value, formatTimes), mark),
      },
      ({ figures }) => figures.systemSpeed.value,
      formatTimes,
    ),
    millisecondsColumn(
      'latency_p50_ms',
      { header: 'p50', cell: ({ figures: { latencyMs } }) => markedMs(latencyMs.p50.value) },
      ({ figures }) => figures.latencyMs.p50.value,
    ),
    millisecondsColumn(
      'latency_p95_ms',
      { header: 'p95', dropOrder: 2, cell: ({ figures: { latencyMs } }) => markedMs(latencyMs.p95.value) },
      ({ figures }) => figures.latencyMs.p95.value,
    ),
    column(
      'usd_per_audio_hour',
      {
        header: 'USD/h',
        dropOrder: 1,
        isNeeded: ({ figures }) => figures.cost !== null,
      },
      ({ figures }) => figures.cost?.usdPerAudioHour ?? null,
      formatDollars,
    ),
  ]
  return detailTable<CellRow>({
    title: `By ${title}`,
    notes: withheld === null ? [] : [withheld],
    rows,
    columns,
  })
}
