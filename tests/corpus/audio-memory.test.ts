import { readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { openAudioMemory } from '#corpus/audio-memory'
import { readCorpus } from '#corpus/read-corpus'
import { verifyCorpus } from '#corpus/verify-corpus'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { caught } from './caught.ts'

const tone = (seconds: number): Uint8Array => encodeWav(new Float32Array(seconds * 8000).fill(0.25), 8000)

async function verifyIn(folder: TemporaryFolder, isFull = false) {
  const environment = { env: { XDG_DATA_HOME: join(folder.path, 'data') } }
  using memory = await openAudioMemory(environment)
  const corpus = await readCorpus(join(folder.path, 'corpus'), environment)
  const verified = await verifyCorpus(corpus, { memory, isFull })
  return { ...verified, utterances: [...verified.utterances] }
}

async function corpusIn(folder: TemporaryFolder): Promise<string> {
  await folder.write('corpus/manifest.jsonl', '{"id":"a","audio":"a.wav","text":"tone"}\n')
  return await folder.write('corpus/a.wav', tone(1))
}

/**
 * A corpus that was verified once. A file that was written just now would not be remembered, because it may be written
 * again within the same tick of the clock.
 */
async function verifiedCorpus() {
  const folder = await temporaryFolder()
  const path = await corpusIn(folder)
  await sleep(2_100)
  return { folder, path, first: await verifyIn(folder), [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

test('a file that is unchanged is not opened again, and full verification opens it', async () => {
  await using corpus = await verifiedCorpus()
  const { folder, path, first } = corpus
  using memory = await openAudioMemory({ env: { XDG_DATA_HOME: join(folder.path, 'data') } })
  expect(memory?.find([path])[0]?.sha256).toBe(first.utterances[0]?.sha256)
  expect(await verifyIn(folder)).toEqual(first)
  expect(await verifyIn(folder, true)).toEqual(first)
})

test('a file that changed is opened again, also where its size and time are put back', async () => {
  await using corpus = await verifiedCorpus()
  const { folder, path, first } = corpus
  const bytes = await readFile(path)
  bytes[100] = 7
  await writeFile(path, bytes)
  await utimes(path, new Date(1e12), new Date(1e12))
  expect((await verifyIn(folder)).utterances[0]?.sha256).not.toBe(first.utterances[0]?.sha256)
})

test('a hash in the manifest is compared with what is remembered', async () => {
  await using corpus = await verifiedCorpus()
  const { folder } = corpus
  await folder.write(
    'corpus/manifest.jsonl',
    `{"id":"a","audio":"a.wav","text":"tone","sha256":"${'0'.repeat(64)}"}\n`,
  )
  expect((await caught(verifyIn(folder))).problems[0]?.what).toContain('has changed')
})

test('a file that is gone is missing, although it is remembered', async () => {
  await using corpus = await verifiedCorpus()
  await rm(corpus.path)
  expect((await caught(verifyIn(corpus.folder))).problems[0]?.what).toContain('missing')
})

test('a memory that cannot be opened is done without', async () => {
  await using folder = await temporaryFolder()
  await corpusIn(folder)
  await folder.write(
    'data/transcribench/audio-memory.sqlite',
    'this is no database, and long enough to look like a file',
  )
  expect((await verifyIn(folder)).utterances).toHaveLength(1)
})

test.each([
  ['a name longer than file systems allow', `${'a'.repeat(300)}.wav`],
  ['a path through a file', 'a.wav/b.wav'],
])('%s is reported for its line of the manifest', async (_, audio) => {
  await using folder = await temporaryFolder()
  await corpusIn(folder)
  await folder.write('corpus/manifest.jsonl', `${JSON.stringify({ id: 'a', audio, text: 'tone' })}\n`)
  expect(await caught(verifyIn(folder))).toMatchObject({
    code: 'CORPUS_UNUSABLE',
    problems: [{ where: 'manifest.jsonl:1' }],
  })
})

test('a memory that can no longer be written is done without', async () => {
  await using folder = await temporaryFolder()
  const path = await corpusIn(folder)
  const [utterance] = (await verifyIn(folder)).utterances
  if (utterance === undefined) throw new Error('the corpus has an utterance')
  const data = join(folder.path, 'data')
  using database = new DatabaseSync(join(data, 'transcribench', 'audio-memory.sqlite'))
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON audio BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END",
  )
  using memory = await openAudioMemory({ env: { XDG_DATA_HOME: data } })
  const settled = { path, openedAtMs: Date.now() + 3_600_000, found: utterance }
  memory?.add([settled])
  database.exec('DROP TRIGGER full')
  expect(memory?.find([path])).toEqual([null])
})
