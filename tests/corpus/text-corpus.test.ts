import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fingerprintOfTexts, readTextCorpus } from '#corpus/text-corpus'
import { BenchError } from '#prelude'
import { temporaryFolder } from '../temporary-folder.ts'

async function read(lines: readonly unknown[]): Promise<Awaited<ReturnType<typeof readTextCorpus>>> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'texts.jsonl')
  await writeFile(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return await readTextCorpus(path, { env: {} })
}

const good = { id: 'a', text: 'um hello', reference: 'Hello.' }

test('texts are read with what they should become, and named by their content', async () => {
  const corpus = await read([
    good,
    '',
    { id: 'b', text: 'x', reference: 'X.', language: 'eng', tags: ['short'] },
  ])
  expect(corpus.texts).toMatchObject([
    { ...good, language: null, tags: [], line: 1 },
    { id: 'b', language: 'en', tags: ['short'], line: 3 },
  ])
  const other = await read([{ ...good, reference: 'Hello!' }])
  expect(fingerprintOfTexts(other.texts)).not.toBe(fingerprintOfTexts((await read([good])).texts))
})

test('all problems of all lines are reported at once', async () => {
  const lines = [
    '{"id":',
    { id: 'a', text: '' },
    good,
    good,
    { ...good, id: 'c', reference: ' ' },
    { ...good, id: 'd', language: 'Englsh' },
  ]
  const error = await read(lines).catch((thrown: unknown) => thrown)
  if (!(error instanceof BenchError)) throw error
  expect(error.code).toBe('CORPUS_UNREADABLE')
  expect(error.problems.map(({ where, what }) => `${where} ${what}`)).toEqual([
    'texts.jsonl:1 is not JSON: Unexpected end of JSON input',
    'texts.jsonl:2 text: is blank',
    expect.stringContaining('texts.jsonl:2 reference:'),
    'texts.jsonl:4 the id "a" is on an earlier line already',
    'texts.jsonl:5 reference: is blank',
    'texts.jsonl:6 language: "Englsh" is not a known language; did you mean "en" (English)?',
  ])
  await expect(read([])).rejects.toMatchObject({ problems: [{ what: 'has no texts in it' }] })
})
