import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listCorpora, manifestFrom } from '#corpus/locate'
import { readCorpus } from '#corpus/read-corpus'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { caught } from './caught.ts'

const manifest = (text: string): string => `{"id":"a","audio":"a.wav","text":"${text}"}\n`
const worldOf = (folder: TemporaryFolder): { cwd: string; env: Record<string, string> } => ({
  cwd: join(folder.path, 'work'),
  env: { XDG_DATA_HOME: join(folder.path, 'data') },
})

test('a name is looked up below the working directory, then in the data directory, then among ours', async () => {
  await using folder = await temporaryFolder()
  const world = worldOf(folder)
  const firstText = async (): Promise<string | undefined> =>
    (await readCorpus('quick', world)).utterances.at(0)?.text
  expect(await firstText()).toMatch(/^and mister john dashwood/)
  await folder.write('data/transcribench/corpora/quick/manifest.jsonl', manifest('from the data directory'))
  expect(await firstText()).toBe('from the data directory')
  await folder.write('work/corpora/quick/manifest.jsonl', manifest('from the working directory'))
  expect(await firstText()).toBe('from the working directory')
})

test('a corpus may have its manifest as a table', async () => {
  await using folder = await temporaryFolder()
  await folder.write('work/corpora/table/manifest.csv', 'id,audio,text\na,a.wav,x\n')
  expect((await readCorpus('table', worldOf(folder))).utterances).toHaveLength(1)
})

test('a path is opened as it is: a manifest, or a folder with one', async () => {
  await using folder = await temporaryFolder()
  const path = await folder.write('work/voices/manifest.jsonl', manifest('x'))
  await folder.write('work/other.jsonl', manifest('y'))
  const world = worldOf(folder)
  expect(await readCorpus('./voices', world)).toMatchObject({ name: 'voices', manifestPath: path })
  expect(await readCorpus('voices/manifest.jsonl', world)).toMatchObject({
    name: 'voices',
    manifestPath: path,
  })
  expect(await readCorpus(path, world)).toMatchObject({ name: 'voices' })
  expect(await readCorpus('other.jsonl', world)).toMatchObject({ name: 'other' })
})

test('the manifest is recorded as seen from a run, but not where a name finds it from any folder', async () => {
  await using folder = await temporaryFolder()
  const { cwd, env } = worldOf(folder)
  const from = (corpus: string): string | undefined =>
    manifestFrom(join(cwd, 'results', 'a'), join(folder.path, corpus, 'manifest.jsonl'), env)
  expect(from('work/corpora/mine')).toBe('../../corpora/mine/manifest.jsonl')
  expect(from('elsewhere')).toBe('../../../elsewhere/manifest.jsonl')
  expect(from('data/transcribench/corpora/quick')).toBeUndefined()
})

test('a hint names a corpus as it was typed, because one at a path is not found by its name', async () => {
  await using folder = await temporaryFolder()
  const draft = JSON.stringify({ id: 'a', audio: 'a.wav', text: 'x', draft: true })
  await folder.write('work/corpora/voices/manifest.jsonl', draft)
  await folder.write("work/ann's voices/manifest.jsonl", draft)
  for (const [typed, argument] of [
    ['voices', 'voices'],
    ['./corpora/voices', './corpora/voices'],
    ["./ann's voices", String.raw`'./ann'\''s voices'`],
  ] as const) {
    expect(await caught(readCorpus(typed, worldOf(folder)))).toMatchObject({
      code: 'CORPUS_UNREVIEWED',
      message: expect.stringContaining('is reviewed: 1 draft of an engine'),
      hint: `listen, and confirm or correct them: transcribench review ${argument}`,
    })
  }
})

test('an unknown name is refused with the known ones and what was meant', async () => {
  await using folder = await temporaryFolder({ 'work/corpora/meetings/manifest.jsonl': manifest('x') })
  await folder.write('work/corpora/not-a-corpus/readme.txt', 'x')
  const world = worldOf(folder)
  expect(await listCorpora(world)).toEqual([
    'meetings',
    ...['prompts', 'prompts-es', 'prompts-fr', 'prompts-it', 'prompts-ru'],
    'quick',
  ])
  const error = await caught(readCorpus('meeting', world))
  expect(error).toMatchObject({ code: 'CORPUS_UNKNOWN', exit: 'badInput' })
  expect(error.message).toBe('there is no corpus named "meeting"; did you mean "meetings"?')
  expect(error.hint).toContain(
    'known here: meetings, prompts, prompts-es, prompts-fr, prompts-it, prompts-ru, quick',
  )
  expect(error.hint).toContain(join(folder.path, 'work', 'corpora'))
})

test('a path that leads nowhere is refused with the absolute path', async () => {
  await using folder = await temporaryFolder({ 'work/empty/readme.txt': 'x' })
  const world = worldOf(folder)
  expect((await caught(readCorpus('./gone/manifest.jsonl', world))).message).toBe(
    `there is no manifest at ${join(folder.path, 'work/gone/manifest.jsonl')}`,
  )
  expect(await caught(readCorpus('./empty', world))).toMatchObject({
    message: expect.stringContaining('has no manifest in it'),
    hint: expect.stringContaining('transcribench corpus import ./empty'),
  })
})

test.each([
  ['README.md', '"README.md" is a file and no manifest', './README.md'],
  ['voices', '"voices" is a folder and no corpus by its name', './voices'],
])('a name of no corpus that is a path is answered as one: %s', async (name, message, path) => {
  await using folder = await temporaryFolder({ 'work/README.md': '# x' })
  await folder.write('work/voices/manifest.jsonl', manifest('x'))
  const error = await caught(readCorpus(name, worldOf(folder)))
  expect(error).toMatchObject({ code: 'CORPUS_UNKNOWN', message: expect.stringContaining(message) })
  expect(error.hint).toContain(path)
})
