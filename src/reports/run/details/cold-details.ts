import type { ContenderEvaluation, Evaluation } from '#analysis'
import { millisecondsColumn } from '../../layout/column-kinds.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

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
      contenderColumn({ contenders }),
      millisecondsColumn(
        'model_loading_ms',
        { header: 'loading' },
        ({ figures }) => figures.modelLoadingMs.value,
      ),
      millisecondsColumn(
        'first_request_ms',
        { header: 'first answer' },
        ({ figures }) => figures.firstRequestMs,
      ),
      millisecondsColumn(
        'until_steady_ms',
        { header: 'steady after' },
        ({ figures }) => figures.untilSteadyMs.value,
      ),
    ],
  })
}
