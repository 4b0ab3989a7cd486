import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { evaluatedRun, findingIn, measuredRun, only, timedOut } from './measured-run.ts'

const utterances = (count: number, seconds = 2) =>
  Array.from({ length: count }, (_, index) => ({
    id: `u${String(index).padStart(4, '0')}`,
    reference: 'a b',
    seconds,
  }))

const speedOf = (run: Parameters<typeof measuredRun>[0]) => only(evaluatedRun(run).contenders).systemSpeed

describe('system speed', () => {
  test('counts every request of a block with one in flight, which has neither ramp nor drain', () => {
    expect(speedOf({ utterances: utterances(10), fate: () => 'a b' })).toEqual({
      value: 20,
      audioSeconds: 20,
      windowSeconds: 1,
      blockCount: 1,
      shortBlockCount: 0,
      meanInFlight: 1,
      completedCount: 10,
      predictedInFlight: 1,
    })
    expect(speedOf({ utterances: utterances(1), fate: () => 'a b' })).toMatchObject({ value: 20 })
  })

  test('counts work of several in flight once, without the drain', () => {
    // Two workers, 100 ms each: pairs complete at 100, 200 … 1100 and the last pair starts at 1100.
    const speed = speedOf({ utterances: utterances(24), concurrency: 2, fate: () => 'a b' })
    expect(speed).toMatchObject({ value: 40, audioSeconds: 40, windowSeconds: 1, meanInFlight: 2 })
  })

  test('adds windows and audio over blocks before it divides', () => {
    // Round 1 takes 100 ms a request, round 2 takes 300 ms: 20 s in 1 s and 20 s in 3 s.
    const speed = speedOf({
      utterances: utterances(10),
      rounds: 2,
      fate: () => 'a b',
      durationMs: ({ round }) => (round === 1 ? 100 : 300),
    })
    expect(speed).toMatchObject({ value: 10, audioSeconds: 40, blockCount: 2 })
  })

  test('leaves the time of a failed request in the window and its audio out', () => {
    const list = utterances(10)
    const speed = speedOf({
      utterances: list,
      fate: ({ utterance }) => (utterance === list[4] ? timedOut : 'a b'),
    })
    expect(speed).toMatchObject({ value: 18 })
  })

  test('is absent, with the reason, for a block with fewer than ten answers for each request in flight', () => {
    expect(speedOf({ utterances: utterances(8), concurrency: 4, fate: () => 'a b' })).toEqual({
      value: null,
      reason:
        'needs 40 answers between the first completion and the last start of a block with 4 in flight, the longest has 0',
      moreAnswers: 40,
    })
    // Fours complete together: the first four are before the window, the last four after it.
    expect(speedOf({ utterances: utterances(47), concurrency: 4, fate: () => 'a b' }).value).not.toBeNull()
    expect(speedOf({ utterances: utterances(44), concurrency: 4, fate: () => 'a b' })).toMatchObject({
      reason: expect.stringContaining('the longest has 36'),
    })
    expect(speedOf({ utterances: utterances(3), fate: () => null })).toEqual({
      value: null,
      reason: 'nothing was sent',
      moreAnswers: null,
    })
  })

  test('does not take a failure for an answer when it counts whether there are enough', () => {
    const list = utterances(48)
    const speed = speedOf({
      utterances: list,
      concurrency: 4,
      fate: ({ utterance }) => (utterance === list[5] ? timedOut : 'a b'),
    })
    expect(speed).toMatchObject({ value: null, reason: expect.stringContaining('the longest has 39') })
  })

  test('warns when the client did not keep its requests in flight', () => {
    const run = measuredRun({ utterances: utterances(20), fate: () => 'a b' })
    // Half as long in flight, at the same moments: the server is idle half of the time.
    const idle = {
      ...run,
      attempts: run.attempts.map((line) => ({ ...line, endedAtMs: line.sentAtMs + 50 })),
    }
    const found = findingIn(idle, 'LOAD_NOT_KEPT')
    expect(found?.message).toContain('0.51 of 1')
  })
})

describe('latency', () => {
  const latencyOf = (count: number) =>
    only(evaluatedRun({ utterances: utterances(count), fate: () => 'a b', durationMs }).contenders)
  /** 1 ms for the first utterance, 2 ms for the second, and so on. */
  const durationMs = ({ utterance }: { utterance: { id: string } }) => Number(utterance.id.slice(1)) + 1

  test.each([
    ['p50', 6],
    ['p90', 36],
    ['p95', 72],
    ['p99', 368],
  ] as const)('%s is shown from %i answered requests on', (name, least) => {
    expect(latencyOf(least).latencyMs[name].value).not.toBeNull()
    expect(latencyOf(least - 1).latencyMs[name]).toEqual({
      value: null,
      reason: 'needs 1 more answered request',
    })
  })

  test('is interpolated, with an interval between two of the samples', () => {
    expect(latencyOf(100).latencyMs.p50).toMatchObject({
      value: 50.5,
      sampleCount: 100,
      interval: { method: 'order-statistics', low: 40, high: 61 },
    })
  })

  test('is divided by the audio’s length request by request, and the server’s own figure is next to it', () => {
    const { realTimeFactor, serverDecodeMs } = latencyOf(7)
    expect(realTimeFactor.p50.value).toBeCloseTo(0.004 / 2, 12)
    expect(serverDecodeMs.p50.value).toBe(4 - 10)
  })

  test('of the first warm-up request is separate', () => {
    const run = measuredRun({ utterances: utterances(3), fate: () => 'a b' })
    const [request] = run.requests
    const [attempt] = run.attempts
    if (request === undefined || attempt === undefined) throw new Error('nothing was planned')
    const warmup = { phase: 'warmup', round: 0, index: 99 } as const
    const [contender] = evaluateRun({
      ...run,
      requests: [{ ...request, ...warmup }, { ...request, ...warmup, index: 98 }, ...run.requests],
      attempts: [
        { ...attempt, ...warmup, index: 98, sentAtMs: -100, endedAtMs: -50 },
        { ...attempt, ...warmup, sentAtMs: -900, endedAtMs: -100 },
        ...run.attempts,
      ],
    }).contenders
    expect(contender?.firstRequestMs).toBe(800)
    expect(contender?.counts.planned).toBe(3)
    expect(contender?.latencyMs.sampleCount).toBe(3)
  })
})
