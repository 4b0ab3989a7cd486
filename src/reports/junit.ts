import type { Comparison, ThresholdResult } from '#analysis/documents/comparison'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { Experiment } from '#analysis/documents/experiment'
import { failureText } from '#analysis/figures/failure-groups'
import type { BenchError } from '#prelude'
import type { CommentKind } from './comparison/comparison-markdown.ts'
import {
  type ComparisonReport,
  comparisonReport,
  experimentReport,
  type PairReport,
} from './comparison/comparison-report.ts'
import { formatThresholdMeasured, reasonText, thresholdState, thresholdSubject } from './layout/findings.ts'
import { makeTable } from './layout/table.ts'
import { foreign } from './layout/terminal.ts'
import { contenderRows, summaryColumns } from './run/contender-tables.ts'
import { type DetailName, detailTables } from './run/details/details.ts'
import { isLoadTimed } from './run/details/load-details.ts'
import { describeScore, type Scored } from './run/provenance.ts'

interface TestCase {
  readonly suite: string
  readonly name: string
  readonly result: 'passed' | 'failed' | 'error' | 'skipped'
  readonly message: string
}

/**
 * Test cases as JUnit XML, which CI systems show as tests.
 *
 * @param startedAt ISO 8601; null if nothing was started
 * @see https://github.com/testmoapp/junitxml for the interpretation of the format by readers
 */
function junitText(cases: readonly TestCase[], startedAt: string | null): string {
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].map(
    ([name, members]) =>
      `  <testsuite name="${attribute(name)}" ${counts(members)}>\n${members.map(caseText).join('\n')}\n  </testsuite>`,
  )
  const at = startedAt === null ? '' : ` timestamp="${attribute(startedAt)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="transcribench" ${counts(cases)}${at}>\n${suites.join('\n')}\n</testsuites>\n`
}

/** A failed threshold is a failure, one without a figure to compare is an error, an unresolved one is skipped. */
function thresholdCase(result: ThresholdResult): TestCase {
  return {
    suite: 'thresholds',
    name: `${result.threshold} (${thresholdSubject(result)})`,
    message: [...(result.measured === null ? [] : [formatThresholdMeasured(result)]), reasonText(result)]
      .filter((text) => text !== '')
      .join(': '),
    result: thresholdResults[thresholdState(result)],
  }
}

/** A finding that makes the figures invalid is an error; all other findings are output of the test case. */
function validityCase(
  name: string,
  { findings, ...scored }: Pick<Evaluation, 'findings'> & Scored,
): TestCase {
  const reasons = findings.filter(({ severity }) => severity === 'invalid')
  const isValid = reasons.length === 0
  return {
    suite: 'validity',
    name,
    result: isValid ? 'passed' : 'error',
    message: [
      ...(isValid ? findings : reasons).map(({ message }) => message),
      `scored with ${describeScore(scored).join(', ')}`,
    ].join('; '),
  }
}

const thresholdResults = { met: 'passed', open: 'skipped', failed: 'failed', invalid: 'error' } as const

function counts(cases: readonly TestCase[]): string {
  const count = (result: TestCase['result']): number => cases.filter((one) => one.result === result).length
  return `tests="${cases.length}" failures="${count('failed')}" errors="${count('error')}" skipped="${count('skipped')}"`
}

const bodies: Readonly<Record<TestCase['result'], (message: string) => string>> = {
  passed: (message) => `<system-out>${message}</system-out>`,
  failed: (message) => `<failure message="${message}"/>`,
  error: (message) => `<error message="${message}"/>`,
  skipped: (message) => `<skipped message="${message}"/>`,
}

function caseText({ suite, name, result, message }: TestCase): string {
  const body = bodies[result](attribute(message))
  return `    <testcase classname="transcribench.${attribute(suite)}" name="${attribute(name)}">${body}</testcase>`
}

/** Text escaped for an attribute or an element. Characters that XML does not allow were removed before. */
function attribute(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return foreign(text)
    .replace(/[\ufffe\uffff]|\p{Surrogate}/gu, '')
    .replace(/[&<>"]/g, (sign) => entities[sign] ?? sign)
}

/** Tables that get a test suite if the run has them: each row is a test case. */
const shownDetails: readonly DetailName[] = ['load', 'languages', 'entities', 'times']

/**
 * A run as JUnit XML: its thresholds, its validity, and a case with the figures of every contender, which is an error
 * if the contender answered nothing. The load, languages, entities and times of words have cases with their figures.
 * A high error rate alone fails no case: only a threshold does.
 */
export function runJunit(evaluation: Evaluation, thresholds: readonly ThresholdResult[]): string {
  const cases = [
    ...thresholds.map(thresholdCase),
    validityCase('the run is valid', evaluation),
    ...contenderCases(evaluation),
    ...detailCases(evaluation),
  ]
  return junitText(cases, evaluation.run.startedAt)
}

function contenderCases(evaluation: Evaluation): readonly TestCase[] {
  const { contenders } = evaluation
  const { columns, rows } = makeTable(summaryColumns(evaluation), contenderRows(evaluation, contenders))
  return contenders.map(({ contender, counts, failures }, index) => {
    const [, ...figures] = (rows[index] ?? []).map(({ text }, column) => `${columns[column]?.header} ${text}`)
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

/** A case for each row of a table: its left-aligned text cells name it, and its figures are the output. */
function detailCases(evaluation: Evaluation): readonly TestCase[] {
  // A closed load has no offered rate, so it cannot fail to send it.
  const names = isLoadTimed(evaluation) ? shownDetails : shownDetails.filter((name) => name !== 'load')
  return detailTables(evaluation, names).flatMap(({ title, table: { columns, rows } }) => {
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

/**
 * Thresholds, validity and verdicts as JUnit XML: a figure that became worse is a failed test, an unresolved one a
 * skipped test. The exit code of the command depends on thresholds and `--fail-if-worse` instead.
 */
export function comparisonJunit(comparison: Comparison, thresholds: readonly ThresholdResult[]): string {
  return junitText(comparisonCases(comparisonReport(comparison, thresholds)), comparison.run.startedAt)
}

/** The test cases of every further side against the first, as `comparisonJunit`; each of several sides has its own suites. */
export function experimentJunit(experiment: Experiment): string {
  const { sides, comparisons } = experimentReport(experiment)
  const cases = comparisons.flatMap((comparison, index) => {
    const tests = comparisonCases(comparison)
    const side = sides[index + 1]?.name ?? ''
    return comparisons.length === 1
      ? tests
      : tests.map((one) => ({ ...one, suite: `${one.suite} of ${side}` }))
  })
  return junitText(cases, comparisons[0]?.comparison.run.startedAt ?? null)
}

/** The reason why there is no comparison or experiment, as a test case with an error; it replaces an older result. */
export function failureJunit({ code, message, hint, problems }: BenchError, kind: CommentKind): string {
  const listed = problems.map(({ where, what }) => (where === null ? what : `${where}: ${what}`))
  const name = kind === 'comparison' ? 'the runs can be compared' : 'the experiment was measured'
  const text = [`${code}: ${message}`, ...listed, hint].join('; ')
  return junitText([{ suite: 'validity', name, result: 'error', message: text }], null)
}

function comparisonCases({ thresholds, comparison, pairs }: ComparisonReport): readonly TestCase[] {
  return [
    ...thresholds.map(thresholdCase),
    validityCase('the runs are valid', comparison),
    ...pairs.flatMap(verdictCases),
  ]
}

function verdictCases({ figures, rows }: PairReport): readonly TestCase[] {
  return rows
    .filter(({ verdictOf }) => verdictOf !== null)
    .map(
      ({ name, base, run, difference, interval, verdict, verdictOf, open }): TestCase => ({
        suite: 'verdicts',
        name: `${name} of ${figures.runContenderId}`,
        result: verdictOf === 'worse' ? 'failed' : verdictOf === 'unresolved' ? 'skipped' : 'passed',
        message: [`${verdict}: ${base} to ${run}, ${difference} (${interval})`, open]
          .filter((part) => part !== '')
          .join('; '),
      }),
    )
}
