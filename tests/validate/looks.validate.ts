import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentHtml } from '#results/stored-document'
import { barriers, openPage, startChromium } from '../browser/chromium.ts'
import {
  capacityDocument,
  comparisonDocument,
  experimentDocument,
  historyDocument,
} from '../browser/documents.ts'
import { emptyRun, failedRun, foreignRun, hostileRun, largeRun, pageOf } from '../browser/pages.ts'

/** Screenshots stay here, to be looked at. */
const folder = join(import.meta.dirname, '../../results/looks')
const example = join(import.meta.dirname, '../../docs/example/report.html')

let browser: Browser
beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  browser = await startChromium()
})
afterAll(() => browser?.close())

const looks = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['desktop', { width: 1280, height: 900 }],
  ['phone', { width: 390, height: 844 }],
] as const

describe.each([
  ['quick', null],
  ['twelve-by-2000', () => pageOf(largeRun(12, 2_000))],
  ['foreign', () => pageOf(foreignRun())],
  ['failed', () => pageOf(failedRun())],
  ['empty', () => pageOf(emptyRun())],
  ['hostile', () => pageOf(hostileRun())],
  ['comparison', () => documentHtml(comparisonDocument())],
  ['experiment', () => documentHtml(experimentDocument())],
  ['history', () => documentHtml(historyDocument())],
  ['capacity', () => documentHtml(capacityDocument())],
] as const)('the page %s', (name, makePage) => {
  const path = join(folder, `${name}.html`)
  beforeAll(async () => {
    if (makePage === null) await copyFile(example, path)
    else await writeFile(path, await makePage())
  })

  test.each(looks)('is whole and readable on screen: %s', async (look, viewport) => {
    const watched = await openPage(browser, pathToFileURL(path).href, viewport)
    const { page, context, complaints, requests } = watched
    const first = page.locator('.row').first()
    if ((await first.count()) > 0) await first.click()
    await page.screenshot({ path: join(folder, `${name}-${look}-first.png`) })
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true })
    expect(await barriers(watched)).toEqual([])
    expect(complaints).toEqual([])
    // The example is looked at without its recordings beside it, and asks for none until one is played.
    expect(requests).toEqual([])
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
    await context.close()
  })

  test('is whole on paper', async () => {
    const { page, context } = await openPage(browser, pathToFileURL(path).href)
    const pdf = await page.pdf({ path: join(folder, `${name}-print.pdf`), format: 'A4' })
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    await context.close()
  })
})
