import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '#installation/installation'
import { runFiles } from '#journal/run-writer'
import { argv, type CliResult, runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { scriptedWorkplace, workplace } from './workplace.ts'

/** What every refusal owes: the exit code, what and where, what to type next, and never a stack. */
function expectRefusal(result: CliResult, code: number, ...said: readonly (string | RegExp)[]): void {
  expect(result, result.stderr).toMatchObject({ code, stdout: '' })
  // Lines are wrapped to the terminal; what is said may be on two of them.
  const text = result.stderr.replaceAll(/\s+/g, ' ')
  for (const words of said) expect(text).toMatch(words)
  const explained = text.match(/transcribench explain \w+/g) ?? []
  expect(explained.length).toBeGreaterThan(0)
  expect(new Set(explained).size).toBe(explained.length)
  expect(result.stderr).not.toMatch(/\n\s+at .*\.ts:/)
}

test.skipIf(process.platform === 'win32')(
  'a folder that was removed below a command is asked for only where a file is named in it',
  async () => {
    await using home = await workplace()
    const through = ['bash', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'bash']
    const refused = await runCli(['history'], { cwd: home.path, through })
    expectRefusal(refused, 2, 'the folder that this command was started in is gone', 'cd ~')
    expect(await runCli(['explain', 'wer'], { cwd: home.path, through })).toMatchObject({ code: 0 })
  },
)

test.skipIf(process.getuid?.() !== 0)('a user without a name, as in a container, may review', async () => {
  await using home = await workplace()
  const through = ['setpriv', '--reuid', '54321', '--clear-groups']
  const refused = await runCli(['review', 'nowhere'], { cwd: home.path, through })
  expectRefusal(refused, 2, 'nowhere')
})

describe('a target', () => {
  test('that refuses the token says so without showing it', async () => {
    await using home = await scriptedWorkplace({ good: {} }, {})
    const file = JSON.parse(await readFile(home.service.discoveryPath, 'utf8'))
    const forged = join(home.path, 'forged.json')
    await writeFile(forged, JSON.stringify({ ...file, token: 'not-the-token' }), { mode: 0o600 })
    const result = await home.cli('run', '--target', forged)
    expectRefusal(result, 4, /token/)
    expect(result.stderr).not.toContain('not-the-token')
    expect(result.stderr).not.toContain(file.token)
  })

  test('without the model names those that it has', async () => {
    const models = ['gone', 'unheard', 'goood'].flatMap((id) => ['--contender', `scripted:${id}`])
    await using home = await scriptedWorkplace({ good: {}, gone: { installed: false } }, { one: 'a' }, models)
    const result = await home.run()
    expectRefusal(
      result,
      4,
      'gone the target has not installed',
      'unheard the target does not list',
      /goood +the target does not list this model\s+did you mean "good"\?/,
      'installed there: good',
    )
    expect(await home.runs()).toEqual([])
    const skipping = argv`--contender scripted:good --skip-unready --rounds 1`
    expect(await home.run(...skipping)).toMatchObject({ code: 0 })
  })

  test('without the engine names those that it has, and where more come from', async () => {
    await using home = await workplace()
    const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: 'a' })
    const named = ['--contender', 'moonshin:moonshine-tiny', '--contender', 'openai:whisper-1']
    const result = await home.cli('run', '--corpus', manifest, ...named)
    expectRefusal(
      result,
      4,
      /there is no engine "moonshin" there; engines: .*moonshine/,
      /whisper-1 +the target has no key for its provider/,
      'set the key in the environment of this command: OPENAI_API_KEY',
      'transcribench models add',
      '--engines <file>',
    )
    expect(result.stderr).not.toContain('No config given')
  })
})

describe('a manifest', () => {
  test('with a missing, a changed, an empty and a foreign file has all of them reported, and nothing is run', async () => {
    await using home = await workplace()
    const folder = join(home.path, 'corpus')
    const manifest = await writeToneCorpus(folder, { fine: 'a', changed: 'b', empty: 'c', foreign: 'd' })
    const lines = (await readFile(manifest, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    lines[1].sha256 = '0'.repeat(64)
    lines.push({ id: 'missing', audio: 'audio/missing.wav', text: 'e' })
    await writeFile(manifest, lines.map((line) => JSON.stringify(line)).join('\n'))
    await writeFile(join(folder, 'audio', 'empty.wav'), '')
    await writeFile(join(folder, 'audio', 'foreign.wav'), 'this is a text')
    const result = await home.cli('run', '--corpus', manifest)
    expectRefusal(result, 2, ':2', 'changed', ':3', 'empty', ':4', 'foreign', ':5', 'missing', '--exclude')
    expect(await readdir(home.path)).not.toContain('results')
  })
})

describe('a config', () => {
  test('with an unknown key, a wrong unit and a negative concurrency has every place pointed at', async () => {
    await using home = await workplace()
    const config = join(home.path, 'nightly.yaml')
    await writeFile(config, 'name: nightly\nload:\n  concurency: 4\n  concurrency: -2\ntimeout: 90 parsecs\n')
    const result = await home.cli('run', 'nightly.yaml')
    expectRefusal(
      result,
      2,
      'nightly.yaml:3:3',
      'did you mean "concurrency"',
      'nightly.yaml:4:16',
      'nightly.yaml:5:10',
      '90s',
    )
  })

  test('written by init is accepted as it is, and init never writes over it', async () => {
    await using home = await workplace()
    expect(await home.cli('init')).toMatchObject({ code: 0 })
    const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: 'a' })
    const dry = await home.cli('run', 'transcribench.config.yaml', '--corpus', manifest, '--dry-run')
    expect(dry, dry.stderr).toMatchObject({ code: 0 })
    expect(dry.stdout).toMatch(/corpus .*flag/)
    expect(dry.stdout).toMatch(/rounds .*file/)
    expectRefusal(await home.cli('init'), 2, 'add --force to replace it')
  })

  test('written by init comes with its schema, which replaces an older one of transcribench and no other', async () => {
    await using home = await workplace()
    const schema = join(home.path, 'config.schema.json')
    const older = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'transcribench config' }
    await writeFile(schema, JSON.stringify(older))
    expect(await home.cli('init', 'a.yaml')).toMatchObject({ code: 0 })
    expect(JSON.parse(await readFile(schema, 'utf8'))).toHaveProperty('properties.rounds')
    const foreign = '{"title": "the config of my service"}'
    await writeFile(schema, foreign)
    expectRefusal(await home.cli('init', 'b.yaml'), 2, 'config.schema.json', '--force')
    expect([await readFile(schema, 'utf8'), await readdir(home.path)]).toEqual([
      foreign,
      expect.not.arrayContaining(['b.yaml']),
    ])
    expect(await home.cli('init', 'b.yaml', '--force')).toMatchObject({ code: 0 })
    expect(await readFile(schema, 'utf8')).not.toBe(foreign)
  })
})

describe('a results folder', () => {
  test('that cannot be written is refused before anything is sent', async () => {
    await using home = await scriptedWorkplace({ good: {} }, { one: 'a' }, ['--contender', 'scripted:good'])
    await home.write('taken', 'a file')
    const before = await home.service.modes()
    expectRefusal(await home.run('--results', 'taken'), 2, 'taken', '--results')
    expect(await home.service.modes()).toEqual(before)
  })

  test('of a newer format is refused with the way out', async () => {
    await using home = await workplace()
    const folder = join(home.path, 'results', '2026-11-21T07-31-02Z-quick')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, runFiles.record), '{"formatVersion": 99}')
    expectRefusal(
      await home.cli('report', 'latest'),
      2,
      'format 99',
      'read it with the version that wrote it, or a newer one',
    )
  })
})

describe('everything that is wrong before a target is asked', () => {
  test.each([
    [
      ['capacity', '--budget', 'x', '--in-flight', 'y', '--seed', 'z'],
      ['3 problems', '--budget', '--seed'],
    ],
    [
      ['wer', 'a', 'b', '--worst', 'x', '--seed', 'y'],
      ['2 problems', '--worst', '--seed'],
    ],
    [
      ['compare', 'a', 'b', '--margin', 'x', '--profile', 'y'],
      ['2 problems', '--margin', '--profile'],
    ],
    [
      ['score', 'latest', '--profile', 'leaderbord'],
      ['“leaderbord” cannot be used', 'Did you mean'],
    ],
  ])('is reported at once: every value that an option does not take, as in %j', async (typed, words) => {
    await using home = await workplace()
    const { code, stdout } = await home.cli(...typed, '--json')
    expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: 2, error: 'COMMAND_LINE_INVALID' })
    for (const word of words) expect(stdout).toContain(word)
  })

  test.each([
    [
      ['run', '--otlp', 'collector', '--rounds', '0'],
      ['--otlp needs an address of HTTP', '--rounds rounds must'],
    ],
    [
      ['experiment', 'gone.yaml', 'lost.yaml', '--threshold', 'wer < 1 parsec'],
      ['the config gone.yaml cannot be read', 'the config lost.yaml cannot be read', 'parsec'],
    ],
    [
      ['wer', 'ref', 'a', 'b', '--fragments', '--only', 'words', '--characters', 'graphemes', '--csv'],
      ['--fragments is an option of sclite', '--characters needs characters', '--csv writes one system'],
    ],
    [
      ['baseline', 'set', 'main', 'gone', 'lost'],
      ['2 runs were not found', '"gone"', '"lost"'],
    ],
    [['calibrate', '--cool-down', '0 parsecs'], ['--cool-down “0 parsecs” cannot be used']],
  ])('is reported at once: what the command itself reads, as in %j', async (typed, words) => {
    await using home = await workplace()
    expectRefusal(await home.cli(...typed), 2, ...words)
  })

  test.each([
    [
      ['view', '--no-text'],
      ['--no-text is about a site that --export writes', '--export <folder>'],
    ],
    [
      ['report', 'docs', '--table', 'rates', '--format', 'md'],
      ['this document is not written as md', '.txt .csv, or name the format: --format text | csv'],
    ],
  ])('is refused instead of ignored, as in %j', async (typed, words) => {
    await using home = await workplace()
    await cp(join(import.meta.dirname, '../../docs/example/run'), join(home.path, 'docs'), {
      recursive: true,
    })
    expectRefusal(await home.cli(...typed), 2, ...words)
  })

  test('is refused with a hint that the command takes', async () => {
    await using home = await workplace()
    const refused = await home.cli('compare', 'a', 'b', '-o', 'answer.doc')
    expectRefusal(refused, 2, 'end the file in one of .txt .md .json .xml .html .htm')
    // Only a report has the flag.
    expect(refused.stderr).not.toContain('--format')
    const text = 'it\'s "$5" `now`'
    const quoted = `transcribench explain english 'it'\\''s "$5" \`now\`'`
    const explained = await home.cli('explain', 'CONFIG_INVALID', text)
    expect(explained.stderr).toContain(quoted)
  })

  test('is reported at once: in the file, on the line, and with the corpus that the file names', async () => {
    await using home = await workplace()
    await home.write('bad.yaml', 'corpus: nowhere\nroundz: 3\n')
    const result = await home.cli('run', 'bad.yaml', '--timeout', '5', '--burstiness', '0.3')
    const corpus = 'bad.yaml:1:9 there is no corpus named "nowhere"'
    expectRefusal(result, 2, '3 problems', 'bad.yaml:2:1', 'roundz', '--timeout', corpus)
    // What a flag needs of a load is not asked where the load could not be read.
    expect(result.stderr).not.toContain('burstiness')
  })

  test('is reported at once: every flag by its name, that of the corpus too', async () => {
    await using home = await workplace()
    const result = await home.cli('run', '--corpus', 'nowhere', '--rounds', '0')
    expectRefusal(
      result,
      2,
      '2 problems',
      '--rounds rounds must',
      '--corpus there is no corpus named "nowhere"',
    )
  })

  test('is reported at once: with the corpus and with the trace', async () => {
    await using home = await workplace()
    for (const flags of [[], ['--dry-run']]) {
      const missing = ['--corpus', 'nowhere', '--trace', 'gone.csv', ...flags]
      const result = await home.cli('run', ...missing)
      expectRefusal(result, 2, '2 problems', 'trace gone.csv cannot be read', 'no corpus named "nowhere"')
    }
  })

  test.each([
    ['run', 'nowhere', []],
    ['run', 'nowhere', ['--contender', 'any:large']],
    ['run', 'unfetched/manifest.jsonl', ['--contender', 'any:large']],
    ['capacity', 'nowhere', ['--contender', 'any:large']],
  ] as const)(
    'is reported at once: %s with the corpus %s and with a server',
    async (command, corpus, flags) => {
      await using home = await workplace()
      await mkdir(join(home.path, 'unfetched'))
      await home.write('unfetched/manifest.jsonl', '{"id":"one","audio":"one.wav","text":"a"}\n')
      await copyFile(
        join(packageFolder, 'corpora/quick/source.json'),
        join(home.path, 'unfetched/source.json'),
      )
      const gone = 'openai:http://127.0.0.1:9/v1'
      const refused = await home.cli(command, '--corpus', corpus, '--target', gone, ...flags)
      const missing = /no corpus named "nowhere"|audio of the corpus "unfetched" is not here yet/
      expectRefusal(
        refused,
        refused.code ?? 0,
        '2 problems',
        'http://127.0.0.1:9/v1 does not answer',
        missing,
      )
    },
  )
})
