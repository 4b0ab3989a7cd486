import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { answersOf, commonFlags, type FleetWorld, fleetWorld, newestRun } from '../fleet/fleet-world.ts'
import { connectRedis, freePort, startRedis } from '../fleet/redis-server.ts'
import type { RunningCli } from '../journeys/run-cli.ts'

const longer = [...commonFlags, '--rounds', '6', '--mode', 'shard', '--block', '25s']

async function plainAnswers(world: FleetWorld): Promise<readonly string[]> {
  const { code, stderr } = await world.runAlone([...commonFlags, '--rounds', '6'])
  expect(code, stderr).toBe(0)
  return answersOf(await newestRun(join(world.folder, 'alone')))
}

async function killed(program: RunningCli): Promise<string> {
  program.process.kill('SIGKILL')
  return (await program.ended).stderr
}

describe('nothing is lost or counted twice', () => {
  test.each([100, 1500, 4000])('where an agent is killed %d ms after it took a block', async (afterMs) => {
    await using world = await fleetWorld({ delayMs: 60 })
    const expected = await plainAnswers(world)
    const [a, b] = [world.startAgent('a'), world.startAgent('b')]
    const run = world.startFleetRun(longer)
    await a.said(/measuring part/)
    await sleep(afterMs)
    await killed(a)
    const again = world.startAgent('a')
    const { code, stderr } = await run.ended
    expect(code, stderr).toBe(0)
    expect(answersOf(await newestRun(world.folder))).toEqual(expected)
    for (const agent of [b, again]) agent.process.kill('SIGTERM')
    for (const agent of [b, again]) expect((await agent.ended).code).toBe(0)
  })

  test.each([50, 1000, 3000, 6000])('where the coordinator is killed after %d ms', async (afterMs) => {
    await using world = await fleetWorld({ delayMs: 60 })
    const expected = await plainAnswers(world)
    for (const name of ['a', 'b']) world.startAgent(name)
    const first = world.startFleetRun(longer)
    await first.said(/blocks {4}\d+/)
    await sleep(afterMs)
    const [run = ''] = /20\d\d-\S+/.exec(await killed(first)) ?? []
    const { code, stderr } = await world.startFleetRun(['--resume', run]).ended
    expect(code, stderr).toBe(0)
    expect(answersOf(await newestRun(world.folder))).toEqual(expected)
  })

  test.each([500, 3000, 6000])(
    'where Redis is killed after %d ms, with its append-only file',
    async (afterMs) => {
      await using world = await fleetWorld({ delayMs: 60, redis: { port: await freePort() } })
      const expected = await plainAnswers(world)
      for (const name of ['a', 'b']) world.startAgent(name)
      const run = world.startFleetRun(longer)
      await run.said(/blocks {4}\d+/)
      await sleep(afterMs)
      await world.redis[Symbol.asyncDispose]()
      await sleep(2000)
      await using _again = await startRedis(join(world.folder, 'redis'), { port: world.redis.port })
      const { code, stderr } = await run.ended
      expect(code, stderr).toBe(0)
      expect(answersOf(await newestRun(world.folder))).toEqual(expected)
    },
  )

  test('where the network of one agent is cut for 90 s', async () => {
    await using world = await fleetWorld({ delayMs: 60 })
    const expected = await plainAnswers(world)
    await using line = await startLine(world.redis.port)
    const cut = world.startAgent('a', { url: line.url })
    const run = world.startFleetRun(longer)
    await cut.said(/measuring part/)
    line.stop()
    world.startAgent('b')
    await sleep(90_000)
    line.goOn()
    const { code, stderr } = await run.ended
    expect(code, stderr).toBe(0)
    const found = await newestRun(world.folder)
    expect(answersOf(found)).toEqual(expected)
    process.stdout.write(`${stderr}\n${JSON.stringify(found.record.hosts, null, 1)}\n`)
  })

  test('where one agent uploads at 20 kB a second', async () => {
    await using world = await fleetWorld({ delayMs: 5 })
    const expected = await plainAnswers(world)
    await using line = await startLine(world.redis.port, 20_000)
    world.startAgent('a', { url: line.url })
    const { code, stderr } = await world.startFleetRun(longer).ended
    expect(code, stderr).toBe(0)
    expect(answersOf(await newestRun(world.folder))).toEqual(expected)
  })
})

test('an agent whose clock is 2 s off starts an open load with the others', async () => {
  await using world = await fleetWorld()
  const preload = join(world.folder, 'late-clock.mjs')
  await writeFile(
    preload,
    `const now = Date.now
const Real = Date
globalThis.Date = class extends Real { constructor(...given) { given.length === 0 ? super(now() + 2000) : super(...given) } }
Date.now = () => now() + 2000`,
  )
  world.startAgent('a')
  world.startAgent('b', { env: { NODE_OPTIONS: `--import ${preload}` } })
  const open = ['--contender', 'scripted:good', '--rate', '10/s', '--duration', '6s', '--warmup', '1']
  const { stderr, stdout } = await world.startFleetRun([...open, '--hosts', 'a,b']).ended
  expect(stderr).toContain('(2 of 2 blocks)')
  const run = await newestRun(world.folder)
  const clocks = run.record.hosts?.map(({ clock }) => clock)
  process.stdout.write(`${stdout}\n${JSON.stringify(clocks)}\n`)
  expect(Math.abs((clocks?.[1]?.offsetMs ?? 0) + 2000)).toBeLessThan(50)
  for (const clock of clocks ?? []) expect(clock?.startErrorMs).toBeLessThan(5)
  expect(evaluateRun(run).findings.map(({ code: found }) => found)).not.toContain('START_NOT_COMMON')
})

test('one agent measures what a plain run measures, side by side', async () => {
  await using world = await fleetWorld({ delayMs: 20 })
  world.startAgent('a')
  const flags = ['--contender', 'scripted:good', '--rounds', '40', '--warmup', '3', '--concurrency', '2']
  const ratios: { p50: number; speed: number }[] = []
  for (let pair = 0; pair < 6; pair += 1) {
    const plain = async (): Promise<void> => void (await world.runAlone(flags))
    const fleet = async (): Promise<void> =>
      void (await world.startFleetRun([...flags, '--hosts', 'a', '--block', '1h']).ended)
    for (const side of pair % 2 === 0 ? [plain, fleet] : [fleet, plain]) await side()
    const [one] = evaluateRun(await newestRun(join(world.folder, 'alone'))).contenders
    const [other] = evaluateRun(await newestRun(world.folder)).contenders
    ratios.push({
      p50: (other?.latencyMs.p50.value ?? 0) / (one?.latencyMs.p50.value ?? 1),
      speed: (other?.systemSpeed.value ?? 0) / (one?.systemSpeed.value ?? 1),
    })
  }
  process.stdout.write(`${JSON.stringify(ratios)}\n`)
  for (const figure of ['p50', 'speed'] as const) {
    const logs = ratios.map((ratio) => Math.log(ratio[figure]))
    const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length
    const spread = Math.sqrt(logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (logs.length - 1))
    // Student's t with 5 degrees of freedom, 99.9 %.
    expect(Math.abs(mean), figure).toBeLessThan((6.87 * spread) / Math.sqrt(logs.length) + 0.005)
    expect(Math.abs(mean), figure).toBeLessThan(0.05)
  }
})

test('a block costs Redis the commands and bytes that docs/scale.md counts on', async () => {
  await using world = await fleetWorld({ delayMs: 30 })
  await using redis = connectRedis(world.redis.url)
  const processed = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1])
  world.startAgent('a')
  await sleep(3000)
  const before = await processed()
  const { stderr } = await world.startFleetRun(longer).ended
  const blocks = Number(/blocks {4}(\d+)/.exec(stderr)?.[1])
  const perBlock = ((await processed()) - before) / blocks
  const { attempts } = await newestRun(world.folder)
  process.stdout.write(`commands per block ${perBlock}, ${blocks} blocks, ${attempts.length} attempts\n`)
  expect(perBlock).toBeLessThan(700)
})

/** A line to a server that can be cut, and be slow upwards. */
async function startLine(
  toPort: number,
  bytesPerSecond = Number.POSITIVE_INFINITY,
): Promise<{ url: string; stop(): void; goOn(): void } & AsyncDisposable> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    const far = createConnection(toPort, '127.0.0.1')
    const join = (from: Socket, to: Socket, speed: number): void => {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('data', (bytes) => {
        to.write(bytes)
        if (speed === Number.POSITIVE_INFINITY) return
        from.pause()
        setTimeout(() => isCut || from.resume(), (1000 * bytes.length) / speed)
      })
      if (isCut) from.pause()
    }
    join(near, far, bytesPerSecond)
    join(far, near, Number.POSITIVE_INFINITY)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a socket without a port')
  return {
    url: `redis://127.0.0.1:${address.port}`,
    stop() {
      isCut = true
      for (const socket of sockets) socket.pause()
    },
    goOn() {
      isCut = false
      for (const socket of sockets) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
