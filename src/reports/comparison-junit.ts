import type { Comparison, ThresholdResult } from '#analysis'
import { comparisonRows } from './comparison-rows.ts'
import { foreign } from './terminal.ts'
import { formatThresholdMeasured } from './thresholds.ts'

/** One test case: what it is called, and what stands inside when it did not simply pass. */
interface TestCase {
  readonly suite: string
  readonly name: string
  readonly body: string
  readonly result: 'passed' | 'failed' | 'error' | 'skipped'
}

/**
 * Thresholds and verdicts as JUnit XML, which CI systems show as tests. A threshold that failed is a failure, one that
 * had nothing to be held against an error, one that is unresolved is skipped. Verdicts fail nothing by themselves: a
 * gate is what somebody asked for with a threshold.
 *
 * @see https://github.com/testmoapp/junitxml for what readers make of the format
 */
export function comparisonJunit(comparison: Comparison, thresholds: readonly ThresholdResult[]): string {
  const cases = [...thresholds.map(thresholdCase), ...verdictCases(comparison)]
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].map(
    ([name, members]) =>
      `  <testsuite name="${attribute(name)}" ${counts(members)}>\n${members.map(caseText).join('\n')}\n  </testsuite>`,
  )
  const at = `timestamp="${attribute(comparison.run.startedAt)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="asrbench" ${counts(cases)} ${at}>\n${suites.join('\n')}\n</testsuites>\n`
}

function thresholdCase(result: ThresholdResult): TestCase {
  const of = [result.contenderId, ...(result.group === null ? [] : [result.group])].join(', ')
  const message = attribute(
    `${formatThresholdMeasured(result)}${result.reason === null ? '' : `: ${result.reason}`}`,
  )
  const common = { suite: 'thresholds', name: `${result.threshold} (${of})` }
  if (result.outcome === 'failed') {
    return { ...common, result: 'failed', body: `<failure message="${message}"/>` }
  }
  if (result.outcome === 'invalid')
    return { ...common, result: 'error', body: `<error message="${message}"/>` }
  return result.isResolved
    ? { ...common, result: 'passed', body: `<system-out>${message}</system-out>` }
    : { ...common, result: 'skipped', body: `<skipped message="${message}"/>` }
}

function verdictCases({ contenders }: Comparison): readonly TestCase[] {
  return contenders.flatMap((contender) =>
    comparisonRows(contender)
      .filter(({ verdictOf }) => verdictOf !== null)
      .map(({ name, base, run, difference, interval, verdict, verdictOf }): TestCase => {
        const text = attribute(`${verdict}: ${base} to ${run}, ${difference} (95% ${interval})`)
        const isOpen = verdictOf === 'unresolved'
        return {
          suite: 'verdicts',
          name: `${name} of ${contender.runContenderId}`,
          result: isOpen ? 'skipped' : 'passed',
          body: isOpen ? `<skipped message="${text}"/>` : `<system-out>${text}</system-out>`,
        }
      }),
  )
}

function counts(cases: readonly TestCase[]): string {
  const count = (result: TestCase['result']): number => cases.filter((one) => one.result === result).length
  return `tests="${cases.length}" failures="${count('failed')}" errors="${count('error')}" skipped="${count('skipped')}"`
}

function caseText({ suite, name, body }: TestCase): string {
  return `    <testcase classname="asrbench.${attribute(suite)}" name="${attribute(name)}">${body}</testcase>`
}

/** Text for an attribute or an element; what XML cannot hold at all is gone by then. */
function attribute(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return foreign(text)
    .replace(/[\ufffe\uffff]|\p{Surrogate}/gu, '')
    .replace(/[&<>"]/g, (sign) => entities[sign] ?? sign)
}
