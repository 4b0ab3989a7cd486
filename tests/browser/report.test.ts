import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { type TemporaryFolder, temporaryFolder } from '../journal/temporary-folder.ts'
import { barriers, openPage, startChromium, type Viewport, type WatchedPage } from './chromium.ts'
import { emptyRun, failedRun, foreignRun, hostileRun, hostileText, largeRun, pageOf } from './pages.ts'

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

async function open(name: string, run: RunMaterial, viewport: Viewport = {}): Promise<WatchedPage> {
  const path = join(home.path, `${name}.html`)
  await writeFile(path, await pageOf(run))
  return await openPage(browser, pathToFileURL(path).href, viewport)
}

describe('a report page', () => {
  test.each([
    ['a run of three contenders', largeRun(3, 40), {}],
    ['a run of three contenders in the dark', largeRun(3, 40), { colorScheme: 'dark' }],
    ['twelve contenders on a phone', largeRun(12, 60), { width: 390, height: 800 }],
    ['languages from right to left and without spaces', foreignRun(), {}],
    ['a failed run', failedRun(), {}],
    ['a run without a request', emptyRun(), {}],
    ['hostile texts', hostileRun(), { colorScheme: 'dark' }],
  ] as const)('of %s loads nothing, reports no error, and fits its window', async (name, run, viewport) => {
    const watched = await open(name.replaceAll(' ', '-'), run, viewport)
    const first = watched.page.locator('.row').first()
    if ((await first.count()) > 0) await first.click()
    expect(await barriers(watched)).toEqual([])
    expect(watched.complaints).toEqual([])
    expect(watched.requests).toEqual([])
    const overflow = await watched.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
    await watched.context.close()
  })

  test('folds away the percentiles of each length, and what other lengths are expected to take', async () => {
    const { page, context } = await open('lengths', largeRun(3, 40))
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
    await context.close()
  })

  test('shows texts that would like to be code as texts, wherever they stand', async () => {
    const { page, context, complaints } = await open('hostile', hostileRun())
    await page.locator('.row').first().click()
    const shown = ((await page.locator('#page').textContent()) ?? '').replaceAll('\u2028', '')
    const wanted = hostileText.replace('\u2028', '')
    expect(shown.split(wanted).length).toBeGreaterThan(8)
    expect(await page.locator('#page img, #page script').count()).toBe(0)
    expect((await page.title()).replace(/\s+/g, '')).toContain(wanted.replace(/\s+/g, ''))
    expect(complaints).toEqual([])
    await context.close()
  })
})
