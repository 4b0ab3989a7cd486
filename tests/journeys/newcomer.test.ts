import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '#installation/installation'
import { argv, runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { serverWorkplace, workplace } from './workplace.ts'

/** What a person types after reading the line of the README. */
function typedFrom(line: string, target: string): readonly string[] {
  const [command = ''] = line.replaceAll('openai:http://127.0.0.1:8000/v1', target).split('  #')
  return command.trim().split(' ').slice(1)
}

test('a server on this machine is measured with the two commands of the README and no config file', async () => {
  const models = ['only-one']
  await using home = await serverWorkplace({ models, textOf: () => 'the cat sat' }, { one: 'the cat sat' })
  const { manifest, service: server } = home
  const options = { cwd: home.path, env: { TRANSCRIBENCH_CORPUS: manifest, TRANSCRIBENCH_ROUNDS: '2' } }
  const readme = await readFile(join(packageFolder, 'README.md'), 'utf8')
  const lines = readme.match(/^transcribench (?:doctor|run --target) openai:.*$/gm) ?? []
  expect(lines).toHaveLength(2)
  const [doctorLine = '', runLine = ''] = lines
  const doctor = await runCli(typedFrom(doctorLine, server.target), options)
  expect(doctor.code, doctor.stdout).toBe(0)
  const [, command = ''] = /(transcribench run .*)/.exec(doctor.stdout) ?? []
  expect(command.split(' ').slice(1)).toEqual(typedFrom(runLine, server.target))
  const run = await runCli(command.split(' ').slice(1), options)
  expect(run.code, run.stderr).toBe(0)
  const { record } = await home.recorded()
  expect(record).toMatchObject({
    status: 'finished',
    contenders: [{ id: 'only-one', engine: 'openai', model: 'only-one' }],
    config: { contenders: [{ id: 'only-one' }], rounds: 2 },
    settingSources: { rounds: 'environment', corpus: 'environment' },
  })
})

test('the command that doctor prints for a server with a key and several models can be typed as it is', async () => {
  const key = 'sk-very-secret-0123456789'
  await using home = await serverWorkplace({ key, textOf: () => 'the cat sat' }, { one: 'the cat sat' })
  const { manifest, service: server } = home
  const env = { TRANSCRIBENCH_CORPUS: manifest, TRANSCRIBENCH_ROUNDS: '1', MY_KEY: key }
  const doctor = await runCli(['doctor', server.target, '--key-from', 'MY_KEY'], { cwd: home.path, env })
  const [, command = ''] = /(transcribench run .*)/.exec(doctor.stdout) ?? []
  expect(command).toContain('--key-from MY_KEY --contender any:tiny --fetch')
  const run = await runCli(command.split(' ').slice(1), { cwd: home.path, env })
  expect(run.code, run.stderr).toBe(0)
  expect(doctor.stdout + run.stdout + run.stderr).not.toContain(key)
})

describe('a config', () => {
  test('is found in a folder above, named, and checked without audio', async () => {
    await using home = await serverWorkplace({ textOf: () => 'the cat sat' }, { one: 'the cat sat' })
    const { manifest, service: server } = home
    await home.write(
      'transcribench.config.yaml',
      [
        'target: openai:$SERVER',
        'corpus: $CORPUS',
        'rounds: $ROUNDS',
        'contenders: [{ engine: any, model: tiny }]\n',
      ]
        .join('\n')
        .replaceAll(/\$(\w+)/g, (_, name: string) => `\${${name}${name === 'ROUNDS' ? ':-1' : ''}}`),
    )
    await mkdir(join(home.path, 'inner', 'most'), { recursive: true })
    const cwd = join(home.path, 'inner', 'most')
    const env = { SERVER: server.target.replace('openai:', ''), CORPUS: manifest }
    const check = await runCli(['config', 'check'], { cwd, env: { ...env, CORPUS: '/not/there.jsonl' } })
    expect(check.code, check.stderr).toBe(0)
    expect(check.stdout).toMatch(/target +openai:http:.*\(file\)/)
    expect(check.stdout).toMatch(/rounds +1 +\(file\)/)
    const run = await runCli(['run', '--warmup', '0'], { cwd, env })
    expect(run.code, run.stderr).toBe(0)
    expect(run.stderr).toContain('config    ../../transcribench.config.yaml')
    expect(server.forms).toHaveLength(1)
    const missing = await runCli(['config', 'check'], { cwd, env: { SERVER: 'http://x/v1' } })
    expect(missing.code).toBe(2)
    expect(missing.stderr).toMatch(/transcribench\.config\.yaml:2:9[\s\S]*CORPUS is not set/)
  })
})

test('init asks nothing and writes what answers here; run then takes its config from the folder', async () => {
  await using home = await serverWorkplace({ textOf: () => 'the cat' }, { one: 'the cat' })
  const { manifest, service: server } = home
  const env = { TRANSCRIBENCH_TARGET: server.target, DEEPGRAM_API_KEY: 'sk-very-secret' }
  const options = { cwd: home.path, env }
  const init = await runCli(['init'], options)
  expect(init.code, init.stderr).toBe(0)
  expect(init.stdout).toBe(`${join(home.path, 'transcribench.config.yaml')}\n`)
  const config = await home.read('transcribench.config.yaml')
  expect(config).toContain(`  - { target: "${server.target}", model: `)
  expect(config).toMatch(/# - \{ target: "deepgram", model: "nova-3" \} +# costs money/)
  expect(config).not.toContain('sk-very-secret')
  const printed = await runCli(['init', '-'], options)
  expect(printed.stdout).toBe(config)
  const run = await home.cli('run', '--corpus', manifest, '--rounds', '1', '--warmup', '0')
  expect(run.code, run.stderr).toBe(0)
  expect(run.stderr).toContain('transcribench.config.yaml')
  // Without anything that answers, the config is that of the quick run.
  const nothing = await home.cli('init', '-')
  expect(nothing.stdout).toContain('model: moonshine-base')
})

test('in a checkout, commands are printed as the one was typed, on one line each, and run as they are', async () => {
  await using home = await workplace()
  const path = join(packageFolder, 'scripts/transcribench')
  const launcher = /\s/.test(path) ? `'${path}'` : path
  const long = join(home.path, 'results'.repeat(12))
  for (const [typed, cwd] of [
    [launcher, home.path],
    ['./scripts/transcribench', packageFolder],
    ['npm run -s transcribench --', packageFolder],
  ] as const) {
    const options = { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: home.path } } as const
    const { stderr } = spawnSync('sh', ['-c', `${typed} report none --results ${long}`], options)
    const [, command = ''] = /^ +RUN_NOT_FOUND · (.*) · exit 2$/m.exec(stderr) ?? []
    expect(command, stderr).toBe(`${typed} explain RUN_NOT_FOUND`)
    const explained = spawnSync('sh', ['-c', command], options)
    expect([explained.status, explained.stderr]).toEqual([0, ''])
  }
})

test('what is typed in another place is answered with where it goes', async () => {
  await using home = await workplace()
  await writeToneCorpus(join(home.path, 'tones'), { one: 'a' })
  await rename(join(home.path, 'tones/manifest.jsonl'), join(home.path, 'tones/texts.jsonl'))
  const type = async (...args: readonly string[]) => {
    const { stdout, stderr } = await home.cli(...args)
    return (stdout + stderr).replaceAll(/\s+/g, ' ')
  }
  await home.write('mine.yaml', 'warmup: 3\nrate: 2/s\n')
  expect(await type('config', 'mine.yaml')).toContain('transcribench config check mine.yaml')
  const faults = await type('config', 'check', 'mine.yaml')
  expect(faults).toContain('--warmup is written warmupRequests: … in a config')
  expect(faults).toContain('--rate is written load: { rate: … } in a config')
  const imported = await type('corpus', 'import', 'tones/texts.jsonl')
  expect(imported).toContain('without an import; nothing was imported')
  expect(imported).toContain('measure it: transcribench run --corpus tones/texts.jsonl')
  expect(await type('corpus', 'import', 'tones/texts.jsonl', '--output', 'copy')).toContain('copy')
})

test('a first run names all that is missing at once, and the one command that fetches it and measures', async () => {
  await using home = await workplace()
  await mkdir(join(home.path, 'corpus'))
  await home.write('corpus/manifest.jsonl', '{"id":"one","audio":"one.wav","text":"a"}\n')
  await copyFile(join(packageFolder, 'corpora/quick/source.json'), join(home.path, 'corpus/source.json'))
  const typed = ['run', '--corpus', 'corpus/manifest.jsonl']
  const first = await home.cli(...typed)
  expect(first.code).toBe(2)
  expect(first.stderr).toMatch(/the audio of the corpus "corpus" is not here yet/)
  expect(first.stderr).toMatch(/moonshine-tiny +the model is not installed\n +moonshine-base +the model is/)
  expect(first.stderr).toContain('transcribench run --corpus corpus/manifest.jsonl --fetch\n')
  const manifest = await writeToneCorpus(join(home.path, 'tones'), { one: 'a' })
  const second = await home.cli('run', '--corpus', manifest, '--dry-run')
  expect(second.code, second.stderr).toBe(0)
  const third = await home.cli('run', '--corpus', manifest)
  expect(third.stderr).toMatch(/transcribench run --corpus \S+ --fetch\n/)
  expect(third.stderr).not.toContain('models install')
})

test('a run without an answer says how a key is named, and advises nothing that needs an answer', async () => {
  const before = () => [401, { error: { message: 'no API key' } }] as const
  const script = { models: ['whisper-1'], textOf: () => 'a', before }
  await using home = await serverWorkplace(script, { one: 'a' }, ['--warmup', '0', '--contender'])
  const modelAlone = await home.run('whisper-1')
  expect(modelAlone.stderr).toContain('write any:whisper-1')
  const { code, stdout } = await home.run('any:whisper-1')
  expect(code).toBe(5)
  expect(stdout).toContain('--key-from <variable>')
  expect(stdout).toContain('transcribench report latest --details')
  expect(stdout).not.toMatch(/transcribench (review|compare)/)
})

test('the name that a run was given names it in every command, and a misspelt one is corrected', async () => {
  const script = { models: ['tiny'], textOf: () => 'The cat.' }
  await using home = await serverWorkplace(script, { one: 'the cat' })
  const type = (...args: readonly string[]) => home.cli(...args)
  for (const name of ['base', 'slow']) {
    const run = await home.run(...argv`--contender any:tiny --warmup 0 --rounds 1 --name ${name}`)
    expect(run.code, run.stderr).toBe(0)
  }
  for (const command of [
    ['report', 'slow'],
    ['score', 'slow'],
    ['compare', 'base', 'slow'],
    ['export', 'base', 'slow', '-o', 'exported'],
    ['query', 'select distinct run from utterances', 'slow'],
    ['baseline', 'set', 'main', 'slow'],
  ]) {
    const { code, stdout, stderr } = await type(...command)
    expect([command[0], code], stderr).toEqual([command[0], 0])
    expect(stdout + stderr).toContain('slow')
  }
  // A score by its name is what all commands read, also where a newer one is there.
  expect((await type('score', 'slow', '--profile', 'verbatim')).code).toBe(0)
  expect((await type('score', 'slow')).code).toBe(0)
  for (const [score, profile, wrong] of [
    ['verbatim', 'verbatim', 2],
    [undefined, 'basic', 0],
  ] as const) {
    const named = score === undefined ? [] : ['--score', score]
    const compared = JSON.parse((await type('compare', 'base', 'slow', '--json', ...named)).stdout)
    expect(compared.profile.id).toContain(profile)
    const sql = 'select sum(word_substitutions)::int as wrong from utterances'
    const asked = await type('query', sql, 'slow', '--format', 'json', ...named)
    expect(asked.stdout, asked.stderr).toContain(`"wrong":${wrong}`)
  }
  expect((await type('compare', 'base', 'slow', '--score', 'nine')).stderr).toContain('has no score "nine"')
  // A command that does not fit next to the sentence is on a separate line: one that is broken ends there in a shell.
  const misspelt = await type('compare', 'bsae', 'slow')
  expect(misspelt.stderr).toContain('there is no baseline and no run "bsae"')
  expect(misspelt.stderr).toMatch(/^ +transcribench baseline set bsae latest$/m)
  expect(misspelt.stderr).toMatch(/did\s+you\s+mean "base"\?/)
  expect((await type('compare', 'mian', 'slow')).stderr).toMatch(/did\s+you\s+mean the\s+baseline "main"/)
  for (const words of [
    ['view', 'typo/'],
    ['history', '--results', 'typo/'],
  ]) {
    const noFolder = await type(...words)
    expect([noFolder.code, noFolder.stderr]).toEqual([2, expect.stringContaining('there is no folder typo/')])
  }
  // Without a config, capacity measures one contender and has a name of its own unless it is given one.
  const capacity = await home.type`capacity ${home.target} --budget 2s --name cap3`
  expect(capacity.stderr + capacity.stdout).toContain('-cap3')
  const whatIf = await type('capacity', '--what-if', 'cap3')
  expect(whatIf.stderr).not.toContain('there is no run')
})
