import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBroker } from '../queue/broker.ts'
import { measureClockOffset } from '../queue/clock-offset.ts'
import type { BlockJob, HostClock } from '../queue/messages.ts'
import { type AgentHost, connectionName } from './agent-host.ts'
import { ask } from './ask.ts'

const pauseMs = 500

/**
 * Reports that this host is ready until it hears of the common start of all hosts, and waits for that by the clock of Redis. The connection
 * is closed before the start.
 *
 * @throws BenchError FLEET_BLOCKS_FAILED where another host cannot start
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
    for (;;) {
      const id = `ready-${host.name}-${part}-${randomUUID()}`
      const { startAtMs } = await ask(broker, run, { kind: 'ready', id, body, signal: stop })
      if (startAtMs !== null) return { startAtMs, offset: await measureClockOffset(broker, clock) }
      await sleep(pauseMs, undefined, { signal: stop })
    }
  }
}
