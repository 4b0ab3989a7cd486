import type { ContenderAnalysis, Evaluation } from '#analysis'
import type { Column } from '../../layout/column.ts'
import { textColumn } from '../../layout/column-kinds.ts'

/** A row with whose it is. */
export interface Contended {
  readonly contender: string
}

/** Behind the name of a contender in every table: empty where all answers were received in this run. */
export function reusedNote(contenders: Evaluation['contenders'], id: string): string {
  const isReused = contenders.some(({ contender, reused }) => contender.id === id && reused !== undefined)
  return isReused ? 'reused' : ''
}

/** Rows of all contenders, in their order. */
export function byContender<Row>(
  { errorAnalyses }: Evaluation,
  rowsOf: (analysis: ContenderAnalysis) => readonly Row[],
): readonly (Row & Contended)[] {
  return errorAnalyses.flatMap((analysis) =>
    rowsOf(analysis).map((row) => ({ ...row, contender: analysis.contenderId })),
  )
}

/**
 * Whose row it is, with a mark where answers of earlier runs are in the figures.
 *
 * @param isShown whether people see it; default: where there are several contenders, and where answers are reused
 */
export function contenderColumn<Row extends Contended>(
  { contenders }: Pick<Evaluation, 'contenders'>,
  isShown = contenders.length > 1 || contenders.some(({ reused }) => reused !== undefined),
): Column<Row> {
  const note = ({ contender }: Row): string => reusedNote(contenders, contender)
  const look = isShown ? { header: 'contender', kind: 'contender' as const, note } : null
  return textColumn('contender', look, ({ contender }) => contender)
}
