import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRun } from '#journal/run-reader'
import { canMount, mountReason } from '../can-mount.ts'
import { runCli, startCli } from './run-cli.ts'
import { scriptedWorkplace } from './workplace.ts'

const references = { one: 'the cat sat', two: 'on the mat', three: 'and slept', four: 'until noon' }

/** What a perfect engine says: the corpus's own references, by the digest-free way of the file's name. */
function answers(change: Readonly<Record<string, object>> = {}): Readonly<Record<string, object>> {
  const perfect = Object.entries(references).map(([id, text]) => [`${id}.wav`, { text }])
  return { ...Object.fromEntries(perfect), ...change }
}

const usual = '--transport path --rounds 2 --warmup 1 --max-warmup 0'.split(' ')
const world = (
  models: Parameters<typeof scriptedWorkplace>[0],
  texts: Readonly<Record<string, string>> = references,
) => scriptedWorkplace(models, texts, usual)

const perfect = { byFile: answers() }
const worse = { byFile: answers({ 'two.wav': { text: 'on the hat' } }) }

describe('a run against a service', () => {
  test('measures, writes every file, and leaves the Modes as they were', async () => {
    await using here = await world({ good: perfect, poor: worse })
    const before = await here.service.modes()
    const result = await here.run('--contender', 'scripted:good', '--contender', 'scripted:poor')
    expect(result).toMatchObject({ code: 0 })
    expect(result.stdout).toContain('good')
    // 30, and up to six for what is said of a busy machine.
    expect(result.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(36)
    expect(result.stderr).toContain('16/16')

    const [folder = ''] = await here.runs()
    expect((await readdir(folder)).toSorted()).toEqual([
      'evaluation.json',
      'journal.jsonl',
      'modes.jsonl',
      'plan.jsonl',
      'report.html',
      'run.json',
      'run.lock',
      'scoring.json',
      'summary.csv',
      'summary.json',
      'telemetry.jsonl',
      'utterances.csv',
    ])
    const run = await readRun(folder)
    expect(run.record).toMatchObject({
      status: 'finished',
      counts: { planned: 16, answered: 16, failed: 0, dropped: 0, notSent: 0 },
    })
    expect(resolve(folder, run.record.manifest ?? '')).toBe(here.manifest)
    const speeds = Object.values(run.record.host.speed ?? {})
    expect(speeds.map((speed) => speed !== undefined && speed > 0)).toEqual([true, true, true])
    const evaluation = JSON.parse(await readFile(join(folder, 'evaluation.json'), 'utf8'))
    const rates = Object.fromEntries(
      evaluation.contenders.map((entry: { contender: { id: string }; words: { rate: number } }) => [
        entry.contender.id,
        entry.words.rate,
      ]),
    )
    // Ten words a round, of which "hat" for "mat" is one, in two rounds.
    expect(rates).toEqual({ good: 0, poor: 2 / 20 })
    expect(await here.service.modes()).toEqual(before)

    // What the same would take is known from now on, and what something else would take is not.
    const expectedOf = async (...flags: string[]): Promise<string> =>
      (await here.run('--dry-run', '--contender', 'scripted:good', ...flags)).stdout
    expect(await expectedOf()).toMatch(new RegExp(`expect +about .* as in ${basename(folder)}`))
    expect(await expectedOf('--concurrency', '2')).not.toContain('as in')
  })

  test('a sample is drawn, sent, shown in the plan and recorded, and drawn again where the run is repeated', async () => {
    await using here = await world({ good: perfect })
    const result = await here.run('--contender', 'scripted:good', '--sample', '2')
    expect(result).toMatchObject({ code: 0 })
    expect(result.stderr).toContain('a sample of 2 of 4 utterances, balanced by length')
    expect(result.stdout).toContain('2 of 4 utterances')
    const [folder = ''] = await here.runs()
    const { record, utterances } = await readRun(folder)
    expect(record.corpus).toMatchObject({ utteranceCount: 2, sampledFrom: 4 })
    // One of the two shorter recordings, and one of the two longer ones.
    const ids = utterances.map(({ id }) => id)
    expect(ids[0]).toMatch(/one|two/)
    expect(ids[1]).toMatch(/three|four/)
    const again = await here.cli('replay', folder, '--name', 'again')
    expect(again).toMatchObject({ code: 0 })
    const [replayed = ''] = (await here.runs()).filter((path) => path.endsWith('again'))
    expect((await readRun(replayed)).record.corpus).toEqual(record.corpus)
  })

  test('that fails more often than it is answered is not valid, says so first, and exits 5', async () => {
    const failure = { failure: 'TRANSCRIPTION_FAILED' }
    await using here = await world({
      broken: { byFile: answers({ 'one.wav': failure, 'two.wav': failure, 'three.wav': failure }) },
    })
    const result = await here.run('--contender', 'scripted:broken')
    expect(result).toMatchObject({ code: 5 })
    expect(result.stdout).toMatch(/^\s*✗ This run is not valid/)
    expect(result.stdout).toContain('verdict        INVALID')
    expect(result.stdout).toContain('only 2 of 8 requests to broken were answered')
  })

  test('is scored by other rules afterwards, side by side, without another request', async () => {
    await using here = await world({ poor: worse })
    await here.run('--contender', 'scripted:poor', '--profile', 'english')
    const [folder = ''] = await here.runs()
    const journal = await readFile(join(folder, 'journal.jsonl'), 'utf8')
    const first = await readFile(join(folder, 'evaluation.json'), 'utf8')
    expect(JSON.parse(first).profile.id).toBe('english@3')
    const { utterances } = await readRun(folder)
    const [utterance] = utterances
    const correction = { when: '2026-11-21T07:31:02Z', by: 'a person', seen: 'blind' }
    const line = {
      utteranceId: utterance?.id,
      before: utterance?.reference,
      after: 'other words',
      ...correction,
    }
    await writeFile(join(here.path, 'corrections.jsonl'), `${JSON.stringify(line)}\n`)
    await writeFile(join(here.path, 'words.txt'), '# names\nother words\n')
    const score = (...args: string[]) => here.cli('score', 'latest', ...args)
    const results = [
      await score('--profile', 'whisper-english'),
      await score('--language', 'Japanese'),
      await score('--corrections', 'corrections.jsonl', '--vocabulary', 'words.txt'),
    ]
    for (const { code, stderr } of results) expect(code, stderr).toBe(0)
    expect(results[2]?.stdout).toMatch(/keywords +\S+: found .* of those said; right in/)
    expect(await readFile(join(folder, 'evaluation.json'), 'utf8')).toBe(first)
    expect(await readFile(join(folder, 'journal.jsonl'), 'utf8')).toBe(journal)
    const files = await readdir(folder)
    const named = (pattern: RegExp): string => files.find((file) => pattern.test(file)) ?? 'none'
    for (const kind of ['evaluation', 'summary']) {
      for (const profile of ['whisper-english', 'japanese-1']) {
        expect(files).toContainEqual(
          expect.stringMatching(new RegExp(`^${kind}\\.${profile}\\.[0-9a-f]{8}\\.json$`)),
        )
      }
    }
    expect(await score('--language', 'Japnese')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "ja" (Japanese)?'),
    })
    const again = JSON.parse(
      await readFile(join(folder, named(/^evaluation\.english-3\+words\.[0-9a-f]{8}\.json$/)), 'utf8'),
    )
    expect(again.scoring).toMatchObject({
      corrections: { source: 'corrections.jsonl', correctedIds: [utterance?.id], staleCount: 0 },
      vocabulary: { keywordCount: 1 },
    })
    const report = (...args: string[]) => here.cli('report', 'latest', ...args)
    const [newest, listed, own, unknown] = await Promise.all([
      report('--format', 'csv'),
      report('--scores'),
      report('--score', 'whisper-english', '--format', 'json'),
      report('--score', 'nothing'),
    ])
    expect(newest.stdout).toContain('english@3+words')
    // `score` lists the files of its score, which name it inside as well; `report` names the page alone.
    const whisper = named(/^evaluation\.whisper-english\./).slice('evaluation.'.length, -'.json'.length)
    const japanese = named(/^evaluation\.japanese-1\./).slice('evaluation.'.length, -'.json'.length)
    const words = named(/^evaluation\.english-3\+words\./).slice('evaluation.'.length, -'.json'.length)
    const shown = await Promise.all([report(), report('--score', whisper), report('--score', 'english')])
    const screens = [...results, ...shown].map(({ stdout }) => stdout)
    const names = [whisper, japanese, words, words, whisper, null]
    for (const [index, name] of names.entries()) {
      const infix = name === null ? '' : `.${name}`
      const written = [`report${infix}.html`, `summary${infix}.csv`, `evaluation${infix}.json`]
      const other = names.find((each) => each !== name && each !== null)
      for (const file of written) {
        expect(files).toContain(file)
        if (index >= results.length && !file.endsWith('.html')) continue
        expect(screens[index]).toMatch(new RegExp(`[\\s/]${file.replaceAll(/[.+]/g, '\\$&')}(\\s|$)`))
      }
      expect(screens[index]).not.toContain(`report.${other}.html`)
    }
    expect(await readFile(join(folder, `report.${words}.html`), 'utf8')).toContain(`${words}</title>`)
    const [header, row] = (await readFile(join(folder, `summary.${words}.csv`), 'utf8')).split('\r\n')
    expect(row?.split(',')[header?.split(',').indexOf('score') ?? -1]).toBe(words)
    expect(listed.stdout.match(/scripted|poor/g)).toHaveLength(4)
    expect(JSON.parse(own.stdout).profile.id).toBe('whisper-english')
    expect(unknown).toMatchObject({ code: 2 })
    expect(unknown.stderr).toContain('SCORE_NOT_FOUND')
    expect(unknown.stderr).not.toContain('or make it')
    const unmade = await report('--score', 'basic')
    expect(unmade.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /or make it: transcribench score \S+ --profile basic /,
    )
  })

  test('thresholds decide the exit code, and one without samples never passes', async () => {
    await using here = await world({ poor: worse })
    const broken = await here.run('--contender', 'scripted:poor', '--threshold', 'wer <= 1%')
    expect(broken).toMatchObject({ code: 3 })
    const kept = await here.run('--contender', 'scripted:poor', '--threshold', 'wer <= 50%')
    expect(kept).toMatchObject({ code: 0 })
    const empty = await here.run('--contender', 'scripted:poor', '--threshold', 'latency.p99 <= 60s')
    expect(empty).toMatchObject({ code: 3 })
  })
})

describe('the language of a contender that names none', () => {
  const chinese = { one: '而对楼市成交', two: '今天天气很好', three: '我们明天见', four: '他去了北京' }
  const spaced = Object.entries(chinese).map(([id, text]) => [`${id}.wav`, { text: [...text].join(' ') }])
  const models = { good: { byFile: Object.fromEntries(spaced) } }

  test('is left to the engine where the corpus names none, and the script of its texts decides what is counted', async () => {
    await using here = await world(models, chinese)
    const { code, stdout } = await here.run('--contender', 'scripted:good')
    expect({ code }).toEqual({ code: 0 })
    const { record } = await here.recorded()
    expect(record).toMatchObject({ contenders: [{ language: 'auto' }], scoringProfile: 'unspaced' })
    expect(stdout).toContain('CER')
    expect(stdout.indexOf('CER')).toBeLessThan(stdout.indexOf('WER'))
    expect(stdout).toMatch(/good +0\.0+ ?%/)
  })

  test.each([
    [
      'can be read',
      {
        one: 'I am twenty one years old',
        two: 'she did not know it',
        three: 'it costs five dollars, please',
      },
      ['english@3', 'references read as English; --profile sets another one', 'de'],
    ],
    [
      'have too few words to be read',
      { one: 'twenty one', two: "it's five dollars" },
      ['basic', 'the corpus names no language; for English: --profile english, or "language": "en"', 'en'],
    ],
  ])('decides nothing of the scoring where references without a language %s', async (_, english, scored) => {
    const [scoringProfile, words = '', language] = scored
    const same = Object.entries(english).map(([id, text]) => [`${id}.wav`, { text }])
    await using here = await world({ good: { byFile: Object.fromEntries(same) } }, english)
    const config = join(here.path, 'config.json')
    const contenders = [{ engine: 'scripted', model: 'good', language }]
    await writeFile(config, JSON.stringify({ contenders }))
    const { stdout, stderr, code } = await here.run(config)
    expect(code, stderr).toBe(0)
    for (const said of [stdout, stderr]) expect(said.replaceAll(/\s+/g, ' ')).toContain(words)
    expect((await here.recorded()).record).toMatchObject({ contenders: [{ language }], scoringProfile })
  })

  test('is that of the corpus where all utterances have the same one', async () => {
    await using here = await world({ good: perfect })
    const lines = (await readFile(here.manifest, 'utf8')).trim().split('\n')
    const labelled = lines.map((line) => JSON.stringify({ ...JSON.parse(line), language: 'en-GB' }))
    await writeFile(here.manifest, `${labelled.join('\n')}\n`)
    expect(await here.run('--contender', 'scripted:good')).toMatchObject({ code: 0 })
    const { record } = await here.recorded()
    expect(record).toMatchObject({ contenders: [{ language: 'en-GB' }], scoringProfile: 'english@3' })
  })
})

describe('a named Mode', () => {
  test('that is not there is named together with those that are', async () => {
    await using here = await world({ good: perfect })
    const config = join(here.path, 'named.json')
    await writeFile(config, JSON.stringify({ contenders: [{ id: 'mine', mode: 'Diktat' }] }))
    const result = await here.run(config)
    expect(result).toMatchObject({ code: 4 })
    expect(result.stderr).toContain('no Mode "Diktat"')
    expect(result.stderr).not.toMatch(/\n {4}at /)
  })
})

test.skipIf(!canMount)(
  `a run on a disk that is full when every answer is there shows its result, says how the score is saved, and names no report${mountReason}`,
  async () => {
    await using here = await world({ good: perfect })
    const disk = join(here.path, 'disk')
    await mkdir(disk)
    // Room for the journal, and none for the page.
    const script = `mount -t tmpfs -o size=100k tmpfs ${disk} || exit 99; "$@"; code=$?; ls -R ${disk}; exit $code`
    const { code, stdout, stderr } = await runCli(
      here.typed('--contender', 'scripted:good', '--results', disk),
      { cwd: here.path, through: ['unshare', '-rm', 'bash', '-c', script, 'bash'] },
    )
    expect(code).toBe(2)
    const [shown = '', left] = stdout.split(`${disk}:`)
    expect(shown).toMatch(/WER[\s\S]*good/)
    expect(shown).not.toMatch(/^ +report +\S|\.html/m)
    expect(left).not.toMatch(/^report\.html$/m)
    expect(stderr).toContain('RESULTS_DISK_FULL')
    const message = stderr.replaceAll(/\s+/g, ' ')
    expect(message).toContain('its score is not saved')
    expect(message).toContain(`free some disk space, then: transcribench score ${disk}/`)
  },
)

test.skipIf(!canMount)(
  `a run whose disk is full before its plan is written is given again, because there is none to go on with${mountReason}`,
  async () => {
    await using here = await world({ good: perfect })
    const disk = join(here.path, 'disk')
    await mkdir(disk)
    const script = `mount -t tmpfs -o size=100k tmpfs ${disk} || exit 99; head -c 200k /dev/zero > ${disk}/fill 2> /dev/null; "$@"`
    const { code, stderr } = await runCli(here.typed('--contender', 'scripted:good', '--results', disk), {
      cwd: here.path,
      through: ['unshare', '-rm', 'bash', '-c', script, 'bash'],
    })
    expect(code, stderr).toBe(2)
    expect(stderr).toContain('RESULTS_DISK_FULL')
    expect(stderr).not.toContain('--resume')
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'make room, or use --results with a folder on another disk; then give the command again',
    )
  },
)

describe('a command whose files go to a disk that is full', () => {
  test.skipIf(!canMount)(
    `says so, names the file and what to do, and leaves no piece of it${mountReason}`,
    async () => {
      await using here = await world({ good: perfect })
      const { path: cwd } = here
      const measured = await runCli(here.typed('--contender', 'scripted:good'), {
        cwd,
      })
      expect(measured.code, measured.stderr).toBe(0)
      await mkdir(join(cwd, 'disk'))
      const onFullDisk = async (...typed: string[]) => {
        const script = `mount -t tmpfs -o size=100k tmpfs disk || exit 99
for run in results/*/; do mkdir -p disk/kept/$(basename $run); cp $run/{run.json,plan.jsonl,journal.jsonl} disk/kept/$(basename $run); done
          head -c 200k /dev/zero > disk/fill 2> /dev/null
          "$@"; code=$?; ls -A disk disk/kept/* >&2; exit $code`
        const through = ['unshare', '-rm', 'bash', '-c', script, 'bash']
        const { code, stdout, stderr } = await runCli(typed, { cwd, through })
        const [said = '', left = ''] = stderr.replaceAll(/\s+/g, ' ').split(' disk: ')
        return { code, said: `${stdout} ${said}`, left }
      }
      const unwritten = [
        [['report', 'latest', '-o', 'disk/new.html'], 'disk/new.html'],
        [['compare', 'latest', 'latest', '-o', 'disk/new.html'], 'disk/new.html'],
        [['history', '--csv', 'disk/new.csv'], 'disk/new.csv'],
        [['export', 'latest', '-o', 'disk/new', '--format', 'csv'], 'disk/new'],
        [['score', 'latest', '--results', 'disk/kept'], 'disk/kept'],
      ] as const
      for (const [typed, path] of unwritten) {
        const { code, said, left } = await onFullDisk(...typed)
        expect(code, said).toBe(2)
        expect(said).toMatch(
          new RegExp(`${path}[^ ]* cannot be written.*(ENOSPC|disk is full)|disk is full.*${path}`),
        )
        expect(said).toMatch(/make room on that disk|on a disk with space/)
        expect(said).not.toMatch(/\bnew\S* written|report\S*\.html|--resume|This is a bug/)
        expect(left).not.toMatch(/new\.|draft|partial|evaluation|report/)
      }
    },
  )
})

test('Ctrl-C in the warm-up drops the request in flight and says one thing', async () => {
  await using here = await world({ slow: { otherwise: { text: 'late', delayMs: 60_000 } } })
  const before = await here.service.modes()
  const cli = startCli(here.typed('--contender', 'scripted:slow'), {
    cwd: here.path,
  })
  await cli.said(/8 requests/)
  cli.process.kill('SIGINT')
  const { code, stdout, stderr } = await cli.ended
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
  expect(stderr).toContain('interrupted in the warm-up: nothing was measured')
  expect(stderr).toMatch(/transcribench run --resume \S+-recordings/)
  expect(stderr).not.toMatch(/no answer|done|waiting for what is in flight/)
  expect(await here.service.modes()).toEqual(before)
})

describe('two runs', () => {
  test('that begin in the same second and fill one results folder keep apart', async () => {
    await using here = await world({ good: perfect })
    const runs = await Promise.all([1, 2, 3].map(() => here.run('--contender', 'scripted:good', '--quiet')))
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    const folders = await here.runs()
    expect(folders).toHaveLength(3)
    for (const folder of folders) expect((await readRun(folder)).record.id).toBe(basename(folder))
  })
})

describe('a run that loses its listener', () => {
  test('goes on when its progress has no reader any more, and exits as it ended', async () => {
    await using here = await world({ good: perfect })
    const flags = here.typed('--contender', 'scripted:good')
    const before = await here.service.modes()
    const result = await runCli(flags, {
      cwd: here.path,
      through: ['bash', '-c', 'set -o pipefail; "$@" 2>&1 | head -n 1', 'bash'],
    })
    expect(result).toMatchObject({ code: 0 })
    expect((await here.recorded()).record.status).toBe('finished')
    expect(await here.service.modes()).toEqual(before)
  })
})

test('answers of another model than the one under test make a run invalid', async () => {
  await using here = await world({ good: perfect, other: perfect })
  expect(await here.run('--contender', 'scripted:good')).toMatchObject({ code: 0 })
  const [folder = ''] = await here.runs()
  const journal = join(folder, 'journal.jsonl')
  await writeFile(journal, (await readFile(journal, 'utf8')).replaceAll('"model":"good"', '"model":"other"'))
  const report = await here.cli('report', folder)
  expect(report).toMatchObject({ code: 5 })
  expect(report.stdout).toContain('not from scripted:good')
})
