import { once } from 'node:events'
import { expect, test } from 'vitest'
import { systemClock } from '#load/clock'
import { measureClockOffset } from '../../src/fleet/agent/measure-block.ts'
import { openBroker } from '../../src/fleet/queue/broker.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startRedis } from './redis-server.ts'

test('both clocks of a host, with their offset, give the time of Redis within the uncertainty', async () => {
  await using folder = await temporaryFolder()
  await using server = await startRedis(folder.path)
  await using broker = await openBroker({ url: server.url, fleet: 'test', key: 'a key of the fleet' }, 'test')
  // A host whose wall clock is two seconds slow.
  const clock = { ...systemClock, today: () => new Date(systemClock.today().getTime() - 2000) }
  const { toRedisMs, offsetMs, uncertaintyMs } = await measureClockOffset(broker, clock)
  const here = (): readonly number[] => [clock.nowMs() + toRedisMs, clock.today().getTime() + offsetMs]
  const before = here()
  const redisMs = await broker.nowMs()
  const after = here()
  // A wall clock shows whole milliseconds.
  const inexactMs = uncertaintyMs + 1
  for (const at of before) expect(at - inexactMs).toBeLessThanOrEqual(redisMs)
  for (const at of after) expect(at + inexactMs).toBeGreaterThanOrEqual(redisMs)
})

test('an absent Redis is no longer waited for if the patience ended while the packages were loaded', async () => {
  const address = { url: 'redis://127.0.0.1:1', fleet: 'test', key: 'a key of the fleet' }
  await using broker = await openBroker(address, 'test', AbortSignal.abort())
  await once(broker.redis, 'end')
})
