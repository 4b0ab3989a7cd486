import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { historyDocument } from '../browser/documents.ts'
import { runCli } from '../journeys/run-cli.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'

let home: TemporaryFolder
beforeAll(async () => {
  home = await temporaryFolder()
  const document = historyDocument()
  if (document.kind === 'history')
    await writeFile(join(home.path, 'history.json'), JSON.stringify(document.history))
})
afterAll(async () => home[Symbol.asyncDispose]())

test('a document that was kept as JSON is shown again, and written as a page', async () => {
  const shown = await runCli(['report', 'history.json'], { cwd: home.path })
  expect(shown.code).toBe(0)
  expect(shown.stdout).toContain('2026-10-26T03-00-00Z-nightly')
  const written = await runCli(['report', 'history.json', '-o', 'history.html'], { cwd: home.path })
  expect([written.code, written.stdout]).toEqual([0, ''])
  expect(await readFile(join(home.path, 'history.html'), 'utf8')).toContain('"kind":"history"')
})

test('a document without a format of that kind says which ones it has', async () => {
  const { code, stderr } = await runCli(['report', 'history.json', '-o', 'history.xml'], { cwd: home.path })
  expect(code).toBe(2)
  expect(stderr).toContain('.md .json .csv .html')
})

test('options that only the report of a run takes are refused for another document, all at once', async () => {
  const typed = ['report', 'history.json', '--table', 'rates', '--details', '--embed-audio']
  const { code, stderr } = await runCli(typed, { cwd: home.path })
  expect(code).toBe(2)
  const refusal = 'the history in history.json is not reported with --details and --table and --embed-audio'
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(refusal)
  expect(stderr).toContain('report history.json\n')
})

test('two options of which one would be ignored are refused', async () => {
  const { code, stderr } = await runCli(['report', 'latest', '--scores', '--table', 'rates'], {
    cwd: home.path,
  })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/'--scores' cannot be used with option '--table/)])
})

test('a file that is no document is refused with what is wrong', async () => {
  await writeFile(join(home.path, 'other.json'), '{"trends": [{"metric": "nothing"}]}')
  const { code, stderr } = await runCli(['report', 'other.json'], { cwd: home.path })
  expect(code).toBe(2)
  expect(stderr).toMatch(/no document that can be shown[\s\S]*DOCUMENT_UNREADABLE/)
})
