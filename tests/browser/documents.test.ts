import { describe, expect, test } from 'vitest'
import type { RunMaterial } from '#analysis/requests/resolved-run'
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
import {
  emptyRun,
  failedRun,
  foreignRun,
  hostileRun,
  hostileText,
  instantRun,
  largeRun,
  pageOf,
} from './pages.ts'

const pages = pagesOfFile()

const desk = { width: 1280 }
const phone = { width: 390, height: 844 }
const dark = { colorScheme: 'dark' } as const

const comparison = comparisonDocument()

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

/** In which windows a page is looked at; default: one of a common size. In the last one, it only has to be readable. */
interface Windows {
  readonly sound?: readonly Viewport[]
  readonly readable?: Viewport
}

async function expectSoundIn(watched: WatchedPage, { sound = [{}], readable }: Windows): Promise<void> {
  for (const view of sound) {
    await watched.look(view)
    await expectSound(watched)
  }
  if (readable === undefined) return
  await watched.look(readable)
  await expectReadable(watched)
}

describe('the page of', () => {
  test.each<readonly [string, StoredDocument, readonly RegExp[], Windows]>([
    [
      'a comparison',
      comparison,
      [
        /1 threshold failed; worse: WER \(\+\d\.\d+ pp, .*\), CER; speed not judged: .*; open: failed requests/,
        /-0\.5pp|Where it moved/,
        /Utterances that changed most/,
      ],
      { sound: [desk, dark, phone] },
    ],
    ['two runs that are alike', sameComparison(), [/every text is the same on both sides/], {}],
    [
      'an experiment',
      experimentDocument(),
      [/branch against main: worse: WER \(.*\), latency \(.*\), .*fixed cost/],
      { sound: [desk], readable: phone },
    ],
    [
      'a capacity',
      capacityDocument(),
      [/sustains 6\.02 requests per second/, /Requests that miss/, /What an hour of audio costs/],
      { sound: [desk, dark, phone] },
    ],
    [
      'a history',
      historyDocument(),
      [/latency\.p50 of whisper-tiny became worse, 369 ms → 483 ms/],
      { sound: [desk], readable: phone },
    ],
    ['a history without a run', emptyHistory, [/No run here has a score yet/], { sound: [dark] }],
    ['hostile names', hostileComparison(), [/onerror=alert/], {}],
  ])('%s loads nothing, reports no error, and can be read', async (_, shown, said, windows) => {
    await using watched = await pages.open(await documentHtml(shown))
    for (const words of said) expect(await watched.page.locator('#page').textContent()).toMatch(words)
    await expectSoundIn(watched, windows)
  })

  test.each<readonly [string, RunMaterial, Windows]>([
    ['a run of three contenders', largeRun(3, 120), { sound: [desk, dark], readable: phone }],
    ['twelve contenders', largeRun(12, 120), { sound: [phone], readable: desk }],
    ['languages from right to left and without spaces', foreignRun(), {}],
    ['a failed run', failedRun(), {}],
    ['answers that took no time', instantRun(), {}],
    ['a run without a request', emptyRun(), {}],
    ['hostile texts', hostileRun(), { sound: [dark] }],
  ])('%s loads nothing, reports no error, and can be read, with a row opened', async (_, run, windows) => {
    await using watched = await pages.open(await pageOf(run))
    const row = watched.page.locator('.row').first()
    if ((await row.count()) > 0) await row.click()
    await expectSoundIn(watched, windows)
  })

  test('a comparison can do without what was said', async () => {
    const html = await documentHtml(comparison, false)
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
