import type { Clock } from '#load'
import type { Broker } from './broker.ts'

/** The clock of Redis, seen from this host. */
export interface ClockOffset {
  /** Added to `nowMs` of this host's monotonic clock, it gives the time of Redis. */
  readonly toRedisMs: number
  /** Added to the wall clock of this host, it gives the time of Redis. */
  readonly offsetMs: number
  /** Half the shortest round trip: the answer was made somewhere within it. */
  readonly uncertaintyMs: number
}

const roundTrips = 20

/**
 * Measures the offset to the clock of Redis by the round trip that was shortest.
 *
 *   sent ──────► TIME ──────► received        TIME = middle of the two ± half the round trip
 *
 * @see D. L. Mills, RFC 5905, section 8: the on-wire protocol of NTP
 */
export async function measureClockOffset(broker: Broker, clock: Clock): Promise<ClockOffset> {
  let best: ClockOffset | null = null
  for (let trip = 0; trip < roundTrips; trip += 1) {
    const wallMs = clock.today().getTime()
    const sentMs = clock.nowMs()
    const redisMs = await broker.nowMs()
    const receivedMs = clock.nowMs()
    const uncertaintyMs = (receivedMs - sentMs) / 2
    if (best !== null && uncertaintyMs >= best.uncertaintyMs) continue
    const toRedisMs = redisMs - (sentMs + receivedMs) / 2
    best = { toRedisMs, offsetMs: redisMs - (wallMs + uncertaintyMs), uncertaintyMs }
  }
  if (best === null) throw new RangeError('no round trip')
  return best
}
