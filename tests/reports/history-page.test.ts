import { expect, test } from 'vitest'
import { findTrends, type HistoryFigure } from '#analysis/comparison/trends'
import { historyPage } from '#reports/history/library-page'
import { historyMarkdown } from '#reports/history/render-history'

const figure = (index: number, conditions: string, value: number): HistoryFigure => ({
  runId: `run-${index}`,
  startedAt: new Date(Date.UTC(2026, 9, 1 + index)).toISOString(),
  contenderId: 'tiny',
  metric: 'wer',
  value,
  interval: null,
  conditions,
  withheld: null,
})

test('the page of a history begins with the latest figures of the longest series, and when they last changed', () => {
  const long = Array.from({ length: 20 }, (_, index) => figure(index, 'long', index < 12 ? 0.04 : 0.08))
  const page = (figures: readonly HistoryFigure[]): unknown =>
    historyPage({ trends: findTrends(figures), runCount: 21, leftOut: [] }).latest
  const label = 'word error rate'
  expect(page([figure(0, 'short', 0.5), ...long])).toEqual([
    {
      contenderId: 'tiny',
      figures: [{ label, value: '8.00%', detail: 'worse since run 13 of 20: +4.00 pp' }],
    },
  ])
  expect(page(long.slice(0, 10))).toEqual([
    { contenderId: 'tiny', figures: [{ label, value: '4.00%', detail: 'no change in 10 runs' }] },
  ])
  expect(page(long.slice(0, 5))).toMatchObject([
    { figures: [{ detail: '5 runs, too few to find a change' }] },
  ])
  expect(page([])).toEqual([])
  // A run on a busy machine is marked, and is no change.
  const busy = { metric: 'rtfx', withheld: 'other programs kept 1.6 of 2 processors busy' } as const
  const speeds = long.map((one) => ({ ...one, metric: 'rtfx', value: 11.4 }))
  const slowed = speeds.map((one, index) => (index < 15 ? one : { ...one, ...busy, value: 3.4 }))
  expect(page(slowed)).toEqual([
    {
      contenderId: 'tiny',
      figures: [{ label: 'system speed', value: '~3.4×', detail: 'no change in 20 runs' }],
    },
  ])
})

test('a figure that moves evenly drifts, and a step after an earlier change is too recent', () => {
  const trends = (values: readonly number[]) =>
    findTrends(values.map((value, index) => figure(index, 'one', value)))
  const noise = (index: number): number => 0.0005 * Math.sin(12.9898 * index ** 2)
  const even = Array.from({ length: 40 }, (_, index) => 0.04 + 0.0003 * index + noise(index))
  const [drifting] = trends(even)
  expect(drifting?.changes).toEqual([])
  expect(drifting?.drift?.first).toBeCloseTo(0.04, 2)
  expect(drifting?.drift?.last).toBeCloseTo(0.0517, 2)
  const about = { runCount: 40, leftOut: [] }
  expect(historyMarkdown({ trends: trends(even), ...about })).toMatch(
    /wer of tiny drifts: evenly worse over 40 runs, 4\.0\d% → 5\.1\d%\./,
  )
  expect(historyPage({ trends: trends(even), ...about }).latest[0]?.figures[0]?.detail).toMatch(
    /^drifts: evenly worse over 40 runs, \+1\.\d\d pp$/,
  )
  const stepped = even.map((_, index) => (index < 20 ? 0.04 : 0.05) + noise(index))
  expect(trends(stepped)[0]).toMatchObject({ drift: null, changes: [{ runNumber: 21 }] })
  expect(historyMarkdown({ trends: trends([...stepped, 0.07]), ...about })).toContain(
    'moved in the last run, ',
  )
})

test('a step in the last run or two is too recent to judge, and not a history without change', () => {
  const sentence = (values: readonly number[]): string => {
    const figures = values.map((value, index) => figure(index, 'one', value))
    return historyMarkdown({ trends: findTrends(figures), runCount: values.length, leftOut: [] })
  }
  const steady = Array.from({ length: 12 }, (_, index) => 0.04 + 0.0002 * (index % 3))
  expect(sentence(steady)).toContain('No figure changed its level over 12 runs')
  expect(sentence([...steady, 0.06])).toContain('wer of tiny moved in the last run, 4.04% → 6.00%')
  expect(sentence([...steady, 0.06, 0.061])).toContain('Too recent to judge')
  expect(sentence([...steady, 0.06, 0.061])).toContain('moved in the last two runs, 4.04% → 6.10%')
  expect(sentence([...steady, 0.06, 0.06, 0.061])).toContain('became worse')
})
