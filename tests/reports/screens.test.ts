import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { parseThresholds } from '#analysis/metrics/threshold'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import { defineErrors } from '#prelude'
import { renderComparison } from '#reports/comparison/render-comparison'
import { listProblems, renderError, renderExplanation, renderExplanationList } from '#reports/help/help-texts'
import { thresholdLines } from '#reports/layout/findings'
import { measureWidth } from '#reports/layout/terminal'
import { answerSentence } from '#reports/run/answer'
import { maxSummaryLines, renderSummary } from '#reports/run/render-summary'
import { renderTextScore } from '#reports/text-score/render-text-score'
import { evaluatedRun, measuredRun, spokenUtterances, timedOut } from '../analysis/measured-run.ts'
import { startTextScore } from '../rates/start-text-score.ts'
import {
  ascii,
  coloured,
  type FrozenOptions,
  frozenComparison,
  frozenEvaluation,
  narrow,
  summaryOf,
  wide,
} from './measured.ts'

const golden = (name: string): string => `./golden/${name}.txt`

const unbroken = { ...wide, width: 1000 }

/** The first sentence of a summary, unbroken. */
function answer(options: FrozenOptions): string {
  const text = summaryOf(frozenEvaluation(options), unbroken)
  return text.split('\n')[0]?.trim() ?? ''
}

test('a word of thousands of letters, as a loop without a blank is, is cut in a summary', () => {
  const utterances = spokenUtterances(4, 'one two three')
  const run = measuredRun({ utterances, fate: () => `one ${'ha'.repeat(3000)} three` })
  const text = summaryOf(evaluateRun(run))
  expect(text.replaceAll(/\s+/g, ' ')).toMatch(/"two" → "(?:ha){29}h…" 4 times/)
})

describe('the answer of a summary', () => {
  test('names the better one with the size of the difference and its interval', () => {
    expect(answer({ rounds: 8 })).toMatch(
      /^base makes 22\.2 fewer errors per hundred words than tiny \(95% interval \d+\.\d to \d+\.\d\) and took 1\.79 times as long \(95% interval 1\.\d\d to 1\.\d\d\)\.$/,
    )
  })

  test('names no winner inside the noise', () => {
    expect(answer({ wrongClips: 3, rounds: 8 })).toMatch(
      /^Accuracy is undecided between base and tiny on these 10 utterances: tiny made 8\.3 more errors per hundred words \(95% interval \d+\.\d (fewer )?to \d+\.\d more\)(, but only 3 differ at all, too few to exclude chance)?\. tiny was 1\.79 times as fast as base \(95% interval 1\.\d\d to 1\.\d\d\)\.$/,
    )
  })

  test('gives a difference below a tenth as many decimals as it needs', () => {
    const long = spokenUtterances(10, Array.from({ length: 400 }, (_, index) => `w${index}`).join(' '))
    const [first] = long
    const evaluation = evaluatedRun({
      utterances: long,
      contenders: ['base', 'tiny'],
      fate: ({ contenderId, utterance: { id, reference } }) =>
        contenderId === 'tiny' && id === first?.id ? reference.replace('w0 ', '') : reference,
    })
    expect(answerSentence(evaluation)).toContain('tiny made 0.025 more errors per hundred words')
  })

  test('says so where two make the same errors', () => {
    expect(answer({ wrongClips: 0, rounds: 8 })).toMatch(
      /^Accuracy is undecided between tiny and base on these 10 utterances: they made the same number of errors\. tiny was 1\.79 times as fast as base /,
    )
  })

  test('claims no speed of a run with too few turns', () => {
    expect(answer({ wrongClips: 0 })).toMatch(
      / Which of the two is faster is unresolved: needs 8 turns, has 1\.$/,
    )
  })

  test('is a plain sentence with one contender', () => {
    expect(answer({ contenders: ['tiny'] })).toMatch(
      /^tiny makes 22\.2 errors per hundred words \(95% interval .*\), and transcribes 20\.6 seconds of speech a second\.$/,
    )
  })

  test('says among how many the two are the best', () => {
    expect(answer({ contenders: ['tiny', 'base', 'large'] })).toContain(', the best two of 3 contenders, on')
  })

  test('claims nothing of a run that is not valid, and says why it is not', () => {
    const evaluation = frozenEvaluation({ rounds: 8 })
    const finding = {
      code: 'GENERATOR_LATE',
      severity: 'invalid',
      message: 'requests left up to 840 ms late',
      advice: 'Close other work',
    } as const
    const further = { ...finding, message: 'the target restarted', advice: null }
    const invalid = { ...evaluation, validity: 'invalid', findings: [finding, further] } as const
    const text = summaryOf(invalid, unbroken)
    expect(text.split('\n')[0]?.trim()).toBe(
      '✗ This run is not valid: requests left up to 840 ms late (and 1 more reason). Close other work',
    )
    expect(text).not.toMatch(/fewer errors|faster|slower/)
  })

  test('says that there is none where nothing was scored', () => {
    const nothing = evaluatedRun({ utterances: [{ id: 'a', reference: 'b' }], fate: () => timedOut })
    const text = summaryOf(nothing)
    expect(text).toMatch(/^ {2}✗ This run is not valid: none of 1 request to \w+ was answered\./)
  })
})

describe('a summary', () => {
  test('shows two contenders with thresholds and next commands', async () => {
    const evaluation = frozenEvaluation()
    const thresholds = checkThresholds(parseThresholds(['wer <= 8%', 'latency.p95 <= 2s']), { evaluation })
    const text = renderSummary(evaluation, {
      terminal: wide,
      folder: 'results/2026-11-21T07-31-02Z-quick',
      thresholds,
      detailsCommand: 'transcribench report latest --details',
      next: [{ command: 'transcribench compare main latest', purpose: 'better or worse than before' }],
    })
    await expect(text).toMatchFileSnapshot(golden('summary'))
  })

  test('with a failure shows what was answered of what was asked, and the rate over all', async () => {
    const text = summaryOf(frozenEvaluation({ isWorse: true }))
    await expect(text).toMatchFileSnapshot(golden('summary-with-failure'))
  })

  test('fits thirty lines of a hundred columns, and names what it folds', () => {
    const evaluation = frozenEvaluation({ isWorse: true, rounds: 8 })
    const advice = 'close other programs, measure again on a quiet machine, and compare both runs'
    const finding = (
      severity: 'decisive' | 'warning' | 'note',
      index: number,
    ): (typeof evaluation.findings)[number] => ({
      code: 'HOST_BUSY',
      severity,
      message: `other programs used the processors during a part of the run, number ${index}`,
      advice,
    })
    const findings = [1, 2, 3, 4, 5].flatMap((index) => [finding('warning', index), finding('note', index)])
    const context = { terminal: wide, folder: 'results/one' }
    const folded = renderSummary(
      { ...evaluation, findings },
      {
        ...context,
        detailsCommand: 'transcribench report latest --details',
        next: ['review', 'compare', 'explain'].map((command) => ({ command, purpose: 'a purpose' })),
      },
    )
    expect(folded.split('\n').length).toBeLessThanOrEqual(maxSummaryLines)
    expect(folded).toMatch(/report latest --details {4}error analysis, notes, .*warnings/s)
    const whole = renderSummary({ ...evaluation, findings }, context)
    expect(whole.split('\n').length).toBeGreaterThan(maxSummaryLines)
    expect([...folded.matchAll(/number \d/g)].length).toBe(3)
    expect([...whole.matchAll(/number \d/g)].length).toBe(10)
    // What changes the meaning of the figures is never folded, however many there are, and stands below the answer.
    const decisive = [1, 2, 3, 4, 5, 6].map((index) => finding('decisive', 10 + index))
    const crowded = renderSummary(
      { ...evaluation, findings: [...decisive, ...findings] },
      { ...context, detailsCommand: 'transcribench report latest --details' },
    )
    expect([...crowded.matchAll(/! other programs .*number 1\d/g)].length).toBe(6)
    expect(crowded.indexOf('number 16')).toBeLessThan(crowded.indexOf('WER'))
  })

  test('calls no contender better next to a finding that changes what the figures mean', () => {
    const evaluation = frozenEvaluation()
    const sentence = (findings: typeof evaluation.findings): string =>
      summaryOf({ ...evaluation, findings }, unbroken).split('\n')[0] ?? ''
    expect(sentence([])).toMatch(/base makes \d+\.\d fewer errors/)
    const decisive = {
      code: 'ANSWERS_CROSSED',
      severity: 'decisive',
      message: 'crossed',
      advice: null,
    } as const
    expect(sentence([decisive])).toMatch(
      /base made \d+\.\d fewer errors .*, but 1 decisive finding changes what that means, so neither is called better\./,
    )
  })

  test('fits eighty columns, the names of its files as well', () => {
    const terminal = { ...wide, width: 80 }
    const lines = renderSummary(frozenEvaluation({ rounds: 8 }), { terminal, folder: 'results/one' }).split(
      '\n',
    )
    expect(lines.filter((line) => measureWidth(line) > 80)).toEqual([])
    expect(lines.join('\n')).toMatch(/report\.html .*\n? +evaluation\.json/)
  })

  test('fits a narrow terminal that has neither colour nor Unicode', async () => {
    const terminal = { ...narrow, unicode: false }
    const text = summaryOf(frozenEvaluation({ isWorse: true, rounds: 8 }), terminal)
    expect(text).toMatch(/^[ -~\n]*$/)
    await expect(text).toMatchFileSnapshot(golden('summary-narrow'))
  })

  test('explains the absence of a figure only where its column is shown', () => {
    const summary = (width: number) => summaryOf(frozenEvaluation({ isWorse: true }), { ...wide, width })
    expect(summary(100)).toContain('– p95 needs 62 more')
    expect(summary(60)).not.toContain('– p95 needs')
  })

  test('drops columns of the targets that a narrow terminal has no room for, and prices that no target has', () => {
    const fate = ({ utterance }: { readonly utterance: { readonly reference: string } }) =>
      utterance.reference
    const run = measuredRun({ utterances: spokenUtterances(4, 'one two'), contenders: ['near', 'far'], fate })
    const contenders = run.record.contenders.map((one) => ({ ...one, target: one.id }))
    const targets = contenders.map(({ id }) => {
      return {
        ...run.record.target,
        kind: 'openai' as const,
        id,
        machine: `the host of ${id}`,
        roundTripMs: 1,
      }
    })
    const evaluation = evaluateRun({ ...run, record: { ...run.record, contenders, targets } })
    for (const width of [70, 100]) {
      const lines = summaryOf(evaluation, { ...wide, width }).split('\n')
      expect(lines.join('\n')).toContain('speed there')
      expect(lines.filter((line) => measureWidth(line) > width)).toEqual([])
    }
  })

  test('says the same with colour as without', () => {
    const context = { folder: 'results/quick', thresholds: [] }
    const plain = renderSummary(frozenEvaluation({ isWorse: true }), { terminal: wide, ...context })
    const painted = renderSummary(frozenEvaluation({ isWorse: true }), { terminal: coloured, ...context })
    expect(painted).not.toBe(plain)
    expect(stripVTControlCharacters(painted)).toBe(plain)
  })

  test('keeps its columns under each other when a name is written in wide characters', () => {
    const text = summaryOf(frozenEvaluation({ contenders: ['日本語モデル', 'base'] }))
    const lines = text.split('\n').filter((line) => /WER {2}|日本語モデル {2,}|base {2,}/.test(line))
    const ends = lines.map((line) => measureWidth(line.slice(0, line.search(/WER|\d%/) + 3).trimEnd()))
    expect(lines).toHaveLength(3)
    expect(new Set(ends).size).toBeLessThanOrEqual(2)
  })
})

describe('a comparison', () => {
  test('of a run that got worse', async () => {
    const comparison = frozenComparison({}, { isWorse: true, wrongClips: 10 })
    const thresholds = checkThresholds(parseThresholds(['wer.regression <= 0.5pp', 'latency.p50 <= 100ms']), {
      evaluation: frozenEvaluation({ isWorse: true, wrongClips: 10 }),
      comparison,
    })
    await expect(renderComparison(comparison, thresholds, wide)).toMatchFileSnapshot(golden('comparison'))
  })

  test('of a run with itself says that nothing differs', async () => {
    const comparison = frozenComparison({ contenders: ['tiny'] }, { contenders: ['tiny'] })
    await expect(renderComparison(comparison, [], wide)).toMatchFileSnapshot(golden('comparison-same'))
  })

  test('of a run that got better', () => {
    const text = renderComparison(frozenComparison({}, { wrongClips: 0 }), [], wide)
    expect(text).toContain('✓ better')
    expect(text).not.toContain('worst change')
    expect(text).toContain('best change  clip-1   −2 errors in 9 words   3.0 s')
  })

  test('fits a narrow terminal in ASCII', async () => {
    const comparison = frozenComparison({}, { isWorse: true })
    const text = renderComparison(comparison, [], { ...narrow, unicode: false })
    expect(text).toMatch(/^[ -~\n]*$/)
    for (const line of text.split('\n')) expect(measureWidth(line)).toBeLessThanOrEqual(60)
    await expect(text).toMatchFileSnapshot(golden('comparison-narrow'))
  })
})

describe('an error', () => {
  const errors = defineErrors({ CORPUS_UNUSABLE: 'badInput' })

  test('says what, where, and what to type next', async () => {
    const error = errors.make('CORPUS_UNUSABLE', {
      message: '3 of 240 utterances in corpora/meetings cannot be used',
      hint: 'fetch it again: transcribench corpus fetch meetings',
      problems: [
        { where: 'manifest.jsonl:57', what: 'meet-0057  audio/0057.wav is missing' },
        { where: 'manifest.jsonl:118', what: 'meet-0118  has changed', hint: 'expected 9f1c…, found 77ab…' },
        { where: null, what: 'nothing was run' },
      ],
    })
    await expect(renderError(error, wide, null)).toMatchFileSnapshot(golden('error'))
  })

  test('shows the first ten problems and how many more there are', () => {
    const problems = Array.from({ length: 25 }, (_, index) => ({ where: `line ${index}`, what: 'is wrong' }))
    const text = renderError(
      errors.make('CORPUS_UNUSABLE', { message: 'm', hint: 'h', problems }),
      wide,
      '/tmp/x/problems.txt',
    )
    expect(text).toContain('line 9 ')
    expect(text).not.toContain('line 10')
    expect(text).toContain('… and 15 more; all of them: /tmp/x/problems.txt')
    expect(listProblems(problems.slice(0, 10))).toBeNull()
  })

  test.each([
    [
      'see those of a run: transcribench report latest --scores; make it: transcribench score <run> --profile <profile>',
      ['transcribench report latest --scores', 'transcribench score <run> --profile <profile>'],
    ],
    [
      'name one: transcribench corpus select corpora/meetings --count 200, or --resolve 1pp --pilot latest',
      ['transcribench corpus select corpora/meetings --count 200'],
    ],
    [
      "look: transcribench report latest --table hosts,targets --results 'of; this, week'; then transcribench run --resume latest",
      [
        "transcribench report latest --table hosts,targets --results 'of; this, week'",
        'transcribench run --resume latest',
      ],
    ],
    [
      'see the models that are there: transcribench models list   (known: moonshine-tiny, moonshine-base, whisper-tiny)',
      ['transcribench models list'],
    ],
  ])('gives each command of a long hint a line that can be pasted: %s', (hint, commands) => {
    const text = renderError(errors.make('CORPUS_UNUSABLE', { message: 'm', hint }), narrow, null)
    const lines = text.split('\n').filter((line) => line.startsWith('    transcribench'))
    expect(lines.map((line) => line.trim())).toEqual(commands)
    const words = (from: string): string => from.replaceAll(/[\s;,]+/g, ' ')
    expect(words(text)).toContain(words(hint).trim())
  })

  test('keeps the lines of an excerpt, and no escape sequence of a file or a server', () => {
    const text = renderError(
      errors.make('CORPUS_UNUSABLE', {
        message: 'the server says \u001b[31mno',
        hint: 'h',
        problems: [{ where: 'a.yaml:14:5', what: 'unknown key\n14 |   concurency: 4\n   |   ^^^^' }],
      }),
      wide,
      null,
    )
    expect(text).toContain('the server says no')
    expect(text).toContain('                 14 |   concurency: 4\n                    |   ^^^^')
  })
})

describe('the other screens', () => {
  test('texts scored without a service', async () => {
    const pairs = [
      { id: '1', reference: 'the cat sat', hypothesis: 'the cat sad' },
      { id: '2', reference: 'one two', hypothesis: 'one two three' },
      { id: '3', reference: '…', hypothesis: '' },
    ]
    const scorer = startTextScore({ profile: 'basic', seed: 1 })
    for (const pair of pairs) scorer.add(pair)
    const text = renderTextScore(scorer.result(), wide)
    await expect(text).toMatchFileSnapshot(golden('text-score'))
  })

  test('show an explanation and the list of all', async () => {
    const wer = {
      name: 'wer',
      aliases: ['word-errors'],
      kind: 'metric',
      parts: [
        { label: null, text: 'Wrong, missing and additional words for every hundred words that were said.' },
        { label: 'formula', text: '(S + D + I) / (H + S + D)' },
      ],
    }
    const code = { name: 'NOT_COMPARABLE', aliases: [], kind: 'error', parts: [] }
    const tables = { name: 'words', aliases: [], kind: 'error-analysis', parts: [] }
    const list = renderExplanationList([wer, code, tables], ascii)
    const text = [renderExplanation(wer, narrow), list].join('\n\n')
    await expect(text).toMatchFileSnapshot(golden('explanations'))
  })

  test('no thresholds are no text', () => {
    expect(thresholdLines([], wide)).toEqual([])
  })
})

test('a run that was interrupted is a partial result: how much of it there is, and no remedy that the rest would be', () => {
  const whole = frozenEvaluation()
  const text = summaryOf({ ...whole, run: { ...whole.run, status: 'interrupted' } })
  expect(text).toContain('partial result: 20 of 20 requests were carried out')
  expect(text).not.toContain('--rounds')
})

test('a difference of texts that are the same every time they are heard has no interval: it is exact', () => {
  const repeated = frozenComparison({ rounds: 2 }, { rounds: 2 })
  expect(renderComparison(repeated, [], wide)).toMatch(/WER .*0\.00 pp +exact/)
  const once = frozenComparison({}, {})
  expect(renderComparison(once, [], wide)).not.toMatch(/WER .*exact/)
})
