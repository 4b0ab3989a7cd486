import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runOfModeName } from '#contract'
import { readRecord } from '#journal'
import { listScores, readStoredDocument, scoreRun } from '#session/stored'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { runCli } from './run-cli.ts'

/** As asrbench wrote it. */
const formerRun = join(import.meta.dirname, 'fixtures/former-run')

test('a run, its score and its comparison that asrbench wrote still open, compare and report', async () => {
  expect(await readFile(join(formerRun, 'run.json'), 'utf8')).toContain('"asrbenchVersion"')
  await using home = await temporaryFolder()
  const run = join(home.path, 'results', 'older')
  await cp(formerRun, run, { recursive: true })
  expect((await readRecord(run)).host.programVersion).toBe('0.1.0')

  await scoreRun(run)
  await writeAsFormerly(join(run, 'evaluation.json'))
  const [score] = await listScores(run)
  expect(score?.evaluation?.run.programVersion).toBe('0.1.0')

  const compared = await runCli(['compare', run, run, '--json'], { cwd: home.path })
  expect(compared.stderr).not.toContain('NOT_COMPARABLE')
  const path = join(home.path, 'comparison.json')
  await writeFile(path, compared.stdout)
  await writeAsFormerly(path)
  const document = await readStoredDocument(path)
  expect(document.kind === 'comparison' && document.comparison.conditions.map(({ key }) => key)).toContain(
    'transcribench',
  )
  const reported = await runCli(['report', path, '-o', join(home.path, 'comparison.html')], {
    cwd: home.path,
  })
  expect(reported).toMatchObject({ code: 0 })
})

test('a load of a run that called concurrent users speakers still opens', async () => {
  await using home = await temporaryFolder()
  const run = join(home.path, 'older')
  await cp(formerRun, run, { recursive: true })
  const path = join(run, 'run.json')
  const record = JSON.parse(await readFile(path, 'utf8'))
  const pauses = { meanSeconds: 10, intervals: { kind: 'even' } }
  record.config.load = { kind: 'speakers', speakers: 3, pauses }
  await writeFile(path, JSON.stringify(record, null, 2))
  expect(await readRecord(run)).toMatchObject({ config: { load: { kind: 'users', users: 3, pauses } } })
})

test('a Mode that asrbench left on a server is known as one of ours', () => {
  expect(runOfModeName('asrbench 2026-11-21T07-31-02Z-quick tiny 1a2b')).toBe('2026-11-21T07-31-02Z-quick')
  expect(runOfModeName('asrbench notes')).toBeNull()
})

async function writeAsFormerly(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  const former = text
    .replaceAll('"programVersion":', '"asrbenchVersion":')
    .replaceAll('"key": "transcribench"', '"key": "asrbench"')
  expect(former).not.toBe(text)
  await writeFile(path, former)
}
