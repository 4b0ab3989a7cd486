import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { measuredRun } from '../analysis/measured-run.ts'
import { runCli } from '../journeys/run-cli.ts'
import { barriers, pagesOfFile } from './chromium.ts'
import { writeRun } from './written-run.ts'

const references = { one: 'the cat sat on the mat', two: 'a dog barked', three: 'it rained all day' }
const ids = ['2026-11-21T07-31-02Z-night', '2026-11-22T07-31-02Z-night', "2026-11-23T07-31-02Z-it's 100% <b>"]

const pages = pagesOfFile()
let server: Server
let origin: string
beforeAll(async () => {
  for (const id of ids) {
    await writeRun(join(pages.folder(), 'results'), id, {
      ...measuredRun({
        utterances: Object.entries(references).map(([key, reference]) => ({ id: key, reference })),
        contenders: ['tiny', 'base'],
        rounds: 2,
        fate: ({ contenderId, utterance }) =>
          contenderId === 'tiny' ? utterance.reference.replace('a', 'the') : utterance.reference,
      }),
      corpus: 'nowhere',
    })
  }
  const broken = join(pages.folder(), 'results', '2026-11-24T07-31-02Z-broken')
  await mkdir(broken)
  await writeFile(join(broken, 'run.json'), '{}')
  const { code, stdout, stderr } = await runCli(['view', '--export', 'site'], { cwd: pages.folder() })
  expect([code, stdout.trim()], stderr).toEqual([0, 'site/index.html'])
  expect(stderr).toContain('2026-11-24T07-31-02Z-broken is listed without a page')
  server = createServer(async ({ url = '/' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://site').pathname)
    const file = await readFile(join(pages.folder(), 'site', path === '/' ? 'index.html' : path)).catch(
      () => null,
    )
    response.writeHead(file === null ? 404 : 200, { 'content-type': 'text/html' }).end(file)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
})

test('the site lists every run and leads to its page and back, by any web server', async () => {
  expect((await readdir(join(pages.folder(), 'site', 'runs'))).sort()).toEqual(ids.map((id) => `${id}.html`))
  await using watched = await pages.open(`${origin}/`)
  const { page, complaints } = watched
  expect(await page.locator('table.runs tbody').count()).toBe(4)
  expect(await page.locator('table.runs input[type=radio]').count()).toBe(0)
  for (const id of ids) {
    await page.goto(`${origin}/`)
    await page.locator(`table.runs a[href="runs/${encodeURIComponent(id)}.html"]`).click()
    await page.locator('#utterances').waitFor()
    expect(await page.title()).toContain('2026-11')
    await page.locator('a', { hasText: 'All runs' }).click()
    await page.locator('#runs').waitFor()
  }
  await page.goto(`${origin}/`)
  await page.locator('#runs').waitFor()
  expect(await page.locator('table.runs a', { hasText: 'broken' }).count()).toBe(0)
  expect(await barriers(watched)).toEqual([])
  expect(complaints).toEqual([])
})

test('the site fits a phone, and asks for nothing but its own pages', async () => {
  await using watched = await pages.open(`${origin}/`, { width: 390, height: 844, colorScheme: 'dark' })
  const { page, requests, complaints } = watched
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)
  expect(requests.filter((address) => !address.startsWith(origin))).toEqual([])
  expect(await barriers(watched)).toEqual([])
  expect(complaints).toEqual([])
})

test('a site without texts holds no reference and no answer', async () => {
  await runCli(['view', '--export', 'private', '--no-text'], { cwd: pages.folder() })
  const folder = join(pages.folder(), 'private', 'runs')
  for (const file of await readdir(folder)) {
    const html = await readFile(join(folder, file), 'utf8')
    expect(html).not.toContain('dog barked')
    expect(html).toContain('tiny')
  }
})
