import type { ContenderInsight, Evaluation } from '#analysis'
import type { Column } from '../../layout/column.ts'
import { textColumn } from '../../layout/column-kinds.ts'

/** A row with whose it is. */
export interface Contended {
  readonly contender: string
}

/** Rows of all contenders, in their order. */
export function byContender<Row>(
  { insights }: Evaluation,
  rowsOf: (insight: ContenderInsight) => readonly Row[],
): readonly (Row & Contended)[] {
  return insights.flatMap((insight) =>
    rowsOf(insight).map((row) => ({ ...row, contender: insight.contenderId })),
  )
}

/** Not shown on a screen where there is one contender. */
export function contenderColumn<Row extends Contended>(contenderCount: number): Column<Row> {
  const look = contenderCount > 1 ? { header: 'contender', kind: 'contender' as const } : null
  return textColumn('contender', look, ({ contender }) => contender)
}
