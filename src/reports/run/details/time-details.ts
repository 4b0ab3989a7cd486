import type { Evaluation, TimeAnalysis } from '#analysis'
import {
  countColumn,
  fileColumn,
  intervalColumns,
  millisecondsColumn,
  millisecondsIntervalColumns,
  rateColumn,
  textColumn,
} from '../../layout/column-kinds.ts'
import { byContender, type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

/** Either what was compared, or why nothing was. */
type TimeRow = Contended & { readonly compared: TimeAnalysis | null; readonly absence: string | null }

/** Errors of the times of words or segments; null where no reference has times. */
export function timeDetails(evaluation: Evaluation): DetailTable | null {
  const rows: readonly TimeRow[] = byContender(evaluation, ({ times }) => {
    if (times === null) return []
    return [
      times.reason === null ? { compared: times, absence: null } : { compared: null, absence: times.reason },
    ]
  })
  if (rows.length === 0) return null
  return detailTable<TimeRow>({
    title: 'Times of words',
    notes: [
      'Mean absolute error over the words that the alignment matches. Where segments are timed, the first word of one has its ' +
        'start and the last word its end.',
      ...rows.flatMap(({ contender, absence }) =>
        absence === null ? [] : [`${contender}: no times were compared, because ${absence}.`],
      ),
    ],
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('times_of', { header: 'times of', dropOrder: 2 }, ({ compared }) =>
        compared === null ? null : compared.units.map((unit) => `${unit}s`).join(', '),
      ),
      countColumn(
        'compared_words',
        { header: 'words' },
        ({ compared }) => compared?.rate.denominator ?? null,
      ),
      fileColumn('matched_words', ({ compared }) => compared?.matchedCount ?? null),
      fileColumn('untimed_answers', ({ compared }) => compared?.untimedCount ?? null),
      millisecondsColumn(
        'start_error_ms',
        { header: 'start error' },
        ({ compared }) => compared?.startError.meanMs ?? null,
      ),
      ...millisecondsIntervalColumns<TimeRow>(
        'start_error',
        ({ compared }) => compared?.startError.interval ?? null,
      ),
      millisecondsColumn(
        'end_error_ms',
        { header: 'end error' },
        ({ compared }) => compared?.endError.meanMs ?? null,
      ),
      ...millisecondsIntervalColumns<TimeRow>(
        'end_error',
        ({ compared }) => compared?.endError.interval ?? null,
      ),
      rateColumn(
        'within_200_ms_rate',
        { header: 'within 200 ms' },
        ({ compared }) => compared?.rate.rate ?? null,
      ),
      ...intervalColumns<TimeRow>('within_200_ms', ({ compared }) => compared?.rate.interval ?? null),
      fileColumn('absence', ({ absence }) => absence),
    ],
  })
}
