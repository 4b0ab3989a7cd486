import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readCorpus } from '#corpus/read-corpus'
import { selectUtterances, writeSelection } from '#corpus/select'
import type { VerifiedUtterance } from '#corpus/utterance'
import { verifyCorpus } from '#corpus/verify-corpus'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught } from './caught.ts'
import { spokenCorpus } from './spoken-corpus.ts'

/** 20 utterances of one speaker, 6 of another, 2 of a third; every second one is tagged. */
async function corpus(folder: string): Promise<readonly VerifiedUtterance[]> {
  const speakers = [...Array(20).fill('a'), ...Array(6).fill('b'), ...Array(2).fill('c')]
  const manifest = await spokenCorpus(
    folder,
    speakers.map((speaker, index) => ({
      id: `u${index}`,
      text: 'words',
      speaker,
      seconds: 1.2 + index / 50,
      ...(index % 2 === 0 ? { tags: ['phone'] } : {}),
    })),
  )
  return (await verifyCorpus(await readCorpus(manifest, { env: {} }))).utterances
}

function countBy(
  utterances: Iterable<VerifiedUtterance>,
  key: (utterance: VerifiedUtterance) => string,
): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(utterances, key)].map(([name, own]) => [name, own.length]))
}

test('speakers and tags have equal shares, as far as they reach', async () => {
  await using folder = await temporaryFolder()
  const utterances = await corpus(folder.path)
  const bySpeaker = selectUtterances(utterances, { count: 12, seed: 1, balance: ['speaker', 'duration'] })
  expect(countBy(bySpeaker, ({ speaker }) => speaker ?? '')).toEqual({ a: 5, b: 5, c: 2 })
  const byTag = selectUtterances(utterances, { count: 9, seed: 1, balance: ['tag'] })
  expect(Object.values(countBy(byTag, ({ tags }) => tags.join())).toSorted()).toEqual([4, 5])
  const byLength = selectUtterances(utterances, { count: 4, seed: 1, balance: ['duration'] })
  // One from each quarter of the lengths.
  expect(byLength.map(({ id }) => Math.floor(Number(id.slice(1)) / 7))).toEqual([0, 1, 2, 3])
})

test('the same seed chooses the same utterances, another seed others', async () => {
  await using folder = await temporaryFolder()
  const utterances = await corpus(folder.path)
  const chosen = [1, 1, 2].map((seed) =>
    selectUtterances(utterances, { count: 10, seed, balance: ['duration', 'speaker'] }).map(({ id }) => id),
  )
  expect(chosen[1]).toEqual(chosen[0])
  expect(chosen[2]).not.toEqual(chosen[0])
})

test('the manifest of a selection reads back, names recordings where they are, and replaces no other', async () => {
  await using folder = await temporaryFolder()
  const utterances = await corpus(join(folder.path, 'all'))
  const few = selectUtterances(utterances, { count: 3, seed: 1, balance: ['duration'] })
  const path = await writeSelection(join(folder.path, 'few'), few)
  const read = await verifyCorpus(await readCorpus(path, { env: {} }))
  expect(read.utterances.map((each) => ({ ...each, line: 0 }))).toEqual(
    few.map((each) => ({ ...each, line: 0 })),
  )
  await writeFile(`${path}.pid`, String(process.ppid))
  expect(await caught(writeSelection(dirname(path), few.slice(1)))).toMatchObject({
    code: 'CORPUS_NOT_WRITABLE',
    message: `another process writes into ${dirname(path)}`,
  })
  await rm(`${path}.pid`)
  expect(await writeSelection(dirname(path), few)).toBe(path)
  await writeFile(path, 'mine')
  expect(await caught(writeSelection(dirname(path), few))).toMatchObject({ code: 'SELECTION_EXISTS' })
  expect(await readFile(path, 'utf8')).toBe('mine')
})
