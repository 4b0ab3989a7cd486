import type { Finding, ThresholdResult } from '#analysis'
import { formatThresholdMeasured, reasonText } from '../run/thresholds.ts'
import { foreign } from './terminal.ts'

/** One test case: its name, and its outcome if it did not pass. */
export interface TestCase {
  readonly suite: string
  readonly name: string
  readonly result: 'passed' | 'failed' | 'error' | 'skipped'
  /** Further output of the test case. */
  readonly message: string
}

/**
 * Test cases as JUnit XML, which CI systems show as tests.
 *
 * @param startedAt ISO 8601; null where nothing was started
 * @see https://github.com/testmoapp/junitxml for what readers make of the format
 */
export function junitText(cases: readonly TestCase[], startedAt: string | null): string {
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].map(
    ([name, members]) =>
      `  <testsuite name="${attribute(name)}" ${counts(members)}>\n${members.map(caseText).join('\n')}\n  </testsuite>`,
  )
  const at = startedAt === null ? '' : ` timestamp="${attribute(startedAt)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="transcribench" ${counts(cases)}${at}>\n${suites.join('\n')}\n</testsuites>\n`
}

/**
 * A threshold that failed is a failure, one without a figure to compare an error, one that is unresolved is
 * skipped.
 */
export function thresholdCase(result: ThresholdResult): TestCase {
  const of = [result.contenderId, ...(result.group === null ? [] : [result.group])].join(', ')
  return {
    suite: 'thresholds',
    name: `${result.threshold} (${of})`,
    message: [...(result.measured === null ? [] : [formatThresholdMeasured(result)]), reasonText(result)]
      .filter((text) => text !== '')
      .join(': '),
    result: resultOf(result),
  }
}

/** What makes figures invalid is an error; everything else that was found is output. */
export function validityCase(name: string, findings: readonly Finding[]): TestCase {
  const reasons = findings.filter(({ severity }) => severity === 'invalid')
  const isValid = reasons.length === 0
  return {
    suite: 'validity',
    name,
    result: isValid ? 'passed' : 'error',
    message: (isValid ? findings : reasons).map(({ message }) => message).join('; '),
  }
}

function resultOf({ outcome, isResolved }: ThresholdResult): TestCase['result'] {
  if (outcome === 'failed') return 'failed'
  if (outcome === 'invalid') return 'error'
  return isResolved ? 'passed' : 'skipped'
}

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

/** Text for an attribute or an element; what XML cannot hold at all is gone by then. */
function attribute(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return foreign(text)
    .replace(/[\ufffe\uffff]|\p{Surrogate}/gu, '')
    .replace(/[&<>"]/g, (sign) => entities[sign] ?? sign)
}
