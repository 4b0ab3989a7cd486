import { copyFile, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AttemptLine } from '#journal/attempt-line'
import { listRuns } from '#journal/find-run'
import { type RecordedRun, readRun } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { cliHere } from './cli-here.ts'
import { expectWhole } from './expect-fault-row.ts'
import { type FaultWorld, faultGround, faultWorld, type Ground } from './fault-world.ts'

let ground: Ground
beforeAll(async () => {
  ground = await faultGround()
})
afterAll(() => ground[Symbol.asyncDispose]())
afterEach(() => vi.unstubAllEnvs())

/** How a busy machine may judge a run under an open load is no concern of these tests. */
const carriedOut: readonly number[] = [0, 5]

/** Goes on with a run and sees to it that the rest was sent, and nothing but the rest. */
async function resumed(world: FaultWorld, before: RecordedRun): Promise<readonly AttemptLine[]> {
  const written = await readFile(join(before.folder, runFiles.journal), 'utf8')
  const { code, stderr } = await world.cli('run', '--resume', 'latest')
  expect(carriedOut, stderr).toContain(code)
  return expectWhole(world, before, written)
}

/** One of each way to send; what was sent before is passed over by every schedule: `tests/load`. */
const loads: readonly Readonly<Record<string, unknown>>[] = [
  { kind: 'closed', concurrency: 3 },
  { kind: 'poisson', rate: '40/s' },
  { kind: 'steps', steps: ['20/s for 150ms', '60/s for 100ms'], intervals: 'even' },
  { kind: 'trace', trace: 'day.csv', speed: 20 },
  { kind: 'users', users: 2, pause: '10ms' },
]

describe('transcribench run --resume', () => {
  test.for(loads)('keeps to the arrivals of %j', async (load) => {
    const trace = join(ground.folder, 'day.csv')
    const moments = Array.from({ length: 8 }, (_, index) => `${10 + index},0.${5 + (index % 3)}`)
    await writeFile(trace, ['ended_at,audio_seconds', ...moments].join('\n'))
    await using world = await faultWorld(ground, {
      load: 'trace' in load ? { ...load, trace } : load,
      rounds: 1,
      contenders: [
        { id: 'made', engine: 'scripted', model: 'good' },
        { id: 'other', engine: 'scripted', model: 'good', language: 'en' },
      ],
    })
    const before = await world.interruptedAfter(1)
    const again = await resumed(world, before)
    expect(again.length).toBeGreaterThan(0)
    const planned = new Map(before.requests.map(({ index, send }) => [index, send]))
    for (const lines of Map.groupBy(again, ({ block }) => block).values()) {
      const [first, ...others] = lines.toSorted((left, right) => left.index - right.index)
      const firstSend = planned.get(first?.index ?? -1)
      for (const { index, dueAtMs } of others) {
        const send = planned.get(index)
        if (send?.kind !== 'due' || firstSend?.kind !== 'due') continue
        expect(dueAtMs - (first?.dueAtMs ?? 0)).toBeCloseTo(send.dueAtMs - firstSend.dueAtMs, 1)
      }
    }
  })

  test('goes on with a transcription server', async () => {
    await using double = await startOpenAiDouble({ textOf: () => 'yes' })
    await using world = await faultWorld(ground, {
      target: double.target,
      transport: 'auto',
      contenders: ['tiny', 'large'].map((model) => ({ id: model, engine: 'any', model })),
    })
    const before = await world.interruptedAfter(3)
    const again = await resumed(world, before)
    expect(double.forms).toHaveLength(before.attempts.length + again.length + 2)
  })

  test('goes on with a service that is at another address now, which has to be given, and says how', async () => {
    const announced = async ({
      front,
    }: FaultWorld): Promise<{ readonly port: number; readonly token: string }> =>
      JSON.parse(await readFile(front.discoveryPath, 'utf8'))
    await using front = await faultWorld(ground)
    const before = await announced(front)
    vi.stubEnv('TRANSCRIBENCH_TOKEN', before.token)
    await using world = await faultWorld(ground, { target: `http://127.0.0.1:${before.port}` })
    const interrupted = await world.interruptedAfter(3)
    await front.front.move()
    const now = await announced(front)
    vi.stubEnv('TRANSCRIBENCH_TOKEN', now.token)

    const lost = await world.cli('run', '--resume', 'latest')
    expect(lost).toMatchObject({ code: 4, stdout: '' })
    const told =
      /transcribench (run --resume \S+ --target) </.exec(lost.stderr.replaceAll(/\s+/g, ' '))?.[1] ?? ''
    expect(told).toContain(interrupted.folder)

    const written = await readFile(join(interrupted.folder, runFiles.journal), 'utf8')
    const address = `http://127.0.0.1:${now.port}`
    const { code, stderr } = await cliHere(...told.split(' '), address)
    expect(code, stderr).toBe(0)
    await expectWhole(world, interrupted, written)
    const { record } = await world.recorded()
    expect(record).toMatchObject({
      config: { target: address },
      target: { kind: 'address', baseUrl: address },
    })
  })

  test('goes on with the built-in service, which is another process then', async () => {
    const engines = join(ground.folder, 'engines.json')
    const says = { kind: 'command', id: 'says', program: 'sh', arguments: ['-c', 'echo yes'] }
    await writeFile(engines, JSON.stringify({ engines: [says] }))
    const contenders = [{ engine: 'command', model: 'says' }]
    await using world = await faultWorld(ground, { target: 'embedded', engines, contenders, rounds: 2 })
    const before = await world.interruptedAfter(1)
    const again = await resumed(world, before)
    expect(new Set(again.map(({ outcome }) => outcome.ok))).toEqual(new Set([true]))
  })

  test('is reported so that it can be typed, by the run, its record and a report of a run that died', async () => {
    await using world = await faultWorld(ground)
    world.front.spoil(({ transcription }) => (transcription === 7 ? () => world.front.leave() : null))
    const lost = await world.run()
    await world.front.comeBack()
    const { record, folder } = await world.recorded()
    await edit(join(folder, runFiles.record), '"status": "failed"', '"status": "started"')
    await edit(join(folder, runFiles.record), `"pid": ${process.pid}`, '"pid": 4711')
    const died = await world.cli('report', 'latest')
    const told = [lost.stdout, record.ending?.hint ?? '', died.stdout].map(
      (text) => /transcribench (run --resume \S+( --results \S+)?)/.exec(text.replaceAll(/\s+/g, ' '))?.[1],
    )
    expect(told).not.toContain(undefined)
    const [first = '', ...others] = told
    const resume = (command: string | undefined) => cliHere(...(command ?? '').split(' '))
    expect(await resume(first)).toMatchObject({ code: 0 })
    for (const command of others) expect((await resume(command)).stderr).toContain('RUN_COMPLETE')
    const through = await resume(first)
    const replay = /transcribench (replay \S+)/.exec(through.stderr.replaceAll(/\s+/g, ' '))?.[1]
    expect(replay).toContain(folder)
  })

  test('takes the config again as long as it says the same', async () => {
    await using world = await faultWorld(ground)
    const before = await world.interruptedAfter(3)
    const { code, stderr } = await world.run('--resume', before.record.id)
    expect(code, stderr).toBe(0)
  })

  test('compares of a group only what is typed', async () => {
    await using world = await faultWorld(ground, {
      scoring: { profile: 'english', fillers: ['um'] },
      retries: { codes: ['HTTP_503'], most: 3 },
    })
    await world.interruptedAfter(3)
    const typed = ['--profile', 'english', '--retry', 'HTTP_503']
    const { code, stderr } = await world.cli('run', '--resume', 'latest', ...typed)
    expect(code, stderr).toBe(0)
  })

  test('refuses what the cap on billed audio does not cover with a second warm-up, and takes a higher cap', async () => {
    const contenders = [{ id: 'made', engine: 'scripted', model: 'good', usdPerMinute: 0.01 }]
    await using world = await faultWorld(ground, { contenders, rounds: 2, maxBilledMinutes: 0.05 })
    const before = await world.interruptedAfter(2)
    const written = await readFile(join(before.folder, runFiles.journal), 'utf8')
    const refused = await world.cli('run', '--resume', 'latest')
    // A file without a cap does not raise it to the default.
    await edit(join(world.folder, 'both.json'), ',"maxBilledMinutes":0.05', '')
    const withFile = await world.run('--resume', 'latest')
    for (const { code, stdout, stderr } of [refused, withFile]) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('BILLED_MINUTES_EXCEEDED')
    }
    const said = refused.stderr.replaceAll(/\s+/g, ' ')
    expect(await readFile(join(before.folder, runFiles.journal), 'utf8')).toBe(written)
    const suggested = /transcribench (run --resume \S+ --max-billed-minutes \S+)/.exec(said)?.[1] ?? ''
    const { code, stderr } = await cliHere(...suggested.split(' '))
    expect(code, stderr).toBe(0)
    await expectWhole(world, before, written)
    expect((await world.recorded()).record.config).toMatchObject({ maxBilledMinutes: 1 })
  })

  test('of the same run twice at once goes on once, and nothing is sent twice', async () => {
    await using world = await faultWorld(ground)
    const before = await world.interruptedAfter(3)
    const written = await readFile(join(before.folder, runFiles.journal), 'utf8')
    const both = await Promise.all([1, 2].map(() => world.cli('run', '--resume', 'latest')))
    expect(both.map(({ code }) => code).sort()).toEqual([0, 2])
    expect(both.map(({ stderr }) => stderr).join('')).toContain('is still going on')
    await expectWhole(world, before, written)
  })

  test('refuses while the run is alive, and when it is through', async () => {
    await using world = await faultWorld(ground)
    let alive = { code: 0, stderr: '' }
    world.front.spoil(({ transcription }) =>
      transcription === 5
        ? async ({ response, text }) => {
            alive = await world.cli('run', '--resume', 'latest')
            response.end(text)
          }
        : null,
    )
    expect(await world.run()).toMatchObject({ code: 0 })
    expect(alive).toMatchObject({ code: 2, stderr: expect.stringContaining('is still going on') })
    const { record } = await world.recorded()
    const through = await world.cli('run', '--resume', 'latest')
    expect(through).toMatchObject({ code: 2, stdout: '' })
    expect(through.stderr).toContain(record.id)
  })
})

/** What somebody may have changed since, and how that is told. */
const changes: readonly {
  readonly name: string
  readonly flags?: readonly string[]
  change?(world: FaultWorld, run: RecordedRun): Promise<void>
  readonly said: readonly string[]
}[] = [
  {
    name: 'another recording',
    change: async ({ manifest }) => {
      const audio = join(manifest, '..', 'audio')
      await copyFile(join(audio, 'two.wav'), join(audio, 'one.wav'))
    },
    said: ['other recordings than then: one'],
  },
  {
    name: 'an utterance more and one less',
    change: ({ manifest }) => edit(manifest, '"id":"one"', '"id":"three"'),
    said: ['not there any more: one', 'were not there: three'],
  },
  {
    name: 'a model that is gone',
    change: async ({ front }) => spoilModels(front, (text) => text.replaceAll('"good"', '"better"')),
    said: ['the model good is not on'],
  },
  {
    name: 'another model of the same name',
    change: async ({ front }) =>
      spoilModels(front, (text) => text.replaceAll(/"size_mb":[^,}]*/g, '"size_mb":12345')),
    said: ['the model good is another one: size_mb is 12345 and was'],
  },
  {
    name: 'another version of the server',
    change: async ({ front }) =>
      front.spoil(({ path }) =>
        path === '/health'
          ? ({ response, text }) =>
              void response.end(text.replace(/"app_version":"[^"]*"/, '"app_version":"9.9.9"'))
          : null,
      ),
    said: ['has version 9.9.9 now'],
  },
  {
    name: 'another machine',
    change: (_, { folder }) => edit(join(folder, runFiles.record), /"cpuCount": \d+/, '"cpuCount": 4711'),
    said: ['this machine', '4711'],
  },
  {
    name: 'another plan',
    change: (_, { folder }) => edit(join(folder, runFiles.plan), '"dueAtMs":', '"dueAtMs":1'),
    said: ['plan.jsonl', 'planned it otherwise'],
  },
  {
    name: 'other settings and another reference, all of which are reported at once',
    flags: [
      '--concurrency',
      '3',
      '--seed',
      '9',
      '--retry',
      'RATE_LIMITED',
      '--reuse',
      '7d',
      '--timeout',
      '9s',
    ],
    change: ({ manifest }) => edit(manifest, '"text":"yes"', '"text":"no"'),
    said: [
      'load',
      'seed',
      'is 9 now and was 1',
      'retries.codes',
      'reuseSeconds',
      'TimeoutSeconds',
      'other references than then: one',
    ],
  },
]

async function edit(path: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  expect(text).not.toBe(text.replace(from, to))
  await writeFile(path, text.replace(from, to))
}

function spoilModels({ spoil }: FaultWorld['front'], change: (text: string) => string): void {
  spoil(({ path }) =>
    path.startsWith('/models') ? ({ response, text }) => void response.end(change(text)) : null,
  )
}

describe('a run that would not be the same measurement', () => {
  test.for(changes)('because of $name is not resumed, and nothing is changed', async (row) => {
    await using world = await faultWorld(ground, {
      // Slow enough that a busy machine, too, is stopped before the second request.
      load: { kind: 'constant', rate: '0.05/s' },
      rounds: 1,
      contenders: [{ id: 'made', engine: 'scripted', model: 'good' }],
    })
    const before = await world.interruptedAfter(1)
    await row.change?.(world, before)
    const files = [runFiles.record, runFiles.journal, runFiles.modes].map((name) => join(before.folder, name))
    const contents = () => Promise.all(files.map((path) => readFile(path, 'utf8')))
    const then = await contents()
    const refused = await world.cli('run', '--resume', 'latest', ...(row.flags ?? []))
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    const said = refused.stderr.replaceAll(/\s+/g, ' ')
    for (const words of ['RUN_DIFFERS', ...row.said]) expect(said).toContain(words)
    expect(await contents()).toEqual(then)
    expect(await world.modes()).toEqual(world.before)
  })

  test('because another server lists the same model is not resumed, also where a variable names it', async () => {
    await using double = await startOpenAiDouble({ textOf: () => 'yes' })
    await using other = await startOpenAiDouble({ textOf: () => 'yes' })
    await using world = await faultWorld(ground, {
      target: double.target,
      transport: 'auto',
      contenders: [{ id: 'tiny', engine: 'any', model: 'tiny' }],
    })
    await world.interruptedAfter(1)
    vi.stubEnv('TRANSCRIBENCH_TARGET', other.target)
    const refused = await world.cli('run', '--resume', 'latest')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    const address = (target: string): string => target.replace('openai:', '')
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `is on ${address(other.target)} now and was on ${address(double.target)}`,
    )
    expect(other.forms).toHaveLength(0)

    vi.unstubAllEnvs()
    await double[Symbol.asyncDispose]()
    const lost = await world.cli('run', '--resume', 'latest')
    expect(lost.code).toBe(4)
    expect(lost.stderr).not.toContain('--target')
  })

  test('because the other address is that of something else is not resumed', async () => {
    await using double = await startOpenAiDouble({ textOf: () => 'yes' })
    await using world = await faultWorld(ground)
    await world.interruptedAfter(1)
    const refused = await world.cli('run', '--resume', 'latest', '--target', double.target)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'is a transcription server now and was a service of the Local Transcription API',
    )
    expect(double.forms).toHaveLength(0)
  })
})

describe('transcribench replay', () => {
  test('sends the same plan again as a separate run, and refuses another corpus', async () => {
    await using world = await faultWorld(ground, { load: { rate: '40/s' }, rounds: 2 })
    const measured = await world.run()
    expect(carriedOut, measured.stderr).toContain(measured.code)
    const replayed = await world.cli('replay', 'latest', '--name', 'again')
    expect(carriedOut, replayed.stderr).toContain(replayed.code)
    const runs = await Promise.all((await listRuns(world.results)).map(readRun))
    const [first, second] = ['both', 'again'].map((name) => runs.find(({ record }) => record.name === name))
    expect(second?.record).toMatchObject({ status: 'finished', seed: first?.record.seed })
    expect([...(second?.requests ?? [])]).toEqual([...(first?.requests ?? [])])
    expect(first?.requests.length).toBeGreaterThan(0)
    expect(second?.requests.some(({ send }) => send?.kind === 'due' && send.dueAtMs > 0)).toBe(true)
    expect(second?.record.load).toEqual(first?.record.load)
    await edit(world.manifest, '"text":"yes"', '"text":"no"')
    const refused = await world.cli('replay', 'latest')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('other references than then: one')
    expect(await listRuns(world.results)).toHaveLength(2)
  })

  test('of a trace does not need its file any more', async () => {
    const trace = join(ground.folder, 'gone.csv')
    await writeFile(trace, 'ended_at,audio_seconds\n10,0.5\n11,0.6\n')
    await using world = await faultWorld(ground, { load: { trace, speed: 20 } })
    expect(carriedOut).toContain((await world.run()).code)
    await rename(trace, `${trace}.old`)
    const replayed = await world.cli('replay', basename((await listRuns(world.results))[0] ?? ''))
    expect(carriedOut, replayed.stderr).toContain(replayed.code)
  })
})
