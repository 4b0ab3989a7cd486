import { describe, expect, test } from 'vitest'
import type { RequestFailure } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import { closedSchedule } from '#load/loads/closed'
import { countInFlight, expectInFlight } from '#load/warm-up'
import { rehearse } from '#run/execute/execute'
import { virtualClock } from '../load/virtual-clock.ts'
import { aRequest, type CarriedOut, carriedOut, type Order, refused } from './carried-out.ts'

const timedOut: RequestFailure = { kind: 'timedOut', afterMs: 62_000, during: 'waiting' }
const key: RequestFailure = {
  kind: 'refused',
  code: 'MISSING_API_KEY',
  message: 'OpenAI refuses the key (HTTP 401): Incorrect API key provided.',
  hint: 'Check OPENAI_API_KEY.',
  httpStatus: 200,
}

/** Three contenders, of which the middle one fails in its warm-up. */
const withBadOne = (failure: (position: number) => RequestFailure | null, warmup = 2) => {
  const seen = new Map<string, number>()
  return carriedOut({
    contenders: ['first', 'bad', 'last'],
    count: 3,
    warmup,
    fate({ contenderId }) {
      const position = seen.get(contenderId) ?? 0
      seen.set(contenderId, position + 1)
      return contenderId === 'bad' ? failure(position) : null
    },
  })
}

describe('a contender whose warm-up fails', () => {
  test.each([
    ['its key is refused', key, 'OpenAI refuses the key (HTTP 401): Incorrect API key provided'],
    ['its server answers nothing', timedOut, 'no answer within 62 s'],
    ['its quota is used up', refused('QUOTA_EXCEEDED'), 'QUOTA_EXCEEDED: no'],
  ])(
    'is given up at its first request because %s, and the others are measured',
    async (_, failure, words) => {
      const { lines, counts, givenUp, ending, events } = await withBadOne(() => failure)
      expect(lines.filter(({ contenderId }) => contenderId === 'bad')).toHaveLength(1)
      expect(counts).toEqual({ planned: 9, answered: 6, failed: 0, dropped: 0, notSent: 3 })
      expect(givenUp).toMatchObject([{ id: 'bad', phase: 'warmup', reason: expect.stringContaining(words) }])
      expect(ending).toMatchObject({ code: 'TARGET_FAILING', message: expect.stringContaining(words) })
      expect(events.flatMap((event) => (event.kind === 'gaveUp' ? [event.contender.id] : []))).toEqual([
        'bad',
      ])
      expect(events).not.toContainEqual(expect.objectContaining({ kind: 'warmedUp', contenderId: 'bad' }))
    },
  )

  test('passes the hint of the server on', async () => {
    const { ending } = await withBadOne(() => key)
    expect(ending?.hint).toMatch(/^Check OPENAI_API_KEY; see what the target has: .*--resume this$/)
  })

  test('is given up when every warm-up request fails in the same words', async () => {
    const { counts, givenUp } = await withBadOne(() => refused('TRANSCRIPTION_FAILED'))
    expect(givenUp).toMatchObject([{ id: 'bad', reason: 'in its warm-up: TRANSCRIPTION_FAILED: no' }])
    expect(counts).toMatchObject({ answered: 6, notSent: 3 })
  })

  test.each([
    [
      'one request of several is answered',
      (n: number) => (n === 0 ? refused('TRANSCRIPTION_FAILED') : null),
      2,
    ],
    ['only one was sent', (n: number) => (n === 0 ? refused('TRANSCRIPTION_FAILED') : null), 1],
    ['the load was refused', (n: number) => (n < 2 ? refused('RATE_LIMITED') : null), 2],
    [
      'the recordings hold no speech',
      (n: number): RequestFailure | null =>
        n < 2 ? { ...key, code: 'TRANSCRIPTION_FAILED', message: 'No speech detected.' } : null,
      2,
    ],
  ])('is measured all the same where %s', async (_, failure, warmup) => {
    const { counts, givenUp } = await withBadOne(failure, warmup)
    expect(givenUp).toEqual([])
    expect(counts).toMatchObject({ answered: 9, notSent: 0 })
  })
})

describe('a contender that no longer answers while it is measured', () => {
  test('is given up after five time-outs in a row, and the others are measured', async () => {
    const { lines, counts, givenUp } = await carriedOut({
      contenders: ['silent', 'there'],
      count: 10,
      fate: ({ contenderId, index }) => (contenderId === 'silent' && index > 1 ? timedOut : null),
    })
    expect(lines.filter(({ contenderId }) => contenderId === 'silent')).toHaveLength(7)
    expect(counts).toEqual({ planned: 20, answered: 12, failed: 5, dropped: 0, notSent: 3 })
    expect(givenUp).toMatchObject([{ id: 'silent', phase: 'measure' }])
  })

  test('costs the next contender one time-out where nothing answers any more', async () => {
    const { counts, givenUp } = await carriedOut({
      contenders: ['one', 'two'],
      count: 10,
      fate: () => timedOut,
    })
    expect(givenUp.map(({ id }) => id)).toEqual(['one', 'two'])
    expect(counts).toMatchObject({ failed: 6, notSent: 14 })
  })
})

describe('Ctrl-C in a run', () => {
  test.each([
    ['drops the request in flight of a warm-up', 'warmup', true],
    ['waits for the request in flight that is measured', 'measure', false],
  ] as const)('is handled by phase: %s', async (_does, phase, isDropped) => {
    const { dropped, ending } = await carriedOut({
      warmup: 2,
      fate: () => null,
      isInterrupted: (request) => request.phase === phase,
    })
    expect(dropped).toEqual([isDropped])
    expect(ending).toMatchObject({ code: 'INTERRUPTED' })
  })
})

/** One contender, of which the first answers take half a second longer. */
const cold = (slowCount: number, options: Partial<Order> = {}) =>
  carriedOut({
    count: 40,
    warmup: 2,
    maxWarmup: 30,
    fate: () => null,
    answerMs: (_contender, number) => (number < slowCount ? 600 : 100),
    ...options,
  })

const warmUpOf = ({ lines }: CarriedOut) => lines.filter(({ phase }) => phase === 'warmup')
const isSlow = ({ sentAtMs, endedAtMs }: AttemptLine) => endedAtMs - sentAtMs > 300

describe('a warm-up that goes on until latencies settle', () => {
  test.each([0, 1, 2, 5, 7, 10])('holds all of the first %i slow answers', async (slowCount) => {
    const run = await cold(slowCount)
    expect(warmUpOf(run).filter(isSlow)).toHaveLength(slowCount)
    expect(run.lines.filter(({ phase }) => phase === 'measure').some(isSlow)).toBe(false)
    const warmedUp = { kind: 'warmedUp', requestCount: warmUpOf(run).length, hasSettled: true }
    expect(run.events).toContainEqual(
      expect.objectContaining({ ...warmedUp, firstRequestMs: slowCount === 0 ? 100 : 600 }),
    )
    expect(warmUpOf(run).length).toBeLessThanOrEqual(slowCount + 16)
  })

  test('sends the planned requests again, as further attempts, and the same ones every time', async () => {
    const [first, again] = [await cold(5), await cold(5)]
    const sent = warmUpOf(first).map(({ index, attempt }) => [index, attempt])
    expect(sent.slice(0, 5)).toEqual([
      [0, 1],
      [1, 1],
      [0, 2],
      [1, 2],
      [0, 3],
    ])
    expect(warmUpOf(again)).toEqual(warmUpOf(first))
  })

  test.each([
    [4, 20],
    [4, 11],
    [2, 12],
    [3, 17],
  ])(
    'has %i in flight as the load, so that several cold workers are warm after %i slow answers',
    async (concurrency, slowCount) => {
      const run = await cold(slowCount, { concurrency, count: 100 })
      expect(countInFlight(warmUpOf(run))).toBe(concurrency)
      expect(warmUpOf(run).filter(isSlow)).toHaveLength(slowCount)
      expect(run.lines.filter(({ phase }) => phase === 'measure').some(isSlow)).toBe(false)
      expect(run.events).toContainEqual(expect.objectContaining({ kind: 'warmedUp', hasSettled: true }))
      const attempts = warmUpOf(run).map(({ index, attempt }) => `${index} ${attempt}`)
      expect(new Set(attempts).size).toBe(attempts.length)
    },
  )

  test('has fewer in flight where a decision would take more requests than are measured', async () => {
    const run = await cold(2, { concurrency: 16, count: 40 })
    expect(countInFlight(warmUpOf(run))).toBe(5)
    expect(run.events).toContainEqual(expect.objectContaining({ kind: 'warmedUp', hasSettled: true }))
  })

  test('loads the model and learns how long an answer takes before several are in flight', async () => {
    const [first, second, third] = warmUpOf(await cold(0, { concurrency: 4, warmup: 6 }))
    expect([first?.sentAtMs, second?.sentAtMs, third?.sentAtMs]).toEqual([
      0,
      first?.endedAtMs,
      second?.endedAtMs,
    ])
  })

  test('ends at its maximum, and says that latencies still fell', async () => {
    const run = await cold(0, { answerMs: (_contender, number) => Math.max(10, 400 * 0.9 ** number) })
    expect(warmUpOf(run)).toHaveLength(30)
    expect(run.events).toContainEqual(expect.objectContaining({ kind: 'warmedUp', hasSettled: false }))
  })

  test('ends after ten seconds, and claims nothing of too few answers', async () => {
    const run = await cold(0, { answerMs: 3000 })
    expect(warmUpOf(run)).toHaveLength(6)
    expect(run.events).toContainEqual(expect.objectContaining({ kind: 'warmedUp', hasSettled: null }))
  })

  test.each<[string, Partial<Order>, number]>([
    ['a maximum of 0', { maxWarmup: 0 }, 2],
    ['no planned warm-up', { warmup: 0 }, 0],
    ['fewer measured requests than a decision takes', { count: 9 }, 2],
    [
      'a failure',
      {
        fate: ({ phase }: PlannedRequest, attempt: number) =>
          phase === 'warmup' && attempt === 1 ? refused('BUSY') : null,
      },
      3,
    ],
  ])('is as planned, or ends, with %s', async (_, options, count) => {
    const run = await cold(5, options)
    expect(warmUpOf(run)).toHaveLength(count)
    expect(run.counts).toMatchObject({ answered: options.count ?? 40 })
  })
})

describe('requests in flight that a load is expected to have', () => {
  const due = (...moments: readonly number[]) => moments.map((dueAtMs) => ({ kind: 'due', dueAtMs }) as const)

  test('are those of a closed load, up to 32', () => {
    expect(expectInFlight(closedSchedule(4), [], 100)).toBe(4)
    expect(expectInFlight(closedSchedule(500), [], 100)).toBe(32)
  })

  test('are the peak of what is planned, for the time that an answer takes', () => {
    const open = { inFlight: null }
    const moments = due(0, 100, 110, 115, 400, 450)
    expect(expectInFlight(open, [moments], 4)).toBe(1)
    expect(expectInFlight(open, [moments], 10)).toBe(2)
    expect(expectInFlight(open, [moments], 40)).toBe(3)
    expect(expectInFlight(open, [due(0, 100), moments], 40)).toBe(3)
    expect(expectInFlight(open, [due(...Array(100).keys())], 5000)).toBe(8)
  })

  test('of concurrent users are at most one for each user, and fewer while users speak and pause', () => {
    const users = { inFlight: null }
    const spoken = Array.from({ length: 30 }, (_, position) => {
      const speaker = position % 3
      return { kind: 'spoken', speaker, pauseMs: 1000 * (1 + speaker), speechMs: 500 } as const
    })
    expect(expectInFlight(users, [spoken], 100)).toBeLessThan(3)
    expect(expectInFlight(users, [spoken], 60_000)).toBe(3)
  })
})

describe('the rehearsal before an open load', () => {
  const request = aRequest('mine', 'u')
  const rehearsed = async (tookMs: (beat: number) => number) => {
    const clock = virtualClock()
    let beats = 0
    const read: string[] = []
    const running = rehearse({
      requests: [
        { ...request, phase: 'warmup', utteranceId: 'warm' },
        request,
        { ...request, index: 1, utteranceId: 'v' },
      ],
      sender: {
        async rehearse({ utteranceId }) {
          read.push(utteranceId)
          await clock.sleepUntil(clock.nowMs() + tookMs(beats))
          beats += 1
        },
      },
      clock,
      stop: new AbortController().signal,
    })
    await clock.runUntilIdle()
    await running
    return { beats, read, endedAtMs: clock.nowMs() }
  }

  test('ends when the way of a request has kept its time twenty times in a row', async () => {
    const steady = await rehearsed(() => 1)
    expect(steady.beats).toBe(20)
    expect(steady.read.slice(0, 4)).toEqual(['u', 'v', 'u', 'v'])
    expect((await rehearsed((beat) => (beat < 7 ? 40 : 1))).beats).toBe(27)
  })

  test('ends after two seconds on a machine that stays busy', async () => {
    const busy = await rehearsed(() => 30)
    expect(busy.endedAtMs).toBeGreaterThanOrEqual(2000)
    expect(busy.beats).toBe(50)
  })
})
