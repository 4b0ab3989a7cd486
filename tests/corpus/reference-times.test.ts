import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCorpus } from '#corpus/read-corpus'
import type { Utterance } from '#corpus/utterance'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught } from './caught.ts'

const line = { id: 'a', audio: 'a1.wav', text: 'Say it, please.' }
const times = [
  { text: 'say', startSeconds: 0.12, endSeconds: 0.5 },
  { text: 'it', startSeconds: 0.5, endSeconds: 0.9 },
  { text: 'please', startSeconds: 1, endSeconds: 1.4 },
]

async function read(
  manifest: readonly unknown[],
  files: Readonly<Record<string, string>> = {},
): Promise<readonly Utterance[]> {
  await using folder = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text)
  const path = join(folder.path, 'm.jsonl')
  await writeFile(path, manifest.map((row) => JSON.stringify(row)).join('\n'))
  return [...(await readCorpus(path, { env: {} })).utterances]
}

async function problemsOf(...input: Parameters<typeof read>): Promise<readonly string[]> {
  const { problems } = await caught(read(...input))
  return problems.map(({ where, what }) => `${where} ${what}`)
}

test('the times of a reference are in its line, or in a file that its line names', async () => {
  const ctm = 'a1 A 0.12 0.38 say\na1 A 0.5 0.4 it\na1 A 1 0.4 please\nb A 0 1 no\n'
  const [inLine, inFile, inOther] = await read(
    [
      { ...line, times },
      { ...line, id: 'a1', times: 'all.ctm' },
      { ...line, id: 'b', text: 'No.', times: 'all.ctm' },
      { ...line, id: 'c' },
    ],
    { 'all.ctm': ctm },
  )
  expect(inLine?.times).toEqual(times)
  expect(inFile?.times).toEqual(times)
  expect(inOther?.times).toEqual([{ text: 'no', startSeconds: 0, endSeconds: 1 }])
})

test('times that cannot be those of the reference are refused, all at once, with their lines', async () => {
  const other = [{ text: 'something else altogether', startSeconds: 0, endSeconds: 1 }]
  const backwards = times.toReversed()
  expect(
    await problemsOf(
      [
        { ...line, times: other },
        { ...line, id: 'b', times: backwards },
        { ...line, id: 'c', times: [{ text: 'say', start: 0 }] },
        { ...line, id: 'd', times: 'd.txt' },
        { ...line, id: 'e', times: 'e.ctm' },
        { ...line, id: 'f', times: 'f.ctm' },
        { ...line, id: 'g', times: 'f.json' },
      ],
      { 'f.ctm': 'x A 0 1 say\n', 'f.json': '{}' },
    ),
  ).toEqual([
    'm.jsonl:1 "times" times other words than "text" has: “something else altogether”',
    'm.jsonl:2 "times" has “it” from 0.5 to 0.9 s: write them in the order of speech, each with its end after its start',
    expect.stringContaining('m.jsonl:3 "times" has to be a file (.TextGrid, .ctm, .json), or a list of'),
    expect.stringContaining('m.jsonl:4 "times" is "d.txt"; it has to be a file'),
    'm.jsonl:5 "times": e.ctm is missing',
    'm.jsonl:6 "times": f.ctm has no words of f',
    'm.jsonl:7 "times": f.json is no transcript of Whisper with times',
  ])
})
