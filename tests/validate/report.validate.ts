import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { openPage, startChromium } from '../browser/chromium.ts'
import { largeRun, pageOf } from '../browser/pages.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test('a page of 12 contenders and 20,000 utterances is under 60 MB, paints in 2 s and never blocks for 100 ms', async () => {
  await using home = await temporaryFolder()
  const path = join(home.path, 'report.html')
  await writeFile(path, await pageOf(largeRun(12, 20_000)))
  const { size } = await stat(path)
  const browser = await startChromium()
  try {
    const { page, complaints } = await openPage(browser, pathToFileURL(path).href)
    const firstPaintMs = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    )
    await page.evaluate(() => {
      const longTasks: number[] = []
      Object.assign(globalThis, { longTasks })
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longTasks.push(duration)
      }).observe({ type: 'longtask' })
    })
    for (let turn = 0; turn < 30; turn += 1) {
      await page.locator('.port').evaluate((port, at) => {
        port.scrollTop = at * 20_000
      }, turn)
      await page.waitForTimeout(30)
    }
    await page.locator('.search input').pressSequentially('staging cluster', { delay: 40 })
    await page.locator('[data-ready="true"]').waitFor()
    await page.locator('.controls select').first().selectOption('over100')
    await page.locator('.controls select').first().selectOption('wrong')
    await page.locator('[data-ready="true"]').waitFor()
    await page.locator('.row').nth(3).click()
    await page.locator('.diff').waitFor()
    const longTasks = await page.evaluate(
      () => (globalThis as unknown as { longTasks: readonly number[] }).longTasks,
    )
    const longestMs = Math.max(0, ...longTasks)
    process.stdout.write(
      `report page: ${(size / 1e6).toFixed(1)} MB, first paint ${firstPaintMs.toFixed(0)} ms, longest task ${longestMs.toFixed(0)} ms\n`,
    )
    expect(size).toBeLessThan(60_000_000)
    expect(firstPaintMs).toBeLessThan(2000)
    expect(longestMs).toBeLessThanOrEqual(100)
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})
