import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkThresholds, parseThresholds } from '#analysis'
import { comparisonJunit, comparisonMarkdown } from '#reports'
import { frozenComparison, frozenEvaluation } from './measured.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', name)
const comparison = frozenComparison({ contenders: ['tiny'] }, { contenders: ['tiny'], isWorse: true })
const evaluation = frozenEvaluation({ contenders: ['tiny'], isWorse: true })
const limits = ['latency.p50 <= 100ms', 'wer.regression <= 0.5pp', 'latency.p95 <= 2s', 'failures <= 20%']
const thresholds = checkThresholds(parseThresholds(limits), { evaluation, comparison })

describe('a comment for a pull request', () => {
  const text = comparisonMarkdown(comparison, thresholds)

  test('says the answer first and folds the rest away', async () => {
    await expect(text).toMatchFileSnapshot(golden('comparison.md'))
    expect(text.split('\n')[0]).toBe('<!-- asrbench comparison -->')
    expect(text.split('<details>')).toHaveLength(text.split('</details>').length)
  })

  test('fits GitHub, whatever there is to say, and closes what it opens', () => {
    const [contender] = comparison.contenders
    if (contender === undefined) throw new Error('no contender')
    const many = Array.from({ length: 200 }, () => contender)
    const long = comparisonMarkdown({ ...comparison, contenders: many }, thresholds)
    expect(long.length).toBeLessThan(65_536 * 4)
    expect(long.split('<details>')).toHaveLength(long.split('</details>').length)
  })

  test('lets nothing of a transcript become markup, a mention or a comment', () => {
    const [contender] = comparison.contenders
    if (contender === undefined) throw new Error('no contender')
    const evil = '<img src=x> @everyone | `a` <!-- x -->'
    const shown = comparisonMarkdown(
      {
        ...comparison,
        contenders: [
          {
            ...contender,
            runContenderId: evil,
            confusions: [{ reference: evil, hypothesis: '```', base: 0, run: 3 }],
          },
        ],
        conditions: [{ key: 'service', base: evil, run: evil }],
      },
      [],
    )
    expect(shown.replace('<!-- asrbench comparison -->', '')).not.toMatch(/<img|<!--|@everyone/)
  })
})

describe('JUnit XML', () => {
  const text = comparisonJunit(comparison, thresholds)

  test('has thresholds and verdicts as test cases', async () => {
    await expect(text).toMatchFileSnapshot(golden('comparison.junit.xml'))
  })

  test('counts what it holds', () => {
    const [, tests, failures, errors, skipped] =
      /<testsuites name="asrbench" tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="(\d+)"/.exec(
        text,
      ) ?? []
    const occurrences = (tag: string): string => String(text.split(`<${tag} `).length - 1)
    expect([tests, failures, errors, skipped]).toEqual(
      ['testcase', 'failure', 'error', 'skipped'].map(occurrences),
    )
    expect([failures, errors]).toEqual(['1', '1'])
  })

  test('stays XML whatever a name holds', () => {
    const [contender] = comparison.contenders
    if (contender === undefined) throw new Error('no contender')
    const odd = comparisonJunit(
      { ...comparison, contenders: [{ ...contender, runContenderId: '"<&\u0000\ud800>' }] },
      [],
    )
    expect(odd).toContain('&quot;&lt;&amp;')
    expect(odd).not.toMatch(/\p{Surrogate}|\p{Cc}(?<!\n)/u)
  })
})
