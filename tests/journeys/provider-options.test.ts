import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { environmentOf, startDocumentedProvider } from './documented-provider.ts'
import { runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

const key = 'sk-very-secret-0123456789'
const text = 'the cat sat'

test.concurrent('options of the command line make separate contenders of one model in plan, record, tables and reuse', async () => {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol: 'deepgram', key, text })
  const corpus = await writeToneCorpus(join(home.path, 'corpus'), { one: text, two: text })
  const options = { cwd: home.path, env: environmentOf('deepgram', { ...provider, key }) }
  const typed = (...contenders: readonly string[]) => [
    ...['run', '--corpus', corpus, '--rounds', '1', '--warmup', '0', '--reuse'],
    ...contenders.flatMap((contender) => ['--contender', contender]),
  ]
  const asked = (): number => provider.seen.filter(({ model }) => model !== null).length
  const both = typed('deepgram#answers', 'deepgram#answers?smart_format=true')
  const plan = await runCli([...both, '--dry-run'], options)
  expect(plan.stdout).toContain('answers · answers smart_format=true')
  // What is sent without being set is measured as well.
  expect(plan.stdout).toMatch(/options +answers: punctuate=true by default/)
  expect(plan.stdout).toContain('answers smart_format=true: punctuate=true by default')
  const run = await runCli(both, options)
  expect(run.code, run.stderr).toBe(0)
  const settings = provider.seen.flatMap((seen) => (seen.settings === null ? [] : [seen.settings]))
  expect(settings.map(({ punctuate, smart_format: format }) => [punctuate, format ?? null])).toEqual(
    expect.arrayContaining([
      ['true', null],
      ['true', 'true'],
    ]),
  )
  const { folder, evaluation, record } = await home.evaluated()
  expect(record).toMatchObject({
    formatVersion: 5,
    contenders: [
      { id: 'answers', defaultOptions: { punctuate: true } },
      {
        id: 'answers smart_format=true',
        options: { smart_format: true },
        defaultOptions: { punctuate: true },
      },
    ],
    config: { contenders: [{}, { options: { smart_format: true } }] },
  })
  expect(evaluation.contenders.map(({ contender }) => contender.options)).toEqual([
    undefined,
    { smart_format: true },
  ])
  const csv = await readFile(join(folder, 'summary.csv'), 'utf8')
  expect(csv).toContain('"punctuate=true, smart_format=true"')
  const page = await readFile(join(folder, 'report.html'), 'utf8')
  expect(page).toContain('"value":"answers · auto · punctuate=true, smart_format=true"')
  const table = await runCli(['report', 'latest', '--table', 'by-options'], options)
  expect(table.stdout, table.stderr).toMatch(/smart_format=true/)

  // What was asked with the same options is not sent again; what is asked with others is.
  expect(asked()).toBe(4)
  const again = await runCli(both, options)
  expect(again.code, again.stderr).toBe(0)
  expect(asked()).toBe(4)
  const changed = await runCli(typed('deepgram#answers?smart_format=true&numerals=true'), options)
  expect(changed.code, changed.stderr).toBe(0)
  expect(changed.stderr).toMatch(
    /options +answers: smart_format=true, numerals=true, punctuate=true by default/,
  )
  expect(asked()).toBe(6)
  // What is set is no default any more, and was asked for before.
  const set = await runCli([...typed('deepgram#answers?punctuate=true'), '--dry-run'], options)
  expect(set.stdout).toMatch(/options +answers: punctuate=true\n/)
  expect(set.stdout).toMatch(/reuse +2 of 2 answers/)
  const unset = await runCli([...typed('deepgram#answers?punctuate=false'), '--dry-run'], options)
  expect(unset.stdout).not.toMatch(/reuse +\d/)
})

test.concurrent('an option that is billed in addition leaves the cost unknown instead of claiming the price of the model', async () => {
  await using home = await workplace()
  const corpus = await writeToneCorpus(join(home.path, 'corpus'), { one: text })
  const dry = (contender: string) =>
    home.cli('run', '--dry-run', '--corpus', corpus, '--contender', contender)
  const plain = await dry('assemblyai#universal-2?punctuate=false')
  expect(plain.stdout).toMatch(/minutes of audio, about .* USD/)
  const extra = await dry('assemblyai#universal-2?speaker_labels=true')
  expect(extra.stdout).toContain('billed at an unknown price')
})

test.concurrent('the vocabulary and the language of a corpus reach each target in its field and by its code', async () => {
  await using home = await workplace()
  await using deepgram = await startDocumentedProvider({ protocol: 'deepgram', key, text })
  await using mistral = await startDocumentedProvider({ protocol: 'openai', key, text })
  await using server = await startOpenAiDouble({ models: ['tiny'], textOf: () => text })
  const corpus = await writeToneCorpus(join(home.path, 'corpus'), { one: text, two: text })
  const contenders = [
    'deepgram#answers?keyterm=@keywords',
    'mistral#voxtral-mini-latest?context_bias=@keywords',
    `${server.target}#tiny?prompt=@keywords`,
    `${server.target}#tiny`,
  ]
  const named = contenders.flatMap((contender) => ['--contender', contender])
  const typed = ['run', '--corpus', corpus, '--rounds', '1', '--warmup', '0', ...named]
  const env = {
    ...environmentOf('deepgram', { ...deepgram, key }),
    ...environmentOf('openai', { ...mistral, key }),
  }
  const options = { cwd: home.path, env }
  for (const more of [['--dry-run'], []]) {
    const without = await runCli([...typed, ...more], options)
    expect(without.code).toBe(2)
    expect(without.stderr).toContain('has no keywords')
  }
  const [one = '', two = ''] = (await readFile(corpus, 'utf8')).split('\n')
  const worded = (row: string, word: string) =>
    row.replace(/\}$/, `,"keywords":["${word}"],"language":"nb"}\n`)
  await writeFile(corpus, worded(one, 'the cat') + worded(two, 'Ada'))
  const run = await runCli(typed, options)
  expect(run.code, run.stderr).toBe(0)
  const settingsOf = ({ seen }: { readonly seen: readonly { readonly settings: object | null }[] }) =>
    seen.find(({ settings }) => settings !== null)?.settings
  expect(settingsOf(deepgram)).toMatchObject({ keyterm: ['the cat', 'Ada'], language: 'no' })
  expect(settingsOf(mistral)).toMatchObject({ context_bias: ['the_cat', 'Ada'], language: 'no' })
  expect(new Set(server.forms.map(({ fields }) => `${fields['prompt']} ${fields['language']}`))).toEqual(
    new Set(['the cat, Ada no', 'undefined no']),
  )
  // What was sent is recorded, not the mark.
  expect((await home.recorded()).record.contenders[0]?.options).toEqual({
    keyterm: ['the cat', 'Ada'],
  })
})

test.concurrent('all unknown options and values of a config are refused at once, each with its place and the nearest name', async () => {
  await using home = await workplace()
  await home.write(
    'config.yaml',
    `contenders:
  - { target: deepgram, model: nova-3, options: { smart_fromat: true, punctuate: perhaps, keyterm: { a: 1 } } }
  - { target: openai, model: whisper-1, options: { temperature: 3 } }
  - { target: deepgram, model: nova-3, options: { keywords: [Ada] } }
  - { target: embedded, engine: moonshine, model: moonshine-tiny, options: { prompt: x } }
`,
  )
  const refused = await home.cli('config', 'check', 'config.yaml')
  expect(refused.code).toBe(2)
  const said = refused.stderr.replaceAll(/\s+/g, ' ')
  expect(said).toContain('6 problems; nothing was run')
  expect(said).toContain('config.yaml:2:')
  for (const part of [
    'deepgram has no option "smart_fromat"',
    'did you mean "smart_format"?',
    'punctuate of deepgram must be true or false, not "perhaps"',
    'options.keyterm must be true or false, a number, a text or a list of texts, not an object',
    'nova-3 of deepgram does not take keywords',
    'temperature of openai must be a number from 0 to 1, not 3',
    'the option prompt means nothing to embedded',
  ])
    expect(said).toContain(part)
  const typed = ['--contender', 'any:m?temprature=0', '--contender', 'deepgram#nova-3?punctuate=1']
  const boosted = [
    '--contender',
    'deepgram#nova-3?keywords=Ada',
    '--contender',
    'deepgram#nova-2?keyterm=Ada',
  ]
  const flags = await home.cli('run', '--target', 'groq', '--dry-run', ...typed)
  const refusedModels = await home.cli('run', '--dry-run', ...boosted)
  expect(refusedModels.code).toBe(2)
  expect(refusedModels.stderr).toContain('nova-3 of deepgram does not take keywords')
  expect(refusedModels.stderr).toContain('nova-2 of deepgram does not take keyterm')
  expect(flags.stderr).toContain('did you mean "temperature"?')
  expect(flags.stderr).toContain('punctuate of deepgram must be true or false, not "1"')
})
