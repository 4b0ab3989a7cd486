import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRuns } from '#journal/find-run'
import { type RunningCli, runCli } from '../journeys/run-cli.ts'
import {
  answersOf,
  commonFlags,
  endAgents,
  expectMeasured,
  type FleetWorld,
  fleetWorld,
  newestRun,
  plainAnswers,
  runIn,
  shardFlags,
} from './fleet-world.ts'
import { connectRedis } from './redis-server.ts'

let world: FleetWorld
beforeAll(async () => {
  world = await fleetWorld({ delayMs: 60 })
})
afterAll(() => world[Symbol.asyncDispose]())

describe('an agent that goes on through all of this', () => {
  let run: RunningCli
  let agent: RunningCli
  const outboxOf = (host: string): string =>
    join(world.folder, host, '.local/share/transcribench/fleet', host, 'outbox')
  const [old, recent, refused] = ['old', 'recent', randomUUID()]

  test('sends all results, and keeps in its outbox what the coordinator refuses, and what no run took for a week', async () => {
    run = world.startFleetRun([...commonFlags, '--hosts', 'b,absent', '--block', '24s'])
    await run.said(/waiting +ends when/)
    const outbox = outboxOf('b')
    for (const name of [old, recent, refused]) await mkdir(join(outbox, name), { recursive: true })
    const daysAgo = (days: number): Date => new Date(Date.now() - days * 24 * 3_600_000)
    const objects = join(outbox, '..', 'objects')
    await mkdir(objects)
    for (const name of [old, recent]) await writeFile(join(objects, name), '')
    for (const folder of [outbox, objects]) {
      await utimes(join(folder, old), daysAgo(8), daysAgo(8))
      await utimes(join(folder, recent), daysAgo(6), daysAgo(6))
    }
    const id = (await readdir(join(world.folder, 'results'))).sort().at(-1)
    const about = { run: id, part: 99, host: 'b', execution: refused }
    const result = { ...about, answeredCount: 0, latencies: {}, sizeBytes: 0 }
    await writeFile(join(outbox, refused, 'result.json'), JSON.stringify(result))
    agent = world.startAgent('b')
    await run.said(/\(2 of \d+ blocks\)/)
    await expect.poll(async () => (await readdir(outbox)).sort()).toEqual([recent, refused].sort())
    expect(await readdir(objects)).toContain(recent)
    expect(await readdir(objects)).not.toContain(old)
    await agent.said(new RegExp(`removed what no run took for 7 days: ${join(outbox, old)}`))
    await agent.said(/there is no part 99 of b; solve that on the host of the coordinator/)
    await agent.said(new RegExp(`the result is kept in ${join(outbox, refused)}`))
    // The job is settled after the result is sent.
    await agent.said(/^ {2}sent\n {2}waiting for a block$/m)
    await rm(join(outbox, refused), { recursive: true })
  })

  test('measures what two hosts cannot that share a plan with it: one has another key, which a run of it alone says', async () => {
    await using foreign = world.startAgent('c', {
      env: { TRANSCRIBENCH_FLEET_KEY: 'another key than that of all the others' },
    })
    const alone = await world.runFleet([...commonFlags, '--hosts', 'c'])
    expect(alone.code).toBe(5)
    expect(alone.stderr).toContain('FLEET_BLOCKS_FAILED')
    expect(alone.stderr).toContain('is signed with another TRANSCRIBENCH_FLEET_KEY')
    expect(await listRuns(join(world.folder, 'c/results'))).toEqual([])

    await using broken = world.startAgent('a', { args: ['--target', 'http://127.0.0.1:9'] })
    await broken.said(/waiting for a block/)
    const { code, stderr, stdout } = await world.runFleet(shardFlags)
    expectMeasured({ code, stderr })
    expect(stderr).toMatch(/part \d+ goes to another host: [ac]: /)
    const found = await newestRun(world.folder)
    expect(answersOf(found)).toEqual(plainAnswers)
    expect(new Set(found.record.hosts?.map(({ name }) => name))).toEqual(new Set(['b']))
    const faulty = new Set(found.record.hostFaults?.map(({ host }) => host))
    for (const host of faulty)
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`host ${host} could not measure`)
    expect(faulty.size).toBeGreaterThan(0)
    await endAgents(broken, foreign)
  })

  test('sends nothing of a job whose text was changed, or that was signed for another place', async () => {
    await using connection = connectRedis(world.redis.url)
    const options = {
      connection: { url: world.redis.url, port: world.redis.port },
      prefix: 'transcribench:fleet',
    }
    const absent = new Queue('blocks-absent', options)
    const queue = new Queue('blocks-b', options)
    const [job] = await absent.getWaiting()
    const changed = { ...job?.data, text: job?.data.text.replace('absent', 'b') }
    await queue.add('block', changed, { jobId: 'changed' })
    await queue.add('block', job?.data, { jobId: 'moved' })
    await queue.add('block', { nothing: 'signed' }, { jobId: 'unsigned' })
    while ((await queue.getFailedCount()) < 3) await sleep(50)
    const reasons = (await queue.getFailed()).map(({ id, failedReason }) => [id, failedReason])
    expect(Object.fromEntries(reasons)).toEqual({
      changed: 'b: the job is signed with another TRANSCRIBENCH_FLEET_KEY',
      moved: 'b: the job was signed for another place',
      unsigned: 'b: the job is not signed',
    })
    await queue.obliterate({ force: true })
    await Promise.all([queue.close(), absent.close()])
    run.process.kill('SIGTERM')
    expect((await run.ended).code).toBe(130)
    expect(connection.status).toBe('ready')
    await endAgents(agent)
    const said = (await agent.ended).stderr
    expect(said.match(/^ {2}sent$/gm)?.length).toBeGreaterThan(2)
    expect(said).not.toContain('not sent')
    expect(said).not.toContain('check that every host of the fleet')
  })
})

describe('an agent', () => {
  test('measures what a host could not that was there alone before it', async () => {
    await using run = world.startFleetRun(shardFlags)
    await run.said(/waiting +ends when/)
    await using broken = world.startAgent('a', { args: ['--target', 'http://127.0.0.1:9'] })
    await run.said(/part \d+ failed: a: /)
    await using agent = world.startAgent('b')
    const { code, stderr } = await run.ended
    expectMeasured({ code, stderr })
    expect(stderr).toMatch(/part \d+ goes to another host: a: /)
    expect(answersOf(await newestRun(world.folder))).toEqual(plainAnswers)
    await endAgents(broken, agent)
  })

  test('reports a recording that was changed after the plan, and measures the block when it is restored', async () => {
    const path = join(world.folder, 'corpus/audio/u3.wav')
    const before = await readFile(path)
    await using run = world.startFleetRun([...commonFlags, '--hosts', 'c', '--block', '1h'])
    await run.said(/waiting +ends when/)
    await writeFile(path, Buffer.concat([before, Buffer.alloc(2)]))
    await using agent = world.startAgent('c')
    const { code, stderr } = await run.ended
    await writeFile(path, before)
    expect(code).toBe(5)
    const words = stderr.replaceAll(/\s+/g, ' ')
    expect(words).toMatch(/the recording [0-9a-f]{12}… has other content on the coordinator/)
    const second = await world.runFleet(['--resume', runIn(stderr)])
    expectMeasured(second)
    await endAgents(agent)
  })
})

describe('a host that never comes', () => {
  test('ends the run with its missing blocks, and the run goes on with all others when it is there, also from a host with a separate folder', async () => {
    // The coordinator does not have this folder: results go through Redis.
    await using present = world.startAgent('a', {
      args: ['--shared', join(world.folder, 'a-folder-of-one-host')],
    })
    // Its start is no part of the idle limit.
    await present.said(/waiting for a block/)
    const flags = [...commonFlags, '--hosts', 'a,c', '--block', '1h', '--idle-limit', '10s']
    const first = await world.runFleet(flags)
    expect(first.code).toBe(5)
    expect(first.stderr).toContain('ends when no agent measures a missing block for 10 s')
    expect(first.stderr).toContain('part 0 on a: 48 answered (1 of 2 blocks)')
    expect(first.stderr).toContain('FLEET_HOSTS_MISSING')
    expect(first.stderr).toMatch(/c\s+1 block waiting, and no agent measured for 10 s/)
    const run = runIn(first.stderr)
    expect(first.stderr.replaceAll(/\s+/g, ' ')).toContain(`transcribench fleet run --resume ${run}`)
    await using late = world.startAgent('c')
    await late.said(/waiting for a block/)
    const second = await world.runFleet(['--resume', run])
    expectMeasured(second)
    expect(answersOf(await newestRun(world.folder))).toEqual(plainAnswers.flatMap((line) => [line, line]))
    await endAgents(present, late)
  })
})

describe('results by a folder that hosts share', () => {
  test('give the same run, without a piece of them in Redis and without a file left in the folder', async () => {
    const folder = join(world.folder, 'shared')
    const shared = ['--shared', folder]
    await using agent = world.startAgent('a', { args: shared })
    await using redis = connectRedis(world.redis.url)
    const seen: string[] = []
    const monitor = await redis.monitor()
    monitor.on('monitor', (_time: string, args: readonly string[]) => seen.push(args.join(' ')))
    const { code, stderr } = await world.runFleet([...shardFlags, ...shared])
    expectMeasured({ code, stderr })
    monitor.disconnect()
    expect(answersOf(await newestRun(world.folder))).toEqual(plainAnswers)
    expect(seen.filter((command) => command.includes('collect-')).length).toBeGreaterThan(0)
    expect(seen.filter((command) => command.includes('chunk-'))).toEqual([])
    const left = await readdir(folder, { recursive: true })
    expect(left.filter((name) => name.endsWith('.tgz'))).toEqual([])
    await endAgents(agent)
  })
})

test('a fleet without its packages names the command that installs them, and a plain run needs none', async () => {
  const hook = `import { registerHooks } from 'node:module'
registerHooks({ resolve(specifier, context, next) {
  if (specifier !== 'bullmq' && specifier !== 'ioredis') return next(specifier, context)
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
} })`
  const env = {
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}`,
    TRANSCRIBENCH_FLEET_KEY: 'x'.repeat(32),
  }
  const agent = await runCli(['fleet', 'agent', '--queue', world.redis.url], { cwd: world.folder, env })
  expect(agent.code).toBe(2)
  expect(agent.stderr).toContain('npm install bullmq ioredis')
  const flags = ['--corpus', world.manifest, '--target', world.service.discoveryPath]
  const plain = await runCli(['run', ...flags, '--contender', 'scripted:good', '--rounds', '1'], {
    cwd: join(world.folder, 'c'),
    env,
  })
  expectMeasured(plain)
})
