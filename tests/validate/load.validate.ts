import { describe, expect, test } from 'vitest'
import type { Intervals } from '#load/intervals'
import { poissonSchedule } from '#load/loads/steady'
import { usersSchedule } from '#load/loads/users'
import { seededRandom } from '#prelude'
import { judgeArrivals, randomArrivals } from '../load/arrival-distributions.ts'
import { dispatchAgainst } from '../load/dispatch-against.ts'
import { simulate } from '../load/simulation.ts'
import { steadyMeans, sum } from '../load/steady-means.ts'

const minutes = 60_000

describe('the distribution of random arrivals, over 2,000 seeds of 4,000 intervals', () => {
  test.each(randomArrivals)(
    '$name is what it is called',
    (arrivals) => {
      const { p, refused } = judgeArrivals(arrivals.make, arrivals, { seeds: 2_000, count: 4_000 })
      expect(p).toBeGreaterThan(0.001)
      // 2,000 tests at 5 %: outside 3.3 standard deviations with a probability below 0.001.
      expect(Math.abs(refused - 0.05)).toBeLessThan(3.3 * Math.sqrt((0.05 * 0.95) / 2_000))
    },
    5 * minutes,
  )

  test(
    'the number of arrivals in a minute has the variance of a Poisson process, over 20,000 seeds',
    () => {
      const counts = Array.from(
        { length: 20_000 },
        (_, seed) => poissonSchedule({ perSecond: 0.5, forSeconds: 60, seed }).requestCount() ?? Number.NaN,
      )
      const mean = sum(counts) / counts.length
      const variance = sum(counts.map((count) => (count - mean) ** 2)) / (counts.length - 1)
      // Standard deviations of the two for a mean of 30 and 20,000 samples: 0.039 and 0.31.
      expect(Math.abs(mean - 30)).toBeLessThan(3.3 * 0.039)
      expect(Math.abs(variance - 30)).toBeLessThan(3.3 * 0.31)
    },
    minutes,
  )
})

describe('users, over pauses and seeds', () => {
  const pauses: readonly Intervals[] = [
    { kind: 'even' },
    { kind: 'exponential' },
    { kind: 'gamma', shape: 0.5 },
  ]

  test.each(pauses)(
    'are in flight as often as Little’s law says, with pauses %o',
    async (intervals) => {
      const [users, count, meanSeconds] = [20, 20_000, 10]
      for (let seed = 0; seed < 10; seed += 1) {
        const random = seededRandom(seed)
        const lengths = Array.from({ length: count }, () => 1 + 9 * random.unit())
        const serviceMs = lengths.map((seconds) => 500 + 200 * seconds)
        const { sent } = await dispatchAgainst(
          usersSchedule({ users, pauses: { meanSeconds, intervals }, seed }),
          {
            serviceMs,
            workers: 1 + (seed % 4),
            audioSeconds: (position) => lengths[position] ?? Number.NaN,
          },
        )
        const { inFlight, responseSeconds } = steadyMeans(sent, users, 60_000)
        const awaySeconds = meanSeconds + sum(lengths) / count
        const predicted = (users * responseSeconds) / (responseSeconds + awaySeconds)
        expect(Math.abs(inFlight / predicted - 1), `seed ${seed}`).toBeLessThan(0.02)
      }
    },
    5 * minutes,
  )
})

test(
  '20,000 Poisson arrivals at 90 % of what a server can do have the response times of a simulation',
  async () => {
    const count = 20_000
    const random = seededRandom(1)
    const serviceMs = Array.from({ length: count }, () => 100 + 800 * random.unit())
    const schedule = poissonSchedule({ perSecond: 3.6, forSeconds: null, seed: 1 })
    const { sent } = await dispatchAgainst(schedule, { serviceMs, workers: 2 })
    const exact = simulate({ plan: schedule.plan({ count }), places: 1, serviceMs, workers: 2 })
    expect(sent.map(({ endedAtMs, dueAtMs }) => endedAtMs - dueAtMs)).toEqual(
      exact.map(({ endedAtMs, dueAtMs }) => endedAtMs - dueAtMs),
    )
  },
  5 * minutes,
)
