import { describe, expect, test } from 'vitest'
import { documentHtml, type StoredDocument } from '#results/stored-document'
import { measuredRun } from '../analysis/measured-run.ts'
import {
  barriers,
  coveredDots,
  overflow,
  overprints,
  pagesOfFile,
  type Viewport,
  type WatchedPage,
} from './chromium.ts'
import {
  capacityDocument,
  comparisonDocument,
  emptyHistory,
  experimentDocument,
  historyDocument,
  hostileComparison,
  sameComparison,
} from './documents.ts'
import { emptyRun, failedRun, foreignRun, hostileRun, hostileText, largeRun, pageOf } from './pages.ts'

const pages = pagesOfFile()

const desk = { width: 1280 }
const phone = { width: 390, height: 844 }
const dark = { colorScheme: 'dark' } as const

/** It fits its window, and no word or dot is under another word. */
async function expectReadable({ page }: WatchedPage): Promise<void> {
  expect(await overflow(page)).toBeLessThanOrEqual(0)
  expect(await overprints(page)).toEqual([])
  expect(await coveredDots(page)).toEqual([])
}

async function expectSound(watched: WatchedPage): Promise<void> {
  await expectReadable(watched)
  expect(await barriers(watched)).toEqual([])
  expect(watched.complaints).toEqual([])
  expect(watched.requests).toEqual([])
  expect(await watched.page.locator('#page img, #page script').count()).toBe(0)
}

describe('the page of', () => {
  test.each<readonly [string, StoredDocument, Viewport, RegExp]>([
    [
      'a comparison',
      comparisonDocument(),
      desk,
      /1 threshold failed; worse: WER \(\+\d\.\d+ pp, .*\), CER; speed not judged: .*; open: failed requests/,
    ],
    ['a comparison in the dark', comparisonDocument(), dark, /-0\.5pp|Where it moved/],
    ['a comparison on a phone', comparisonDocument(), phone, /Utterances that changed most/],
    ['two runs that are alike', sameComparison(), {}, /every text is the same on both sides/],
    [
      'an experiment',
      experimentDocument(),
      desk,
      /branch against main: worse: WER \(.*\), latency \(.*\), .*fixed cost/,
    ],
    ['a capacity', capacityDocument(), desk, /sustains 6\.02 requests per second/],
    ['a capacity in the dark', capacityDocument(), dark, /Requests that miss/],
    ['a capacity on a phone', capacityDocument(), phone, /What an hour of audio costs/],
    ['a history', historyDocument(), desk, /latency\.p50 of whisper-tiny became worse, 369 ms → 483 ms/],
    ['a history without a run', emptyHistory, dark, /No run here has a score yet/],
    ['hostile names', hostileComparison(), {}, /onerror=alert/],
  ])('%s loads nothing, reports no error, and can be read', async (_, shown, viewport, said) => {
    await using watched = await pages.open(await documentHtml(shown), viewport)
    expect(await watched.page.locator('#page').textContent()).toMatch(said)
    await expectSound(watched)
  })

  test.each([
    ['a run of three contenders', largeRun(3, 120), desk],
    ['a run of three contenders in the dark', largeRun(3, 40), dark],
    ['twelve contenders on a phone', largeRun(12, 120), phone],
    ['languages from right to left and without spaces', foreignRun(), {}],
    ['a failed run', failedRun(), {}],
    ['a run without a request', emptyRun(), {}],
    ['hostile texts', hostileRun(), dark],
  ])('%s loads nothing, reports no error, and can be read, with a row opened', async (_, run, viewport) => {
    await using watched = await pages.open(await pageOf(run), viewport)
    const first = watched.page.locator('.row').first()
    if ((await first.count()) > 0) await first.click()
    await expectSound(watched)
  })

  test.each([
    ['an experiment on a phone', () => documentHtml(experimentDocument()), phone],
    ['a history on a phone', () => documentHtml(historyDocument()), phone],
    ['a run of three contenders on a phone', () => pageOf(largeRun(3, 120)), phone],
    ['twelve contenders', () => pageOf(largeRun(12, 120)), desk],
  ])('%s can be read', async (_, make, viewport) => {
    await using watched = await pages.open(await make(), viewport)
    await expectReadable(watched)
  })

  test('a comparison can do without what was said', async () => {
    const html = await documentHtml(comparisonDocument(), false)
    expect(html).not.toMatch(/frankfurt|staging/)
    expect(await documentHtml(hostileComparison(), false)).not.toContain(`say ${hostileText}`)
    await using watched = await pages.open(html)
    expect(await watched.page.locator('#page').textContent()).toContain('15 more errors')
  })

  test('a run whose blocks are too short for latencies says so, and still counts its answers', async () => {
    const utterances = Array.from({ length: 4 }, (_, index) => ({ id: `u${index}`, reference: 'a b' }))
    const short = measuredRun({ utterances, concurrency: 4, fate: () => 'a b' })
    await using watched = await pages.open(await pageOf(short))
    const shown = ((await watched.page.locator('#page').textContent()) ?? '').replaceAll(/\s+/g, ' ')
    expect(shown).toContain('4 of 4 utterances answered')
    expect(shown).toContain('No answer lies between the first completion and the last start of a block')
    expect(shown).not.toContain('No request was answered')
    expect(shown).toMatch(/speed–needs \d+ answers? between the first completion/)
  })

  test('a run shows texts that would like to be code as texts, wherever they stand', async () => {
    await using watched = await pages.open(await pageOf(hostileRun()))
    const { page } = watched
    await page.locator('.row').first().click()
    const shown = ((await page.locator('#page').textContent()) ?? '').replaceAll('\u2028', '')
    const wanted = hostileText.replace('\u2028', '')
    expect(shown.split(wanted).length).toBeGreaterThan(8)
    expect((await page.title()).replace(/\s+/g, '')).toContain(wanted.replace(/\s+/g, ''))
  })
})
