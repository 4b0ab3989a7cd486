import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runFiles } from '#journal/run-writer'
import { exportFormats, exportRuns } from '#results/export-runs'
import { temporaryFolder } from '../temporary-folder.ts'

/** A recorded run with two contenders. */
const example = join(import.meta.dirname, '../../docs/example/run')

const leaderboard =
  exportFormats.find(({ name }) => name === 'leaderboard') ?? expect.fail('there is such a format')

test('a run that cannot be read is not reported as a folder that cannot be written', async () => {
  await using folder = await temporaryFolder()
  const run = join(folder.path, 'run')
  await cp(example, run, { recursive: true })
  await rm(join(run, runFiles.journal))
  await mkdir(join(run, runFiles.journal))
  await expect(exportRuns([run], join(folder.path, 'out'), leaderboard, {})).rejects.toMatchObject({
    code: 'EISDIR',
  })
  await expect(exportRuns([example], join(run, runFiles.record), leaderboard, {})).rejects.toMatchObject({
    code: 'EXPORT_UNWRITABLE',
  })
})

test('manifests of two runs that would have one name are refused', async () => {
  await using folder = await temporaryFolder()
  const again = join(folder.path, 'again')
  await cp(example, again, { recursive: true })
  const path = join(again, runFiles.record)
  const record = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...record, id: 'again' }))
  const exported = (...runs: string[]) => exportRuns(runs, join(folder.path, 'out'), leaderboard, {})
  await expect(exported(example, again)).rejects.toMatchObject({
    code: 'EXPORT_AMBIGUOUS',
    problems: record.contenders.map(() => ({
      where: null,
      what: expect.stringMatching(/^MODEL_.*\.jsonl$/),
    })),
  })
  expect(await exported(again)).toHaveLength(record.contenders.length)
  await expect(exported(again, example, again, again)).rejects.toMatchObject({
    code: 'EXPORT_AMBIGUOUS',
    problems: [{ where: null, what: 'again' }],
  })
})
