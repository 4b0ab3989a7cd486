import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRun } from '#journal/run-reader'
import { type ProtocolName, protocols } from '#providers/protocols/protocols'
import { environmentOf, providerOf, startDocumentedProvider } from './documented-provider.ts'
import { spokenWords } from './documented-transcripts.ts'
import { runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

const key = 'sk-very-secret-0123456789'
const text = 'The cat, sat.'

/** Each word of the reference begins 20 ms after the one of the answer, and ends with it. */
const ctm = spokenWords(text)
  .map(({ word, startMs }) => `one A ${(startMs + 20) / 1000} 0.03 ${word.toLowerCase()}\n`)
  .join('')

async function timesOf(protocol: ProtocolName, model: string) {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol, key, text })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: text })
  const row = (await readFile(manifest, 'utf8')).trimEnd()
  await writeFile(manifest, row.replace(/\}$/, ',"times":"all.ctm"}\n'))
  await writeFile(join(home.path, 'corpus', 'all.ctm'), ctm)
  const options = { cwd: home.path, env: environmentOf(protocol, { ...provider, key }) }
  const contender = ['--contender', `${providerOf[protocol]}#${model}`]
  const run = await runCli(
    ['run', '--corpus', manifest, '--rounds', '1', '--warmup', '0', ...contender],
    options,
  )
  expect(run.code, run.stderr).toBe(0)
  const [folder = ''] = await home.runs()
  const [attempt] = [...(await readRun(folder)).attempts]
  const table = await runCli(['report', 'latest', '--format', 'csv', '--table', 'times'], options)
  const [header = '', line = ''] = table.stdout.trimEnd().split(/\r?\n/)
  const cells = line.split(',')
  const figures = Object.fromEntries(header.split(',').map((name, index) => [name, cells[index]]))
  return { outcome: attempt?.outcome, figures }
}

// Jobs are waited for: the cases wait at the same time.
describe.concurrent.each(Object.keys(protocols) as ProtocolName[])(
  'a provider of the protocol %s',
  (protocol) => {
    test('returns its text joined as it documents, and times of words in their own unit', async () => {
      const { outcome, figures } = await timesOf(protocol, 'answers')
      expect(outcome).toMatchObject({ ok: true, answer: { text } })
      expect(figures).toMatchObject({ times_of: 'words', compared_words: '3' })
      expect(Number(figures['start_error_ms'])).toBeCloseTo(20, 6)
      expect(Number(figures['end_error_ms'])).toBeCloseTo(0, 6)
    })
  },
)

test('a model of Mistral is asked for segments without a format, and their ends are compared', async () => {
  const { outcome, figures } = await timesOf('openai', 'voxtral-mini-2507')
  expect(outcome).toMatchObject({ ok: true, answer: { text, times: { unit: 'segment' } } })
  expect(figures).toMatchObject({ times_of: 'segments', compared_words: '2' })
  expect(Number(figures['start_error_ms'])).toBeCloseTo(20, 6)
  expect(Number(figures['end_error_ms'])).toBeCloseTo(0, 6)
})
