import { setTimeout as sleep } from 'node:timers/promises'
import { keyPrefix, openBroker } from '../queue/broker.ts'
import { measureClockOffset } from '../queue/clock-offset.ts'
import type { BlockJob, HostClock } from '../queue/messages.ts'
import { startKey } from '../queue/places.ts'
import { unseal } from '../queue/seal.ts'
import { type AgentHost, connectionName } from './agent-host.ts'
import { ask } from './ask.ts'

const pauseMs = 100

/**
 * Reports that this host is ready, and waits for the common start of all hosts by the clock of Redis. The connection is closed
 * before the start.
 */
export async function awaitStart(host: AgentHost, { run, part }: BlockJob): Promise<HostClock> {
  const { address, clock, stop } = host
  const { startAtMs, offset } = await agreeOnStart()
  const startHereMs = startAtMs - offset.toRedisMs
  await clock.sleepUntil(startHereMs, stop)
  const { offsetMs, uncertaintyMs } = offset
  return { offsetMs, uncertaintyMs, startErrorMs: Math.abs(clock.nowMs() - startHereMs) }

  async function agreeOnStart() {
    await using broker = await openBroker(address, connectionName(host), stop)
    const body = { part, host: host.name }
    await ask(broker, run, { kind: 'ready', id: `ready-${host.name}-${part}`, body, signal: stop })
    const key = startKey(keyPrefix(address), run, part)
    for (;;) {
      const text = await broker.redis.get(key)
      if (text !== null) {
        const nowMs = await broker.nowMs()
        const { startAtMs } = unseal<{ startAtMs: number }>(JSON.parse(text), address, { place: key, nowMs })
        return { startAtMs, offset: await measureClockOffset(broker, clock) }
      }
      await sleep(pauseMs, undefined, { signal: stop })
    }
  }
}
