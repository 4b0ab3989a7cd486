import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { capacityFindingSchema } from '#capacity/finding'
import { readModeLines, readRun } from '#journal/run-reader'
import { openLeases } from '#run/execute/modes'
import { argv, startCli } from './run-cli.ts'
import { scriptedWorkplace, workplace } from './workplace.ts'

const references = {
  one: 'the cat sat',
  two: 'on the mat',
  three: 'and slept',
  four: 'until noon',
  silence: '',
}
const { silence: _silence, ...spoken } = references

/** One at a time, each in 30 ms: about thirty a second, whatever the machine. */
const model = {
  byFile: Object.fromEntries(
    Object.entries(references).map(([id, text]) => [
      `${id}.wav`,
      text === '' ? { failure: 'TRANSCRIPTION_FAILED' as const, delayMs: 30 } : { text, delayMs: 30 },
    ]),
  ),
}

const world = (
  models: Parameters<typeof scriptedWorkplace>[0] = { good: model },
  texts: Readonly<Record<string, string>> = spoken,
  options: Parameters<typeof scriptedWorkplace>[3] = {},
) => scriptedWorkplace(models, texts, ['--contender', `scripted:${Object.keys(models)[0]}`], options)

const quick = ['--overload', '1s', '--in-flight', '1,2,4', '--seed', '5', '--transport', 'path']

test('a capacity is measured on a real service, journalled, written in every form, and the Modes are as before', async () => {
  const uncorrected = { ...references, one: 'the cat sad' }
  await using home = await world({ good: model }, uncorrected)
  const correction = {
    utteranceId: 'one',
    before: uncorrected.one,
    after: references.one,
    by: 'a',
    seen: 'blind',
  }
  const corrections = join(dirname(home.manifest), 'corrections.jsonl')
  await writeFile(corrections, `${JSON.stringify({ ...correction, when: '2026-11-28T12:00:00Z' })}\n`)
  const before = await home.service.modes()
  const config = join(home.path, 'sizing.yaml')
  // To refuse what holds no speech is an answer.
  await writeFile(config, 'scoring:\n  noSpeech:\n    - code: TRANSCRIPTION_FAILED\n')
  const result = await home.type`capacity ${config} ${home.target} --budget 20s --slo ${'p95 <= 0.2s'}
    --users 50 --json ${quick}`
  expect(result.stderr).not.toContain('error')
  expect(result.stderr).not.toContain('too short')
  // 5 where this machine is too busy to send in time, which is said.
  expect([0, 5, 6]).toContain(result.code)
  const finding = capacityFindingSchema.parse(JSON.parse(result.stdout))
  const [contender] = finding.contenders
  // A busy machine answers one request so slowly that the queue of four is not filled.
  expect([
    [1, 2, 4],
    [1, 2],
  ]).toContainEqual(contender?.sweep.levels.map(({ inFlight }) => inFlight))
  expect(
    contender?.sweep.levels.every(
      ({ failed, differingTexts, errorRate }) => failed === 0 && differingTexts === 0 && errorRate === 0,
    ),
  ).toBe(true)
  expect(contender?.levels.every(({ differingTexts }) => differingTexts === 0)).toBe(true)
  expect(contender?.costs?.cloud.length).toBeGreaterThan(0)

  const [folder = ''] = await home.runs()
  expect(JSON.parse(await readFile(join(folder, 'capacity.json'), 'utf8'))).toEqual(finding)
  const markdown = await readFile(join(folder, 'capacity.md'), 'utf8')
  expect(markdown).toContain('# Capacity')
  // Its error rates are those of the corrected references, and it says so; the plan holds those that were sent.
  for (const text of [result.stderr, markdown]) expect(text).toContain('1 corrected reference')
  expect(await readFile(join(folder, 'capacity.html'), 'utf8')).toMatch(/^<!doctype html>/i)
  const shown = await home.cli('report', 'latest', '--format', 'md')
  expect(shown).toMatchObject({ code: 0 })
  expect(shown.stdout).toContain('# Capacity')
  const csv = await readFile(join(folder, 'capacity.csv'), 'utf8')
  expect(csv.trim().split('\r\n')).toHaveLength(1 + (contender?.levels.length ?? 0))
  const { attempts, requests, record } = await readRun(folder)
  expect(record.status).toBe('finished')
  expect(new Set(attempts.map(({ index }) => index)).size).toBe(attempts.length)
  const phases = new Map(requests.map(({ index, phase }) => [index, phase]))
  expect(phases.size).toBe(requests.length)
  expect(attempts.every(({ index, phase }) => phases.get(index) === phase)).toBe(true)
  expect(openLeases(await readModeLines(folder))).toEqual([])
  expect(await home.service.modes()).toEqual(before)

  // A simulation that may speak: what this machine measured just now may be too little for that.
  const simulation = {
    fixedMs: 30,
    perAudioSecondMs: 0,
    ratios: [0.95, 1, 1.05],
    workers: 1,
    atWorkShare: 1,
    slowdowns: [1],
    idleSlowdown: 1,
    queueBound: null,
    reproductions: [],
    silentBecause: null,
    whatIfs: [],
  }
  const able = { ...finding, contenders: finding.contenders.map((each) => ({ ...each, simulation })) }
  await writeFile(join(folder, 'capacity.json'), JSON.stringify(able))
  const ask = (...flags: readonly string[]) => home.cli('capacity', '--what-if', 'latest', ...flags)
  const fewer = await ask('--exclude', 'one,two', '--users', '500')
  expect(fewer).toMatchObject({ code: 0, stderr: '' })
  const words = fewer.stdout.replaceAll(/\s+/g, ' ')
  expect(words).toMatch(/good, 3 of its 5 recordings \(.* s on average\), would sustain/)
  expect(words).toContain('500 concurrent users need')
  expect(words).toMatch(/check transcribench capacity .*--exclude 'one,two'/)
  const json = await ask('--exclude', 'one,two', '--json')
  const asked = capacityFindingSchema.parse(JSON.parse(json.stdout)).contenders[0]?.simulation?.whatIfs
  expect(asked?.map(({ question }) => question)).toEqual(['3 of its 5 recordings'])
  expect(asked?.[0]?.capacity?.requestsPerSecond).toBeGreaterThan(10)
  const page = join(home.path, 'asked.html')
  expect(await ask('--slo', 'p95 <= 1s', '-o', page)).toMatchObject({ code: 0 })
  expect(await readFile(page, 'utf8')).toMatch(/“p95 (<|\\u003c)= 1s”/)
  const silent = { ...simulation, silentBecause: 'a level is too far from it' }
  const unable = {
    ...finding,
    contenders: finding.contenders.map((each) => ({ ...each, simulation: silent })),
  }
  await writeFile(join(folder, 'capacity.json'), JSON.stringify(unable))
  const unanswered = await ask('--exclude', 'one,two')
  expect(unanswered).toMatchObject({ code: 6 })
  expect(unanswered.stdout).toContain('the simulation is not used: a level is too far from it')
  const longer = await ask('--budget', '20min')
  expect(longer).toMatchObject({ code: 2, stdout: '' })
  expect(longer.stderr).toContain("'--what-if <run>' cannot be used with option '--budget <duration>'")
  const unknown = await ask('--exclude', 'nowhere')
  expect(unknown).toMatchObject({ code: 2 })
  expect(unknown.stderr).toContain('there is no utterance "nowhere"')
})

// Each waits for its budget: they wait at the same time, and the one that measures a capacity is alone.
test.concurrent('an overload is survived: what the queue cannot take is turned away, and every text belongs to its recording', async () => {
  // Slow answers: a busy machine has time for the requests of a server that has not.
  const answers = Object.entries(spoken).map(([id, text]) => [`${id}.wav`, { text, delayMs: 400 }])
  const slow = { byFile: Object.fromEntries(answers) }
  await using home = await world({ slow }, spoken, { maxQueue: 4 })
  const flags = argv`--known-capacity 20 --budget 15s --in-flight 1 --transport path --json`
  const result = await home.cli('capacity', ...home.target, ...flags, '--overload', '2s')
  expect([0, 5]).toContain(result.code)
  const [contender] = capacityFindingSchema.parse(JSON.parse(result.stdout)).contenders
  expect(contender).toMatchObject({ capacity: null, ended: 'given', levels: [] })
  const [slight, heavy] = contender?.overloads ?? []
  expect([slight?.times, heavy?.times]).toEqual([1.2, 2])
  expect(heavy).toMatchObject({ perSecond: 40, failed: 0, isAlive: true, differing: 0, crossed: 0 })
  expect(heavy?.turnedAway).toBeGreaterThan(0)
  const { attempts } = await home.recorded()
  const sweep = attempts.filter(({ phase }) => phase === 'sweep')
  const measured = attempts.filter(({ phase }) => phase === 'measure')
  expect(sweep.length + measured.length).toBe(attempts.length)
  // Texts are compared with those of the one level of the sweep, which comes after the first requests and the cold path. On a
  // busy machine it ends before every recording was transcribed, and such a text has nothing to be compared with.
  const isAnswered = ({ outcome }: (typeof attempts)[number]): boolean => outcome.ok
  const levelBlock = Math.max(...sweep.map(({ block }) => block))
  const level = sweep.filter((line) => line.block === levelBlock && isAnswered(line))
  const alone = new Set(level.map(({ utteranceId }) => utteranceId))
  const comparable = measured.filter((line) => isAnswered(line) && alone.has(line.utteranceId))
  expect((slight?.compared ?? 0) + (heavy?.compared ?? 0)).toBe(comparable.length)
  expect(comparable.length).toBeGreaterThan(0)
  const shown = await home.cli('report', 'latest')
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).toMatch(/\d+ requests? turned away, none failed;/)
  expect(shown.stdout).toContain('given with --known-capacity')
  expect(shown.stdout).toContain('Texts under load are reported with each overload.')
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).not.toContain('0 of 0')
})

test.concurrent('Ctrl-C ends a capacity measurement, keeps what was measured, names the contenders that were not, and gives the Modes back', async () => {
  await using home = await world({ good: model, late: model }, references)
  const before = await home.service.modes()
  const flags = argv`--contender scripted:late --budget 30s ${quick}`
  const running = startCli(['capacity', ...home.target, ...flags], { cwd: home.path })
  await running.said(/requests in flight: throughput/)
  running.process.kill('SIGINT')
  const result = await running.ended
  expect(`${result.code} ${result.stderr}`).toMatch(/^130\b/)
  expect(result.stdout).toMatch(/moonshine|good/)
  const words = result.stdout.replaceAll(/\s+/g, ' ')
  expect(words).toContain('not measured: late; interrupted before the search was through')
  expect((await home.recorded()).record.status).toBe('interrupted')
  expect(await home.service.modes()).toEqual(before)
})

test.concurrent('a target that is lost under the second contender leaves what the first one sustains', async () => {
  await using home = await world({ good: model, late: model })
  const flags = argv`--contender scripted:late --known-capacity 10 --budget 8s --json ${quick}`
  const running = startCli(['capacity', ...home.target, ...flags], { cwd: home.path })
  await running.said(/late: /)
  home.service.process.kill('SIGKILL')
  const { code, stdout, stderr } = await running.ended
  expect(code, stderr).toBe(5)
  const { contenders: measured, remarks } = capacityFindingSchema.parse(JSON.parse(stdout))
  expect(measured.map(({ id, overloads }) => [id, overloads.length])).toEqual([['good', 2]])
  expect(remarks).toContainEqual({
    severity: 'invalid',
    message: expect.stringMatching(/^not measured: late; /),
  })
  expect((await home.recorded()).record).toMatchObject({
    status: 'failed',
    ending: { code: 'CAPACITY_CUT_SHORT' },
  })
})

test.concurrent('Ctrl-C in an overload leaves no overload that would be judged by a part of it', async () => {
  await using home = await world()
  const flags = ['--known-capacity', '10', '--budget', '15s', '--json', ...quick, '--overload', '30s']
  const running = startCli(['capacity', ...home.target, ...flags], { cwd: home.path })
  await running.said(/overload/)
  running.process.kill('SIGINT')
  const result = await running.ended
  expect(`${result.code} ${result.stderr}`).toMatch(/^130\b/)
  expect(result.stderr).not.toContain('long recordings')
  const [contender] = capacityFindingSchema.parse(JSON.parse(result.stdout)).contenders
  expect(contender).toMatchObject({ ended: 'interrupted', overloads: [], interference: null })
})

test.concurrent('a budget in which nothing can be found is no success, and the report says which objectives were asked for', async () => {
  await using home = await world()
  const asked = ['--slo', 'p95 <= 2s', '--slo', 'failures <= 1%', '--budget', '1s', ...quick]
  const { code, stdout, stderr } = await home.cli('capacity', ...home.target, ...asked, '--json')
  // 5 where this machine is too busy to send in time.
  expect([5, 6], stderr).toContain(code)
  const { objectives, contenders } = capacityFindingSchema.parse(JSON.parse(stdout))
  expect(objectives).toEqual(['p95 <= 2s', 'failures <= 1%'])
  expect(contenders.map(({ capacity }) => capacity)).toEqual([null])
  expect(stderr).toContain(
    'a budget of 1.0 s each, too short for open loads: cold start, sweep and results have 11 s at least',
  )
})

describe('what cannot be read is reported before anything is sent', () => {
  test.each([
    [
      ['--slo', 'p95 <= 2', '--slo', 'wer <= 8%'],
      ['"2" has no unit', 'neither a percentile', 'OBJECTIVE_INVALID'],
    ],
    [
      ['--slo', 'p95 < 2s', '--budget', '10', '--in-flight', '2,4', '--users', '-3'],
      [
        ...['4 problems', '"<" is not an operator here', 'A length of time is needed'],
        ...['Whole numbers that begin with 1', '--users'],
      ],
    ],
    [['--known-capacity', '-1'], ['A number of requests per second above 0 is needed']],
    [
      ['--prices', 'nowhere.yaml'],
      ['nowhere.yaml cannot be read', 'PRICES_UNREADABLE'],
    ],
  ])('%o', async (flags, said) => {
    await using home = await workplace()
    const result = await home.cli('capacity', ...flags)
    expect(result).toMatchObject({ code: 2, stdout: '' })
    for (const text of said) expect(result.stderr).toContain(text)
    expect(await home.runs()).toEqual([])
  })
})
