import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningCli } from '../journeys/run-cli.ts'
import { startScriptedService } from '../journeys/scripted-service.ts'
import { endAgents, type FleetWorld, fleetWorld, newestRun, runIn } from './fleet-world.ts'
import { connectRedis } from './redis-server.ts'

const openFlags = ['--contender', 'scripted:good', '--rate', '20/s', '--duration', '1s', '--warmup', '1']
const together = [...openFlags, '--hosts', 'a,b']

describe('an open load', () => {
  let world: FleetWorld
  let waiting: RunningCli
  beforeAll(async () => {
    world = await fleetWorld()
    waiting = world.startAgent('b')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('a host that never comes ends the run of an open load, also when another one waits for the start', async () => {
    await waiting.said(/waiting for a block/)
    const { code, stderr } = await world.runFleet([...together, '--idle-limit', '6s'])
    expect(code).toBe(5)
    expect(stderr).toContain('FLEET_HOSTS_MISSING')
    expect(stderr).toMatch(/a\s+1 block waiting, and no agent measured for 6 s/)
    expect(stderr).toContain('part 0 has no common start, because no agent measures on a')
  })

  test('a host that lacks the model ends the waiting of the others, and a coordinator that is resumed twice starts those that were ready before it', async () => {
    await using lacking = await startScriptedService(join(world.folder, 'lacking'), {
      other: { bySound: {} },
    })
    const without = world.startAgent('a', { args: ['--target', lacking.discoveryPath] })
    const first = await world.runFleet(together)
    expect(first.code).toBe(5)
    expect(first.stderr).toContain('FLEET_BLOCKS_FAILED')
    expect(first.stderr).toContain('part 0 has no common start, because a could not measure it')
    await endAgents(without)

    await using redis = connectRedis(world.redis.url)
    const questions = new Set<string>()
    const monitor = await redis.monitor()
    monitor.on('monitor', (_time: string, args: readonly string[]) => {
      for (const [question] of args.join(' ').matchAll(/ready-b-0-[0-9a-f-]{36}/g)) questions.add(question)
    })
    const resume = ['--resume', runIn(first.stderr)]
    const second = world.startFleetRun(resume)
    // The second question comes after the answer to the first.
    await expect.poll(() => questions.size).toBeGreaterThan(1)
    monitor.disconnect()
    second.process.kill('SIGKILL')
    await second.ended

    const repaired = world.startAgent('a')
    const third = await world.runFleet(resume)
    expect(third.stderr).toContain('(2 of 2 blocks)')
    const { hosts = [] } = (await newestRun(world.folder)).record
    expect(hosts.map(({ name, clock }) => [name, clock?.startErrorMs === null])).toEqual([
      ['a', false],
      ['b', false],
    ])
    await endAgents(repaired, waiting)
  })
})
