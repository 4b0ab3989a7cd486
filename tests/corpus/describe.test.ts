import { expect, test } from 'vitest'
import { type CorpusDescription, describeCorpus } from '#corpus/describe-corpus'
import { openManifest } from '#corpus/manifest/manifest'
import { temporaryFolder } from '../temporary-folder.ts'

async function describe(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CorpusDescription> {
  const manifest = await openManifest(name, { env })
  return await describeCorpus(manifest, manifest.batches())
}

test('a corpus is described in numbers', async () => {
  await using folder = await temporaryFolder()
  const manifest = [
    {
      id: 'a',
      audio: 'a.wav',
      text: "we don't know",
      durationSeconds: 1.5,
      language: 'en',
      speaker: 'ann',
      tags: ['x', 'y'],
    },
    {
      id: 'b',
      audio: 'b.wav',
      text: '我们在北京',
      durationSeconds: 7,
      language: 'zh',
      speaker: 'ann',
      tags: ['y'],
    },
    { id: 'c', audio: 'c.wav', text: '', tags: ['silence'], sha256: 'ab'.repeat(32) },
    { id: 'd', audio: 'd.wav', text: 'yes, indeed!', durationSeconds: 9, language: 'en', speaker: 'bob' },
  ]
  const path = await folder.write(
    'voices/manifest.jsonl',
    manifest.map((line) => JSON.stringify(line)).join('\n'),
  )
  const provenancePath = await folder.write('voices/README.md', '# Voices')
  const description = await describe(path)
  expect(description).toMatchObject({
    name: 'voices',
    manifestPath: path,
    utteranceCount: 4,
    audioSeconds: null,
    knownDurationCount: 3,
    // Three English words, two English words, and three Chinese ones that no blanks divide.
    wordCount: 8,
    emptyReferenceCount: 1,
    severalWaysCount: 0,
    hashedCount: 1,
    fingerprint: null,
    languages: [
      { name: 'en', utteranceCount: 2 },
      { name: 'zh', utteranceCount: 1 },
    ],
    speakers: [
      { name: 'ann', utteranceCount: 2 },
      { name: 'bob', utteranceCount: 1 },
    ],
    tags: [
      { name: 'y', utteranceCount: 2 },
      { name: 'silence', utteranceCount: 1 },
      { name: 'x', utteranceCount: 1 },
    ],
    durationHistogram: [
      { fromSeconds: 1, toSeconds: 2, utteranceCount: 1 },
      { fromSeconds: 2, toSeconds: 5, utteranceCount: 0 },
      { fromSeconds: 5, toSeconds: 10, utteranceCount: 2 },
    ],
    licence: null,
    provenancePath,
  })
})

test('a corpus that says little is described with what it says', async () => {
  await using folder = await temporaryFolder()
  const path = await folder.write('m.jsonl', '{"id":"a","audio":"a.wav","text":"x"}\n')
  expect(await describe(path)).toMatchObject({
    audioSeconds: null,
    knownDurationCount: 0,
    languages: [],
    durationHistogram: [],
    licence: null,
    provenancePath: null,
  })
})

test('the quick corpus is what its provenance page says', async () => {
  const description = await describe('quick', { HOME: '/nonexistent' })
  expect(description).toMatchObject({
    utteranceCount: 10,
    wordCount: 92,
    hashedCount: 10,
    fingerprint: '55c88d0ea20efd645130c3c929edabcfaa871a40acaf8d9794b1027140dc4b43',
    languages: [{ name: 'en', utteranceCount: 10 }],
    licence: 'BSD-2-Clause',
  })
  expect(description.audioSeconds).toBeCloseTo(34.38, 2)
  expect(description.provenancePath).toMatch(/corpora\/quick\/README\.md$/)
})
