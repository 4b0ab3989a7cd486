import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRun, writeRunDocument } from '#journal/run-writer'
import { renderWhatIf } from '#reports/capacity/render-capacity'
import { evaluateStoredWhatIf, type WhatIfQuestion } from '../../src/capacity/measure/stored-what-if.ts'
import { anUtterance, aRecord } from '../journal/a-run.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { aFinding } from './a-finding.ts'

/** Asks about a stored capacity of four recordings. */
async function ask(question: Partial<WhatIfQuestion>, sampledFrom: number | null = null) {
  await using results = await temporaryFolder()
  await using writer = await createRun(results.path, aRecord.id)
  const utterances = ['one', 'two', 'three', 'four'].map((id) => ({ ...anUtterance, id }))
  await writer.writePlan(utterances)
  await writer.writeRecord({ ...aRecord, corpus: { ...aRecord.corpus, sampledFrom } })
  const finding = aFinding()
  await writeRunDocument(writer.folder, 'capacity.json', JSON.stringify(finding))
  const asked = { exclude: [], objectives: null, users: null, ...question }
  return await evaluateStoredWhatIf(join(results.path, aRecord.id), asked)
}

test('machines for a forecast are counted by the simulated capacity itself, and the answer says that it has no interval', async () => {
  const { answers, finding } = await ask({ users: 500 })
  const terminal = { width: 400, color: false, unicode: true }
  const text = renderWhatIf(answers, { terminal, finding })
  expect(text).toContain('500 concurrent users need')
  expect(text).toContain('by the simulated capacity, which has no interval')
})

test('no command checks an answer about a part of a sample, because it would draw another sample', async () => {
  const checksOf = async (sampledFrom: number | null) =>
    (await ask({ exclude: ['two'] }, sampledFrom)).answers.map(({ whatIf }) => whatIf?.check)
  expect(await checksOf(null)).toEqual(['transcribench capacity --exclude two'])
  expect(await checksOf(20)).toEqual([null])
})

test('an excluded id that was not measured is refused with the one that was probably meant', async () => {
  await expect(ask({ exclude: ['tow', 'one'] })).rejects.toMatchObject({
    code: 'CORPUS_UNUSABLE',
    problems: [{ what: 'there is no utterance "tow"', hint: 'did you mean "two"?' }],
  })
})
