import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findTrends } from '#analysis/comparison/trends'
import { documentHtml } from '#results/stored-document'
import { measuredRun, spokenUtterances, warmedUp } from '../analysis/measured-run.ts'
import { pagesOfFile } from './chromium.ts'
import { capacityDocument, comparisonDocument, historyDocument, sameComparison } from './documents.ts'
import { largeRun, pageOf, shardRun } from './pages.ts'

const pages = pagesOfFile()

async function topsOf(page: Page, selectors: readonly string[]): Promise<readonly number[]> {
  return await Promise.all(
    selectors.map((selector) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().top),
    ),
  )
}

/** The dots of a chart, in pixels above its lower edge. */
async function heightsAboveAxis(chart: Locator): Promise<readonly number[]> {
  return await chart.locator('circle.dot').evaluateAll((all) => {
    const lines = [...(all[0]?.closest('svg')?.querySelectorAll('line.grid') ?? [])]
    const bottom = Math.max(...lines.map((line) => Number(line.getAttribute('y2'))))
    return all.map((dot) => bottom - Number(dot.getAttribute('cy')))
  })
}

test('a report begins with a sentence and figures, then the table, the folded warnings and charts, at any width', async () => {
  await using watched = await pages.open(await pageOf(largeRun(2, 60)), { width: 1280 })
  const { page } = watched
  const warnings = page.locator('.warnings')
  for (const view of [{ width: 1280 }, { width: 390, height: 844 }]) {
    await watched.look(view)
    const order = ['h1', '.big-figures', '#answer table', '.warnings', '#accuracy']
    const tops = await topsOf(page, order)
    expect(tops.toSorted((a, b) => a - b)).toEqual(tops)
    const figures = await page.locator('.big-figures').boundingBox()
    expect((figures?.y ?? 0) + (figures?.height ?? 0)).toBeLessThan(view.height ?? 900)
    expect(await warnings.count()).toBe(1)
    expect(await warnings.getAttribute('open')).toBeNull()
  }
  await warnings.locator('summary').click()
  const target = await warnings.locator('a').first().getAttribute('href')
  expect(await page.locator(target ?? '').count()).toBe(1)
})

test('on a phone, names of rows stay in sight when a wide table is scrolled, and formatting errors of three contenders fit', async () => {
  await using watched = await pages.open(await pageOf(largeRun(3, 60)), { width: 390 })
  const { page } = watched
  const region = page.locator('#answer .scroll')
  const scrolled = await region.evaluate((element) => {
    element.scrollLeft = element.scrollWidth
    return element.scrollLeft
  })
  expect(scrolled).toBeGreaterThan(100)
  const name = await region.locator('tbody th').first().boundingBox()
  expect(name?.x).toBeGreaterThanOrEqual(0)
  const table = page.locator('figure', { hasText: 'Formatting errors' }).locator('table')
  const last = await table.locator('tbody td').nth(2).boundingBox()
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(390)
})

test('on a phone, a word and what was recognised for it are below each other, under names that do not move them', async () => {
  await using watched = await pages.open(await pageOf(largeRun(2, 20)), { width: 390 })
  const { page } = watched
  await page.locator('.row').first().click()
  const table = page.locator('.diff table').first()
  await table.waitFor()
  const columns = await table.evaluate((element) =>
    Array.from(element.querySelectorAll('tr:has(td)'), (row) =>
      Array.from(row.querySelectorAll('td'), (cell) => Math.round(cell.getBoundingClientRect().left)),
    ),
  )
  expect(columns).toHaveLength(3)
  expect(columns[0]?.length).toBeGreaterThan(2)
  expect(new Set(columns.map((row) => row.join(' '))).size).toBe(1)
})

test('the figures of all hosts are above those of each, where hosts shared a corpus', async () => {
  await using watched = await pages.open(await pageOf(shardRun()), { width: 1280 })
  const { page } = watched
  const tables = await page.locator('table').allTextContents()
  expect(tables.slice(0, 2)).toEqual([
    expect.stringMatching(/^contenderhosts.*tiny2/),
    expect.stringMatching(/^contender.*contender-1.*contender-2/),
  ])
  expect(await page.getByText('All hosts together').count()).toBe(1)
})

test('groups beyond the eighth are folded, so that no half of a page is empty', async () => {
  await using watched = await pages.open(await pageOf(largeRun(2, 120)), { width: 1280 })
  const { page } = watched
  const speakers = page.locator('figure', { has: page.locator('h3', { hasText: 'By speaker' }) })
  expect(await speakers.locator('> .row-plot li').count()).toBe(8)
  expect(await speakers.locator('details summary').textContent()).toBe('16 more')
})

test('a comparison draws only the groups that moved, has logarithmic axes of latencies, and shows its verdicts on a phone', async () => {
  await using same = await pages.open(await documentHtml(sameComparison()), { width: 1280 })
  expect(await same.page.getByText('Where it moved').count()).toBe(0)
  await using watched = await pages.open(await documentHtml(comparisonDocument()), { width: 1280 })
  const { page } = watched
  const figure = page.locator('figure', { has: page.locator('h3', { hasText: 'Where it moved' }) })
  const values = await figure.locator('.row-value').allTextContents()
  expect(values.length).toBeGreaterThan(2)
  expect(values.filter((value) => value.endsWith(' 0.0 pp'))).toEqual([])
  // No run is “−500% faster”.
  const axis = page.locator('figure', { hasText: 'Latency: run divided by base' }).locator('.row-axis')
  expect(await axis.textContent()).toMatch(/1×.*faster · times the base, logarithmic · slower/)
  expect(await axis.textContent()).not.toContain('%')

  await watched.look({ width: 390 })
  const table = page.locator('table', { hasText: 'verdict' })
  const right = await table
    .locator('th', { hasText: 'verdict' })
    .evaluate((cell) => cell.getBoundingClientRect().right)
  expect(right).toBeLessThanOrEqual(390)
  expect(await table.locator('tr', { hasText: 'WER' }).first().textContent()).toMatch(
    /5\.45% → 14\.32%[\s\S]*\+4\.66 to \+14\.79[\s\S]*worse/,
  )
})

test('a contender has one colour in all sections of a history', async () => {
  const document = historyDocument()
  const { trends } = document.history
  const others = trends
    .filter(({ contenderId }) => contenderId === 'whisper-base')
    .map((trend) => ({ ...trend, conditions: 'other (bbbbbbbbbbbb) · english · closed, 1 in flight' }))
  const history = { ...document.history, trends: [...trends, ...others] }
  await using watched = await pages.open(await documentHtml({ ...document, history }), { width: 1280 })
  const { page } = watched
  const swatches = page.locator('.legend .contender', { hasText: 'whisper-base' }).locator('.swatch')
  const classes = await swatches.evaluateAll((all) => all.map(({ className }) => className))
  expect(classes.length).toBeGreaterThan(3)
  expect(new Set(classes).size).toBe(1)
})

test('a history of figures below zero is drawn on its axes, the lowest figure lowest', async () => {
  const document = historyDocument()
  const values = [-40, 12, -3]
  const trends = findTrends(
    values.map((value, index) => ({
      runId: `2026-11-0${index + 1}T09-00-00Z-quick`,
      startedAt: `2026-11-0${index + 1}T09:00:00.000Z`,
      contenderId: 'tiny',
      metric: 'leak',
      value,
      interval: null,
      conditions: 'quick',
      withheld: null,
    })),
  )
  const history = { ...document.history, trends }
  await using watched = await pages.open(await documentHtml({ ...document, history }), { width: 1280 })
  const dots = await heightsAboveAxis(watched.page.locator('.xy-plot'))
  expect(dots).toHaveLength(3)
  expect(Math.min(...dots)).toBeGreaterThanOrEqual(0)
  expect(dots.map((height) => dots.filter((other) => other < height).length)).toEqual([0, 2, 1])
})

test('response times below a millisecond are drawn inside of their chart', async () => {
  const document = capacityDocument()
  const contenders = document.finding.contenders.map((contender) => ({
    ...contender,
    levels: contender.levels.map((level, index) => ({ ...level, p50Ms: index === 0 ? 0 : 0.1 })),
  }))
  const finding = { ...document.finding, contenders }
  await using watched = await pages.open(await documentHtml({ kind: 'capacity', finding }), { width: 1280 })
  const chart = watched.page.locator('figure', { hasText: 'Response times' }).first()
  const heights = await heightsAboveAxis(chart)
  expect(heights.length).toBeGreaterThan(3)
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(0)
  expect(watched.complaints).toEqual([])
})

test('the text of an utterance far down the list, opened by its address, is not under other rows', async () => {
  await using watched = await pages.open(await pageOf(largeRun(2, 300)), { width: 1280 })
  const { page } = watched
  for (const id of ['clip-00250', 'clip-00007', 'clip-00131']) {
    await page.evaluate((fragment) => {
      location.hash = fragment
    }, `utterance=${id}`)
    const opened = page.locator('.opened', { hasText: id })
    await opened.locator('.diff td').first().waitFor()
    await expect
      .poll(() =>
        opened.evaluate((element) => {
          const { top, bottom } = element.getBoundingClientRect()
          return Array.from(document.querySelectorAll('.entry'), (entry) => entry.getBoundingClientRect().top)
            .filter((other) => other > top)
            .every((other) => other >= bottom - 1)
        }),
      )
      .toBe(true)
  }
})

test('settings at their defaults are folded away, and those that differ are shown with their source', async () => {
  const run = largeRun(1, 5)
  const html = await pageOf({
    ...run,
    record: {
      ...run.record,
      config: { rounds: 3, seed: 1, transport: 'auto' },
      settingSources: { rounds: 'flag', seed: 'default', transport: 'default' },
    },
  })
  await using watched = await pages.open(html, { width: 1280 })
  const { page } = watched
  const settings = page.locator('figure', { has: page.locator('h3', { hasText: 'Settings' }) })
  expect(await settings.locator('> dl').textContent()).toMatch(/rounds\s*3 flag/)
  expect(await settings.locator('details summary').textContent()).toBe('2 settings at the default')
  expect(await settings.locator('details').getAttribute('open')).toBeNull()
})

test('a report folds away the percentiles of each length, and what other lengths are expected to take', async () => {
  await using watched = await pages.open(await pageOf(largeRun(3, 40)))
  const { page } = watched
  const [measured, expected] = ['Percentiles by length', 'What other lengths are expected'].map((summary) =>
    page.locator('#speed details').filter({ hasText: summary }),
  )
  await measured?.locator('summary').click()
  expect(await measured?.locator('tbody tr').count()).toBeGreaterThanOrEqual(6)
  await expected?.locator('summary').click()
  const lengths = await expected?.locator('tbody tr td:nth-child(2)').allTextContents()
  expect(lengths?.map((text) => text.replace('~ ', ''))).toEqual(
    Array.from({ length: 3 }, () => ['2.0 s', '5.0 s', '15 s', '30 s', '1 min']).flat(),
  )
})

test('the chart of kinds of errors says so if its counts are not those of the weighted rate', async () => {
  const whole = measuredRun({
    utterances: spokenUtterances(2, 'a b c d'),
    rounds: 2,
    fate: ({ utterance }) => (utterance.id === 'u0' ? 'a b c x' : 'a b c d'),
  })
  const isAsked = ({ round, utteranceId }: { round: number; utteranceId: string | null }): boolean =>
    round === 1 || utteranceId === 'u0'
  const cut = { ...whole, requests: whole.requests.filter(isAsked), attempts: whole.attempts.filter(isAsked) }
  for (const [run, wanted] of [
    [whole, 0],
    [cut, 1],
  ] as const) {
    await using watched = await pages.open(await pageOf(run))
    const kinds = watched.page.locator('figure', { hasText: 'Kinds of errors' })
    expect(await kinds.getByText('Counts of all answers. The word error rate weights them').count()).toBe(
      wanted,
    )
  }
})

test('bars of equal height are equal shares of the utterances, whatever the contender', async () => {
  const run = measuredRun({
    utterances: spokenUtterances(20, 'a b c d'),
    contenders: ['tiny', 'base'],
    fate: ({ contenderId, utterance }) =>
      contenderId === 'base' && Number(utterance.id.slice(1)) % 2 === 0 ? 'a b c x' : 'a b c d',
  })
  await using watched = await pages.open(await pageOf(run))
  const heights = await watched.page
    .locator('.histograms svg')
    .evaluateAll((charts) =>
      charts.map((chart) =>
        Array.from(chart.querySelectorAll('rect.fill'), (bar) => Number(bar.getAttribute('height'))).filter(
          (height) => height > 0,
        ),
      ),
    )
  expect(heights).toEqual([[40], [20, 20]])
})

test('reasons of failures beyond those that are listed are counted', async () => {
  const run = measuredRun({
    utterances: spokenUtterances(8, 'a b'),
    fate: ({ utterance: { id } }) => ({
      kind: 'refused',
      code: 'BUSY',
      message: `Request ${id} of مهلة.`,
      hint: 'Wait.',
      httpStatus: 503,
    }),
  })
  await using watched = await pages.open(await pageOf(warmedUp(run, { sentAtMs: -10, endedAtMs: -1 })))
  const { page } = watched
  expect(await page.locator('#failures li').textContent()).toMatch(
    /8 × BUSY1 × Request u0 of مهلة\. Wait\..*5 × others$/,
  )
  // A sentence of a server that ends in a period is not followed by another one.
  expect(await page.locator('.warnings').textContent()).toMatch(/warm-up .* of مهلة\.[^.]/)
})

test('names and references from right to left are cut off at their end, and long names leave room for figures', async () => {
  const run = measuredRun({
    utterances: spokenUtterances(4, 'ذهب الولد إلى المدرسة صباح اليوم '.repeat(9)),
    contenders: ['المتحدث الأول', 'n'.repeat(150)],
    fate: () => 'ذهب الولد',
  })
  await using watched = await pages.open(await pageOf(run), { width: 1280 })
  const { page } = watched
  const directions = await page
    .locator('.snippet, .sort-header .cell-name')
    .evaluateAll((texts) => texts.map((text) => getComputedStyle(text).direction))
  expect(directions.slice(0, 3)).toEqual(['rtl', 'ltr', 'rtl'])
  const figure = await page.locator('#answer table td.number').nth(1).boundingBox()
  expect((figure?.x ?? 0) + (figure?.width ?? 0)).toBeLessThan(1280)
})

test('paper has the findings, also folded ones, and the changed utterances that are unfolded', async () => {
  await using report = await pages.open(await pageOf(largeRun(2, 60)))
  await report.page.emulateMedia({ media: 'print' })
  expect(await report.page.locator('.warnings').getAttribute('open')).toBeNull()
  expect(await report.page.locator('.warning-list li').first().isVisible()).toBe(true)
  expect(await report.page.getByText('Percentiles by length').isVisible()).toBe(false)
  const spaces = await report.page
    .locator('.snippet')
    .first()
    .evaluate((text) => getComputedStyle(text).whiteSpace)
  expect(spaces).toBe('normal')
  await using compared = await pages.open(await documentHtml(comparisonDocument()))
  await compared.page.emulateMedia({ media: 'print' })
  const changed = compared.page.locator('.changed > li')
  expect(await changed.first().locator('.diff').isVisible()).toBe(true)
  expect(await changed.last().locator('summary').isVisible()).toBe(true)
})

test('the filter of utterances over 100% lists those that the figure names, also after a right answer in another round', async () => {
  const run = measuredRun({
    utterances: spokenUtterances(6, 'a b'),
    rounds: 2,
    fate: ({ utterance, round }) => (utterance.id === 'u3' && round === 1 ? 'c d e' : 'a b'),
  })
  await using watched = await pages.open(await pageOf(run))
  const { page } = watched
  expect(await page.locator('#over-100 li').count()).toBe(1)
  await page.getByLabel('show').selectOption('over 100%')
  await page.locator('.count', { hasText: '1 of 6 utterances' }).waitFor()
})
