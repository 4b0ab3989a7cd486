import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../journeys/run-cli.ts'
import { startScriptedService } from '../journeys/scripted-service.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { barriers, pagesOfFile } from './chromium.ts'
import { startReview } from './review-process.ts'

const dictated = {
  first: 'send it on monday',
  second: 'send it on tooth day',
  third: 'send it on friday',
}

const pages = pagesOfFile()

test('drafts of a corpus are marked on the page, and a run scores those that were confirmed or corrected there', async () => {
  await using home = await temporaryFolder()
  const manifest = await writeToneCorpus(join(home.path, 'dictated'), dictated)
  const rows = (await readFile(manifest, 'utf8')).trim().split('\n')
  const drafts = rows.map((row) => JSON.stringify({ ...JSON.parse(row), draft: true, language: 'en' }))
  await writeFile(manifest, `${drafts.join('\n')}\n`)

  await using review = await startReview(manifest, 'ann', home.path)
  await using watched = await pages.open(review.address)
  const { page, complaints } = watched
  expect(await page.locator('.row .undecided').allTextContents()).toEqual(['draft', 'draft', 'draft'])
  expect(await page.locator('.decisions').textContent()).toContain('3 drafts, 3 to decide')
  expect(await barriers(watched)).toEqual([])

  // The first is right as it is.
  expect(await page.locator('.entry.opened b').textContent()).toBe('first')
  await page.locator('.keep').click()
  await page.locator('.decisions', { hasText: '2 to decide' }).waitFor()
  expect(await page.locator('.entry.opened b').textContent()).toBe('second')
  await page.locator('.correcting textarea').fill('send it on tuesday')
  await page.locator('.correcting button', { hasText: 'Confirm' }).click()
  await page.locator('.decisions', { hasText: '1 to decide' }).waitFor()
  // The list is drawn after the board.
  await page.locator('.row', { hasText: 'second' }).locator('.undecided').waitFor({ state: 'detached' })
  await page.reload()
  await page.locator('.decisions', { hasText: '1 to decide' }).waitFor()
  expect(await page.locator('.row .undecided').allTextContents()).toEqual(['draft'])
  expect(complaints).toEqual([])
  await review.kill('SIGTERM')

  const models = { echo: { inOrder: [{ text: 'send it on tuesday' }, { text: 'send it on tuesday' }] } }
  await using service = await startScriptedService(join(home.path, 'service'), models)
  const target = ['--target', service.discoveryPath, '--contender', 'scripted:echo', '--warmup', '0']
  const run = await runCli(
    ['run', ...target, '--corpus', manifest, '--rounds', '1', '--seed', '1', '--json'],
    { cwd: home.path },
  )
  expect(run.code, run.stderr).toBe(0)
  expect(run.stderr).toContain('1 draft is left out until it is reviewed')
  const { contenders } = JSON.parse(run.stdout)
  // One wrong word of eight: against the draft of the second there would be two more.
  expect(contenders[0].metrics.wer.value).toBe(1 / 8)
})
