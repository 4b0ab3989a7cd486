import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import pLimit from 'p-limit'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '#installation/installation'
import { listRuns } from '#journal/find-run'
import { readRecord } from '#journal/run-reader'
import { catalogue } from '../../src/cli/catalogue.ts'
import type { Attach } from '../../src/cli/command-context.ts'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { runCli, runWarmCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const addOptions: Attach = (command, options) => {
  for (const option of options()) command.addOption(option)
}

/** Names of values in help texts that are files to read. */
const files = ['file', 'config', 'corpus', 'reference', 'hypotheses', 'run|document', 'audio']
const outputs = ['--output', '--markdown', '--junit', '--csv']
/** Names of all other values. A new name belongs in one of the two lists. */
const others =
  `[target#]engine:model age base base=run contender count counts difference duration failures family figure folder format
  h host how id ids kind language margin megabytes minutes mode model n name names number objective path percent platform profile
  rate reaction requests results rule run runs run|corpus seconds shape side size source sql step target text threshold
  time times tokens transport url values variable what workload`.split(/\s+/)

/** Inputs of every command, `score --rules`, and all names of values. */
async function allInputs(): Promise<{
  readonly inputs: readonly string[]
  readonly names: readonly string[]
}> {
  const inputs: string[] = []
  const names = new Set<string>()
  const look = (command: Command, path: string): void => {
    const places = [
      ...command.registeredArguments.map((argument) => ({
        place: argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
        name: argument.name(),
      })),
      ...command.options.map(({ long, flags }) => ({
        place: long ?? '',
        name: /[<[](.+?)(?:\.\.\.)?[>\]]$/.exec(flags)?.[1] ?? null,
      })),
    ]
    for (const { place, name } of places) {
      if (name === null) continue
      names.add(name)
      if (files.includes(name) && !outputs.includes(place)) inputs.push(`${path} ${place}`)
    }
    for (const each of command.commands) look(each, `${path} ${each.name()}`)
  }
  for (const { name, load } of catalogue.flatMap(({ commands }) => commands)) {
    const command = new Command(name)
    const define = await load()
    define(command, addOptions)
    look(command, name)
  }
  return { inputs, names: [...names] }
}

/** A command line for each input; RUN is a run, TEXT a text, CORPUS a corpus. */
const commandLines: Readonly<Record<string, string>> = {
  'run [config]': 'run - --dry-run',
  'run --corpus': 'run --corpus - --dry-run',
  'run --engines': 'run --engines - --dry-run',
  'run --trace': 'run --trace - --dry-run',
  'run --prices': 'run --prices - --dry-run',
  'experiment <config>': 'experiment -',
  'capacity [config]': 'capacity -',
  'capacity --corpus': 'capacity --corpus -',
  'capacity --engines': 'capacity --engines -',
  'capacity --prices': 'capacity --prices -',
  'calibrate [config]': 'calibrate -',
  'fleet run [config]': 'fleet run - --queue redis://127.0.0.1:1',
  'fleet run --corpus': 'fleet run --corpus - --queue redis://127.0.0.1:1',
  'fleet run --engines': 'fleet run --engines - --queue redis://127.0.0.1:1',
  'fleet run --trace': 'fleet run --trace - --queue redis://127.0.0.1:1',
  'fleet agent --engines': 'fleet agent --engines - --queue redis://127.0.0.1:1',
  'fleet agent --corpus': 'fleet agent --corpus - --queue redis://127.0.0.1:1',
  'config check [config]': 'config check -',
  'compare --corrections': 'compare RUN RUN --corrections -',
  'score --rules': 'score RUN --rules -',
  'score --glm': 'score RUN --glm -',
  'score --vocabulary': 'score RUN --vocabulary -',
  'score --corrections': 'score RUN --corrections -',
  'wer <reference>': 'wer - TEXT',
  'wer [hypotheses]': 'wer TEXT -',
  'wer --rules': 'wer TEXT TEXT --rules -',
  'wer --glm': 'wer TEXT TEXT --glm -',
  'report <run|document>': 'report -',
  'report --ratings': 'report RUN --ratings -',
  'doctor --engines': 'doctor embedded --engines -',
  'serve --engines': 'serve --engines -',
  'serve --microphone-file': 'serve --microphone-file -',
  'corpus verify [corpus]': 'corpus verify -',
  'corpus show [corpus]': 'corpus show -',
  'corpus fetch [corpus]': 'corpus fetch -',
  'corpus lint [corpus]': 'corpus lint -',
  'corpus lint --against': 'corpus lint CORPUS --against -',
  'corpus derive <corpus>': 'corpus derive - --step gain:db=-6',
  'corpus select <corpus>': 'corpus select - --count 1',
}

/** More than a pipe holds: it is written only where it is read. Its lines are few, and soon looked at. */
const large = `${'%'.repeat(50_000)}\n`.repeat(20)

interface Drain {
  readonly drained: boolean
  readonly said: string
}

/** Whether a command reads standard input to its end. */
async function drains(typed: readonly string[], cwd: string): Promise<Drain> {
  // A service would go on.
  if (typed[0] === 'serve') return drainsPipe(typed, cwd)
  const env = { TRANSCRIBENCH_FLEET_KEY: '0123456789abcdef'.repeat(4) }
  const { isInputRead, stderr } = await runWarmCli(typed, { cwd, env }, large)
  return { drained: isInputRead, said: stderr }
}

/** The same in a new process, with a pipe. Its command is killed when it has read all. */
async function drainsPipe(typed: readonly string[], cwd: string): Promise<Drain> {
  const main = join(packageFolder, 'src/cli/main.js')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...typed], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = once(child, 'close')
  const read = new Promise<boolean>((resolve) => {
    child.stdin.on('error', () => resolve(false))
    child.stdin.on('finish', () => resolve(true))
    child.stdin.end(large)
  })
  const drained = await Promise.race([read, ended.then(() => false)])
  if (drained) child.kill('SIGKILL')
  await ended
  return { drained, said }
}

describe('every flag and argument that names a file to read', () => {
  test('is known here, and takes standard input', { timeout: 600_000 }, async () => {
    const { inputs, names } = await allInputs()
    expect(names.filter((name) => !files.includes(name) && !others.includes(name))).toEqual([])
    expect(inputs.toSorted()).toEqual(Object.keys(commandLines).toSorted())
    await using home = await temporaryFolder()
    const run = join(home.path, 'results', 'a-run')
    await cp(join(packageFolder, 'docs/example/run'), run, { recursive: true })
    const text = join(home.path, 'text.txt')
    await writeFile(text, 'the cat sat\n')
    const corpus = await writeToneCorpus(join(home.path, 'corpus'), { one: 'the cat sat' })
    const words: Readonly<Record<string, string>> = { RUN: run, TEXT: text, CORPUS: corpus }
    const limit = pLimit(3)
    const look = async ([input, line]: readonly [string, string]): Promise<void> => {
      const typed = line.split(' ').map((word) => words[word] ?? word)
      const { drained, said } = await drains(typed, home.path)
      expect(drained, `${input}: transcribench ${line}\n${said}`).toBe(true)
      expect(said, input).not.toMatch(/This is a bug|ENOENT/)
    }
    await Promise.all(Object.entries(commandLines).map((entry) => limit(look, entry)))
    // What reads none leaves it.
    expect((await drains(['corpus', 'show', './-'], home.path)).drained).toBe(false)
    expect((await drainsPipe(['corpus', 'show', './-'], home.path)).drained).toBe(false)
  })
})

/** Runs a command with a file of its working directory as standard input. */
const fed = async (typed: readonly string[], cwd: string, file: string, env = {}) =>
  runWarmCli(typed, { cwd, env }, await readFile(join(cwd, file), 'utf8'))

test('a manifest from standard input is measured with recordings of the working directory, and kept for a replay', async () => {
  await using home = await temporaryFolder()
  await using server = await startOpenAiDouble({ models: ['tiny'], textOf: () => 'the cat sat' })
  await writeToneCorpus(home.path, { one: 'the cat sat', two: 'the hat' })
  const typed = ['run', '--target', server.target, '--corpus', '-', '--rounds', '1', '--warmup', '0']
  const through = ['sh', '-c', 'exec "$@" < manifest.jsonl', 'sh']
  const run = await runCli(typed, { cwd: home.path, through })
  expect(run.code, run.stderr).toBe(0)
  expect(server.forms).toHaveLength(2)
  const [folder = ''] = await listRuns(join(home.path, 'results'))
  const { config, corpus } = await readRecord(folder)
  expect(corpus.name).toMatch(/^stdin-[0-9a-f]{12}$/)
  const kept = String((config as { readonly corpus: unknown }).corpus)
  expect(await readFile(kept, 'utf8')).toContain(`"audio":"${join(home.path, 'audio', 'one.wav')}"`)
  const replay = await runCli(['replay', 'latest'], { cwd: home.path })
  expect(replay.code, replay.stderr).toBe(0)
  expect(server.forms).toHaveLength(4)
  const show = await fed(['corpus', 'verify', '-'], home.path, 'manifest.jsonl')
  expect(show.code, show.stderr).toBe(0)
})

test('standard input that two settings ask for is refused with the names of both, wherever they are set', async () => {
  await using home = await temporaryFolder()
  await writeFile(join(home.path, 'config.yaml'), 'rounds: 1\n')
  const twice = (typed: readonly string[], env = {}) =>
    fed(['run', ...typed, '--dry-run'], home.path, 'config.yaml', env)
  const said = 'standard input (-) can be read once, and both'
  const flags = await twice(['-', '--corpus', '-'])
  expect(flags.stderr.replaceAll(/\s+/g, ' ')).toContain(
    `${said} the config and --corpus are to come from it`,
  )
  expect(flags.code).toBe(2)
  const environment = await twice(['--engines', '-'], { TRANSCRIBENCH_CORPUS: '-' })
  expect(environment.stderr.replaceAll(/\s+/g, ' ')).toContain(`${said} --corpus and --engines`)
  const texts = await fed(['wer', '-', '-'], home.path, 'config.yaml')
  expect(texts.code).toBe(2)
  expect(await readdir(home.path)).not.toContain('results')
})

/** Copies of standard input that are kept, by their common names: those in the data directory, and those in the temporary folder. */
async function copiesIn(home: string): Promise<readonly string[]> {
  const names = await readdir(join(home, 'data', 'transcribench', 'stdin')).catch(() => [])
  const kept = new Set(names.map((name) => name.slice(0, 12)))
  const temporary = await readdir(join(home, 'tmp'))
  return [...kept, ...temporary.filter((name) => name.startsWith('transcribench-stdin'))]
}

test('a table from standard input is a manifest with recordings of the working directory', async () => {
  await using home = await temporaryFolder()
  await using server = await startOpenAiDouble({ models: ['tiny'], textOf: () => 'the cat sat' })
  await writeToneCorpus(home.path, { one: 'the cat sat', two: 'the hat' })
  const rows = [
    ['id', 'path', 'sentence'],
    ['one', 'audio/one.wav', '"the cat, sat"'],
    ['two', 'audio/two.wav', '"the ""hat"""'],
  ]
  await writeFile(join(home.path, 'table.csv'), rows.map((row) => `${row.join(',')}\n`).join(''))
  await writeFile(join(home.path, 'table.tsv'), rows.map((row) => `${row.join('\t')}\n`).join(''))
  await writeFile(join(home.path, 'neither.txt'), 'one two three\n')
  const typed = ['run', '--target', server.target, '--corpus', '-', '--rounds', '1', '--warmup', '0']
  const run = await fed(typed, home.path, 'table.csv')
  expect(run.code, run.stderr).toBe(0)
  expect(server.forms).toHaveLength(2)
  const [folder = ''] = await listRuns(join(home.path, 'results'))
  const { config } = await readRecord(folder)
  const kept = String((config as { readonly corpus: unknown }).corpus)
  expect(kept).toMatch(/stdin-[0-9a-f]{12}\.csv$/)
  expect((await readFile(kept, 'utf8')).split('\n')).toEqual([
    'id,path,sentence',
    `one,${join(home.path, 'audio/one.wav')},"the cat, sat"`,
    `two,${join(home.path, 'audio/two.wav')},"the ""hat"""`,
    '',
  ])
  const tabs = await fed(['corpus', 'verify', '-'], home.path, 'table.tsv')
  expect(tabs.code, tabs.stderr).toBe(0)
  const neither = await fed(['corpus', 'verify', '-'], home.path, 'neither.txt')
  expect(neither.code).toBe(2)
  expect(neither.stderr.replaceAll(/\s+/g, ' ')).toContain('JSON')
})

test('hints about a manifest from standard input name what was typed, and not the copy that is removed', async () => {
  await using home = await temporaryFolder()
  await writeToneCorpus(home.path, { one: 'the cat sat' })
  const twice = ['one', 'two'].map((id) => `{"id":"${id}","audio":"audio/one.wav","text":"the cat sat"}\n`)
  await writeFile(join(home.path, 'twice.jsonl'), twice.join(''))
  await writeFile(join(home.path, 'lacking.jsonl'), '{"audio":"a.wav","tex":"the cat"}\n')
  await writeFile(join(home.path, 'absent.jsonl'), '{"id":"a","audio":"a.wav","text":"the cat"}\n')
  for (const [typed, file, said] of [
    ['corpus verify -', 'lacking', 'standard input cannot be used: 2 problems'],
    ['corpus verify -', 'lacking', 'standard input:1'],
    ['corpus verify -', 'absent', 'standard input:1'],
    ['corpus verify -', 'lacking', 'then: transcribench corpus verify -'],
    ['run --corpus - --dry-run', 'lacking', 'then: transcribench corpus verify -'],
    ['corpus verify -', 'absent', `start at the folder of the manifest (${home.path})`],
    [
      'corpus fetch -',
      'absent',
      `put its audio into ${home.path} by hand, then: transcribench corpus verify -`,
    ],
    ['corpus show -', 'absent', 'manifest -'],
    ['corpus lint -', 'twice', 'Listen and correct them'],
  ] as const) {
    const { stdout, stderr } = await fed(typed.split(' '), home.path, `${file}.jsonl`)
    const text = `${stdout}${stderr}`.replaceAll(/\s+/g, ' ')
    expect(text, typed).toContain(said)
    expect(text, typed).not.toMatch(/transcribench-stdin-|transcribench\/stdin\/|stdin-\w+\.jsonl/)
  }
})

test('a copy of standard input is removed with the command, unless a run names it', async () => {
  await using home = await temporaryFolder()
  await using server = await startOpenAiDouble({ models: ['tiny'], textOf: () => 'the cat sat' })
  await writeToneCorpus(home.path, { one: 'the cat sat' })
  await mkdir(join(home.path, 'tmp'))
  const env = { TMPDIR: join(home.path, 'tmp'), XDG_DATA_HOME: join(home.path, 'data') }
  const fedAgain = (line: readonly string[]) => fed(line, home.path, 'manifest.jsonl', env)
  const typed = ['run', '--target', server.target, '--corpus', '-', '--rounds', '1', '--warmup', '0']
  for (const [line, code] of [
    [['corpus', 'verify', '-'], 0],
    [['corpus', 'lint', '-'], 0],
    [[...typed, '--dry-run'], 0],
    [['run', '--target', 'openai:http://127.0.0.1:1/v1', '--corpus', '-', '--contender', 'any:m'], 4],
  ] as const) {
    const ended = await fedAgain(line)
    expect(ended.code, ended.stderr).toBe(code)
    expect(await copiesIn(home.path), line.join(' ')).toEqual([])
  }
  const run = await fedAgain(typed)
  expect(run.code, run.stderr).toBe(0)
  const [copy = ''] = await copiesIn(home.path)
  expect(copy).toMatch(/^[0-9a-f]{12}$/)
  // The run goes on naming it, whatever is done with the same content.
  for (const line of [
    ['corpus', 'verify', '-'],
    [...typed, '--dry-run'],
  ])
    await fedAgain(line)
  expect(await copiesIn(home.path)).toEqual([copy])
  const replay = await runCli(['replay', 'latest'], { cwd: home.path, env })
  expect(replay.code, replay.stderr).toBe(0)
  await rm(join(home.path, 'audio', 'one.wav'))
  const without = await fedAgain(typed)
  expect(without.stderr.replaceAll(/\s+/g, ' ')).toContain('standard input:1')
  expect(without.stderr).not.toContain(copy)
})
