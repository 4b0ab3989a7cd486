import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRun } from '#journal/run-reader'
import { createRun } from '#journal/run-writer'
import { mergeRuns } from '#results/merge-runs'
import { anAttempt, anUtterance, aRecord, aRequest } from '../journal/a-run.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A run with one request that was sent, and one that an earlier run had answered. */
async function writeRun(results: string, id: string): Promise<string> {
  await using writer = await createRun(results, id)
  const requests = [aRequest, { ...aRequest, index: 1, utteranceId: 'two' }]
  await writer.writePlan([anUtterance, { ...anUtterance, id: 'two' }, ...requests])
  await writer.writeReused([
    {
      index: 1,
      contenderId: 'tiny',
      utteranceId: 'two',
      outcome: anAttempt.outcome,
      run: 'earlier',
      runIndex: 7,
      answeredAt: '2026-11-20T07:31:02.000Z',
    },
  ])
  await writer.appendAttempt(anAttempt)
  const counts = { planned: 2, answered: 2, failed: 0, dropped: 0, notSent: 0 }
  await writer.writeRecord({
    ...aRecord,
    id,
    status: 'finished',
    endedAt: '2026-11-21T07:32:00.000Z',
    counts,
  })
  return writer.folder
}

test('a merged run has the answers of earlier runs that the runs of its hosts reused', async () => {
  await using results = await temporaryFolder()
  const merged = await mergeRuns(
    [
      { host: 'a', folder: await writeRun(results.path, '2026-11-21T07-31-02Z-a') },
      { host: 'b', folder: await writeRun(results.path, '2026-11-21T07-31-02Z-b') },
    ],
    { results: join(results.path, 'merged'), command: [], env: {} },
  )
  const { reused } = await readRun(merged.folder)
  expect(reused.map(({ index, contenderId, runIndex }) => [index, contenderId, runIndex])).toEqual([
    [1, 'tiny@a', 7],
    [3, 'tiny@b', 7],
  ])
  expect(merged.evaluation.contenders.map(({ counts }) => counts.notSent)).toEqual([0, 0])
})
