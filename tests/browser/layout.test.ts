import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentHtml } from '#session'
import { type TemporaryFolder, temporaryFolder } from '../journal/temporary-folder.ts'
import { openPage, startChromium, type WatchedPage } from './chromium.ts'
import { capacityDocument, comparisonDocument, experimentDocument, historyDocument } from './documents.ts'
import { largeRun, pageOf } from './pages.ts'

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
    /5\.45% → 14\.32%[\s\S]*\+5\.44 to \+13\.61[\s\S]*worse/,
  )
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
