import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { hashFile } from '#corpus/files'
import { runCli } from '../journeys/run-cli.ts'
import {
  answersOf,
  commonFlags,
  copyCorpus,
  expectMeasured,
  type FleetWorld,
  fleetWorld,
  newestRun,
  plainAnswers,
} from './fleet-world.ts'
import { connectRedis } from './redis-server.ts'

let world: FleetWorld
beforeAll(async () => {
  world = await fleetWorld()
  const alone = await world.runAlone(commonFlags)
  expectMeasured(alone)
})
afterAll(() => world[Symbol.asyncDispose]())

describe('three agents', () => {
  beforeAll(async () => {
    for (const name of ['a', 'b', 'c']) {
      await copyCorpus(world, name, name === 'b' ? ['u4'] : [])
      world.startAgent(name)
    }
  })

  test('share one corpus in a shard, whose answers and errors are word for word those of one machine', async () => {
    const { code, stdout, stderr } = await world.runFleet([
      ...commonFlags,
      ...['--mode', 'shard', '--block', '8s'],
    ])
    expectMeasured({ code, stderr })
    const [shard, alone] = [await newestRun(world.folder), await newestRun(join(world.folder, 'alone'))]
    expect(answersOf(alone)).toEqual(plainAnswers)
    expect(answersOf(shard)).toEqual(plainAnswers)
    expect(shard.record).toMatchObject({
      status: 'finished',
      fleetMode: 'shard',
      counts: { answered: 48, notSent: 0 },
      manifest: alone.record.manifest?.replace('../', ''),
    })
    expect(shard.record.hosts?.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    const [{ hosts: pooled = [], difference, ranking }, plain] = [evaluateRun(shard), evaluateRun(alone)]
    for (const { contender, words, characters } of plain.contenders) {
      const all = pooled.find(({ contenderId }) => contenderId === contender.id)
      expect(all?.words.counts).toEqual(words.counts)
      expect(all?.characters.counts).toEqual(characters.counts)
    }
    // Hosts were asked different utterances: what is compared are contenders over all hosts.
    expect(ranking?.bands).toEqual(plain.ranking?.bands)
    expect(difference).toMatchObject({ better: 'good', worse: 'poor', utteranceCount: 12 })
    expect(difference?.wordErrorRate?.value).toBe(plain.difference?.wordErrorRate?.value)
    expect(stdout).toMatch(/between\s+good\s+and\s+poor\s+on\s+these\s+12\s+utterances:/)
    expect(stdout).toMatch(/All hosts together[\s\S]*\bneeds\s+\d+\s[\s\S]*\n {2}good +3 /)
  })

  test('each measure the whole plan in a replication, with the host as a factor', async () => {
    const { code, stderr } = await world.runFleet([...commonFlags, '--hosts', 'a,b,c', '--block', '40s'])
    expectMeasured({ code, stderr })
    expect(stderr).toMatch(/good on b so far: p50 \d+ ms, p95 \d+ ms \(±1 %\)/)
    const run = await newestRun(world.folder)
    expect(answersOf(run)).toEqual(plainAnswers.flatMap((line) => [line, line, line]))
    expect(run.record.contenders.map(({ id }) => id)).toEqual(
      ['a', 'b', 'c'].flatMap((host) => [`good@${host}`, `poor@${host}`]),
    )
    const { hosts: pooled = [], findings } = evaluateRun(run)
    expect(pooled.map(({ hosts }) => hosts)).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ])
    expect(findings.filter(({ severity }) => severity === 'invalid')).toEqual([])
    const table = await runCli(['report', 'latest', '--format', 'csv', '--table', 'hosts'], {
      cwd: world.folder,
    })
    expect(table.stdout).toMatch(/^poor,3,/m)
  })

  test('fetch the recording that has other content on their disk, and no other', async () => {
    const wanted = await hashFile(join(world.folder, 'corpus/audio/u4.wav'))
    const fetched = async (host: string): Promise<readonly string[]> => {
      const folder = join(world.folder, host, '.local/share/transcribench/fleet', host, 'objects')
      const sounds: string[] = []
      for (const name of await readdir(folder)) {
        if ((await readFile(join(folder, name))).subarray(0, 4).toString() === 'RIFF') sounds.push(name)
      }
      return sounds
    }
    expect(await fetched('b')).toEqual([wanted])
    expect(await fetched('a')).toEqual([])
  })

  test('have no connection but that of the lock while they measure', async () => {
    await using redis = connectRedis(world.redis.url)
    const slow = [...commonFlags, '--rounds', '12', '--concurrency', '1']
    const run = world.startFleetRun([...slow, '--mode', 'shard', '--block', '10min'])
    const connections = async (): Promise<readonly string[]> =>
      [...String(await redis.client('LIST')).matchAll(/ name=(\S*)/g)].map((match) => match[1] ?? '')
    const isLock = (name: string): boolean => name.startsWith('transcribench-lock-')
    while (!(await connections()).some(isLock)) await sleep(50)
    const idle = new Set(['a', 'b', 'c'].map((host) => `transcribench-agent-${host}`))
    // The third one has fetched all that its block needs.
    const countIdle = async () => new Set((await connections()).filter((name) => idle.has(name))).size
    await expect.poll(countIdle).toBe(2)
    expect((await connections()).filter(isLock)).toHaveLength(1)
    expectMeasured(await run.ended)
  })

  test('start an open load together', async () => {
    const open = ['--contender', 'scripted:good', '--rate', '20/s', '--duration', '2s', '--warmup', '1']
    const { stderr } = await world.runFleet([...open, '--hosts', 'a,b,c'])
    expect(stderr).toContain('(3 of 3 blocks)')
    const run = await newestRun(world.folder)
    const clocks = run.record.hosts?.map(({ clock }) => clock) ?? []
    const distances = clocks.map((clock) => (clock?.startErrorMs ?? Number.NaN) + (clock?.uncertaintyMs ?? 0))
    // Three hosts on one busy machine may be late; then the run says so.
    const { findings } = evaluateRun(run)
    const late = findings.filter(({ code }) => code === 'START_NOT_COMMON')
    expect(late).toHaveLength(distances.filter((distanceMs) => distanceMs > 5).length)
    expect(distances).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)])
    expect(distances).not.toContain(Number.NaN)
  })
})
