import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Clock } from '#load'

/** How long a packet is on its way to a host and back, by the time that TCP takes to connect. */
export interface RoundTrip {
  /** Of all tries, in milliseconds. */
  readonly medianMs: number
  readonly count: number
}

const tries = 7
const maxTryMs = 2000

/**
 * Connects to a host a few times, without sending anything. The address is looked up before.
 *
 * @returns null where no try succeeded
 */
export async function roundTripTo(baseUrl: string, clock: Clock): Promise<RoundTrip | null> {
  const { hostname, port, protocol } = new URL(baseUrl)
  const found = await lookup(hostname.replace(/^\[|\]$/g, '')).catch(() => null)
  if (found === null) return null
  const place = { host: found.address, port: Number(port) || (protocol === 'https:' ? 443 : 80) }
  const times: number[] = []
  for (let number = 0; number < tries; number += 1) {
    const ms = await connectMs(place, clock)
    if (ms === null) break
    times.push(ms)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]
  return median === undefined ? null : { medianMs: median, count: sorted.length }
}

async function connectMs(
  place: { readonly host: string; readonly port: number },
  clock: Clock,
): Promise<number | null> {
  const startedAtMs = clock.nowMs()
  const socket = connect(place)
  socket.setNoDelay(true)
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(maxTryMs) })
    return clock.nowMs() - startedAtMs
  } catch {
    // Whether the host can be reached at all is found out by the requests.
    return null
  } finally {
    socket.on('error', () => undefined)
    socket.destroy()
  }
}
