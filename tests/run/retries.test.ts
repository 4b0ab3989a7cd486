import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { carriedOut, type Order, refused } from './carried-out.ts'

describe('a failed request', () => {
  test('is sent once, unless the config declares otherwise', async () => {
    const { lines, counts } = await carriedOut({ fate: () => refused('RATE_LIMITED') })
    expect(lines).toHaveLength(10)
    expect(counts).toMatchObject({ failed: 10, answered: 0 })
  })

  test('is sent again after a declared failure, each time as a separate attempt, and counts by its last result', async () => {
    const policy = { codes: ['RATE_LIMITED'], most: 2, budget: 1 }
    const { lines, counts } = await carriedOut({
      policy,
      fate: (_, attempt) => (attempt === 0 ? refused('RATE_LIMITED') : null),
    })
    expect(counts).toEqual({ planned: 10, answered: 10, failed: 0, dropped: 0, notSent: 0 })
    expect(lines.map(({ index, attempt }) => `${index}/${attempt}`)).toEqual(
      Array.from({ length: 10 }, (_, index) => [`${index}/1`, `${index}/2`]).flat(),
    )
    const other = await carriedOut({ policy, fate: () => refused('TRANSCRIPTION_FAILED') })
    expect(other.lines).toHaveLength(10)
  })

  test('waits for what Retry-After asks and then for its back-off, at random in bounds, alike for the same seed', async () => {
    const policy = { codes: ['RATE_LIMITED'], most: 3, budget: 1 }
    const told = await carriedOut({
      policy,
      count: 1,
      fate: (_, n) => (n === 0 ? refused('RATE_LIMITED', 20) : null),
    })
    const waitedMs = (told.lines[1]?.dueAtMs ?? 0) - (told.lines[0]?.endedAtMs ?? 0)
    expect(waitedMs).toBeGreaterThanOrEqual(20_000)
    expect(waitedMs).toBeLessThan(21_000)
    const order: Order = { policy, fate: () => refused('RATE_LIMITED') }
    const [first, second] = [await carriedOut(order), await carriedOut(order)]
    expect(second.lines).toEqual(first.lines)
    for (const [position, line] of first.lines.entries()) {
      if (line.attempt === 1) continue
      const stepMs = 1000 * 2 ** (line.attempt - 2)
      const backOffMs = line.dueAtMs - (first.lines[position - 1]?.endedAtMs ?? 0)
      expect(backOffMs).toBeGreaterThanOrEqual(stepMs / 2 - 0.001)
      expect(backOffMs).toBeLessThanOrEqual(stepMs)
    }
  })

  test('that waits to be sent again when the run is interrupted leaves the run interrupted', async () => {
    const order: Order = {
      count: 1,
      policy: { codes: ['TIMEOUT'], most: 1, budget: 1 },
      fate: () => refused('TIMEOUT'),
      isInterrupted: () => true,
    }
    expect((await carriedOut(order)).ending?.code).toBe('INTERRUPTED')
    expect((await carriedOut({ ...order, fate: () => refused('OTHER') })).ending).toBeNull()
  })

  test('is not sent again where a server asks for a wait of over five minutes', async () => {
    const policy = { codes: ['RATE_LIMITED'], most: 3, budget: 1 }
    const { lines } = await carriedOut({ policy, count: 1, fate: () => refused('RATE_LIMITED', 3600) })
    expect(lines).toHaveLength(1)
  })

  test('is sent again once where the budget of a small plan is less than one request', async () => {
    const policy = { codes: ['TIMEOUT'], most: 2, budget: 0.1 }
    const { counts } = await carriedOut({
      policy,
      count: 6,
      fate: ({ index }, attempt) => (index === 3 && attempt === 0 ? refused('TIMEOUT') : null),
    })
    expect(counts).toMatchObject({ answered: 6, failed: 0 })
  })

  test('is sent again no more often than the budget of the whole run and its own limit allow, earlier segments included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (count, most, budget) => {
          const policy = { codes: ['TIMEOUT'], most, budget }
          const { lines, counts } = await carriedOut({ policy, count, fate: () => refused('TIMEOUT') })
          const repeats = lines.filter(({ attempt }) => attempt > 1)
          const allowed = Math.max(Math.floor(budget * count), budget > 0 ? 1 : 0)
          expect(repeats.length).toBe(Math.min(allowed, count * most))
          expect(Math.max(...lines.map(({ attempt }) => attempt))).toBeLessThanOrEqual(most + 1)
          expect(counts.failed).toBe(count)
          const again = await carriedOut({ policy, count, earlier: lines, fate: () => refused('TIMEOUT') })
          const all = [...lines, ...again.lines].map(({ index, attempt }) => `${index}/${attempt}`)
          expect(new Set(all).size).toBe(all.length)
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('a run that is resumed', () => {
  test('repeats no request whose retries were used up, also where a limit of requests per minute held them', async () => {
    const policy = { codes: ['TIMEOUT'], most: 1, budget: 1 }
    for (const requestsPerMinute of [undefined, 60]) {
      const limit = requestsPerMinute === undefined ? {} : { requestsPerMinute, paced: ['mine'] }
      const order = { policy, count: 3, fate: () => refused('TIMEOUT'), ...limit }
      const { lines } = await carriedOut(order)
      expect(lines.map(({ index, attempt }) => `${index}/${attempt}`)).toHaveLength(6)
      expect((await carriedOut({ ...order, earlier: lines })).lines).toEqual([])
    }
  })

  test('takes a request that was dropped, or refused for a spent quota, for no retry', async () => {
    const policy = { codes: ['TIMEOUT'], most: 1, budget: 1 }
    const spent = refused('QUOTA_EXCEEDED')
    const dropped = { kind: 'dropped', message: 'stopped' } as unknown as typeof spent
    for (const failure of [spent, dropped]) {
      const { lines: earlier } = await carriedOut({ policy, count: 1, fate: () => failure })
      const { lines } = await carriedOut({
        ...{ policy, earlier, count: 1 },
        fate: (_, attempt) => (attempt === 0 ? refused('TIMEOUT') : null),
      })
      expect(lines.map(({ attempt, outcome }) => [attempt, outcome.ok])).toEqual([
        [2, false],
        [3, true],
      ])
    }
  })

  test('sends every request without a settled attempt, wherever the run had ended', async () => {
    const whole = await carriedOut({
      fate: ({ index }) => (index === 3 ? refused('TRANSCRIPTION_FAILED') : null),
    })
    for (let written = 0; written <= whole.lines.length; written += 1) {
      const earlier = whole.lines.slice(0, written)
      const rest = await carriedOut({ earlier, fate: () => null })
      expect([...earlier, ...rest.lines].map(({ index }) => index)).toEqual(
        whole.lines.map(({ index }) => index),
      )
      expect(rest.counts).toMatchObject({ planned: 10, notSent: 0 })
    }
  })
})

describe('a contender whose server fails permanently', () => {
  test('is sent nothing more after 20 such failures in a row, while others are measured', async () => {
    const { lines, counts, ending } = await carriedOut({
      count: 50,
      contenders: ['gone', 'there'],
      fate: ({ contenderId }) => (contenderId === 'gone' ? refused('MODEL_NOT_FOUND') : null),
    })
    expect(lines.filter(({ contenderId }) => contenderId === 'gone')).toHaveLength(20)
    expect(counts).toEqual({ planned: 100, answered: 50, failed: 20, dropped: 0, notSent: 30 })
    expect(ending).toMatchObject({ code: 'TARGET_FAILING' })
    expect(ending?.hint).toContain('transcribench run --resume this')
  })

  test.each(['TRANSCRIPTION_FAILED', 'RATE_LIMITED', 'TIMEOUT', 'AUDIO_DECODE_FAILED'])(
    'is not what %s says, however often',
    async (code) => {
      const { lines, ending } = await carriedOut({ count: 100, fate: () => refused(code) })
      expect(lines).toHaveLength(100)
      expect(ending).toBeNull()
    },
  )
})
