import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Clip } from '#service/engines/engine'
import { commandEngine, runProgram } from '../../src/service/engines/command.ts'
import type { CommandEntry } from '../../src/service/engines/engines-file.ts'
import { caught } from '../corpus/caught.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeEngine } from './describe-engine.ts'
import { recordingOf, samplesOf } from './real-speech.ts'
import { base64, startTestService, tone, withEngines } from './running-service.ts'

const pocketsphinx = '/usr/bin/pocketsphinx_continuous'
const clipPath = recordingOf('librivox-0930')

const defaults = {
  kind: 'command',
  environment: {},
  timeoutSeconds: 30,
  successExitCodes: [0],
  output: 'stdout',
} as const

/** A program that runs the given JavaScript with the path of the audio in `audio`. */
function script(code: string, more: Partial<CommandEntry> = {}): CommandEntry {
  const program = `const [audio, language] = process.argv.slice(1); const fs = require('node:fs'); ${code}`
  return {
    ...defaults,
    id: 'it',
    program: process.execPath,
    arguments: ['-e', program, '--', '{audio}', '{language}'],
    ...more,
  }
}

const speech: Clip = { samples: new Float32Array(16_000).fill(0.5), fileName: null }

async function run(
  command: CommandEntry,
  signal = new AbortController().signal,
  language: string | null = 'en',
) {
  const loaded = await commandEngine([command]).load({ id: command.id, folder: '', threads: 1 })
  if (!loaded.ok) throw new Error(loaded.failure.message)
  return loaded.value.transcribe(speech, { language, timestamps: [], signal })
}

// What the samples of a file are, as a word: enough to distinguish silence from the rest.
const listen = `const bytes = fs.readFileSync(audio).subarray(44); process.stdout.write(bytes.some((byte) => byte !== 0) ? 'loud words' : '')`

describeEngine('command', async () => ({
  engine: commandEngine([script(listen)]),
  model: { id: 'it', folder: '', threads: 1 },
  unloadable: { id: 'unknown', folder: '', threads: 1 },
  speech,
  expected: /^loud words$/,
}))

describe.skipIf(!existsSync(pocketsphinx) || !existsSync(clipPath))(
  `pocketsphinx${existsSync(pocketsphinx) ? '' : ' (not installed: apt-get install pocketsphinx pocketsphinx-en-us)'}`,
  () => {
    describeEngine('command with pocketsphinx', async () => {
      const command = { ...defaults, id: 'ps', program: pocketsphinx, arguments: ['-infile', '{audio}'] }
      return {
        engine: commandEngine([{ ...command, language: 'en' }]),
        model: { id: 'ps', folder: '', threads: 1 },
        unloadable: { id: 'unknown', folder: '', threads: 1 },
        speech: { samples: await samplesOf('librivox-0930'), fileName: basename(clipPath) },
        expected: /\w/,
      }
    })
  },
)

describe('a command', () => {
  test('is given the audio as a file that only this user reads, the language, and no shell', async () => {
    const command = script(
      'console.log((fs.statSync(audio).mode & 0o777).toString(8), language, process.argv.at(-1))',
    )
    const outcome = await run({ ...command, arguments: [...command.arguments, '$(id); `id` > {x}'] })
    const mode = process.platform === 'win32' ? '666' : '600'
    expect(outcome).toMatchObject({ ok: true, value: { text: `${mode} en $(id); \`id\` > {x}` } })
  })

  test('hears auto where no language is named', async () => {
    const outcome = await run(script('console.log(language)'), undefined, null)
    expect(outcome).toEqual({ ok: true, value: { text: 'auto', language: null } })
  })

  test('may write its text into a file', async () => {
    const command = script("fs.writeFileSync(audio + '.txt', ' from  a\\n file ')", {
      output: { file: '{audio}.txt' },
    })
    expect(await run(command)).toMatchObject({ ok: true, value: { text: 'from a file' } })
  })

  test('may write its text into a file of its working folder, and a person reads what it left if that is another one', async () => {
    const command = script("fs.writeFileSync('audio.txt', 'named after the recording')")
    expect(await run({ ...command, output: { file: 'audio.txt' } })).toMatchObject({
      ok: true,
      value: { text: 'named after the recording' },
    })
    expect(await run({ ...command, output: { file: '{audio}.txt' } })).toMatchObject({
      ok: false,
      failure: {
        message: expect.stringMatching(/left no file audio\.wav\.txt with its text/),
        hint: 'Correct `output` in the engines file. What it left in its folder: audio.txt.',
      },
    })
  })

  test.each([
    ['no file', '', 'left no file'],
    [
      'a file without end',
      "fs.writeFileSync(audio + '.txt', Buffer.alloc(9 * 2 ** 20))",
      'more than a transcript',
    ],
  ])('that leaves %s has failed, in words without a path', async (_what, code, words) => {
    const outcome = await run(script(code, { output: { file: '{audio}.txt' } }))
    expect(outcome).toMatchObject({
      failure: { code: 'TRANSCRIPTION_FAILED', message: expect.stringContaining(words) },
    })
    expect(JSON.stringify(outcome)).not.toContain('transcribench-command')
  })

  test('says with a pattern which of its lines are text', async () => {
    const code = `console.log('loading\\n[00:00 --> 00:05]  one\\n[00:05 --> 00:09]  two\\ndone')`
    const command = script(code, { pattern: '^\\[.*\\] +(.*)$' })
    expect(await run(command)).toMatchObject({ ok: true, value: { text: 'one two' } })
  })

  test('that fails says how, with its last word', async () => {
    const command = script("console.error('first\\nno such model'); process.exit(3)")
    expect(await run(command)).toMatchObject({
      ok: false,
      failure: {
        code: 'TRANSCRIPTION_FAILED',
        message: expect.stringContaining('exit code 3'),
        hint: 'It said: no such model',
        detail: 'first\nno such model',
      },
    })
    expect(await run({ ...command, successExitCodes: [0, 3] })).toMatchObject({ ok: true })
  })

  test('that takes too long, or leaves no file, is quoted as well', async () => {
    // A shell has said it long before its time is over, however busy the machine is.
    const saying = "echo 'loading /opt/models/large.bin' >&2; exec sleep 1000"
    const late = { ...script('', { timeoutSeconds: 3 }), program: 'sh', arguments: ['-c', saying] }
    // A path of this machine is for the log only.
    expect(await run(late)).toMatchObject({
      failure: {
        code: 'TIMEOUT',
        hint: 'It said: loading large.bin',
        detail: 'loading /opt/models/large.bin',
      },
    })
    const empty = script("console.error('wrote nothing')", { output: { file: '{audio}.txt' } })
    expect(await run(empty)).toMatchObject({
      failure: { hint: 'Correct `output` in the engines file. It said: wrote nothing' },
    })
  })

  test('that complains without end is quoted in bounds', async () => {
    const outcome = await run(script("console.error('x'.repeat(1_000_000)); process.exit(1)"))
    if (outcome.ok) throw new Error('it failed')
    expect(outcome.failure.hint?.length).toBeLessThan(600)
    expect(outcome.failure.detail?.length).toBe(4_000)
  })

  test('is given a word in two braces as a text', async () => {
    const command = script('console.log(process.argv.at(-1))')
    const outcome = await run({ ...command, arguments: [...command.arguments, '{{print}} {language}'] })
    expect(outcome).toMatchObject({ value: { text: '{print} en' } })
  })

  test('that is missing has a code of its engine, and no path in the message', async () => {
    const command = { ...script(''), program: '/nowhere/at/all' }
    expect(await run(command)).toMatchObject({
      ok: false,
      failure: { code: 'ENGINE_UNAVAILABLE', message: 'all cannot be started (ENOENT).' },
    })
  })

  test.skipIf(process.platform === 'win32')(
    'that cannot be started for want of file descriptors is a failure, and no end of the service',
    async () => {
      // A process of its own: without descriptors the other tests would fail as well.
      const code = `
        import { openSync } from 'node:fs'
        import { ${runProgram.name} } from ${JSON.stringify(import.meta.resolve('../../src/service/engines/command.ts'))}
        const run = { program: process.execPath, arguments: ['-e', ''], environment: {}, folder: '/',
          timeoutMs: 60_000, maxOutputBytes: 100, signal: new AbortController().signal }
        const before = await runProgram(run)
        try { for (;;) openSync('/dev/null') } catch { /* There are no more. */ }
        console.log(before.kind, JSON.stringify(await runProgram(run)))`
      const limited = 'ulimit -n 100; exec "$0" --input-type=module -e "$1"'
      const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, code])
      expect(stdout).toBe('exited {"kind":"unstarted","reason":"EMFILE"}\n')
    },
  )

  test('that prints without end is ended', async () => {
    const command = script("const line = 'x'.repeat(65536); for (;;) fs.writeSync(1, line)")
    expect(await run(command)).toMatchObject({
      ok: false,
      failure: { code: 'TRANSCRIPTION_FAILED', message: expect.stringContaining('more than a transcript') },
    })
  })

  test.skipIf(process.platform === 'win32')('that is given up ends with all that it started', async () => {
    await using folder = await temporaryFolder()
    const pidFile = join(folder.path, 'pid')
    const code = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      fs.writeFileSync(process.env.PID_FILE + '.new', String(child.pid)); fs.renameSync(process.env.PID_FILE + '.new', process.env.PID_FILE);
      setInterval(() => {}, 1000)`
    const controller = new AbortController()
    const work = run(script(code, { environment: { PID_FILE: pidFile } }), controller.signal)
    while (!existsSync(pidFile)) await sleep(10)
    const grandchild = Number(await readFile(pidFile, 'utf8'))
    expect(isRunning(grandchild)).toBe(true)
    controller.abort()
    expect((await work).ok).toBe(false)
    while (isRunning(grandchild)) await sleep(10)
  })
})

/** A killed process may be kept as a name by the process that adopted it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = `/proc/${pid}/stat`
    return !existsSync(stat) || !/\) Z/.test(readFileSync(stat, 'utf8'))
  } catch {
    // There is no such process.
    return false
  }
}

test('a command of an engines file transcribes for clients, and leaves no files behind', async () => {
  await using engines = await withEngines(
    `engines:
  - kind: command
    id: loud
    name: Loud or not
    program: ${JSON.stringify(process.execPath)}
    arguments: [-e, ${JSON.stringify(`const [audio] = process.argv.slice(1); const fs = require('node:fs'); ${listen}`)}, --, '{audio}']
    language: en
`,
  )
  await using started = await startTestService(engines.options)
  // The machine's temporary folder is used by other services too.
  const temporary = join(engines.folder, 'temporary')
  await mkdir(temporary)
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const answer = await started.transcribe({ engine: 'command', model: 'loud', audio_base64: base64(tone(1)) })
  expect(answer.json).toMatchObject({ ok: true, text: 'loud words', engine: 'command', language: 'en' })
  const models = (await started.send('GET', '/models')).json['models']
  expect(models).toContainEqual({
    id: 'loud',
    kind: 'voice',
    provider: 'local',
    displayName: 'Loud or not',
    installed: true,
    size_mb: 0,
  })
  expect(await readdir(temporary)).toEqual([])
})

test('a command whose program is missing is listed as not installed, and comes back with it', async () => {
  await using folder = await temporaryFolder()
  const program = join(folder.path, 'later')
  await using engines = await withEngines(
    `engines:\n  - { kind: command, id: late, program: ${JSON.stringify(program)} }\n`,
  )
  await using started = await startTestService(engines.options)
  const isListedInstalled = async (): Promise<boolean> => {
    const { text } = await started.send('GET', '/models?kind=voice&installed_only=true')
    return text.includes('"late"')
  }
  const late = { engine: 'command', model: 'late', audio_base64: base64(tone(1)) }
  expect(await isListedInstalled()).toBe(false)
  expect((await started.transcribe(late)).json.error).toMatchObject({
    code: 'MODEL_NOT_INSTALLED',
    hint: expect.stringContaining('`program`'),
  })
  // The interpreter of a script cannot have a space in its path, as that of this checkout may have.
  const words = `#!/bin/sh\necho 'no ${folder.path}/model.bin' >&2; exit 7\n`
  await writeFile(program, words, { mode: 0o700 })
  expect(await isListedInstalled()).toBe(true)
  const answer = await started.transcribe(late)
  expect(answer.json.error).toEqual({
    code: 'TRANSCRIPTION_FAILED',
    message: 'later ended with exit code 7.',
    hint: 'It said: no model.bin',
  })
  expect(answer.text).not.toContain(folder.path)
  // The operator reads all of it.
  expect(started.logged).toContainEqual({
    kind: 'engineFailed',
    engine: 'command',
    model: 'late',
    code: 'TRANSCRIPTION_FAILED',
    reason: 'later ended with exit code 7.',
    detail: `no ${folder.path}/model.bin`,
    requestId: answer.headers['x-request-id'],
  })
})

test('an engines file is refused at the start with all that is wrong in it, in its order', async () => {
  await using engines = await withEngines(
    `engines:
  - { kind: command, id: a, program: x, arguments: [-i, '{audoi}', '{print $1}', '{{literal}}'] }
  - { kind: command, id: a, program: bin/x, output: { file: '{name}.txt' } }
  - { kind: command, id: b, program: x, timeoutSeconds: -1 }
  - { kind: openai, provider: moonshine, baseUrl: 'http://127.0.0.1:9', models: [m, m] }
  - { kind: openai, provider: mine }
  - { kind: openai, provider: vllm }
  - { kind: openai, baseUrl: 'ftp://somewhere' }
  - { kind: command, id: a b, program: x, pattern: '(', shell: true }
`,
  )
  const { code, problems } = await caught(startTestService(engines.options))
  expect(code).toBe('ENGINES_FILE_INVALID')
  expect(problems.map(({ where, what }) => `${where?.slice(engines.path.length)} ${what}`)).toEqual([
    expect.stringMatching(
      /^:2:\d+ engines\.0\.arguments\.1: \{audoi\} is no placeholder; there are \{audio\} and/,
    ),
    expect.stringMatching(/^:3:\d+ engines\.1\.id: command a is there twice/),
    expect.stringMatching(
      /^:3:\d+ engines\.1\.program: is a name that is looked up in PATH, or an absolute path/,
    ),
    expect.stringMatching(/^:3:\d+ engines\.1\.output\.file: \{name\} is no placeholder/),
    expect.stringMatching(/^:4:\d+ engines\.2\.timeoutSeconds: /),
    expect.stringMatching(/^:5:\d+ engines\.3\.provider: moonshine is the name of an engine of this machine/),
    expect.stringMatching(/^:5:\d+ engines\.3\.models\.1: moonshine m is there twice/),
    expect.stringMatching(/^:6:\d+ engines\.4: mine is not known by name: it needs a baseUrl/),
    expect.stringMatching(/^:6:\d+ engines\.4: which models mine has cannot be known/),
    expect.stringMatching(/^:7:\d+ engines\.5: which models vllm has cannot be known/),
    expect.stringMatching(/^:8:\d+ engines\.6\.baseUrl: /),
    expect.stringMatching(/^:9:\d+ engines\.7: .*shell/),
    expect.stringMatching(/^:9:\d+ engines\.7\.id: is a name without blanks/),
    expect.stringMatching(/^:9:\d+ engines\.7\.pattern: is a regular expression/),
  ])
})

test.each([
  [
    'an anchor that is not there',
    '*mine',
    /:1:10$/,
    { what: '"*mine" refers to an anchor that is not there' },
  ],
  ['a list that holds itself', '&a\n  - *a', /:2:5$/, { what: '"*a" refers to what it is a part of' }],
  ['a list without its end', '[', /:1:10$/, { hint: 'close it with ]' }],
])('an engines file with %s is refused with its place', async (_, engines, where, problem) => {
  await using file = await withEngines(`engines: ${engines}`)
  await expect(startTestService(file.options)).rejects.toMatchObject({
    code: 'ENGINES_FILE_INVALID',
    problems: [{ where: expect.stringMatching(where) as unknown, ...problem }],
  })
})
