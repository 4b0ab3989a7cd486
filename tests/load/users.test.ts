import { describe, expect, test } from 'vitest'
import { type Pauses, usersSchedule } from '#load/loads/users'
import { seededRandom } from '#prelude'
import { dispatchAgainst, type Sent } from './dispatch-against.ts'
import { steadyMeans, sum } from './steady-means.ts'
import { virtualClock } from './virtual-clock.ts'

const users = 20
const count = 6_000
const pauses: Pauses = { meanSeconds: 10, intervals: { kind: 'even' } }

const random = seededRandom(4)
const lengths = Array.from({ length: count }, () => 1 + 9 * random.unit())
const audioSeconds = (position: number): number => lengths[position] ?? Number.NaN

describe('twenty users with pauses of 10 s', () => {
  const meanLength = sum(lengths) / count
  const awaySeconds = pauses.meanSeconds + meanLength

  test.each([
    ['who are all served at once', 1_000, 0.4, 0.15],
    ['who wait for two workers', 2, 0.5, 0.2],
    ['who overload one worker', 1, 1, 0.4],
  ])('%s: as many in flight as Little’s law says', async (_what, workers, fixed, perAudioSecond) => {
    const serviceMs = lengths.map((seconds) => 1_000 * (fixed + perAudioSecond * seconds))
    const schedule = usersSchedule({ users, pauses, seed: 1 })
    const { sent } = await dispatchAgainst(schedule, { serviceMs, workers, audioSeconds })
    const { inFlight, perSecond, responseSeconds } = steadyMeans(sent, users, 60_000)
    // N = X · R, of what is in flight; and N users are either in flight or away: N = X · (R + Z).
    const predicted = (users * responseSeconds) / (responseSeconds + awaySeconds)
    expect(Math.abs(inFlight / predicted - 1)).toBeLessThan(0.02)
    expect(Math.abs(inFlight / (perSecond * responseSeconds) - 1)).toBeLessThan(0.02)
    if (workers === 1_000) expect(responseSeconds).toBeCloseTo(fixed + perAudioSecond * meanLength, 1)
  })
})

describe('users', () => {
  const schedule = usersSchedule({
    users: 3,
    pauses: { meanSeconds: 2, intervals: { kind: 'exponential' } },
    seed: 9,
  })

  test('never send before their text has come, they have paused, and the audio could have been spoken', async () => {
    const { sent, peak } = await dispatchAgainst(schedule, {
      serviceMs: Array(90).fill(800),
      workers: 2,
      audioSeconds,
    })
    const plan = schedule.plan({ count: 90, audioSeconds })
    expect(peak).toBeLessThanOrEqual(3)
    for (const { position, dueAtMs, sentAtMs } of sent) {
      const hadTextAtMs = sent[position - 3]?.endedAtMs ?? 0
      const spoken = plan[position]
      expect(sentAtMs).toBe(dueAtMs)
      expect(dueAtMs - hadTextAtMs).toBeGreaterThanOrEqual(1_000 * audioSeconds(position))
      expect(spoken).toMatchObject({ kind: 'spoken', speaker: position % 3 })
      if (spoken?.kind !== 'spoken') continue
      expect(dueAtMs).toBe(hadTextAtMs + spoken.pauseMs + spoken.speechMs)
    }
  })

  test('pause as long as they are said to on average, and begin somewhere within their first pause', () => {
    const pauseSeconds = schedule
      .plan({ count: 30_000, audioSeconds: () => 1 })
      .map((send) => (send.kind === 'spoken' ? send.pauseMs / 1_000 : Number.NaN))
    const mean = sum(pauseSeconds) / pauseSeconds.length
    expect(Math.abs(mean - 2)).toBeLessThan(0.05)
    const crowd = usersSchedule({ users: 1_000, pauses, seed: 1 }).plan({ count: 2_000, audioSeconds })
    const begins = crowd
      .slice(0, 1_000)
      .map((send) => (send.kind === 'spoken' ? send.pauseMs / 10_000 : Number.NaN))
    expect(begins.every((share) => share >= 0 && share < 1)).toBe(true)
    expect(Math.abs(sum(begins) / 1_000 - 0.5)).toBeLessThan(0.03)
    expect(crowd.slice(1_000).every((send) => send.kind === 'spoken' && send.pauseMs === 10_000)).toBe(true)
  })

  test('keep their sequence of utterances and pauses, however slow the server is', async () => {
    const run = (serviceMs: number): Promise<{ sent: readonly Sent[] }> =>
      dispatchAgainst(schedule, { serviceMs: Array(12).fill(serviceMs), workers: 9, audioSeconds })
    const [fast, slow] = await Promise.all([run(10), run(5_000)])
    const thirdOfFirstSpeaker = (sent: readonly Sent[]): number =>
      (sent[6]?.dueAtMs ?? 0) - (sent[3]?.endedAtMs ?? 0)
    expect(thirdOfFirstSpeaker(slow.sent)).toBeCloseTo(thirdOfFirstSpeaker(fast.sent), 6)
  })

  test('begin somewhere within a pause after a resumption, too, so that they do not all speak at once', async () => {
    const clock = virtualClock()
    const dueAtMs: number[] = []
    const even = usersSchedule({
      users: 10,
      pauses: { meanSeconds: 10, intervals: { kind: 'even' } },
      seed: 1,
    })
    const dispatched = even.dispatch({
      count: 20,
      audioSeconds: () => 1,
      clock,
      stop: new AbortController().signal,
      isSent: (position) => position < 10,
      send: async (_, due) => void dueAtMs.push(due),
    })
    await clock.runUntilIdle()
    await dispatched
    expect(new Set(dueAtMs).size).toBe(10)
    for (const due of dueAtMs) expect(due).toBeLessThanOrEqual(11_000)
  })

  test('have all their requests divided among them before the clock is read, so that none is late for it', async () => {
    const clock = virtualClock()
    const readAfter: number[] = []
    let dividedCount = 0
    const dispatched = usersSchedule({ users: 100, pauses, seed: 1 }).dispatch({
      count: 300,
      audioSeconds: () => 1,
      clock: {
        ...clock,
        nowMs: () => {
          readAfter.push(dividedCount)
          return clock.nowMs()
        },
      },
      stop: new AbortController().signal,
      isSent: () => {
        dividedCount += 1
        return false
      },
      send: async () => undefined,
    })
    await clock.runUntilIdle()
    await dispatched
    expect(readAfter[0]).toBe(300)
  })

  test('may be many without a warning of the runtime about listeners', async () => {
    const warnings: string[] = []
    const onWarning = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', onWarning)
    await dispatchAgainst(usersSchedule({ users: 50, pauses, seed: 1 }), {
      serviceMs: Array(100).fill(10),
      workers: 50,
    })
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  test('cannot speak for an unknown time', () => {
    expect(() => schedule.plan({ count: 1 })).toThrow('how long each request speaks')
  })

  test('say how their pauses vary', () => {
    const describePauses = (intervals: Pauses['intervals']): string =>
      usersSchedule({ users: 1, pauses: { meanSeconds: 3, intervals }, seed: 1 }).describe()
    expect(describePauses({ kind: 'even' })).toBe('1 concurrent user, pauses of 3 s each')
    expect(describePauses({ kind: 'exponential' })).toBe(
      '1 concurrent user, pauses of 3 s on average (exponential)',
    )
  })

  test.each([0, -1, 1.5, Number.NaN])('%s of them cannot dictate, nor pause so long', (value) => {
    expect(() => usersSchedule({ users: value, pauses, seed: 1 })).toThrow(RangeError)
    if (value === 1.5) return
    expect(() => usersSchedule({ users: 1, pauses: { ...pauses, meanSeconds: value }, seed: 1 })).toThrow(
      RangeError,
    )
    const intervals = { kind: 'gamma', shape: value } as const
    expect(() => usersSchedule({ users: 1, pauses: { ...pauses, intervals }, seed: 1 })).toThrow(RangeError)
  })
})
