import { appendFile, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { measuredRun } from '../analysis/measured-run.ts'
import { runCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { barriers, pagesOfFile } from './chromium.ts'
import { startReview } from './review-process.ts'
import { writeRun } from './written-run.ts'

const references = { one: 'the cat sat on the mat', two: 'a dog barked', three: 'it rained all day' }
const heard: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tiny: { one: 'the cat sat on a mat', two: 'a dog barked', three: 'it rained all day' },
  base: { one: 'the cat sat on the mat', two: 'a fog barked', three: 'it drained all day' },
}

const pages = pagesOfFile()
let run: string
let corrections: string
beforeAll(async () => {
  const manifest = await writeToneCorpus(join(pages.folder(), 'corpus'), references)
  corrections = join(pages.folder(), 'corpus', 'corrections.jsonl')
  run = await writeRun(join(pages.folder(), 'results'), '2026-11-21T07-31-02Z-review', {
    ...measuredRun({
      utterances: Object.entries(references).map(([id, reference]) => ({ id, reference })),
      contenders: ['tiny', 'base'],
      fate: ({ contenderId, utterance }) => heard[contenderId]?.[utterance.id] ?? '',
    }),
    corpus: manifest,
  })
})

async function writtenLines(): Promise<Record<string, unknown>[]> {
  const text = await readFile(corrections, 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** The error rates as the board shows them, by contender. */
async function board(page: Page): Promise<Record<string, string>> {
  return await page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('.standing li')].map((row) => [
        row.querySelector('.contender')?.textContent ?? '',
        row.querySelector('[data-rate]')?.textContent ?? '',
      ]),
    ),
  )
}

async function type(page: Page, id: string, text: string): Promise<void> {
  await page.locator('.row', { hasText: id }).click()
  await page.locator('.correcting textarea').fill(text)
}

describe('reviewing a run', () => {
  test('opens a row with its text to type in, is operated by keys alone, and asks before a reference is emptied', async () => {
    await using review = await startReview(run, 'ann', pages.folder())
    await using watched = await pages.open(review.address)
    const { page, complaints } = watched
    const focused = (): Promise<string> =>
      page.evaluate(() => (document.activeElement as HTMLTextAreaElement | null)?.value ?? '')
    await page.locator('.row', { hasText: 'one' }).click()
    await expect.poll(focused).toBe(references.one)
    await page.keyboard.press('Control+ArrowDown')
    await expect.poll(focused).not.toBe(references.one)
    const second = await focused()
    expect(Object.values(references)).toContain(second)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.press('Control+Enter')
    await page.locator('.correcting [role=alert]', { hasText: 'Is nothing said' }).waitFor()
    await page.locator('button', { hasText: 'Do not save' }).click()
    expect(await readFile(corrections, 'utf8').catch(() => '')).toBe('')
    expect(await page.locator('#utterances').textContent()).toContain('Ctrl+Enter confirms')
    await page.locator('code', { hasText: `transcribench score ${basename(run)} --corrections` }).waitFor()
    expect(complaints).toEqual([])
  })

  test('counts while one types what transcribench score then prints, and loses nothing to kill -9', async () => {
    await using review = await startReview(run, 'ann', pages.folder())
    await using watched = await pages.open(review.address)
    const { page, complaints } = watched
    expect(await board(page)).toEqual({ tiny: '7.69%', base: '15.38%' })

    await type(page, 'three', 'it drained all day')
    expect(await board(page)).toEqual({ tiny: '15.38%', base: '7.69%' })
    expect(await page.locator('#board-title').textContent()).toContain('leaderboard moved')
    await page.locator('.correcting button', { hasText: 'Confirm' }).click()
    await page.locator('#board-title', { hasText: '1 word changed in 1 reference' }).waitFor()
    const shown = await board(page)
    expect(complaints).toEqual([])
    await review.kill('SIGKILL')

    expect(await writtenLines()).toMatchObject([
      {
        utteranceId: 'three',
        before: 'it rained all day',
        after: 'it drained all day',
        by: 'ann',
        seen: 'seen',
      },
    ])
    const { stdout } = await runCli(['score', run, '--corrections', '--json'], { cwd: pages.folder() })
    const { contenders } = JSON.parse(stdout) as {
      contenders: { id: string; metrics: { wer: { value: number } } }[]
    }
    const scored = contenders.map(({ id, metrics }) => [id, `${(metrics.wer.value * 100).toFixed(2)}%`])
    expect(Object.fromEntries(scored)).toEqual(shown)
  })

  test('keeps a text that is typed while an earlier correction is being sent', async () => {
    await using review = await startReview(run, 'ann', pages.folder())
    await using watched = await pages.open(review.address)
    const { page, complaints } = watched
    const answered = Promise.withResolvers<void>()
    await page.route('**/corrections', async (route) => {
      await answered.promise
      await route.continue()
    })
    const before = await board(page)
    const title = (await page.locator('#board-title').textContent()) ?? ''
    const [changed = ''] = /^\d+ words? changed in \d+ references?/.exec(title) ?? []
    await type(page, 'one', 'the cat sat on that mat')
    await page.keyboard.press('Control+Enter')
    await type(page, 'two', 'a frog barked')
    const typed = await board(page)
    expect(typed).not.toEqual(before)
    answered.resolve()
    await page.locator('button:enabled', { hasText: 'Undo the last correction' }).waitFor()
    expect(await page.locator('.correcting textarea').inputValue()).toBe('a frog barked')
    expect(await page.locator('.standing').textContent()).toContain('while typing')
    await page.locator('button', { hasText: 'Undo the last correction' }).click()
    await page.locator('#board-title', { hasText: changed }).waitFor()
    expect(await page.locator('.correcting textarea').inputValue()).toBe('a frog barked')
    expect(complaints).toEqual([])
  })

  test('hides texts and names from who listens blind, undoes, and shows where two people disagree', async () => {
    await using review = await startReview(run, 'bob', pages.folder())
    await using watched = await pages.open(review.address)
    const { page } = watched
    await page.locator('.board input[type=checkbox]').check()
    await page.locator('.row', { hasText: 'two' }).click()
    expect(await page.locator('#page').textContent()).not.toMatch(/barked|tiny|base/)
    const undo = page.locator('.board button', { hasText: 'Undo' })
    const { promise: seen, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/corrections', async (route) => {
      await seen
      await route.continue()
    })
    await page.locator('.correcting textarea').fill('a frog barked')
    await page.locator('.correcting button', { hasText: 'Confirm' }).click()
    await page.locator('.diff').waitFor()
    expect(await page.locator('.diff').textContent()).not.toMatch(/tiny|base/)
    // What is not written down yet cannot be undone, and what was before is not meant.
    expect(await undo.isDisabled()).toBe(true)
    release()
    await undo.click()
    await expect.poll(async () => (await writtenLines()).at(-1)?.['after']).toBe('a dog barked')
    expect((await writtenLines()).slice(-2)).toMatchObject([
      { utteranceId: 'two', before: 'a dog barked', after: 'a frog barked', seen: 'blind', by: 'bob' },
      { utteranceId: 'two', before: 'a frog barked', after: 'a dog barked' },
    ])

    const line = {
      utteranceId: 'two',
      before: 'a dog barked',
      when: '2026-11-21T08:00:00.000Z',
      seen: 'seen',
    }
    for (const [by, after] of [
      ['carl', 'a log barked'],
      ['dora', 'a hog barked'],
    ]) {
      await appendFile(corrections, `${JSON.stringify({ ...line, after, by })}\n`)
    }
    await page.reload()
    await page.locator('.board [role=status]', { hasText: 'disagree about two' }).waitFor()
    // The address kept the utterance open.
    await page.locator('.conflict li', { hasText: 'log' }).locator('button').click()
    await page.locator('.board [role=status]').waitFor({ state: 'detached' })
    expect((await writtenLines()).at(-1)).toMatchObject({
      before: 'a hog barked',
      after: 'a log barked',
      by: 'bob',
    })
  })

  test('gives nothing to a second tab, to a used link, to a foreign page or under another name', async () => {
    await using review = await startReview(run, 'ann', pages.folder())
    await using watched = await pages.open(review.address)
    const { page, context } = watched
    const origin = new URL(review.address).origin
    for (const address of [`${origin}/`, review.address]) {
      const second = await context.newPage()
      await second.goto(address)
      await second.locator('[role=alert]').waitFor()
      expect(await second.locator('#page').textContent()).not.toMatch(/cat|tiny/)
      await second.close()
    }
    const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    const key = await page.evaluate(() => sessionStorage.getItem('transcribench-tab') ?? '')
    const ask = (headers: Readonly<Record<string, string>>): Promise<number> =>
      status(`${origin}/document`, { cookie: cookies, 'x-transcribench-tab': key, ...headers })
    expect(await ask({})).toBe(200)
    expect(await ask({ origin: 'http://evil.example' })).toBe(403)
    expect(await ask({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await ask({ host: 'evil.example' })).toBe(403)
    expect(await ask({ cookie: '' })).toBe(403)
    expect(await ask({ 'x-transcribench-tab': 'guess' })).toBe(403)
    await page.reload()
    await page.locator('[data-ready="true"]').waitFor()
    expect(await page.locator('#page').textContent()).toContain('the cat sat')
  })

  test('plays from any place in a recording', async () => {
    await using review = await startReview(run, 'ann', pages.folder())
    await using watched = await pages.open(review.address)
    const { page, complaints } = watched
    await page.locator('.row', { hasText: 'three' }).click()
    const place = await page.evaluate(async () => {
      const audio = document.querySelector('audio')
      if (audio === null) return null
      audio.preload = 'auto'
      await new Promise((resolve) => {
        audio.addEventListener('canplaythrough', resolve, { once: true })
        audio.load()
      })
      await new Promise((resolve) => {
        audio.addEventListener('seeked', resolve, { once: true })
        audio.currentTime = 0.4
      })
      return audio.currentTime
    })
    expect(place).toBeCloseTo(0.4, 2)
    expect(complaints).toEqual([])
  })
})

describe('reviewing a run with references in doubt', () => {
  const said = {
    fine: 'the cat sat on the mat',
    long: 'it rained all day and all night in the town by the sea',
    wrong: 'a dog barked',
    also: 'three men in a boat',
  }
  const agreed: Readonly<Record<string, string>> = { wrong: 'a fog parked', also: 'three men in a coat' }
  let doubtful: string
  let file: string
  beforeAll(async () => {
    const corpus = await writeToneCorpus(join(pages.folder(), 'doubts'), said)
    file = join(pages.folder(), 'doubts', 'corrections.jsonl')
    doubtful = await writeRun(join(pages.folder(), 'results'), '2026-11-22T07-31-02Z-doubts', {
      ...measuredRun({
        utterances: Object.entries(said).map(([id, reference]) => ({ id, reference })),
        contenders: ['tiny', 'base'],
        // One utterance alone decides the ranking, and is in no doubt.
        fate: ({ contenderId, utterance: { id, reference } }) =>
          id === 'long' && contenderId === 'tiny'
            ? 'nothing of the kind was said'
            : (agreed[id] ?? reference),
      }),
      corpus,
    })
  })

  test('opens on them, the most errors first, and keeps what was decided', async () => {
    await using review = await startReview(doubtful, 'ann', pages.folder())
    await using watched = await pages.open(review.address)
    const { page, complaints } = watched
    const listed = async (): Promise<readonly string[]> =>
      await page.locator('.row b').evaluateAll((names) => names.map((name) => name.textContent))
    expect((await listed()).slice(0, 3)).toEqual(['wrong', 'also', 'long'])
    expect(await page.locator('.entry.opened b').textContent()).toBe('wrong')
    const top = await page.locator('#utterances').evaluate((list) => list.getBoundingClientRect().top)
    expect(top).toBeLessThan(400)
    expect(await page.locator('.decisions').textContent()).toContain('2 references in doubt, 2 to decide')
    expect(await barriers(watched)).toEqual([])

    await page.locator('.keep').click()
    await page.locator('.decisions', { hasText: '1 to decide' }).waitFor()
    expect(await page.locator('.entry.opened b').textContent()).toBe('also')
    await page.locator('.correcting textarea').fill('three men in a coat')
    await page.locator('.correcting button', { hasText: 'Confirm' }).click()
    await page.locator('.decisions', { hasText: 'all decided' }).waitFor()
    // The list is put in order again after the count of decisions is shown.
    await expect.poll(async () => (await listed())[0]).toBe('long')
    await page.locator('.board button', { hasText: 'Undo' }).click()
    await page.locator('.decisions', { hasText: '1 to decide' }).waitFor()
    await page.reload()
    await page.locator('.decisions', { hasText: '1 to decide' }).waitFor()
    expect(complaints).toEqual([])

    const lines = (await readFile(file, 'utf8')).trim().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      utteranceId: 'wrong',
      before: 'a dog barked',
      after: 'a dog barked',
    })
    const { code, stdout } = await runCli(['score', doubtful, '--corrections', '--json'], {
      cwd: pages.folder(),
    })
    expect(code).toBe(0)
    expect(JSON.stringify(JSON.parse(stdout))).not.toContain('CORRECTIONS_STALE')
  })

  test('links its warnings to them, as the report of the run does', async () => {
    await using review = await startReview(doubtful, 'ann', pages.folder())
    await using watched = await pages.open(review.address)
    const { page } = watched
    // The box is open, because a finding of the run changes what its figures say.
    const warning = page.locator('.warnings li', { hasText: 'REFERENCES_SUSPECT' })
    expect(await warning.textContent()).toContain('transcribench review 2026-11-22T07-31-02Z-doubts')
    await warning.locator('a').first().click()
    await page.locator('#doubts a', { hasText: 'also' }).click()
    await page.locator('.entry.opened', { hasText: 'also' }).waitFor()
  })
})

function status(address: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.on('error', reject).end()
  })
}
