import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveConfig } from '#config/resolve-config'
import { ask } from '../../src/fleet/agent/ask.ts'
import { type CollectEvent, collectBlocks } from '../../src/fleet/coordinator/collect-blocks.ts'
import { fleetExecutor } from '../../src/fleet/coordinator/fleet-executor.ts'
import { type Broker, openBroker } from '../../src/fleet/queue/broker.ts'
import { type BlockResult, blockQueue } from '../../src/fleet/queue/messages.ts'
import { openPartStore } from '../../src/fleet/queue/part-store.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startRedis } from './redis-server.ts'

let stack: AsyncDisposableStack
let broker: Broker
let folder: string
beforeAll(async () => {
  stack = new AsyncDisposableStack()
  folder = stack.use(await temporaryFolder()).path
  await mkdir(join(folder, 'redis'))
  const { url } = stack.use(await startRedis(join(folder, 'redis')))
  broker = stack.use(await openBroker({ fleet: 'test', key: 'a key of the fleet', url }, 'test'))
})
afterAll(() => stack.disposeAsync())

const run = 'run'
const token = 'token'
const { signal } = new AbortController()

function complete(part: number): Promise<unknown> {
  const result: BlockResult = {
    run,
    part,
    host: 'b',
    execution: `b${part}`,
    answeredCount: 1,
    latencies: {},
    sha256: '',
    sizeBytes: 0,
    clock: { offsetMs: 0, uncertaintyMs: 0, startErrorMs: null },
  }
  return ask(broker, run, { kind: 'complete', id: `complete-${part}`, body: result, signal })
}

test('gives a block that failed while the last result was being stored to the host of that result', async () => {
  const events: CollectEvent['kind'][] = []
  const storing = Promise.withResolvers<void>()
  const stored = Promise.withResolvers<void>()
  const collected = collectBlocks({
    broker,
    run,
    hosts: null,
    documents: { hashes: ['', ''], textOf: () => null, pathOf: () => null },
    blocks: [0, 1].map((part) => ({ id: `part-${part}`, part, host: null })),
    isResumed: false,
    counted: new Map(),
    store: {
      ...(await openPartStore(join(folder, 'parts'))),
      count() {
        storing.resolve()
        return stored.promise
      },
    },
    sharedFolder: null,
    idleLimitMs: 600_000,
    stop: undefined,
    onEvent: ({ kind }) => events.push(kind),
  })
  collected.catch(() => undefined)
  const worker = broker.worker(blockQueue(null), null, { autorun: false })
  const takeJob = (): Promise<string | undefined> =>
    worker.getNextJob(token, { block: false }).then((job) => job?.id)
  const jobs: (string | undefined)[] = []
  await expect.poll(async () => jobs.push(await takeJob()) && jobs.filter(Boolean).length).toBe(2)
  const sent = complete(1)
  await storing.promise
  const failing = await broker.queue(blockQueue(null)).getJob(`${run}@part-0`)
  await failing?.moveToFailed(new Error('a: no target'), token, false)
  await expect.poll(() => events, { timeout: 60_000 }).toEqual(['failed'])
  stored.resolve()
  await sent
  await expect.poll(() => events, { timeout: 60_000 }).toEqual(['failed', 'reassigned', 'counted'])
  await Promise.all([complete(0), collected])
  expect(events).toEqual(['failed', 'reassigned', 'counted', 'counted'])
})

test('ends at once where it was stopped before it began', async () => {
  const collecting = collectBlocks({
    broker,
    run: 'stopped',
    hosts: null,
    documents: { hashes: [''], textOf: () => null, pathOf: () => null },
    blocks: [{ id: 'part-0', part: 0, host: null }],
    isResumed: false,
    counted: new Map(),
    store: await openPartStore(join(folder, 'stopped')),
    sharedFolder: null,
    idleLimitMs: 600_000,
    stop: AbortSignal.abort(),
    onEvent: () => undefined,
  })
  await expect(collecting).rejects.toMatchObject({ code: 'FLEET_STOPPED' })
})

test('a fleet run that is stopped while its recordings are read says so', async () => {
  const manifest = await writeToneCorpus(join(folder, 'corpus'), { a: 'go home' })
  const { config } = resolveConfig({ file: null, flags: { corpus: manifest }, env: {} })
  const execute = fleetExecutor({
    address: { ...broker.address },
    mode: 'shard',
    hosts: null,
    maxAudioSeconds: 600,
    idleLimitMs: 600_000,
    sharedFolder: null,
    resume: null,
    onEvent: () => undefined,
  })
  await expect(execute({ config, stop: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'STOPPED_EARLY',
  })
})
