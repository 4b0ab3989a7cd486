import type { Evaluation } from '#analysis'
import {
  countColumn,
  intervalColumns,
  longTextColumn,
  rateColumn,
  textColumn,
} from '../../layout/column-kinds.ts'
import { byContender, type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

type EntityRow = Contended & Evaluation['errorAnalyses'][number]['entities'][number]

/** Entities of the manifest by type; null where it has none. */
export function entityDetails(evaluation: Evaluation): DetailTable | null {
  const rows = byContender(evaluation, ({ entities }) => entities)
  if (rows.length === 0) return null
  return detailTable<EntityRow>({
    title: 'Entities',
    notes: ['An entity is found if every word of it is right.'],
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('type', { header: 'type' }, ({ type }) => type),
      countColumn('said', { header: 'said' }, ({ recall }) => recall.denominator),
      countColumn('found', { header: 'found' }, ({ recall }) => recall.numerator),
      countColumn('missed', { header: 'missed', dropOrder: 2 }, ({ missedRate }) => missedRate.numerator),
      countColumn('invented', { header: 'invented' }, ({ invented }) => invented),
      rateColumn('recall_rate', { header: 'recall' }, ({ recall }) => recall.rate),
      ...intervalColumns<EntityRow>('recall', ({ recall }) => recall.interval),
      rateColumn('missed_rate', { header: 'missed rate' }, ({ missedRate }) => missedRate.rate),
      rateColumn('precision_rate', { header: 'precision' }, ({ precision }) => precision.rate),
      longTextColumn(
        'most_missed',
        { header: 'most missed', dropOrder: 1, isNeeded: ({ missed }) => missed.length > 0 },
        ({ missed }) =>
          missed
            .slice(0, 3)
            .map(({ text }) => text)
            .join(', '),
      ),
    ],
  })
}
