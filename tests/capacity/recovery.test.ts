import { describe, expect, test } from 'vitest'
import { judgeOverload } from '#capacity/found'
import type { LevelSample } from '#capacity/loaded-server'
import { parseObjectives } from '#capacity/objective'
import { compareTexts, textsAlone } from '#capacity/sweep'
import { oneAtOnce, simulateOrder } from './simulated-servers.ts'

const nothingCounted = { leads: 'words', count: () => null } as const

const [objective] = parseObjectives(['p95 <= 0.5s + 0.1d'])
if (objective === undefined) throw new TypeError('there is an objective')
const accuracy = { compared: 0, differing: 0, emptied: 0 }
const judged = { objective, times: 2, perSecond: 12, forSeconds: 60, accuracy, crossedCount: 0 }

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
    const overload = judgeOverload(samples, judged)
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
    expect(judgeOverload(late, judged).recoverySeconds).toBe(judgeOverload(samples, judged).recoverySeconds)
  })

  test('is not known to be over where the objective stays violated, or too few requests came afterwards', () => {
    const slow = samples.map((sample) => ({ ...sample, endedAtMs: sample.dueAtMs + 5_000 }))
    expect(judgeOverload(slow, judged).recoverySeconds).toBeNull()
    const short = samples.filter(({ dueAtMs }) => dueAtMs < 61_000)
    const requests = short.filter(({ dueAtMs }) => dueAtMs >= 60_000).length
    expect(requests).toBeLessThan(20)
    expect(judgeOverload(short, judged)).toMatchObject({
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
    expect(judgeOverload(slow, judged).recoverySeconds).toBeNull()
  })

  test('distinguishes what was turned away from what failed, and whether the server still lives', () => {
    const refused = samples.map((sample, index): LevelSample => {
      if (index < 10) return { ...sample, isAnswered: false, isTurnedAway: true }
      return index < 13 || index === samples.length - 1 ? { ...sample, isAnswered: false } : sample
    })
    expect(judgeOverload(refused, judged)).toMatchObject({ turnedAway: 10, failed: 4, isAlive: false })
    const stillFull = samples.map(
      (sample): LevelSample =>
        sample === samples.at(-1) ? { ...sample, isAnswered: false, isTurnedAway: true } : sample,
    )
    expect(judgeOverload(stillFull, judged)).toMatchObject({ turnedAway: 1, failed: 0, isAlive: true })
  })
})

test('texts that came back to another client are distinguished from lost ones and from changed ones', () => {
  const sample = (utteranceId: string, text: string | null): LevelSample => ({
    utteranceId,
    text,
    audioSeconds: 1,
    dueAtMs: 0,
    sentAtMs: 0,
    endedAtMs: 1,
    isAnswered: text !== null,
  })
  const alone = textsAlone([sample('a', 'the cat'), sample('b', 'a dog'), sample('silence', '')])
  const loaded = [
    sample('a', 'the cat'),
    sample('a', 'a dog'),
    sample('b', ''),
    sample('b', 'a hog'),
    sample('silence', ''),
    sample('b', null),
  ]
  expect(compareTexts(loaded, alone, nothingCounted, 1)).toMatchObject({
    compared: 5,
    differing: 3,
    emptied: 1,
    failed: 1,
  })
})

test('an overload counts crossed answers among the texts that differ and are not empty, and no more than these', () => {
  const crossed = (crossedCount: number): number =>
    judgeOverload([], {
      ...judged,
      accuracy: { compared: 10, differing: 4, emptied: 1 },
      crossedCount,
    }).crossed
  expect([crossed(0), crossed(2), crossed(7)]).toEqual([0, 2, 3])
})
