import { describe, expect, test } from 'vitest'
import { judgeOverload } from '#capacity/found'
import type { LevelSample } from '#capacity/loaded-server'
import { compareTexts, textsAlone } from '#capacity/sweep'
import { objectiveOf } from './limits-of.ts'
import { oneAtOnce, sampleOf, simulateOrder } from './simulated-servers.ts'

const objective = objectiveOf('p95 <= 0.5s + 0.1d')
const order = { times: 2, perSecond: 12, forSeconds: 60 }
const judge = (samples: readonly LevelSample[]) =>
  judgeOverload(samples, objective, order, { compared: 0, differing: 0, emptied: 0 }, 0)

describe('an overload at twice the capacity for a minute', () => {
  const samples = simulateOrder(oneAtOnce, {
    kind: 'open',
    perSecond: 12,
    forSeconds: 60,
    prefill: 0,
    seed: 2,
    after: { perSecond: 2, forSeconds: 100 },
  })

  test('is over when what was in the queue has been served', () => {
    const overload = judge(samples)
    // Only what ended after the overload, while others still wait, can be late: until no request waits any more.
    const emptyAtMs = samples
      .filter(({ dueAtMs }) => dueAtMs >= 60_000)
      .find(({ dueAtMs }) => !samples.some((each) => each.dueAtMs < dueAtMs && each.endedAtMs > dueAtMs))
    expect(overload.backlogAtEnd).toBeGreaterThan(20)
    expect(overload.backlogPerSecond).toBeGreaterThan(0.3)
    expect(overload.recoverySeconds).toBeGreaterThan(1)
    expect(overload.recoverySeconds).toBeLessThanOrEqual(((emptyAtMs?.dueAtMs ?? 0) - 60_000) / 1000)
    expect(overload).toMatchObject({ failed: 0, turnedAway: 0, answered: samples.length, isAlive: true })
  })

  test('is felt until a run of requests keeps the objective, and not until the last chance miss', () => {
    const late = samples.map((sample, index) =>
      index === samples.length - 40 ? { ...sample, endedAtMs: sample.endedAtMs + 9_000 } : sample,
    )
    expect(judge(late).recoverySeconds).toBe(judge(samples).recoverySeconds)
  })

  test('is not known to be over where the objective stays violated, or too few requests came afterwards', () => {
    const slow = samples.map((sample) => ({ ...sample, endedAtMs: sample.dueAtMs + 5_000 }))
    expect(judge(slow).recoverySeconds).toBeNull()
    const short = samples.filter(({ dueAtMs }) => dueAtMs < 61_000)
    const requests = short.filter(({ dueAtMs }) => dueAtMs >= 60_000).length
    expect(requests).toBeLessThan(20)
    expect(judge(short)).toMatchObject({
      recoverySeconds: null,
      tooFewAfterwards: { requests, misses: requests },
    })
  })

  test('is not over because one request amid those that are late is lucky', () => {
    const after = samples.filter(({ dueAtMs }) => dueAtMs >= 60_000)
    const lucky = after[30]
    const slow = samples.map((sample) =>
      sample === lucky
        ? { ...sample, endedAtMs: sample.dueAtMs + 10 }
        : { ...sample, endedAtMs: sample.dueAtMs + 5_000 },
    )
    expect(judge(slow).recoverySeconds).toBeNull()
  })

  test('distinguishes what was turned away from what failed, and whether the server still lives', () => {
    const refused = samples.map((sample, index): LevelSample => {
      if (index < 10) return { ...sample, isAnswered: false, isTurnedAway: true }
      return index < 13 || index === samples.length - 1 ? { ...sample, isAnswered: false } : sample
    })
    expect(judge(refused)).toMatchObject({ turnedAway: 10, failed: 4, isAlive: false })
    const stillFull = samples.map(
      (sample): LevelSample =>
        sample === samples.at(-1) ? { ...sample, isAnswered: false, isTurnedAway: true } : sample,
    )
    expect(judge(stillFull)).toMatchObject({ turnedAway: 1, failed: 0, isAlive: true })
  })
})

describe('an overload', () => {
  /** One request in the middle of each second, for the minute of the overload and another one. */
  const everySecond = (responseMs: number): readonly LevelSample[] =>
    Array.from({ length: 120 }, (_, second) =>
      sampleOf(1000 * second + 500, 1000 * second + 500 + responseMs),
    )

  test('that the server serves in time has nothing to recover from', () => {
    expect(judge(everySecond(100))).toMatchObject({
      backlogAtEnd: 0,
      backlogPerSecond: 0,
      recoverySeconds: 0,
    })
  })

  test('of which nothing is served grows the backlog by its arrivals', () => {
    const { backlogAtEnd, backlogPerSecond } = judge(everySecond(1_000_000).slice(0, 60))
    expect({ backlogAtEnd, backlogPerSecond }).toEqual({ backlogAtEnd: 60, backlogPerSecond: 1 })
  })
})

test('texts that came back to another client are distinguished from lost ones and from changed ones', () => {
  const sample = (utteranceId: string, text: string | null): LevelSample =>
    sampleOf(0, 1, { utteranceId, text, isAnswered: text !== null })
  const alone = textsAlone([sample('a', 'the cat'), sample('b', 'a dog'), sample('silence', '')])
  const loaded = [
    sample('a', 'the cat'),
    sample('a', 'a dog'),
    sample('b', ''),
    sample('b', 'a hog'),
    sample('silence', ''),
    sample('b', null),
  ]
  const counted = compareTexts(loaded, alone, { leads: 'words', count: () => null }, 1)
  expect(counted).toMatchObject({ compared: 5, differing: 3, emptied: 1, failed: 1 })
})

test('an overload counts crossed answers among the texts that differ and are not empty, and no more than these', () => {
  const accuracy = { compared: 10, differing: 4, emptied: 1 }
  const crossed = (crossedCount: number): number =>
    judgeOverload([], objective, order, accuracy, crossedCount).crossed
  expect([crossed(0), crossed(2), crossed(7)]).toEqual([0, 2, 3])
})
