import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRuns } from '#journal'
import { runCli } from '../journeys/run-cli.ts'
import { answersOf, commonFlags, type FleetWorld, fleetWorld, newestRun } from './fleet-world.ts'
import { connectRedis } from './redis-server.ts'

let world: FleetWorld
let alone: readonly string[]
beforeAll(async () => {
  world = await fleetWorld({ delayMs: 60 })
  const { code, stderr } = await world.runAlone(commonFlags)
  expect(code, stderr).toBe(0)
  alone = answersOf(await newestRun(join(world.folder, 'alone')))
})
afterAll(() => world[Symbol.asyncDispose]())

const shard = [...commonFlags, '--mode', 'shard', '--block', '12s']

describe('a job', () => {
  test('with the signature of another key is refused, and the run says so', async () => {
    const env = { TRANSCRIBENCH_FLEET_KEY: 'another key than that of all the others' }
    const agent = world.startAgent('a', { env })
    const { code, stderr } = await world.startFleetRun([...commonFlags, '--hosts', 'a']).ended
    expect(code).toBe(5)
    expect(stderr).toContain('FLEET_BLOCKS_FAILED')
    expect(stderr).toContain('is signed with another key')
    expect(await listRuns(join(world.folder, 'a/results'))).toEqual([])
    agent.process.kill('SIGTERM')
    expect((await agent.ended).code).toBe(0)
  })

  test('whose text was changed, or that was signed for another place, sends nothing', async () => {
    const agent = world.startAgent('b')
    await using connection = connectRedis(world.redis.url)
    const options = {
      connection: { url: world.redis.url, port: world.redis.port },
      prefix: 'transcribench:fleet',
    }
    const run = world.startFleetRun([...commonFlags, '--hosts', 'absent'])
    const absent = new Queue('blocks-absent', options)
    const queue = new Queue('blocks-b', options)
    let job = (await absent.getWaiting())[0]
    while (job === undefined) {
      await sleep(50)
      job = (await absent.getWaiting())[0]
    }
    const changed = { ...job.data, text: job.data.text.replace('absent', 'b') }
    await queue.add('block', changed, { jobId: 'changed' })
    await queue.add('block', job.data, { jobId: 'moved' })
    await queue.add('block', { nothing: 'signed' }, { jobId: 'unsigned' })
    while ((await queue.getFailedCount()) < 3) await sleep(50)
    const reasons = (await queue.getFailed()).map(({ id, failedReason }) => [id, failedReason])
    expect(Object.fromEntries(reasons)).toEqual({
      changed: 'b: the job is signed with another key',
      moved: 'b: the job was signed for another place',
      unsigned: 'b: the job is not signed',
    })
    await queue.obliterate({ force: true })
    await Promise.all([queue.close(), absent.close()])
    run.process.kill('SIGTERM')
    expect((await run.ended).code).toBe(130)
    agent.process.kill('SIGTERM')
    await agent.ended
    expect(connection.status).toBe('ready')
  })
})

describe('a run that is stopped', () => {
  test('goes on where it was, with the blocks that it had collected', async () => {
    const first = world.startFleetRun(shard)
    const agent = world.startAgent('a')
    await first.said(/\(1 of \d+ blocks\)/)
    first.process.kill('SIGKILL')
    await first.ended
    const [run = ''] = /20\d\d-\S+/.exec((await first.ended).stderr) ?? []
    const second = await world.startFleetRun(['--resume', run]).ended
    expect(second.code, second.stderr).toBe(0)
    expect(second.stderr).toMatch(/of which \d+ were collected before/)
    expect(answersOf(await newestRun(world.folder))).toEqual(alone)
    agent.process.kill('SIGTERM')
    await agent.ended
  })
})

describe('an agent that is killed', () => {
  test('loses its block to another one, and nothing is lost or counted twice', async () => {
    const killed = world.startAgent('a')
    const run = world.startFleetRun(shard)
    await killed.said(/measuring part/)
    await sleep(300)
    killed.process.kill('SIGKILL')
    await killed.ended
    world.startAgent('b')
    const { code, stderr } = await run.ended
    expect(code, stderr).toBe(0)
    const found = await newestRun(world.folder)
    expect(answersOf(found)).toEqual(alone)
    expect(found.record.hosts?.at(-1)?.name).toBe('b')
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
  expect(plain.code, plain.stderr).toBe(0)
})
