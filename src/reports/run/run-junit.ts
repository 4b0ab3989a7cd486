import { type Evaluation, failureText, type ThresholdResult } from '#analysis'
import { tableOf } from '../layout/column.ts'
import { junitText, type TestCase, thresholdCase, validityCase } from '../layout/junit.ts'
import { contenderRows, summaryColumns } from './columns/contender-tables.ts'
import { type DetailName, detailTables } from './details/details.ts'

/** Tables with a suite, where the run has them: a case is a row. */
const shownDetails: readonly DetailName[] = ['load', 'languages', 'entities', 'times']

/**
 * A run as JUnit XML: its thresholds, whether it is valid, and a case with the figures of every contender, which
 * is an error where nothing was answered. The load, languages, entities and times of words have cases with their figures. High error rates fail nothing by themselves: a gate is what the user asked
 * for with a threshold.
 */
export function runJunit(evaluation: Evaluation, thresholds: readonly ThresholdResult[]): string {
  const cases = [
    ...thresholds.map(thresholdCase),
    validityCase('the run is valid', evaluation.findings),
    ...contenderCases(evaluation),
    ...detailCases(evaluation),
  ]
  return junitText(cases, evaluation.run.startedAt)
}

/** A case for each contender, with all that its row of the table says. */
function contenderCases(evaluation: Evaluation): readonly TestCase[] {
  const { contenders } = evaluation
  const { columns, rows } = tableOf(summaryColumns(evaluation), contenderRows(evaluation, contenders))
  return contenders.map(({ contender, counts, failures }, index) => {
    const [, ...figures] = (rows[index] ?? []).map(({ text }, place) => `${columns[place]?.header} ${text}`)
    return {
      suite: 'contenders',
      name: `${contender.id} answers`,
      result: counts.answered === 0 ? 'error' : 'passed',
      message: [
        `${counts.answered} of ${counts.planned} answered`,
        ...failures.map(failureText),
        ...figures,
      ].join(', '),
    }
  })
}

/** A case for each row of a table: words on the left name it, and the figures after them are its output. */
function detailCases(evaluation: Evaluation): readonly TestCase[] {
  // A load that waits for answers offers no rate that it could fail to send.
  const isTimed = evaluation.contenders.some(({ loadPhases = [] }) => loadPhases[0]?.offered.seconds != null)
  const names = isTimed ? shownDetails : shownDetails.filter((name) => name !== 'load')
  return detailTables(evaluation, names).flatMap(({ title, toPage }) => {
    const { columns, rows } = toPage()
    const nameCount = columns.findIndex(({ align }) => align === 'right')
    return rows.map((cells): TestCase => {
      const figures = cells
        .slice(nameCount)
        .map(({ text }, at) => `${columns[nameCount + at]?.header} ${text}`)
      const names = cells.slice(0, nameCount).map(({ text }) => text)
      return { suite: title, name: names.join(', '), result: 'passed', message: figures.join(', ') }
    })
  })
}
