import type { Comparison, ComparisonOutput, ThresholdResult } from '#analysis'
import type { BenchError } from '#prelude'
import type { ExperimentText } from '../experiment/render-experiment.ts'
import { junitText, type TestCase, thresholdCase, validityCase } from '../layout/junit.ts'
import type { CommentKind } from './comparison-markdown.ts'
import { comparisonRows } from './comparison-rows.ts'

/**
 * Thresholds, whether the runs are valid, and verdicts as JUnit XML: a figure that became worse is a failed test, one that is
 * unresolved a skipped one. What the command exits with is for thresholds and `--fail-if-worse` to say.
 */
export function comparisonJunit(comparison: Comparison, thresholds: readonly ThresholdResult[]): string {
  return junitText(casesOf({ ...comparison, thresholds }), comparison.run.startedAt)
}

/** The test cases of every further side against the first, as `comparisonJunit`; each of several sides has its own suites. */
export function experimentJunit({ sides, comparisons }: ExperimentText): string {
  const cases = comparisons.flatMap((comparison, index) => {
    const own = casesOf(comparison)
    const side = sides[index + 1]?.name ?? ''
    return comparisons.length === 1 ? own : own.map((one) => ({ ...one, suite: `${one.suite} of ${side}` }))
  })
  return junitText(cases, comparisons[0]?.run.startedAt ?? null)
}

/** Why there is no comparison or experiment: a test case with an error, in the place of an older result. */
export function failureJunit({ code, message, hint, problems }: BenchError, kind: CommentKind): string {
  const listed = problems.map(({ where, what }) => (where === null ? what : `${where}: ${what}`))
  const name = kind === 'comparison' ? 'the runs can be compared' : 'the experiment was measured'
  const text = [`${code}: ${message}`, ...listed, hint].join('; ')
  return junitText([{ suite: 'validity', name, result: 'error', message: text }], null)
}

function casesOf({ thresholds = [], ...comparison }: ComparisonOutput): readonly TestCase[] {
  return [
    ...thresholds.map(thresholdCase),
    validityCase('the runs are valid', comparison.findings),
    ...verdictCases(comparison),
  ]
}

function verdictCases({ contenders }: Comparison): readonly TestCase[] {
  return contenders.flatMap((contender) =>
    comparisonRows(contender)
      .filter(({ verdictOf }) => verdictOf !== null)
      .map(
        ({ name, base, run, difference, interval, verdict, verdictOf, open }): TestCase => ({
          suite: 'verdicts',
          name: `${name} of ${contender.runContenderId}`,
          result: verdictOf === 'worse' ? 'failed' : verdictOf === 'unresolved' ? 'skipped' : 'passed',
          message: [`${verdict}: ${base} to ${run}, ${difference} (${interval})`, open]
            .filter((part) => part !== '')
            .join('; '),
        }),
      ),
  )
}
