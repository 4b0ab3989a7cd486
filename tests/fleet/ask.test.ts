import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#load/clock'
import { ask } from '../../src/fleet/agent/ask.ts'
import { measureBlock } from '../../src/fleet/agent/measure-block.ts'
import { sendResult } from '../../src/fleet/agent/outbox.ts'
import { type Broker, keyPrefix, openBroker } from '../../src/fleet/queue/broker.ts'
import { askQueue, jobPlace, openKey } from '../../src/fleet/queue/messages.ts'
import { seal } from '../../src/fleet/queue/seal.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startRedis } from './redis-server.ts'

const address = { fleet: 'test', key: 'a key of the fleet' }
const body = { part: 0, host: 'a' }

let stack: AsyncDisposableStack
let broker: Broker
beforeAll(async () => {
  stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryFolder())
  const { url } = stack.use(await startRedis(path))
  broker = stack.use(await openBroker({ ...address, url }, 'test'))
})
afterAll(() => stack.disposeAsync())

/** Asks a coordinator that refuses for these reasons, one after the other, and answers then. */
async function askOne(run: string, refusals: readonly string[]): Promise<unknown> {
  const reasons = refusals.values()
  await broker.redis.set(openKey(keyPrefix(broker.address), run), 'open')
  const queue = askQueue(run)
  broker.worker(
    queue,
    async ({ id = '' }) => {
      const { value: reason } = reasons.next()
      if (reason !== undefined) throw new Error(reason)
      const place = `${jobPlace(queue, id)}/answer`
      return seal({ startAtMs: 1 }, address, { place, expiresAtMs: Number.MAX_VALUE })
    },
    {},
  )
  const { signal } = new AbortController()
  return ask(broker, run, { kind: 'ready', id: 'ready-a-0', body, signal })
}

describe('a question to the coordinator', () => {
  test('is asked again when it has expired before the coordinator read it', async () => {
    expect(await askOne('expired', ['has expired'])).toEqual({ startAtMs: 1 })
  })

  test('that is refused for its signature gives the hint to check the key, and no other one does', async () => {
    await expect(askOne('key', ['is signed with another TRANSCRIBENCH_FLEET_KEY'])).rejects.toMatchObject({
      code: 'FLEET_BLOCKS_FAILED',
      hint: expect.stringContaining('TRANSCRIBENCH_FLEET_KEY'),
    })
    await expect(askOne('disk', ['ENOSPC: no space left on device'])).rejects.toMatchObject({
      message: expect.stringContaining('no space left'),
      hint: expect.stringContaining('transcribench fleet run --resume disk'),
    })
  })
})

describe('an agent', () => {
  const { signal: stop } = new AbortController()

  /** Answers every question of a run. */
  async function answerAll(run: string, answer: object): Promise<void> {
    await broker.redis.set(openKey(keyPrefix(broker.address), run), 'open')
    const queue = askQueue(run)
    const answered = async ({ id = '' }): Promise<unknown> =>
      seal(answer, address, { place: `${jobPlace(queue, id)}/answer`, expiresAtMs: Number.MAX_VALUE })
    broker.worker(queue, answered, {})
  }

  test('that died before it knew that its result counts learns it when it offers the result again', async () => {
    await using folder = await temporaryFolder()
    const entry = join(folder.path, 'entry')
    await mkdir(entry)
    await writeFile(join(entry, 'result.json'), JSON.stringify({ run: 'counted', execution: 'e' }))
    await answerAll('counted', { isWanted: false, isCounted: true })
    expect(await sendResult(broker, entry, { stop, sharedFolder: null })).toBe(true)
  })

  test('leaves nothing of a file whose content is another than was planned', async () => {
    await using folder = await temporaryFolder()
    await answerAll('changed', { base64: 'AAAA', sizeBytes: 3 })
    const host = {
      ...{ address: broker.address, name: 'a', dataFolder: folder.path, sharedFolder: null },
      ...{ corpora: [], target: null, engines: null, env: {}, clock: systemClock, stop, drop: stop },
    }
    const job = { run: 'changed', part: 0, partCount: 1, host: null, documentSha256: 'f'.repeat(64) }
    await expect(measureBlock(host, job)).rejects.toThrow('has other content')
    expect(await readdir(join(folder.path, 'objects'))).toEqual([])
  })
})
