import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareSides } from '#analysis/comparison/compare-runs'
import { readRun } from '#journal/run-reader'
import { createRun, runFiles, writeRunDocument } from '#journal/run-writer'
import { compareFolders } from '#results/compare-folders'
import { type Fate, measuredRun, timedOut } from '../analysis/measured-run.ts'
import { workplace } from '../journeys/workplace.ts'

const utterances = Array.from({ length: 100 }, (_, index) => ({
  id: `u${index}`,
  reference: 'the cat sat on the mat',
  speaker: `s${index % 7}`,
  seconds: 1 + (index % 13),
}))

async function writeMeasured(results: string, name: string, fate: (index: number, round: number) => Fate) {
  const { record, ...run } = measuredRun({
    utterances,
    rounds: 6,
    fate: ({ utterance, round }) => fate(Number(utterance.id.slice(1)), round),
    durationMs: ({ utterance, round }) => 50 + 10 * (utterance.seconds ?? 1) + round,
    record: { id: name },
  })
  await using writer = await createRun(results, name)
  await writer.writePlan([...run.utterances, ...run.requests])
  await writer.writeRecord(record)
  await writeRunDocument(
    writer.folder,
    runFiles.journal,
    run.attempts.map((attempt) => `${JSON.stringify(attempt)}\n`),
  )
  return writer.folder
}

test('runs compare from their folders as they do in memory', async () => {
  await using results = await workplace()
  const base = await writeMeasured(results.path, 'base', (index, round) =>
    index === 3 ? timedOut : (index + round) % 5 === 0 ? 'the cat sat on a mat' : 'the cat sat on the mat',
  )
  const run = await writeMeasured(results.path, 'run', (index, round) =>
    index === 4 && round < 6 ? null : index % 3 === 0 ? 'a cat sat on a mat' : 'the cat sat on the mat',
  )
  const here = compareSides([await readRun(base), await readRun(base)], [await readRun(run)])
  if (!here.ok) throw here.failure
  const { comparison } = await compareFolders([base, base], [run])
  expect(comparison).toEqual(here.value)
  expect(comparison.contenders).toMatchObject([{ pairedUtteranceCount: 99, failures: { base: 12, run: 0 } }])
})

test('runs compare from their folders by the rules that are named, with a profile and without one', async () => {
  await using results = await workplace()
  const base = await writeMeasured(results.path, 'base', (index) =>
    index % 2 === 0 ? 'the cat sat on the matt' : 'the cat sat on the mat',
  )
  const run = await writeMeasured(results.path, 'run', () => 'the cat sat on the mat')
  const rules = [{ name: 'mats', rules: { equivalences: [['mat', 'matt']] } }]
  for (const profile of [undefined, 'basic']) {
    const { comparison } = await compareFolders([base], [run], { rules, profile })
    expect(comparison.contenders[0]?.rates[0]).toMatchObject({ base: { errors: 0 }, run: { errors: 0 } })
  }
})

test('what is wrong with the folder of a run is reported by its comparison as by its reader', async () => {
  await using results = await workplace()
  const sound = await writeMeasured(results.path, 'sound', () => 'the cat sat on the mat')
  const broken = await writeMeasured(results.path, 'broken', () => 'the cat sat on the mat')
  await writeRunDocument(broken, runFiles.plan, ['{}\n'])
  const reported = {
    name: 'BenchError',
    code: 'RUN_UNREADABLE',
    exit: 'badInput',
    problems: [{ where: 'plan.jsonl:1' }],
  }
  await expect(readRun(broken)).rejects.toMatchObject(reported)
  await expect(compareFolders([sound], [broken])).rejects.toMatchObject(reported)
  await expect(compareFolders([join(results.path, 'none')], [sound])).rejects.toMatchObject({
    code: 'RUN_NOT_FOUND',
  })
})
