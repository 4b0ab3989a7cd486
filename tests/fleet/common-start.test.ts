import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startScriptedService } from '../journeys/scripted-service.ts'
import { fleetWorld, newestRun } from './fleet-world.ts'
import { connectRedis } from './redis-server.ts'

const openFlags = ['--contender', 'scripted:good', '--rate', '20/s', '--duration', '1s', '--warmup', '1']
const together = [...openFlags, '--hosts', 'a,b']

function runIn(stderr: string): string {
  return /20\d\d-\S+/.exec(stderr)?.[0] ?? ''
}

// Each waits for hosts: they wait at the same time.
describe.concurrent('an open load', () => {
  test('a host that lacks the model ends the waiting of the others, which start together with it on resume', async () => {
    await using world = await fleetWorld()
    await using lacking = await startScriptedService(join(world.folder, 'lacking'), {
      other: { bySha256: {} },
    })
    const without = world.startAgent('a', { args: ['--target', lacking.discoveryPath] })
    const waiting = world.startAgent('b')
    const first = await world.startFleetRun(together).ended
    expect(first.code).toBe(5)
    expect(first.stderr).toContain('FLEET_BLOCKS_FAILED')
    expect(first.stderr).toContain('part 0 has no common start, because a could not measure it')
    without.process.kill('SIGTERM')
    expect((await without.ended).code).toBe(0)
    const repaired = world.startAgent('a')
    const second = await world.startFleetRun(['--resume', runIn(first.stderr)]).ended
    expect(second.stderr).toContain('(2 of 2 blocks)')
    const { hosts = [] } = (await newestRun(world.folder)).record
    expect(hosts.map(({ name, clock }) => [name, clock?.startErrorMs === null])).toEqual([
      ['a', false],
      ['b', false],
    ])
    for (const agent of [repaired, waiting]) agent.process.kill('SIGTERM')
    for (const agent of [repaired, waiting]) expect((await agent.ended).code).toBe(0)
  })

  test('a host that never comes ends the run of an open load, also when another one waits for the start', async () => {
    await using world = await fleetWorld()
    const waiting = world.startAgent('b')
    const { code, stderr } = await world.startFleetRun([...together, '--idle-limit', '6s']).ended
    expect(code).toBe(5)
    expect(stderr).toContain('FLEET_HOSTS_MISSING')
    expect(stderr).toMatch(/a\s+1 block waiting, and no agent measured for 6 s/)
    expect(stderr).toContain('part 0 has no common start, because no agent measures on a')
    waiting.process.kill('SIGTERM')
    expect((await waiting.ended).code).toBe(0)
  })

  test('a coordinator that is resumed starts the hosts that were ready before it', async () => {
    await using world = await fleetWorld()
    await using redis = connectRedis(world.redis.url)
    const questions = new Set<string>()
    const monitor = await redis.monitor()
    monitor.on('monitor', (_time: string, args: readonly string[]) => {
      for (const [question] of args.join(' ').matchAll(/ready-a-0-[0-9a-f-]{36}/g)) questions.add(question)
    })
    const first = world.startFleetRun(together)
    const early = world.startAgent('a')
    // The second question comes after the answer to the first.
    await expect.poll(() => questions.size).toBeGreaterThan(1)
    monitor.disconnect()
    first.process.kill('SIGKILL')
    const run = runIn((await first.ended).stderr)
    const late = world.startAgent('b')
    const second = await world.startFleetRun(['--resume', run]).ended
    expect(second.stderr).toContain('(2 of 2 blocks)')
    for (const agent of [early, late]) agent.process.kill('SIGTERM')
    for (const agent of [early, late]) expect((await agent.ended).code).toBe(0)
  })
})
