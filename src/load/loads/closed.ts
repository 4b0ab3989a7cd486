import { z } from 'zod'
import { type Dispatch, type PlannedSend, type Schedule, stopOnFault, unsentPositions } from '../schedule.ts'
import { aCount } from './keys.ts'
import { defineLoad } from './load-definition.ts'

export const asSoonAsPossible: PlannedSend = { kind: 'next' }

/**
 * Keeps a fixed number of requests in flight: the next one leaves when one has come back.
 *
 *   in flight 2   ├──── 0 ────┤├── 2 ──┤├──── 4 ────┤
 *                 ├─ 1 ─┤├───── 3 ─────┤├─ 5 ─┤
 *
 * A slow server slows the sending, so this measures service time and throughput, never how long a user
 * would have waited in a queue (Schroeder, Wierman and Harchol-Balter 2006, "Open versus closed").
 *
 * @param concurrency requests in flight, a whole number from 1
 */
export function closedSchedule(concurrency: number): Schedule {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`a closed schedule keeps 1 or more requests in flight, not ${concurrency}`)
  }
  const schedule: Schedule = {
    describe: () => `closed, ${concurrency} in flight`,
    phases: [{ description: `${concurrency} in flight`, seconds: null }],
    latencyCountsFrom: 'sent',
    inFlight: concurrency,
    requestCount: () => null,
    // One request in flight has no ramp-up and no drain. N in flight have N requests of each, and 10 N between them.
    steadyCount: concurrency === 1 ? 1 : 12 * concurrency,
    part: () => schedule,
    plan: ({ count }) => Array.from({ length: count }, () => asSoonAsPossible),
    async dispatch({ count, clock, stop, send, isSent }: Dispatch) {
      const { halt, watch, rethrow } = stopOnFault(stop)
      const positions = unsentPositions(count, isSent)
      let next = 0
      const sendUntilDone = async (): Promise<void> => {
        for (;;) {
          const position = positions[next]
          if (position === undefined || halt.aborted) break
          next += 1
          await watch(send(position, clock.nowMs()))
        }
      }
      await Promise.all(Array.from({ length: Math.min(concurrency, positions.length) }, sendUntilDone))
      rethrow()
    },
  }
  return schedule
}

export const closedLoad = defineLoad({
  kind: 'closed',
  words: 'a number of requests is kept in flight',
  needs: {},
  may: {
    concurrency: {
      ...aCount,
      description: 'requests kept in flight',
      flag: { syntax: '--concurrency <count>', reads: 'number' },
      standard: 1,
    },
  },
  impliedBy: [],
  fields: { concurrency: z.int().min(1).describe('Requests in flight.') },
  complete: ({ concurrency }) => ({ concurrency }),
  endsByItself: () => false,
  isMadeOfSpeech: () => false,
  schedule: ({ concurrency }) => closedSchedule(concurrency),
})
