import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRun } from '#journal/run-reader'
import { readForExport } from '#results/export-tables'
import { openScore, rescoreRun, storedScoring } from '#results/scores'
import { measuredRun } from '../analysis/measured-run.ts'
import { writeRunFolder } from '../journeys/run-folder.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test('a run that died before it was scored has the figures of its corrected corpus, as its later score has', async () => {
  await using folder = await temporaryFolder()
  const corpus = join(folder.path, 'manifest.jsonl')
  await writeFile(corpus, '')
  const [before, after] = ['the cat sad', 'the cat sat']
  const correction = {
    utteranceId: 'one',
    before,
    after,
    when: '2026-11-28T12:00:00Z',
    by: 'a',
    seen: 'blind',
  }
  await writeFile(join(folder.path, 'corrections.jsonl'), `${JSON.stringify(correction)}\n`)
  const measured = measuredRun({ utterances: [{ id: 'one', reference: before }], fate: () => after })
  const { record } = measured
  const run = await writeRunFolder(
    { ...measured, record: { ...record, config: { ...Object(record.config), corpus } } },
    folder.path,
    'died',
  )
  const unscored = await openScore(run, null)
  const compared = await storedScoring(run)
  const exported = await readForExport(run, {})
  const scored = await rescoreRun(run)
  const rates = [unscored, scored].map(({ evaluation }) => evaluation.contenders[0]?.words?.rate)
  expect(rates).toEqual([0, 0])
  expect(unscored.evaluation.scoring).toEqual(scored.evaluation.scoring)
  expect(compared).toMatchObject(await storedScoring(run))
  expect(exported.run.utterances).toMatchObject([{ reference: after }])
  expect((await readRun(run)).utterances).toMatchObject([{ reference: before }])
})
