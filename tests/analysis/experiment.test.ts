import { describe, expect, test } from 'vitest'
import { calibrateRuns } from '#analysis/comparison/calibrate-runs'
import { compareSides } from '#analysis/comparison/compare-runs'
import { referenceDrift } from '#analysis/figures/machine/drift'
import { refuseFineMargins } from '#analysis/figures/speed/margins'
import { runDifference } from '#analysis/figures/speed/run-difference'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { seededRandom } from '#prelude'
import { abbaOrder } from '#run/plan/order'
import { normalDraws } from '../statistics/normal-draws.ts'
import { measuredRun, spokenUtterances } from './measured-run.ts'

const utterances = spokenUtterances(12, 'one two three', (index) => ({ seconds: 1 + 2 * index }))

/** So many runs that differ by so much, and get slower by so much from one to the next. */
function runs(count: number, { spread = 0, drift = 0, seed = 1 } = {}): RunMaterial[] {
  const normal = normalDraws(seededRandom(seed))
  return Array.from({ length: count }, (_, index) => {
    const luck = Math.exp(spread * normal() + drift * index)
    return measuredRun({
      utterances,
      fate: () => 'one two three',
      durationMs: ({ utterance }) => luck * (100 + 20 * (utterance.seconds ?? 0)),
      record: { id: `run-${index}`, startedAt: `2026-11-21T07:${10 + index}:00.000Z` },
    })
  })
}

describe('a calibration', () => {
  const { calibration, resolutions } = calibrateRuns(
    runs(20, { spread: 0.02 }),
    runs(20, { spread: 0.02, seed: 2 }),
  )

  test('measures what two equal runs differ by', () => {
    const { latency, rtfx } = calibration.spreads
    expect(latency?.pairCount).toBe(20)
    // Of a difference of two runs: 2 % times the root of two, give or take what twenty pairs leave open.
    expect(latency?.standardDeviation).toBeGreaterThan(0.018)
    expect(latency?.standardDeviation).toBeLessThan(0.042)
    expect(rtfx?.standardDeviation).toBeCloseTo(latency?.standardDeviation ?? 0, 2)
    expect(calibration.utteranceSpread).toBeLessThan(1e-9)
  })

  test('measures what the latency of one utterance differs by, with as many degrees of freedom as its deviations have', () => {
    const spreadOf = (utteranceCount: number) => {
      const [one, two, three, four] = [1, -1, 1, -1].map((sign) =>
        measuredRun({
          utterances: utterances.slice(0, utteranceCount),
          fate: ({ utterance }) => utterance.reference,
          durationMs: ({ utterance }) => 100 * Math.exp(0.1 * sign * (utterance.id === 'u0' ? 1 : -1)),
        }),
      ) as [RunMaterial, RunMaterial, RunMaterial, RunMaterial]
      return calibrateRuns([one, three], [two, four]).calibration.utteranceSpread
    }
    // Eight deviations of 10 %, of which three are free.
    expect(spreadOf(2)).toBeCloseTo(0.1 * Math.sqrt(8 / 3), 12)
    // All of what one utterance varies by may be that of whole runs.
    expect(spreadOf(1)).toBeNull()
  })

  test('says what five pairs find, how often they report a difference that is none, and how many it takes', () => {
    const latency = resolutions.find(({ metric }) => metric === 'latency')
    expect(latency?.detectable).toBeGreaterThan(latency?.standardDeviation ?? 1)
    expect(latency?.falseAlarmShare).toBe(0)
    expect(latency?.pairsNeeded).toBeGreaterThan(4)
    const four = calibrateRuns(runs(4, { spread: 0.02 }), runs(4, { spread: 0.02, seed: 2 })).resolutions
    // No five pairs were looked at, so the share is unknown and not 0.
    expect(four.map(({ falseAlarmShare }) => falseAlarmShare)).toEqual(four.map(() => null))
    expect(four.length).toBeGreaterThan(0)
  })

  test('refuses a margin that it cannot see, with the figure that it can', () => {
    expect(() => refuseFineMargins(calibration, { speed: 0.001 }, 5)).toThrow(/finer than this host can see/)
    expect(() => refuseFineMargins(calibration, { speed: 0.2 }, 5)).not.toThrow()
    expect(() => refuseFineMargins(calibration, {}, 5)).not.toThrow()
    expect(() => refuseFineMargins(null, { speed: 0.001 }, 5)).not.toThrow()
  })
})

describe('an experiment', () => {
  test('puts the sides in ABBA order, anew for every two passes', () => {
    const next = abbaOrder(['A', 'B', 'C'], seededRandom(3))
    const orders = Array.from({ length: 12 }, () => next().join(''))
    for (let pass = 0; pass < 12; pass += 2) {
      expect(orders[pass + 1]).toBe([...(orders[pass] ?? '')].reverse().join(''))
    }
    expect(new Set(orders).size).toBeGreaterThan(3)
  })

  test('looks at an interval that is wider than that of a fixed number of runs', () => {
    const [base, run] = [
      [0, 0.01, -0.01, 0.02, 0],
      [0.1, 0.12, 0.09, 0.11, 0.1],
    ]
    const width = (isSequential: boolean): number => {
      const interval = runDifference(base, run, null, isSequential).intervalAt(0.95)
      return (interval?.high ?? 0) - (interval?.low ?? 0)
    }
    expect(width(true)).toBeGreaterThan(width(false))
    const [plain, sequential] = [false, true].map((isSequential) =>
      compareSides(runs(6, { spread: 0.01 }), runs(6, { spread: 0.01, seed: 2 }), { isSequential }),
    )
    const latencyOf = (outcome: typeof plain) =>
      outcome?.ok === true ? outcome.value.contenders[0]?.speed[0]?.interval : null
    expect(latencyOf(sequential)?.high).toBeGreaterThan(latencyOf(plain)?.high ?? 9)
  })

  test('reports a machine that gets slower from run to run, and not one that does not', () => {
    expect(referenceDrift(runs(10, { drift: 0.01 }))?.relativeChange).toBeCloseTo(Math.expm1(0.09), 9)
    expect(referenceDrift(runs(10, { spread: 0.02 }))).toBeNull()
    // Five runs that rise are chance in one of sixty cases, six in one of 360.
    expect(referenceDrift(runs(5, { drift: 0.01 }))).toBeNull()
    expect(referenceDrift(runs(6, { drift: 0.01 }))).not.toBeNull()
  })
})
