import { describe, expect, test } from 'vitest'
import { carriedOut, type Order, refused } from './carried-out.ts'

const limited = (seconds?: number) => refused('RATE_LIMITED', seconds)
const paced = (order: Order) => carriedOut({ paced: ['mine'], ...order })

test('a limit of requests per minute spreads what leaves, with the waiting outside of latency', async () => {
  const { lines, counts } = await carriedOut({
    requestsPerMinute: 60,
    count: 4,
    answerMs: 100,
    fate: () => null,
  })
  expect(counts).toMatchObject({ answered: 4 })
  expect(lines.map(({ dueAtMs, sentAtMs, pacedMs }) => [dueAtMs, sentAtMs, pacedMs])).toEqual([
    [0, 0, undefined],
    [1000, 1000, 900],
    [2000, 2000, 900],
    [3000, 3000, 900],
  ])
})

describe('a rate limit that is waited out', () => {
  test('sends the refused request again when Retry-After is over, and nothing else before', async () => {
    const { lines, counts } = await paced({
      answerMs: 100,
      count: 5,
      fate: ({ index }, attempt) => (index === 2 && attempt === 0 ? limited(7) : null),
    })
    expect(counts).toEqual({ planned: 5, answered: 5, failed: 0, dropped: 0, notSent: 0 })
    expect(
      lines.map(({ index, attempt, pacedMs, dueAtMs }) => ({ index, attempt, pacedMs, dueAtMs })),
    ).toEqual([
      { index: 0, attempt: 1, dueAtMs: 0 },
      { index: 1, attempt: 1, dueAtMs: 100 },
      { index: 2, attempt: 1, dueAtMs: 200 },
      { index: 2, attempt: 2, dueAtMs: 7300, pacedMs: 7000 },
      { index: 3, attempt: 1, dueAtMs: 7400 },
      { index: 4, attempt: 1, dueAtMs: 7500 },
    ])
  })

  test('holds back all requests of the contender, and counts refusals of one burst as one pause', async () => {
    const { lines, events, counts } = await paced({
      answerMs: 100,
      count: 8,
      concurrency: 4,
      fate: ({ index }, attempt) => (index < 4 && attempt === 0 ? limited(2) : null),
    })
    expect(counts).toMatchObject({ answered: 8, failed: 0 })
    expect(events.filter(({ kind }) => kind === 'paused')).toHaveLength(1)
    expect(lines.filter(({ sentAtMs }) => sentAtMs > 0 && sentAtMs < 2100)).toEqual([])
    expect(events.filter((event) => event.kind === 'attempted' && event.pausedCount === 4)).toHaveLength(1)
  })

  test('counts what waits for the end of a pause over all contenders that are measured at once', async () => {
    const contenders = ['one', 'other']
    const { events } = await carriedOut({
      paced: contenders,
      contenders,
      isParallel: true,
      count: 1,
      answerMs: 100,
      fate: (_, attempt) => (attempt === 0 ? limited(2) : null),
    })
    const seen = events.flatMap((event) =>
      event.kind === 'attempted' ? [[event.counts.failed, event.pausedCount]] : [],
    )
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
      [1, 1],
      [0, 0],
    ])
  })

  test('does not mark another failure that comes during its pause', async () => {
    const { events } = await paced({
      count: 2,
      concurrency: 2,
      answerMs: 100,
      fate: ({ index }, attempt) =>
        index === 1 ? refused('TRANSCRIPTION_FAILED') : attempt === 0 ? limited(2) : null,
    })
    const marks = events.flatMap((event) =>
      event.kind === 'attempted' ? [[event.line.index, event.pausedCount, event.isPaused]] : [],
    )
    expect(marks).toEqual([
      [0, 1, true],
      [1, 1, false],
      [0, 0, false],
    ])
  })

  test('holds back requests that wait for their slot in a minute when a pause begins', async () => {
    const { lines, events, counts } = await paced({
      requestsPerMinute: 20,
      answerMs: 100,
      count: 3,
      concurrency: 2,
      fate: ({ index }, attempt) => (index === 0 && attempt === 0 ? limited(30) : null),
    })
    expect(counts).toMatchObject({ answered: 3, failed: 0 })
    expect(events.filter(({ kind }) => kind === 'paused')).toHaveLength(1)
    expect(lines.map(({ sentAtMs }) => sentAtMs)).toEqual([0, 30_100, 33_100, 36_100])
  })

  test('keeps its limit of requests per minute after a pause that is shorter than a slot', async () => {
    const { lines } = await paced({
      requestsPerMinute: 20,
      answerMs: 100,
      count: 3,
      concurrency: 2,
      fate: ({ index }, attempt) => (index === 0 && attempt === 0 ? limited(1) : null),
    })
    expect(lines.map(({ sentAtMs }) => sentAtMs)).toEqual([0, 3000, 6000, 9000])
  })

  test('doubles its pauses where the server names none, and begins anew after an answer', async () => {
    const { lines } = await paced({
      count: 2,
      fate: (_, attempt) => (attempt < 4 ? limited() : null),
    })
    expect(lines.map(({ pacedMs }) => pacedMs ?? null)).toEqual([
      ...[null, 1000, 2000, 4000, 8000],
      ...[null, 1000, 2000, 4000, 8000],
    ])
  })

  test('gives the contender up when waiting brings no answer, and measures the others', async () => {
    const { lines, counts, ending, givenUp } = await carriedOut({
      paced: ['limited', 'free'],
      contenders: ['limited', 'free'],
      count: 3,
      fate: ({ contenderId }) => (contenderId === 'limited' ? limited(100) : null),
    })
    expect(counts).toEqual({ planned: 6, answered: 3, failed: 1, dropped: 0, notSent: 2 })
    expect(lines.filter(({ contenderId }) => contenderId === 'limited')).toHaveLength(4)
    expect(givenUp).toEqual([
      {
        id: 'limited',
        phase: 'measure',
        reason: 'while it was measured: RATE_LIMITED: no; after 300 s of waiting it asks for another 100 s',
        hint: null,
      },
    ])
    expect(ending?.code).toBe('TARGET_FAILING')
  })

  test('gives the contender up at once where the server asks for more than five minutes', async () => {
    const { lines, givenUp } = await paced({ fate: () => limited(3600) })
    expect(lines).toHaveLength(1)
    expect(givenUp[0]?.reason).toContain('it asks for another 3600 s')
  })

  test('gives the contender up once, however many of its requests are in flight', async () => {
    const { lines, events, ending } = await paced({
      answerMs: 100,
      concurrency: 4,
      fate: ({ index }) => limited(3600 + index),
    })
    expect(lines).toHaveLength(4)
    const gaveUp = events.filter(({ kind }) => kind === 'gaveUp')
    expect(gaveUp).toMatchObject([{ contender: { reason: expect.stringContaining('another 3600 s') } }])
    expect(ending?.message).toContain('another 3600 s')
  })

  test('gives the contender up where another refusal of the same pause asks for more than five minutes', async () => {
    const { lines, givenUp } = await paced({
      count: 2,
      concurrency: 2,
      fate: ({ index }, attempt) => (attempt > 0 ? null : limited(index === 0 ? 1 : 86_400)),
    })
    expect(lines).toHaveLength(2)
    expect(givenUp[0]?.reason).toContain('it asks for another 86400 s')
  })

  test('counts what another refusal adds to a pause as waiting', async () => {
    const { lines, givenUp } = await paced({
      answerMs: 100,
      count: 2,
      concurrency: 2,
      fate: ({ index }) => limited(index === 0 ? 10 : 200),
    })
    expect(lines.map(({ sentAtMs }) => sentAtMs)).toEqual([0, 0, 200_100, 200_100])
    expect(givenUp[0]?.reason).toContain('s of waiting it asks for another 200 s')
  })

  test('takes nothing from the budget of declared retries', async () => {
    const { lines, counts } = await paced({
      count: 1,
      policy: { codes: ['TIMEOUT'], most: 1, budget: 1 },
      fate: (_, attempt) => (attempt < 2 ? limited(1) : attempt === 2 ? refused('TIMEOUT') : null),
    })
    expect(counts).toMatchObject({ answered: 1 })
    expect(lines.map(({ attempt, pacedMs }) => [attempt, pacedMs ?? null])).toEqual([
      [1, null],
      [2, 1000],
      [3, 1000],
      [4, null],
    ])
  })

  test('does not end a run as if it were through where it is interrupted before the last request was sent again', async () => {
    const order: Order = {
      count: 2,
      fate: ({ index }) => (index === 1 ? limited(100) : null),
    }
    const first = await paced({ ...order, isInterrupted: ({ index }) => index === 1 })
    expect(first.counts).toMatchObject({ answered: 1, failed: 1, notSent: 0 })
    expect(first.ending?.code).toBe('INTERRUPTED')
    const resumed = await paced({
      ...order,
      warmup: 1,
      earlier: first.lines.map((line) => ({ ...line, index: line.index + 1 })),
      isInterrupted: ({ phase }) => phase === 'warmup',
    })
    expect(resumed.lines.map(({ phase }) => phase)).toEqual(['warmup'])
    expect(resumed.ending?.code).toBe('INTERRUPTED')
  })

  test('goes on where it was when the run is resumed during a pause', async () => {
    const fate = ({ index }: { readonly index: number }, attempt: number) =>
      index === 1 && attempt === 0 ? limited(1) : null
    const whole = await paced({ count: 3, fate })
    const rest = await paced({
      count: 3,
      earlier: whole.lines.slice(0, 2),
      fate: () => null,
    })
    expect(rest.lines.map(({ index, attempt }) => [index, attempt])).toEqual([
      [1, 2],
      [2, 1],
    ])
    expect(rest.counts).toMatchObject({ answered: 3, failed: 0 })
  })

  test('counts as a failure for contenders that are not paced', async () => {
    const { lines, counts } = await carriedOut({
      paced: ['cloud'],
      contenders: ['cloud', 'local'],
      count: 2,
      fate: (_, attempt) => (attempt === 0 ? limited(1) : null),
    })
    expect(counts).toMatchObject({ answered: 2, failed: 2 })
    expect(lines.filter(({ contenderId }) => contenderId === 'local')).toHaveLength(2)
  })
})
