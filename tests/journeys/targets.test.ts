import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RecordedRun } from '#journal/run-reader'
import { runFormatVersion } from '#journal/run-record'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { argv, type CliOptions, runCli, startCli } from './run-cli.ts'
import { startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

const references = { one: 'the cat sat', two: 'on the mat' }
const engines = [{ kind: 'command', id: 'says', program: 'sh', arguments: ['-c', 'echo the cat sat'] }]

async function ground(home: string) {
  await writeFile(join(home, 'engines.json'), JSON.stringify({ engines }))
  const manifest = await writeToneCorpus(join(home, 'corpus'), references)
  return [
    '--corpus',
    manifest,
    '--rounds',
    '3',
    '--warmup',
    '1',
    '--max-warmup',
    '0',
    '--engines',
    'engines.json',
  ]
}

describe('a run with several targets', () => {
  test('measures a built-in engine, a running service and a transcription server in one plan and one report', async () => {
    await using home = await workplace()
    const flags = await ground(home.path)
    await using service = await startScriptedService(join(home.path, 'data'), {
      slow: { otherwise: { text: 'on the mat' } },
    })
    await using server = await startOpenAiDouble({
      textOf: (name) => (name === 'one.wav' ? 'the cat sat' : 'on the hat'),
    })
    const before = await service.modes()
    const contenders = [
      'embedded#command:says',
      `${service.discoveryPath}#scripted:slow`,
      `${server.target}#large`,
    ].flatMap((text) => ['--contender', text])
    const run = await home.cli('run', ...flags, ...contenders)
    expect(run.code, run.stderr).toBe(0)
    const { record, attempts, evaluation, telemetry } = await home.evaluated()
    expect(record).toMatchObject({
      formatVersion: runFormatVersion,
      status: 'finished',
      counts: { planned: 18, answered: 18 },
      targets: [
        { id: 'embedded', kind: 'embedded', machine: 'this machine' },
        { id: service.discoveryPath, kind: 'discovered' },
        { id: server.target, kind: 'openai', health: null },
      ],
    })
    expect(attempts.map(({ contenderId, transport }) => `${contenderId} ${transport}`)).toContain(
      'large multipart',
    )
    // They share a machine: no two requests overlap.
    const spans = [...attempts].sort((a, b) => a.sentAtMs - b.sentAtMs)
    for (const [index, span] of spans.entries()) {
      expect(span.sentAtMs).toBeGreaterThanOrEqual(spans[index - 1]?.endedAtMs ?? 0)
    }
    expect(evaluation.targets?.map(({ contenderIds }) => contenderIds)).toEqual([
      ['says'],
      ['slow'],
      ['large'],
    ])
    expect(evaluation.targets?.every(({ roundTripMs }) => roundTripMs !== null && roundTripMs < 50)).toBe(
      true,
    )
    expect(evaluation.contenders.map(({ words }) => words.rate)).toEqual([0.5, 0.5, expect.closeTo(1 / 6)])
    expect(run.stdout).toContain('Targets: accuracy compares; latency includes the network')
    // Each server of this machine is watched by itself, and Modes are given back.
    if (process.platform === 'linux') expect(Object.keys(telemetry.at(-1)?.servers ?? {})).toHaveLength(2)
    expect(await service.modes()).toEqual(before)
  })

  test('goes on with the other targets when one is killed, and with all of them when it is resumed', async () => {
    await using home = await workplace()
    const flags = await ground(home.path)
    await using service = await startScriptedService(join(home.path, 'data'), {
      slow: { otherwise: { text: 'on the mat', delayMs: 1_000 } },
    })
    await using server = await startOpenAiDouble({ textOf: () => 'the cat sat' })
    const contenders = [
      'embedded#command:says',
      `${service.discoveryPath}#scripted:slow`,
      `${server.target}#large`,
    ]
    const typed = ['run', ...flags, ...contenders.flatMap((text) => ['--contender', text])]
    const running = startCli(typed, { cwd: home.path })
    await running.said(/slow {2}warmed up[\s\S]*large {2}warmed up/)
    service.process.kill('SIGKILL')
    const run = await running.ended
    expect(run.code, run.stderr).toBe(5)
    const { record, evaluation } = await home.evaluated()
    expect(record.givenUp).toMatchObject([{ id: 'slow', reason: expect.stringContaining('is gone') }])
    const counts = new Map(evaluation.contenders.map((one) => [one.contender.id, one.counts]))
    expect(counts.get('says')).toMatchObject({ planned: 6, answered: 6 })
    expect(counts.get('large')).toMatchObject({ planned: 6, answered: 6 })
    expect(counts.get('slow')?.answered).toBeLessThan(6)
    expect(run.stdout).toMatch(/slow was given up|Given up while measured: slow/)

    await using _again = await startScriptedService(join(home.path, 'data'), {
      slow: { otherwise: { text: 'on the mat' } },
    })
    const resumed = await home.cli('run', '--resume', 'latest')
    expect(resumed.code, resumed.stderr).toBe(0)
    const after = await home.evaluated()
    expect(after.record).toMatchObject({
      status: 'finished',
      counts: { planned: 18, failed: expect.any(Number) },
    })
    expect(after.record.counts?.notSent).toBe(0)
    expect(server.forms).toHaveLength(7)
  })

  test('measures machines at the same time on request alone, and never two contenders of one machine', async () => {
    await using home = await workplace()
    const flags = await ground(home.path)
    const delaysMs = { tiny: 60, large: 60 }
    await using here = await startOpenAiDouble({ textOf: () => 'the cat sat', delaysMs })
    // Answered by this machine as well, and by its name another one.
    await using there = await startOpenAiDouble({ textOf: () => 'the cat sat', delaysMs })
    const elsewhere = there.target.replace('127.0.0.1', '0.0.0.0')
    const contenders = [`${here.target}#tiny`, `${here.target}#large`, `${elsewhere}#large`]
    const run = async (...more: string[]) => {
      const typed = [...flags.slice(0, -2), ...contenders.flatMap((text) => ['--contender', text]), ...more]
      const { code, stderr } = await home.type`run ${typed} --name
        ${more.length === 0 ? 'turns' : 'parallel'}`
      expect(code, stderr).toBe(0)
      return stderr
    }
    await run()
    const turns = overlapping((await home.recorded()).attempts)
    expect(turns).toEqual([])
    const plan = await run('--parallel')
    expect(plan).toContain('0.0.0.0')
    const { attempts, record } = await home.recorded()
    expect(record.contenders.map(({ id }) => id)).toEqual([
      'tiny',
      `large@${new URL(here.target.replace('openai:', '')).host}`,
      `large@${new URL(elsewhere.replace('openai:', '')).host}`,
    ])
    const pairs = overlapping(attempts)
    expect(pairs.length).toBeGreaterThan(0)
    for (const pair of pairs) expect(pair.filter((id) => id.includes('0.0.0.0'))).toHaveLength(1)
  })

  test('reports every target that cannot be measured at once, and skips them with --skip-unready', async () => {
    await using home = await workplace()
    const flags = await ground(home.path)
    await using server = await startOpenAiDouble({ textOf: () => 'the cat sat' })
    const gone = 'openai:http://127.0.0.1:9/v1'
    const typed = (...contenders: string[]) => [
      'run',
      ...flags,
      ...contenders.flatMap((text) => ['--contender', text]),
    ]
    const options: CliOptions = { cwd: home.path }
    const lost = await runCli(typed('embedded#command:says', `${gone}#a`, 'missing.json#x:y'), options)
    expect(lost.code, lost.stderr).toBe(4)
    expect(lost.stderr).toContain('127.0.0.1:9')
    expect(lost.stderr).toContain('missing.json')
    const unready = typed(
      'embedded#command:says',
      `${gone}#a`,
      `${server.target}#none`,
      `${server.target}#tiny`,
    )
    const skipped = await runCli([...unready, '--skip-unready'], options)
    expect(skipped.code, skipped.stderr).toBe(0)
    const { record } = await home.evaluated()
    expect(record.contenders.map(({ id }) => id)).toEqual(['says', 'tiny'])
    expect(record.skipped.map(({ id }) => id)).toEqual(['a', 'none'])
  })

  test('is a run with one target where all contenders name the same one', async () => {
    await using home = await workplace()
    const flags = await ground(home.path)
    await using server = await startOpenAiDouble({ key: 'secret', textOf: () => 'the cat sat' })
    const typed = argv`run ${flags.slice(0, -2)} --key-from SERVER_KEY --contender
      ${`${server.target}#tiny`}`
    const run = await runCli(typed, { cwd: home.path, env: { SERVER_KEY: 'secret' } })
    expect(run.code, run.stderr).toBe(0)
    const { record, evaluation } = await home.evaluated()
    expect(record).toMatchObject({
      formatVersion: runFormatVersion,
      target: { kind: 'openai' },
      config: { target: server.target },
    })
    expect(record.targets).toBeUndefined()
    expect(JSON.stringify(evaluation)).not.toContain('"targets"')
  })
})

/** Contenders of requests that were in flight at the same time. */
function overlapping(attempts: RecordedRun['attempts']): readonly (readonly string[])[] {
  const all = [...attempts]
  return all.flatMap((a, index) =>
    all
      .slice(index + 1)
      .filter((b) => a.sentAtMs < b.endedAtMs && b.sentAtMs < a.endedAtMs)
      .map((b) => [a.contenderId, b.contenderId]),
  )
}
