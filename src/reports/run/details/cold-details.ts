import type { ContenderEvaluation, Evaluation } from '#analysis'
import { absent, formatMilliseconds } from '../../layout/units.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailColumn, type DetailTable, detailTable } from './detail-table.ts'

interface ColdRow extends Contended {
  readonly figures: Pick<ContenderEvaluation, 'firstRequestMs' | 'modelLoadingMs' | 'untilSteadyMs'>
}

/** What a fresh server costs before it is as fast as in every other table; null where nothing was sent to warm up. */
export function coldDetails({ contenders }: Evaluation): DetailTable | null {
  if (contenders.every(({ firstRequestMs }) => firstRequestMs === null)) return null
  const rows = contenders.map((figures): ColdRow => ({ contender: figures.contender.id, figures }))
  return detailTable<ColdRow>({
    title: 'Cold start, which is in no other figure',
    notes: contenders.flatMap(({ contender, untilSteadyMs }) =>
      untilSteadyMs.value === null
        ? [`When ${contender.id} had its steady speed is not known: ${untilSteadyMs.reason}.`]
        : [],
    ),
    rows,
    columns: [
      contenderColumn(contenders.length),
      coldColumn('loading', 'model_loading_ms', ({ modelLoadingMs }) => modelLoadingMs.value),
      coldColumn('first answer', 'first_request_ms', ({ firstRequestMs }) => firstRequestMs),
      coldColumn('steady after', 'until_steady_ms', ({ untilSteadyMs }) => untilSteadyMs.value),
    ],
  })
}

function coldColumn(
  name: string,
  header: string,
  value: (figures: ColdRow['figures']) => number | null,
): DetailColumn<ColdRow> {
  return {
    header,
    value: ({ figures }) => value(figures),
    shown: {
      header: name,
      align: 'right',
      dropOrder: 0,
      cell: ({ figures }) => {
        const ms = value(figures)
        return ms === null ? absent : formatMilliseconds(ms)
      },
    },
  }
}
