import { type ContenderEvaluation, type Evaluation, failureText, type ThresholdResult } from '#analysis'
import { junitText, type TestCase, thresholdCase } from '../layout/junit.ts'
import { columnsFor } from './contender-columns.ts'

/**
 * A run as JUnit XML: what it was held to, whether it is valid, and a case with the figures of every contender, which
 * is an error where nothing was answered. High error rates fail nothing by themselves: a gate is what somebody asked
 * for with a threshold.
 */
export function runJunit(evaluation: Evaluation, thresholds: readonly ThresholdResult[]): string {
  const cases = [
    ...thresholds.map(thresholdCase),
    ...validityCases(evaluation),
    ...evaluation.contenders.map((contender) => contenderCase(contender, evaluation)),
  ]
  return junitText(cases, evaluation.run.startedAt)
}

function validityCases({ findings }: Evaluation): readonly TestCase[] {
  const reasons = findings.filter(({ severity }) => severity === 'invalid')
  const name = 'the run is valid'
  if (reasons.length === 0) {
    const cautions = findings.map(({ message }) => message).join('; ')
    return [{ suite: 'validity', name, result: 'passed', message: cautions }]
  }
  const message = reasons.map((reason) => reason.message).join('; ')
  return [{ suite: 'validity', name, result: 'error', message }]
}

function contenderCase(contender: ContenderEvaluation, evaluation: Evaluation): TestCase {
  const { counts, failures } = contender
  const figures = columnsFor(evaluation)
    .map(({ header, cell }) => `${header} ${cell(contender)}`)
    .slice(1)
  const failed = failures.map(failureText)
  return {
    suite: 'contenders',
    name: `${contender.contender.id} answers`,
    result: counts.answered === 0 ? 'error' : 'passed',
    message: [`${counts.answered} of ${counts.planned} answered`, ...failed, ...figures].join(', '),
  }
}
