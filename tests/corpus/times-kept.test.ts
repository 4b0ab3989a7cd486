import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { deriveCorpus } from '#corpus/derive/derive-corpus'
import { readCorpus } from '#corpus/read-corpus'
import type { Utterance } from '#corpus/utterance'
import { temporaryFolder } from '../temporary-folder.ts'
import { importFrom } from './import/import-from.ts'
import { speechLike, spokenCorpus } from './spoken-corpus.ts'

const word = (text: string, startSeconds: number, endSeconds: number) => ({ text, startSeconds, endSeconds })

test('words that are timed next to a recording are in the manifest that is imported', async () => {
  await using folder = await temporaryFolder()
  const write = (name: string, content: string | Uint8Array) => folder.write(`source/${name}`, content)
  for (const name of ['a', 'b', 'c', 'd']) {
    await write(`${name}.wav`, encodeWav(speechLike(4, name.charCodeAt(0)), 16_000))
  }
  await write('a.txt', 'Say it!')
  await write('a.ctm', 'a A 0.6 0.4 say\na A 1 0.5 it\n')
  await write('b.ctm', 'b A 0.6 0.4 say\n')
  const words = [
    { word: ' Say', start: 1.6, end: 2 },
    { word: ' it', start: 2, end: 2.5 },
  ]
  await write('c.json', JSON.stringify({ segments: [{ start: 1.5, end: 2.6, text: ' Say it', words }] }))
  await write('d.txt', 'No times.')
  const output = join(folder.path, 'out')
  await importFrom(join(folder.path, 'source'), output, { language: 'en' })
  const { utterances } = await readCorpus(join(output, 'manifest.jsonl'), { env: {} })
  const [a, b, c, d] = utterances
  expect(a).toMatchObject({ text: 'Say it!', times: [word('say', 0.6, 1), word('it', 1, 1.5)] })
  expect(b).toMatchObject({ text: 'say', times: [word('say', 0.6, 1)] })
  // The edge is moved to a silence; the distance of the words stays.
  const [say, it] = c?.times ?? []
  expect((it?.startSeconds ?? 0) - (say?.startSeconds ?? 0)).toBeCloseTo(0.4, 6)
  expect(say?.startSeconds).toBeLessThan(1.6)
  expect(it?.endSeconds).toBeLessThanOrEqual(c?.durationSeconds ?? 0)
  expect(d?.times).toEqual([])
  expect(await readFile(join(output, 'manifest.jsonl'), 'utf8')).not.toContain('"times":[]')
})

test('times move with the sound of a derived corpus, and go where they are not known', async () => {
  await using folder = await temporaryFolder()
  const manifest = await spokenCorpus(join(folder.path, 'parent'), [
    { id: 'a', text: 'one two', times: [word('one', 0.5, 1), word('two', 1, 1.5)] },
    { id: 'b', text: 'three', times: [word('three', 0.5, 1)] },
  ])
  const derived = async (step: string): Promise<readonly Utterance['times'][]> => {
    const output = join(folder.path, step.replaceAll(/\W/g, '-'))
    const made = await deriveCorpus(manifest, { steps: [step], seed: 1, env: {}, cwd: folder.path, output })
    return (await readCorpus(made.manifestPath, { env: {} })).utterances.map(({ times }) => times)
  }
  expect(await derived('clip')).toEqual([[word('one', 0.5, 1), word('two', 1, 1.5)], [word('three', 0.5, 1)]])
  expect(await derived('speed:speed=2')).toEqual([
    [word('one', 0.25, 0.5), word('two', 0.5, 0.75)],
    [word('three', 0.25, 0.5)],
  ])
  expect(await derived('join:seconds=60,pause=0.5')).toEqual([
    [word('one', 0.5, 1), word('two', 1, 1.5), word('three', 3, 3.5)],
  ])
  expect(await derived('cut:cut-start=0.2')).toEqual([[], []])
  expect(await derived('no-speech')).toEqual([[], []])
})
