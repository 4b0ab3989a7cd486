import { describe, expect, test } from 'vitest'
import { compareSides } from '#analysis/comparison/compare-runs'
import { evaluateRun } from '#analysis/evaluate-run'
import { renderComparison } from '#reports/comparison/render-comparison'
import { detailTables } from '#reports/run/details/details'
import { renderScores } from '#reports/run/listings'
import { rateContenders, ratingsCsv, renderRatings } from '#reports/run/ratings'
import { renderMarkdown, renderSummary } from '#reports/run/render-summary'
import { runPage } from '#reports/run/run-page'
import { summaryCsv, utterancesCsv } from '#reports/run/summary-document'
import { evaluatedRun, measuredRun, timedOut } from '../analysis/measured-run.ts'

const terminal = { width: 120, color: false, unicode: true }
const references = [
  '而 对 楼市',
  '成交 抑制 作用',
  '最大 的 限购',
  '今天 天气 很好',
  '我们 一起 去',
  '明天 见',
  '谢谢 你',
]
const utterances = references.map((reference, index) => ({ id: `zh-${index}`, reference, seconds: 3 }))

/** Writes what was said without spaces; one contender gets the first character of every clip wrong. */
function chineseRun(profile: string, wrongOne = 'wrong'): Parameters<typeof evaluateRun>[0] {
  return measuredRun({
    utterances,
    contenders: ['wrong', 'joined'],
    record: { scoringProfile: profile },
    fate: ({ contenderId, utterance: { reference } }) => {
      const joined = reference.replaceAll(' ', '')
      return contenderId === wrongOne ? joined.replace(/^./u, '错') : joined
    },
  })
}

const evaluation = evaluateRun(chineseRun('unspaced'))
const atOf = (text: string, ...parts: readonly string[]): readonly number[] =>
  parts.map((part) => text.indexOf(part))
const inOrder = (text: string, ...parts: readonly string[]): void => {
  const places = atOf(text, ...parts)
  expect(places, text).not.toContain(-1)
  expect(places, text).toEqual(places.toSorted((a, b) => a - b))
}

describe('the character error rate of a run of a script without spaces', () => {
  test('does not count spaces', () => {
    expect(evaluation.contenders.map(({ characters }) => characters.rate)).toEqual([7 / 32, 0])
    expect(evaluation.scoring.characterRule).toBe('no-spaces')
  })

  test('is in the table of rates before the rates of words, and no table counts formatting in words', () => {
    const tables = detailTables(evaluation, ['rates', 'ladder'])
    expect(tables).toHaveLength(1)
    inOrder(tables[0]?.toCsv() ?? '', 'contender', 'cer_all_rate', 'mer_rate', 'wer_all_rate')
    expect(evaluation.errorAnalyses.map(({ ladder }) => ladder)).toEqual([[], []])
  })

  test('comes first in the table, the sentence and the places of the terminal', () => {
    const text = renderSummary(evaluation, { terminal, folder: null })
    inOrder(text, 'fewer errors per hundred characters', '32 characters', 'contender', 'CER', 'WER')
    expect(text).toContain('joined makes 21.9 fewer errors per hundred characters than wrong')
  })

  test('comes first in Markdown, with the best contender on top', () => {
    inOrder(renderMarkdown(evaluation), 'per hundred characters', '| contender | CER |', ' WER |')
    inOrder(renderMarkdown(evaluation), '| joined |', '| wrong |')
  })

  test('comes first among the columns of the files', () => {
    const [summaryHead = ''] = summaryCsv(evaluation).split('\n')
    inOrder(summaryHead, ',cer_rate,', ',reference_characters,', ',wer_rate,', ',cer_all_rate,wer_all_rate,')
    const [utteranceHead = ''] = [...utterancesCsv(evaluation)].join('').split('\n')
    inOrder(utteranceHead, ',cer_rate,', ',character_hits,', ',wer_rate,', ',word_hits,')
  })

  test('is what the bars of a model library rate', () => {
    const scale = { accuracy: [4, 8, 14, 25], speed: [30, 12, 5, 2] } as const
    const ratings = rateContenders(evaluation, scale)
    expect(ratings.map(({ contenderId, accuracy }) => [contenderId, accuracy?.value])).toEqual([
      ['joined', 5],
      ['wrong', 2],
    ])
    expect(renderRatings(ratings, terminal)).toContain('CER of all')
    expect(ratingsCsv(ratings)).toContain(',character_error_rate_with_failures_as_empty,')
  })

  test('comes first where scores are listed', () => {
    inOrder(renderScores([{ file: 'evaluation.json', evaluation }], terminal), 'CER', 'WER')
  })

  test('comes first in a comparison, which says in characters what it rests on', () => {
    const compared = compareSides([chineseRun('unspaced')], [chineseRun('unspaced')])
    if (!compared.ok) throw compared.failure
    expect(compared.value.contenders[0]?.rates.map(({ metric }) => metric)).toEqual(['cer', 'wer'])
    const [, ...blocks] = renderComparison(compared.value, [], terminal).split('\n\n')
    inOrder(blocks.join('\n\n'), '(32 characters)', '  CER', '  WER')
  })

  test('is named with its figures in the sentence of a comparison', () => {
    const compared = compareSides([chineseRun('unspaced')], [chineseRun('unspaced', 'joined')])
    if (!compared.ok) throw compared.failure
    const text = renderComparison(compared.value, [], terminal)
    expect(text.trim().split('\n\n')[0]?.replaceAll(/\s+/g, ' ')).toBe(
      'Speed not judged: one run a side, 0.0% latency of wrong seen; unresolved: CER of wrong (−21.88 pp, −29.17 to 0.00), CER of joined (+21.88 pp, 0.00 to +29.17).',
    )
  })

  test('is what the list of utterances on a page counts and what its findings are of', () => {
    const run = chineseRun('unspaced')
    const counts = runPage(evaluateRun(run), run).rows.map(({ attempts }) =>
      attempts.map(([contender, , , , , hits, ...wrong]) => [contender, hits, ...wrong]),
    )
    expect(counts[0]).toEqual([
      [0, 3, 1, 0, 0],
      [1, 4, 0, 0, 0],
    ])
    const looping = evaluatedRun({
      utterances,
      record: { scoringProfile: 'unspaced' },
      fate: ({ utterance: { id, reference } }) => (id === 'zh-0' ? '啊'.repeat(20) : reference),
    })
    const messages = looping.findings.map(({ message }) => message).join('\n')
    expect(messages).toContain('has more errors than characters in 1 utterance: zh-0')
    expect(messages).toMatch(/of the characters; the CER is 62.5% with it and 0.0% without it/)
  })

  test('ranks contenders, with failures as empty transcripts', () => {
    expect(evaluation.ranking?.metric).toBe('cer.all')
    const failing = evaluatedRun({
      utterances,
      record: { scoringProfile: 'unspaced' },
      fate: ({ utterance }) => (utterance.id === 'zh-0' ? timedOut : utterance.reference),
    })
    expect(failing.contenders[0]?.charactersWithFailuresAsEmpty?.rate).toBe(4 / 32)
    inOrder(renderSummary(failing, { terminal, folder: null }), 'CER', 'CER of all', 'WER')
  })
})

describe('a Chinese run under a profile that words lead', () => {
  const spaced = evaluateRun(chineseRun('basic'))

  test('is scored with spaces and words first, as its record says', () => {
    expect(spaced.profile).toMatchObject({ id: 'basic', leads: 'words' })
    expect(spaced.contenders[1]?.characters.rate).toBeGreaterThan(0)
    inOrder(renderSummary(spaced, { terminal, folder: null }), 'contender', 'WER', 'CER')
  })
})
