import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Comparison } from '#analysis/documents/comparison'
import { analysisErrors } from '#analysis/errors'
import { parseThresholds } from '#analysis/metrics/threshold'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import { comparisonMarkdown, failureMarkdown } from '#reports/comparison/comparison-markdown'
import { comparisonPage } from '#reports/comparison/comparison-page'
import { experimentReport } from '#reports/comparison/comparison-report'
import { comparisonJunit, experimentJunit } from '#reports/junit'
import { frozenComparison, frozenEvaluation } from './measured.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', name)
const comparison = frozenComparison({ contenders: ['tiny'] }, { contenders: ['tiny'], isWorse: true })
const evaluation = frozenEvaluation({ contenders: ['tiny'], isWorse: true })
const limits = ['latency.p50 <= 100ms', 'wer.regression <= 0.5pp', 'latency.p95 <= 2s', 'failures <= 20%']
const thresholds = checkThresholds(parseThresholds(limits), { evaluation, comparison })
const [threshold] = thresholds
if (threshold === undefined) throw new Error('no threshold')

type Compared = Comparison['contenders'][number]

/** The comparison with other figures of its contender. */
function comparisonWith(change: (contender: Compared) => Partial<Compared>, of = comparison): Comparison {
  return { ...of, contenders: of.contenders.map((contender) => ({ ...contender, ...change(contender) })) }
}

describe('a comment for a pull request', () => {
  const text = comparisonMarkdown(comparison, thresholds)

  test('says the answer first and folds the rest away', async () => {
    await expect(text).toMatchFileSnapshot(golden('comparison.md'))
    expect(text.split('\n')[0]).toBe('<!-- transcribench comparison -->')
    expect(text.split('<details>')).toHaveLength(text.split('</details>').length)
  })

  test('fits GitHub, whatever there is to say, and closes what it opens', () => {
    const many = Array.from({ length: 200 }, () => comparison.contenders).flat()
    const long = comparisonMarkdown({ ...comparison, contenders: many }, thresholds)
    expect(long.length).toBeLessThan(65_536)
    expect(long).toContain('More than fits a comment')
    expect(long.split('<details>')).toHaveLength(long.split('</details>').length)
  })

  test('folds away what is neither better nor worse among many contenders', () => {
    const worse = comparisonWith(({ rates }) => ({
      runContenderId: 'worse',
      rates: rates.map((rate) => ({ ...rate, verdict: 'worse' })),
    }))
    const contenders = [comparison, comparison, comparison, worse].flatMap((one) => one.contenders)
    const shown = comparisonMarkdown({ ...comparison, contenders }, [])
    expect(shown.match(/<summary>tiny: nothing better or worse<\/summary>/g)).toHaveLength(3)
    expect(shown).toContain('**tiny → worse**')
  })

  test('calls nothing good next to a finding that changes what the figures mean', () => {
    const same = frozenComparison({ contenders: ['tiny'], rounds: 2 }, { contenders: ['tiny'], rounds: 2 })
    const other = { ...same, run: { ...same.run, runs: [{ ...same.run, id: 'other' }] } }
    const better = comparisonWith(
      ({ rates }) => ({
        rates: rates.map((rate) => ({ ...rate, verdict: 'better', isOfCorpusAlone: false })),
        speed: [],
      }),
      other,
    )
    expect(comparisonPage(better).answer.state).toBe('better')
    const finding = { code: 'SIDE_DECISIVE', severity: 'decisive', message: 'crossed', advice: null } as const
    const { state, sentence } = comparisonPage({ ...better, findings: [finding] }).answer
    expect(state).toBe('unresolved')
    expect(sentence).toMatch(/^A decisive finding changes what the figures mean; better: WER/)
  })

  test('calls nothing good while a threshold is unresolved', () => {
    const open = { ...threshold, outcome: 'passed', isResolved: false } as const
    const same = frozenComparison({ contenders: ['tiny'] }, { contenders: ['tiny'] })
    const other = {
      ...same,
      run: { ...same.run, runs: same.run.runs.map((run) => ({ ...run, id: 'another' })) },
    }
    const judged = comparisonWith(
      ({ rates, speed }) => ({
        rates: rates.map((rate) => ({ ...rate, isOfCorpusAlone: false })),
        speed: speed.map((each) => ({ ...each, verdict: 'equivalent' })),
      }),
      other,
    )
    const headline = (held: typeof thresholds): string =>
      comparisonMarkdown(judged, held)
        .split('\n')
        .find((line) => line.startsWith('###')) ?? ''
    expect(headline([])).toMatch(/^### ✅ transcribench: Equivalent: /)
    expect(headline([open])).toMatch(/^### ❓ transcribench: 1 threshold is unresolved; equivalent: /)
  })

  test('shows the thresholds that were not kept first where there are more than fit', () => {
    const kept = { ...threshold, outcome: 'passed', isResolved: true, contenderId: 'kept' } as const
    const broken = { ...threshold, outcome: 'failed', contenderId: 'broken' } as const
    const shown = comparisonMarkdown(comparison, [...Array.from({ length: 70 }, () => kept), broken])
    expect(shown.split('\n').find((line) => line.includes(threshold.threshold))).toContain('broken')
    expect(shown).toContain('_21 more: 21 of them kept._')
  })

  test('says places instead of ranks, and which contenders have no partner', () => {
    const three = frozenComparison({ contenders: ['tiny', 'base'] }, { contenders: ['tiny', 'base', 'slow'] })
    const shown = comparisonMarkdown(three, [])
    expect(shown).toMatch(
      /^Places by word error rate, failures as empty transcripts; sure together at 95% over 3 pairs: \*\*.*tiny.*\*\*$/m,
    )
    expect(shown).toContain('Not compared: slow (only in run)')
  })

  test('says why there is no comparison, in place of an earlier one', () => {
    const failure = analysisErrors.make('NOT_COMPARABLE', {
      message: 'These runs cannot be compared.',
      hint: 'transcribench corpus verify',
      problems: [{ where: 'clip-1', what: 'audio 12ab… → <b>34cd…' }],
    })
    expect(failureMarkdown(failure, 'comparison').split('\n\n')).toEqual([
      '<!-- transcribench comparison -->',
      '### ⛔ transcribench: These runs cannot be compared.',
      '- clip-1: audio 12ab… → &lt;b\\>34cd…',
      'transcribench corpus verify',
      '<sub>NOT_COMPARABLE · transcribench explain NOT_COMPARABLE · exit 2</sub>\n',
    ])
  })

  test('lets nothing of a transcript become markup, a mention or a comment', () => {
    const evil = '<img src=x> @everyone | `a` <!-- x -->'
    const confusions = [{ reference: evil, hypothesis: '```', base: 0, run: 3 }]
    const conditions = [{ key: 'service', base: evil, run: evil }] as const
    const shown = comparisonMarkdown(
      { ...comparisonWith(() => ({ runContenderId: evil, confusions })), conditions },
      [],
    )
    expect(shown.replace('<!-- transcribench comparison -->', '')).not.toMatch(/<img|<!--|@everyone/)
  })
})

test('a page without texts holds no word that a side inserted for several others', () => {
  const intruders = [{ hypothesis: 'zirconium', replacedCount: 4, base: 0, run: 4 }]
  const intruded = comparisonWith(() => ({ intruders }))
  const isNamed = (hasTexts: boolean): boolean =>
    JSON.stringify(comparisonPage(intruded, { hasTexts })).includes('zirconium')
  expect([isNamed(true), isNamed(false)]).toEqual([true, false])
})

describe('JUnit XML', () => {
  const text = comparisonJunit(comparison, thresholds)

  test('has thresholds and verdicts as test cases', async () => {
    await expect(text).toMatchFileSnapshot(golden('comparison.junit.xml'))
  })

  test('has an error where one of the runs is not valid, as the answer says', () => {
    const finding = {
      code: 'EVERYTHING_FAILED',
      severity: 'invalid',
      message: 'nothing <came>',
      advice: null,
    } as const
    const invalid = comparisonJunit({ ...comparison, findings: [finding] }, [])
    expect(invalid).toContain(
      'name="the runs are valid"><error message="nothing &lt;came&gt;; scored with basic, score ',
    )
    expect(text).toContain('name="the runs are valid"><system-out>')
  })

  test('an experiment names the command of each comparison as a shell takes it back', () => {
    const folders = { main: ['results/main 1', 'results/main-2'], branch: ['results/$(branch)'] }
    const sides = Object.entries(folders).map(([name, runs]) => ({ name, folders: runs }))
    const { commands } = experimentReport({ stopped: 'runs', sides, drift: null, comparisons: [comparison] })
    expect(commands).toEqual(["transcribench compare 'main 1',main-2 '$(branch)'"])
  })

  test('names every case of an experiment once, however many sides it has', () => {
    const sides = ['main', 'branch', 'other'].map((name) => ({ name, folders: [] }))
    const both = experimentJunit({
      stopped: 'runs',
      sides,
      drift: null,
      comparisons: [comparison, comparison].map((one) => ({ ...one, thresholds })),
    })
    const cases = [...both.matchAll(/classname="(.*?)" name="(.*?)"/g)].map(([named]) => named)
    expect(new Set(cases).size).toBe(cases.length)
    expect(both).toMatch(/classname="transcribench.verdicts of branch" name="WER of tiny"/)
  })

  test('stays XML whatever a name holds', () => {
    const odd = comparisonJunit(
      comparisonWith(() => ({ runContenderId: '"<&\u0000\ud800>' })),
      [],
    )
    expect(odd).toContain('&quot;&lt;&amp;')
    expect(odd).not.toMatch(/\p{Surrogate}|\p{Cc}(?<!\n)/u)
  })
})
