import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { rescoreRun } from '#results/scores'
import { viewResults } from '#results/view'
import { measuredRun } from '../analysis/measured-run.ts'
import { aFinding } from '../capacity/a-finding.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { barriers, pagesOfFile } from './chromium.ts'
import { writeRun } from './written-run.ts'

const hostile = '<img src=x onerror=alert(1)>'
const ids = ['2026-11-20T07-00-00Z-first', '2026-11-21T07-00-00Z-second'] as const

const pages = pagesOfFile()
let results: string
beforeAll(async () => {
  results = join(pages.folder(), 'results')
  const references = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`u${index}`, 'one two three four']),
  )
  const corpus = await writeToneCorpus(join(pages.folder(), 'corpus'), references)
  for (const [place, id] of ids.entries()) {
    const made = measuredRun({
      utterances: Object.entries(references).map(([name, reference]) => ({ id: name, reference })),
      contenders: [hostile],
      fate: ({ utterance }) => (place === 1 ? 'one too three four' : utterance.reference),
      record: { startedAt: `${id.slice(0, 10)}T07:00:00.000Z` },
    })
    await rescoreRun(await writeRun(results, id, { ...made, corpus }), {})
  }
  const died = join(results, '2026-11-22T07-00-00Z-died')
  await mkdir(died)
  await writeFile(join(died, 'run.json'), '{}')
  const capacity = join(results, '2026-11-19T07-00-00Z-capacity')
  await mkdir(capacity)
  await writeFile(join(capacity, 'run.json'), '{}')
  await writeFile(join(capacity, 'capacity.json'), JSON.stringify(aFinding()))
})

test('the page of a results folder lists its runs, compares two of them and opens one, with its recordings', async () => {
  await using viewing = await viewResults(results, 0, {})
  await using watched = await pages.open(viewing.address)
  const { page, complaints } = watched
  expect(await page.locator('#answer-title').textContent()).toBe(
    '2 runs, too few to find a change: it takes 6 comparable ones, and the longest series has 2.',
  )
  const list = (await page.locator('#runs').textContent()) ?? ''
  expect(list).toContain(hostile)
  expect(list).toContain('no score that can be read')
  expect(await barriers(watched)).toEqual([])

  await page.locator('a.primary').click()
  await page.locator('#answer-title', { hasText: 'Worse: WER' }).waitFor()
  await page.locator('#page', { hasText: '12 more errors' }).waitFor()
  await page.locator('a', { hasText: 'All runs' }).click()

  await page.locator('.runs th a').nth(1).click()
  await page.locator('.row', { hasText: 'u3' }).click()
  const length = await page.evaluate(async () => {
    const audio = document.querySelector('audio')
    if (audio === null) return null
    audio.preload = 'metadata'
    await new Promise((resolve) => {
      audio.addEventListener('loadedmetadata', resolve, { once: true })
      audio.load()
    })
    return audio.duration
  })
  expect(length).toBeGreaterThan(0.1)
  expect(await page.locator('#page img, #page script').count()).toBe(0)
  expect(complaints).toEqual([])
})

test('a capacity is listed with its answer, and opens as the page of a capacity', async () => {
  await using viewing = await viewResults(results, 0, {})
  await using watched = await pages.open(viewing.address)
  const { page, complaints } = watched
  const [contender] = aFinding().contenders
  await page
    .locator('.runs tbody', { hasText: `${contender?.id} sustains` })
    .locator('th a')
    .click()
  await page.locator('#answer-title', { hasText: 'sustains' }).waitFor()
  expect(await page.locator('#page').textContent()).toContain('within its objectives')
  await page.locator('a', { hasText: 'All runs' }).click()
  await page.locator('#runs').waitFor()
  expect(complaints).toEqual([])
})

test('what cannot be compared, and what is no run of the folder, is reported in words', async () => {
  await using viewing = await viewResults(results, 0, {})
  await using watched = await pages.open(viewing.address)
  const { page } = watched
  const { origin } = new URL(viewing.address)
  await page.goto(`${origin}/?run=..%2F..%2Fetc`)
  expect(await page.locator('[role=alert]').textContent()).toContain('there is no run ../../etc')
  await page.goto(`${origin}/?base=${ids[0]}&run=2026-11-22T07-00-00Z-died`)
  await page.locator('[role=alert]').waitFor()
  await page.locator('a', { hasText: 'All runs' }).click()
  await page.locator('#runs').waitFor()
})

test('a folder without a run says how to get one', async () => {
  await using viewing = await viewResults(join(pages.folder(), 'nothing'), 0, {})
  await using watched = await pages.open(viewing.address, { width: 390, colorScheme: 'dark' })
  expect(await watched.page.locator('#page').textContent()).toContain('transcribench run')
  expect(await barriers(watched)).toEqual([])
  expect(watched.complaints).toEqual([])
})
