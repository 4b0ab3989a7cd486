import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentHtml } from '#results/stored-document'
import { type TemporaryFolder, temporaryFolder } from '../journal/temporary-folder.ts'
import { openPage, startChromium, type WatchedPage } from './chromium.ts'
import {
  capacityDocument,
  comparisonDocument,
  experimentDocument,
  historyDocument,
  sameComparison,
} from './documents.ts'
import { largeRun, pageOf, shardRun } from './pages.ts'

let browser: Browser
let home: TemporaryFolder
beforeAll(async () => {
  home = await temporaryFolder()
  browser = await startChromium()
})
afterAll(async () => {
  await browser?.close()
  await home?.[Symbol.asyncDispose]()
})

async function open(name: string, html: string, width: number): Promise<WatchedPage> {
  const path = join(home.path, `${name}-${width}.html`)
  await writeFile(path, html)
  return await openPage(browser, pathToFileURL(path).href, { width, height: width < 640 ? 844 : 900 })
}

/** Pairs of texts of which one covers or touches the other: words of the menu, and labels of one chart. */
async function overprints(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const groups = [
      [...document.querySelectorAll('.contents a')],
      ...[...document.querySelectorAll('svg')].map((chart) => [...chart.querySelectorAll('text')]),
    ]
    return groups.flatMap((group) =>
      group.flatMap((first, index) =>
        group.slice(index + 1).flatMap((second) => {
          const [a, b] = [first, second].map((element) => {
            const letters = document.createRange()
            letters.selectNodeContents(element)
            return letters.getBoundingClientRect()
          }) as [DOMRect, DOMRect]
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
          const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
          return across > -3 && down > 3 ? [`${first.textContent} | ${second.textContent}`] : []
        }),
      ),
    )
  })
}

/** Names in charts that are printed over a dot. */
async function coveredDots(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() =>
    [...document.querySelectorAll('svg:has(.point-name)')].flatMap((chart) =>
      [...chart.querySelectorAll('.point-name')].flatMap((name) => {
        const a = name.getBoundingClientRect()
        return [...chart.querySelectorAll('circle')].flatMap((dot) => {
          const b = dot.getBoundingClientRect()
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
          // A line of text is taller than its letters.
          const down = Math.min(a.bottom - 4, b.bottom) - Math.max(a.top + 4, b.top)
          return across > 0 && down > 0 ? [name.textContent] : []
        })
      }),
    ),
  )
}

const pages = {
  'a run': () => pageOf(largeRun(3, 120)),
  'a run of twelve': () => pageOf(largeRun(12, 120)),
  'a comparison': () => documentHtml(comparisonDocument()),
  'an experiment': () => documentHtml(experimentDocument()),
  'a history': () => documentHtml(historyDocument()),
  'a capacity': () => documentHtml(capacityDocument()),
} as const

describe.each(Object.entries(pages))('the page of %s', (name, make) => {
  test.each([390, 1280])('prints no word over another at a width of %s px', async (width) => {
    const { page, context } = await open(name.replaceAll(' ', '-'), await make(), width)
    expect(await overprints(page)).toEqual([])
    expect(await coveredDots(page)).toEqual([])
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
    await context.close()
  })
})

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

test.each([390, 1280])(
  'a report begins with a sentence and figures, then the table, the folded warnings and charts, at %s px',
  async (width) => {
    const { page, context } = await open('order', await pageOf(largeRun(2, 60)), width)
    const tops = await topsOf(page, ['h1', '.big-figures', '#answer table', '.warnings', '#accuracy'])
    expect(tops.toSorted((a, b) => a - b)).toEqual(tops)
    const figures = await page.locator('.big-figures').boundingBox()
    expect((figures?.y ?? 0) + (figures?.height ?? 0)).toBeLessThan(width < 640 ? 844 : 900)
    const warnings = page.locator('.warnings')
    expect(await warnings.count()).toBe(1)
    expect(await warnings.getAttribute('open')).toBeNull()
    await warnings.locator('summary').click()
    const link = warnings.locator('a').first()
    const target = await link.getAttribute('href')
    expect(await page.locator(target ?? '').count()).toBe(1)
    await context.close()
  },
)

test('a comparison shows its verdicts on a phone without scrolling', async () => {
  const { page, context } = await open('verdicts', await documentHtml(comparisonDocument()), 390)
  const table = page.locator('table', { hasText: 'verdict' })
  const right = await table
    .locator('th', { hasText: 'verdict' })
    .evaluate((cell) => cell.getBoundingClientRect().right)
  expect(right).toBeLessThanOrEqual(390)
  expect(await table.locator('tr', { hasText: 'WER' }).first().textContent()).toMatch(
    /5\.45% → 14\.32%[\s\S]*\+4\.66 to \+14\.79[\s\S]*worse/,
  )
  await context.close()
})

test('names of rows stay in sight when a wide table is scrolled on a phone', async () => {
  const { page, context } = await open('sticky', await pageOf(largeRun(3, 60)), 390)
  const region = page.locator('#answer .scroll')
  const scrolled = await region.evaluate((element) => {
    element.scrollLeft = element.scrollWidth
    return element.scrollLeft
  })
  expect(scrolled).toBeGreaterThan(100)
  const name = await region.locator('tbody th').first().boundingBox()
  expect(name?.x).toBeGreaterThanOrEqual(0)
  await context.close()
})

test('formatting errors of three contenders fit on a phone', async () => {
  const { page, context } = await open('formatting', await pageOf(largeRun(3, 60)), 390)
  const table = page.locator('figure', { hasText: 'Formatting errors' }).locator('table')
  const last = await table.locator('tbody td').nth(2).boundingBox()
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(390)
  await context.close()
})

test('the figures of all hosts are above those of each, where hosts shared a corpus', async () => {
  const { page, context } = await open('shard', await pageOf(shardRun()), 1280)
  const tables = await page.locator('table').allTextContents()
  expect(tables.slice(0, 2)).toEqual([
    expect.stringMatching(/^contenderhosts.*tiny2/),
    expect.stringMatching(/^contender.*contender-1.*contender-2/),
  ])
  expect(await page.getByText('All hosts together').count()).toBe(1)
  await context.close()
})

test('groups beyond the eighth are folded, so that no half of a page is empty', async () => {
  const { page, context } = await open('groups', await pageOf(largeRun(2, 120)), 1280)
  const speakers = page.locator('figure', { has: page.locator('h3', { hasText: 'By speaker' }) })
  expect(await speakers.locator('> .row-plot li').count()).toBe(8)
  expect(await speakers.locator('details summary').textContent()).toBe('16 more')
  await context.close()
})

test('a comparison draws only the groups whose error rates moved', async () => {
  const moved = await open('moved', await documentHtml(comparisonDocument()), 1280)
  const figure = moved.page.locator('figure', {
    has: moved.page.locator('h3', { hasText: 'Where it moved' }),
  })
  const values = await figure.locator('.row-value').allTextContents()
  expect(values.length).toBeGreaterThan(2)
  expect(values.filter((value) => value.endsWith(' 0.0 pp'))).toEqual([])
  await moved.context.close()
  const same = await open('unmoved', await documentHtml(sameComparison()), 1280)
  expect(await same.page.getByText('Where it moved').count()).toBe(0)
  await same.context.close()
})

test('a contender has one colour in all sections of a history', async () => {
  const document = historyDocument()
  if (document.kind !== 'history') throw new Error('not a history')
  const { trends } = document.history
  const others = trends
    .filter(({ contenderId }) => contenderId === 'whisper-base')
    .map((trend) => ({ ...trend, conditions: 'other (bbbbbbbbbbbb) · english · closed, 1 in flight' }))
  const history = { ...document.history, trends: [...trends, ...others] }
  const { page, context } = await open('colours', await documentHtml({ ...document, history }), 1280)
  const swatches = page.locator('.legend .contender', { hasText: 'whisper-base' }).locator('.swatch')
  const classes = await swatches.evaluateAll((all) => all.map(({ className }) => className))
  expect(classes.length).toBeGreaterThan(3)
  expect(new Set(classes).size).toBe(1)
  await context.close()
})

test('axes of latencies are logarithmic, so that no run is “−500% faster”', async () => {
  const { page, context } = await open('axes', await documentHtml(comparisonDocument()), 1280)
  const axis = page.locator('figure', { hasText: 'Latency: run divided by base' }).locator('.row-axis')
  expect(await axis.textContent()).toMatch(/1×.*faster · times the base, logarithmic · slower/)
  expect(await axis.textContent()).not.toContain('%')
  await context.close()
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
  const { page, context } = await open('settings', html, 1280)
  const settings = page.locator('figure', { has: page.locator('h3', { hasText: 'Settings' }) })
  expect(await settings.locator('> dl').textContent()).toMatch(/rounds\s*3 flag/)
  expect(await settings.locator('details summary').textContent()).toBe('2 settings at the default')
  expect(await settings.locator('details').getAttribute('open')).toBeNull()
  await context.close()
})
