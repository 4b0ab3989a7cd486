import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { isTwoSided } from '#analysis/metrics/metric'
import { metrics } from '#analysis/metrics/metrics'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { libraryPage } from '#reports/history/library-page'
import { runJunit } from '#reports/junit'
import { contenderColumns } from '#reports/run/contender-columns'
import { renderMarkdown, renderSummary } from '#reports/run/render-summary'
import { runPage } from '#reports/run/run-page'
import { summaryCsv } from '#reports/run/summary-document'
import { measuredRun, spokenUtterances, timedOut } from '../analysis/measured-run.ts'

const terminal = { width: 200, color: false, unicode: true }
const utterances = spokenUtterances(10, 'one two three')

function runWith(failures: number): RunMaterial {
  return measuredRun({
    utterances,
    fate: ({ utterance }) => (utterances.indexOf(utterance) < failures ? timedOut : utterance.reference),
  })
}

/** The headings of the table of contenders, or their counterparts, in every medium for people. */
function headingsOf(run: RunMaterial): Readonly<Record<string, readonly string[]>> {
  const evaluation = evaluateRun(run)
  const screen = renderSummary(evaluation, { terminal, folder: null })
  const markdown = renderMarkdown(evaluation)
  const cells = (text: string, start: string): string[] =>
    (text.split('\n').find((line) => line.startsWith(start)) ?? '').split(/ {2,}| \| /)
  return {
    terminal: cells(screen, '  contender '),
    markdown: cells(markdown, '| contender '),
    junit: [...runJunit(evaluation, []).matchAll(/, (failed|answered|WER of all) /g)].map(
      ([, name = '']) => name,
    ),
    page: runPage(evaluation, run).document.tables.summary.columns.map(({ header }) => header),
  }
}

describe('a column of the table of contenders', () => {
  test.each(['failed', 'answered', 'WER of all'])(
    '%s is in every medium where a request failed, and in none where all were answered',
    (header) => {
      for (const [medium, headings] of Object.entries(headingsOf(runWith(1)))) {
        expect(
          headings.map((heading) => heading.replace(' |', '')),
          medium,
        ).toContain(header)
      }
      for (const [medium, headings] of Object.entries(headingsOf(runWith(0)))) {
        expect(
          headings.map((heading) => heading.replace(' |', '')),
          medium,
        ).not.toContain(header)
      }
    },
  )

  test('is a column of summary.csv under a separate name', () => {
    const [head = ''] = summaryCsv(evaluateRun(runWith(1))).split('\r\n')
    const names = head.split(',')
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('failed')
  })

  test('of summary.csv is described, and every figure of a contender has one of its name', () => {
    const described = contenderColumns('words')
    const [head = ''] = summaryCsv(evaluateRun(runWith(1))).split('\r\n')
    expect(described.map(({ name }) => name)).toEqual(head.split(','))
    expect(described.filter(({ describe }) => describe().trim() === '')).toEqual([])
    const figures = metrics.filter(({ from }) => !isTwoSided(from))
    expect(described.map(({ name }) => name)).toEqual(
      expect.arrayContaining(figures.map(({ id, column }) => column ?? `no column of ${id}`)),
    )
  })

  test('has the same heading in a list of runs', () => {
    const { tables } = runPage(evaluateRun(runWith(1)), runWith(1)).document
    const history = { trends: [], runCount: 0, leftOut: [] }
    const page = libraryPage('results', [], history, { addressOf: () => null, canCompare: true })
    const headings = tables.summary.columns.map(({ header }) => header)
    expect(headings).toEqual(expect.arrayContaining(page.columns.map(({ header }) => header)))
    expect(page.columns.length).toBeGreaterThan(4)
  })
})
