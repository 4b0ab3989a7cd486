import { describeFailure } from '#contract'
import { systemClock } from '#load'
import { BenchError } from '#prelude'
import { Channel } from '../connection/channel.ts'
import { callEndpoint } from '../connection/http-connection.ts'
import type { Locator, ServiceLocation } from './location.ts'

/** `/health` is answered from memory; a service that needs longer is not one to measure. In milliseconds. */
const healthMs = 10_000

/** `gone`: nothing answers, or not the process that was meant. `foreign`: an answer that is not the API's. */
export type Liveness =
  | { readonly kind: 'alive' }
  | { readonly kind: 'gone' | 'foreign'; readonly reason: string }

/** Asks `/health`, and compares who answers with who wrote the discovery file. */
export async function askLiveness(channel: Channel, location: ServiceLocation): Promise<Liveness> {
  const health = await callEndpoint(channel, 'health', { timeoutMs: healthMs })
  const deadPid = location.pid !== null && !isRunning(location.pid) ? location.pid : null
  if (health.ok) {
    // The same pid in the answer: the service lives, in a container that counts its processes by itself.
    if (deadPid === null || health.value.pid === deadPid) return { kind: 'alive' }
    return {
      kind: 'gone',
      reason: `${ended(deadPid)}, and process ${health.value.pid} answers on its port now`,
    }
  }
  if (deadPid !== null) return { kind: 'gone', reason: ended(deadPid) }
  const { failure } = health
  const isSilent = failure.kind === 'unreachable' || failure.kind === 'timedOut'
  return { kind: isSilent ? 'gone' : 'foreign', reason: `GET /health: ${describeFailure(failure)}` }
}

function ended(pid: number): string {
  return `process ${pid}, which wrote it, has ended`
}

/** For a search over many files: opens a separate channel, and never throws for what a file or a port does. */
export async function checkLiveness(locate: Locator): Promise<Liveness> {
  try {
    const location = await locate()
    await using channel = new Channel(locate, location, { clock: systemClock, connections: 1 })
    return await askLiveness(channel, location)
  } catch (error) {
    if (error instanceof BenchError) return { kind: 'gone', reason: error.message }
    throw error
  }
}

/** Signal 0 only asks. Not being allowed to signal a process proves that there is one. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
