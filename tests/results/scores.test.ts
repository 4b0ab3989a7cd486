import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { readRun } from '#journal/run-reader'
import { readForExport } from '#results/export-tables'
import { findRecordings } from '#results/run-page-file'
import { openScore, rescoreRun, storedScoring } from '#results/scores'
import { measuredRun } from '../analysis/measured-run.ts'
import { writeRunFolder } from '../journeys/run-folder.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const [before, after] = ['the cat sad', 'the cat sat']

/** A corpus without a recording, whose only reference was corrected. */
async function writeCorrectedCorpus(folder: string): Promise<string> {
  const manifest = join(folder, 'manifest.jsonl')
  await writeFile(manifest, `${JSON.stringify({ id: 'one', audio: 'audio/one.wav', text: before })}\n`)
  await mkdir(join(folder, 'audio'))
  await writeFile(join(folder, 'audio', 'one.wav'), '')
  const review = { when: '2026-11-28T12:00:00Z', by: 'a', seen: 'blind' }
  const correction = { utteranceId: 'one', before, after, ...review }
  await writeFile(join(folder, 'corrections.jsonl'), `${JSON.stringify(correction)}\n`)
  return manifest
}

test('a run over a corpus at a relative path has its corrections and recordings in any folder, and is readable without them', async () => {
  await using home = await temporaryFolder()
  const [results, corpus] = [join(home.path, 'results'), join(home.path, 'mine')]
  await mkdir(corpus)
  const manifest = relative(join(results, 'a'), await writeCorrectedCorpus(corpus))
  const measured = measuredRun({ utterances: [{ id: 'one', reference: before }], fate: () => after })
  const record = { ...measured.record, config: { ...Object(measured.record.config), corpus: './mine' } }
  const folder = await writeRunFolder({ ...measured, record: { ...record, manifest } }, results, 'a')
  const copy = join(home.path, 'copied', 'elsewhere', 'a')
  await cp(folder, copy, { recursive: true })
  const rateIn = async (run: string) =>
    (await rescoreRun(run)).evaluation.contenders.map(({ words }) => words?.rate)
  expect([await rateIn(folder), await rateIn(copy)]).toEqual([[0], [1 / 3]])
  const recordings = async (run: string) => [...(await findRecordings(await readRun(run), {})).values()]
  expect([await recordings(folder), await recordings(copy)]).toEqual([[join(corpus, 'audio', 'one.wav')], []])
  for (const file of ['evaluation.json', 'report.html', 'summary.json'])
    expect(await readFile(join(folder, file), 'utf8')).not.toContain(home.path)
})

test('a run that died before it was scored has the figures of its corrected corpus, as its later score has', async () => {
  await using folder = await temporaryFolder()
  const corpus = await writeCorrectedCorpus(folder.path)
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
