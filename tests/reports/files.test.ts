import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import {
  evaluationJson,
  renderSummaryDocument,
  summaryCsv,
  summaryDocument,
  utterancesCsv,
} from '#reports/run/summary-document'
import {
  evaluatedRun,
  measuredRun,
  spokenUtterances,
  timedOut,
  unsoundPaths,
} from '../analysis/measured-run.ts'
import { frozenEvaluation } from './measured.ts'

const read = (csv: string): Record<string, string>[] => parse(csv, { columns: true })

describe('summary.csv', () => {
  const rows = read(summaryCsv(frozenEvaluation()))

  test('has a row per contender and its units in the header', () => {
    expect(rows.map((row) => row['contender'])).toEqual(['tiny', 'base'])
    expect(rows[0]).toMatchObject({
      planned: '10',
      answered: '10',
      failed: '0',
      word_substitutions: '16',
      latency_p50_ms: '190',
      rtf_p50: '0.0475',
      concurrency: '1',
      profile: 'basic',
    })
    expect(Number(rows[0]?.['wer_rate'])).toBeCloseTo(16 / 72, 12)
  })

  test('leaves a cell empty where there is no figure, and never says 0 or NaN instead', () => {
    expect(rows[0]?.['latency_p95_ms']).toBe('')
    expect(rows[0]?.['speakers']).toBe('')
    expect(summaryCsv(frozenEvaluation())).not.toMatch(/NaN|undefined|null|Infinity/)
  })
})

describe('utterances.csv', () => {
  const hostile = [
    { id: 'formula', reference: '=HYPERLINK("http://example.org")' },
    { id: 'minus', reference: '-1 degrees' },
    { id: 'plus', reference: '+49 30' },
    { id: 'at', reference: '@home' },
    { id: 'tab', reference: '\tindented' },
    { id: 'quoted', reference: 'she said "no, never",\nand left' },
    { id: 'wide', reference: '你好，世界' },
    { id: 'lines', reference: 'one line\nand another\rand a third' },
    { id: 'failed', reference: 'nothing came' },
  ]
  const csv = [
    ...utterancesCsv(
      evaluatedRun({
        utterances: hostile,
        fate: ({ utterance }) => (utterance.id === 'failed' ? timedOut : utterance.reference),
      }),
    ),
  ].join('')
  const rows = read(csv)

  test('has a row per planned request, whatever became of it', () => {
    expect(rows).toHaveLength(9)
    expect(rows[8]).toMatchObject({ status: 'failed', failure: 'timedOut', latency_ms: '', hypothesis: '' })
  })

  test('keeps quotes, commas, line breaks and other scripts', () => {
    expect(rows[5]?.['reference']).toBe('she said "no, never",\nand left')
    expect(rows[6]?.['hypothesis']).toBe('你好，世界')
    // Quoted, because other readers end a record at either character.
    expect(csv).toContain(',"one line\nand another\rand a third",')
    expect(csv.split('\r\n')).toHaveLength(11)
  })

  test('puts an apostrophe before text that a spreadsheet would run as a formula', () => {
    expect(rows.slice(0, 5).map((row) => row['reference'])).toEqual([
      '\'=HYPERLINK("http://example.org")',
      "'-1 degrees",
      "'+49 30",
      "'@home",
      "'\tindented",
    ])
  })

  test('leaves negative numbers as they are', () => {
    // The server says that it took 10 ms less than we saw; faster than 10 ms, its figure is below zero.
    const fast = measuredRun({ utterances: hostile.slice(1, 2), fate: () => 'x', durationMs: () => 4 })
    expect(read([...utterancesCsv(evaluateRun(fast))].join(''))[0]?.['server_decode_ms']).toBe('-6')
  })
})

test('utterances.csv has one header row and every request, however many pieces it is written in', () => {
  const utterances = spokenUtterances(2500, 'x')
  const pieces = [...utterancesCsv(evaluatedRun({ utterances, fate: () => 'x' }))]
  expect(pieces.length).toBeGreaterThan(2)
  expect(read(pieces.join('')).map((row) => row['utterance'])).toEqual(utterances.map(({ id }) => id))
})

test('evaluation.json, written in pieces, is the evaluation, with a line for each request', () => {
  for (const utterances of [
    [],
    [{ id: 'a', reference: 'one "two"' }],
    [
      { id: 'a', reference: 'one\ntwo' },
      { id: 'b', reference: '' },
    ],
  ]) {
    const evaluation = evaluatedRun({ utterances, fate: ({ utterance }) => utterance.reference })
    const text = [...evaluationJson(evaluation)].join('')
    expect(JSON.parse(text)).toEqual(evaluation)
    expect(text.split('\n').filter((line) => line.includes('"requestIndex":'))).toHaveLength(
      utterances.length,
    )
  }
})

describe('summary.json', () => {
  const document = summaryDocument(frozenEvaluation())

  test('gives every metric by its id, with its unit', () => {
    const [tiny] = document.contenders
    expect(tiny?.metrics['wer']).toMatchObject({ value: 16 / 72, unit: 'rate' })
    expect(tiny?.metrics['latency.p50']).toMatchObject({ value: 190, unit: 'ms' })
    expect(tiny?.metrics['rtfx']).toMatchObject({ unit: 'times' })
  })

  test('gives the reason where there is no figure', () => {
    expect(document.contenders[0]?.metrics['latency.p95']).toEqual({
      value: null,
      unit: 'ms',
      reason: 'needs 62 more answered requests',
    })
  })

  test('is a sound document with a format version, and leaves the utterances to evaluation.json', () => {
    expect(unsoundPaths(document)).toEqual([])
    expect(document).toMatchObject({ formatVersion: 2, validity: 'short' })
    expect(document).not.toHaveProperty('utterances')
    expect(JSON.parse(renderSummaryDocument(frozenEvaluation()))).toEqual(document)
  })
})
