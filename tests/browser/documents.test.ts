import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentHtml, type StoredDocument } from '#results/stored-document'
import { type TemporaryFolder, temporaryFolder } from '../journal/temporary-folder.ts'
import { barriers, openPage, startChromium, type Viewport, type WatchedPage } from './chromium.ts'
import {
  capacityDocument,
  comparisonDocument,
  emptyHistory,
  experimentDocument,
  historyDocument,
  hostileComparison,
  sameComparison,
} from './documents.ts'
import { hostileText } from './pages.ts'

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

async function open(name: string, html: string, viewport: Viewport = {}): Promise<WatchedPage> {
  const path = join(home.path, `${name.replaceAll(' ', '-')}.html`)
  await writeFile(path, html)
  return await openPage(browser, pathToFileURL(path).href, viewport)
}

describe('the page of', () => {
  test.each<readonly [string, StoredDocument, Viewport, RegExp]>([
    [
      'a comparison',
      comparisonDocument(),
      {},
      /1 threshold failed; worse: WER \(\+\d\.\d+ pp, .*\), CER; speed not judged: .*; open: failed requests/,
    ],
    ['a comparison in the dark', comparisonDocument(), { colorScheme: 'dark' }, /-0\.5pp|Where it moved/],
    ['a comparison on a phone', comparisonDocument(), { width: 390 }, /Utterances that changed most/],
    ['two runs that are alike', sameComparison(), {}, /every text is the same on both sides/],
    [
      'an experiment',
      experimentDocument(),
      {},
      /branch against main: worse: WER \(.*\), latency \(.*\), .*fixed cost/,
    ],
    ['a capacity', capacityDocument(), {}, /sustains 6\.02 requests per second/],
    ['a capacity in the dark', capacityDocument(), { colorScheme: 'dark' }, /Requests that miss/],
    ['a capacity on a phone', capacityDocument(), { width: 390 }, /What an hour of audio costs/],
    ['a history', historyDocument(), {}, /latency\.p50 of whisper-tiny became worse, 369 ms → 483 ms/],
    ['a history without a run', emptyHistory, { colorScheme: 'dark' }, /No run here has a score yet/],
    ['hostile names', hostileComparison(), {}, /onerror=alert/],
  ])('%s loads nothing, reports no error, and fits its window', async (name, shown, viewport, said) => {
    const watched = await open(name, await documentHtml(shown), viewport)
    expect(await watched.page.locator('#page').textContent()).toMatch(said)
    expect(await barriers(watched)).toEqual([])
    expect(watched.complaints).toEqual([])
    expect(watched.requests).toEqual([])
    expect(await watched.page.locator('#page img, #page script').count()).toBe(0)
    const overflow = await watched.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
    await watched.context.close()
  })

  test('a comparison can do without what was said', async () => {
    const html = await documentHtml(comparisonDocument(), { hasTexts: false })
    expect(html).not.toMatch(/frankfurt|staging/)
    expect(await documentHtml(hostileComparison(), { hasTexts: false })).not.toContain(`say ${hostileText}`)
    const { page, context } = await open('a comparison without texts', html)
    expect(await page.locator('#page').textContent()).toContain('15 more errors')
    await context.close()
  })
})
