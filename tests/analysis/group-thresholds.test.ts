import { describe, expect, test } from 'vitest'
import { compareSides } from '#analysis/comparison/compare-runs'
import { evaluateRun } from '#analysis/evaluate-run'
import { parseThresholds } from '#analysis/metrics/threshold'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import { seededRandom } from '#prelude'
import { normalDraws } from '../statistics/normal-draws.ts'
import { measuredRun, spokenUtterances, timedOut } from './measured-run.ts'

const reference = 'one two three four five'
const utterances = spokenUtterances(80, reference, (index) => ({
  seconds: index < 40 ? 1 : 20,
  speaker: index % 2 === 0 ? 'anna' : 'bert',
}))
const normal = normalDraws(seededRandom(2))

const run = (factor = 1, more: Partial<Parameters<typeof measuredRun>[0]> = {}): RunMaterial =>
  measuredRun({
    utterances,
    fate: ({ utterance }) => (utterance.speaker === 'bert' ? 'one two three four' : reference),
    durationMs: ({ utterance }) => factor * (100 + 20 * (utterance.seconds ?? 0)),
    ...more,
  })

const outcomes = (
  thresholds: readonly string[],
  base?: readonly RunMaterial[],
  later?: readonly RunMaterial[],
) => {
  const compared = base === undefined || later === undefined ? null : compareSides(base, later)
  const comparison = compared?.ok === true ? compared.value : undefined
  const evaluation = evaluateRun(later?.[0] ?? run())
  return checkThresholds(parseThresholds(thresholds), { evaluation, comparison })
}

describe('a threshold by group', () => {
  test('holds every group to the limit', () => {
    const found = outcomes(['wer by speaker <= 15%'])
    expect(found.map(({ group, outcome }) => [group, outcome]).sort()).toEqual([
      ['anna', 'passed'],
      ['bert', 'failed'],
    ])
  })

  test('of latencies goes by length, and is invalid where a group is too small for its percentile', () => {
    const found = outcomes(['latency.p90 by duration <= 200ms', 'latency.p95 by duration <= 200ms'])
    expect(found.map(({ group, outcome }) => [group, outcome])).toEqual([
      ['0-2 s', 'passed'],
      ['10-30 s', 'failed'],
      ['0-2 s', 'invalid'],
      ['10-30 s', 'invalid'],
    ])
    expect(found[2]?.reason).toBe('needs 32 more answered requests')
  })

  test('of latencies counts a failed request of a group as later than any limit', () => {
    const rounds = 3
    const failing = (isFailing: (round: number, id: number) => boolean) =>
      run(1, {
        rounds,
        fate: ({ utterance: { id, seconds }, round }) =>
          seconds === 20 && isFailing(round, Number(id.slice(1))) ? timedOut : reference,
      })
    const checked = (later: RunMaterial) =>
      outcomes(['latency.p90 by duration <= 2s'], [later], [later]).map(({ group, outcome, reason }) => [
        group,
        outcome,
        reason,
      ])
    expect(checked(failing((round, id) => round === 1 && id < 60))).toEqual([
      ['0-2 s', 'passed', null],
      ['10-30 s', 'failed', '20 of 120 requests failed, and a failed request lies beyond any limit'],
    ])
    expect(checked(failing(() => true))).toEqual([
      ['0-2 s', 'passed', null],
      ['10-30 s', 'invalid', 'needs 36 more answered requests'],
    ])
  })

  test('is held to the one group that all utterances are of', () => {
    expect(outcomes(['wer by language <= 15%'])).toMatchObject([
      { group: 'en', outcome: 'passed', isResolved: true },
    ])
    expect(outcomes(['wer by language <= 5%'])).toMatchObject([{ group: 'en', outcome: 'failed' }])
  })

  test('is open where there are more groups than are looked at', () => {
    const crowd = spokenUtterances(103, reference, (index) => ({ speaker: `s${index}` }))
    const many = run(1, { utterances: crowd, fate: () => reference })
    const found = outcomes(['wer by speaker <= 1%'], [many], [many])
    expect(found.filter(({ outcome, isResolved }) => outcome === 'passed' && isResolved)).toHaveLength(100)
    expect(found.filter(({ isResolved }) => !isResolved)).toMatchObject([
      { group: null, outcome: 'passed', reason: 'unresolved: 3 smaller groups are not checked' },
    ])
  })

  test('is invalid where the corpus has no groups', () => {
    const [found] = outcomes(['wer by tag <= 8%'])
    expect(found).toMatchObject({ outcome: 'invalid', reason: 'the corpus has no groups by tag' })
  })
})

describe('a threshold on the loss of speed', () => {
  const several = (factor: number) =>
    Array.from({ length: 6 }, (_, index) =>
      run(factor * Math.exp(0.01 * normal()), {
        record: { id: `r${index}`, startedAt: `2026-11-21T08:0${index}:00.000Z` },
      }),
    )

  test('fails where the whole interval lies beyond, and is kept where it lies within', () => {
    const limits = [
      'latency.regression <= 5%',
      'latency.slope.regression <= 5%',
      'rtfx.regression <= 5%',
      'latency.p95.regression <= 50%',
    ]
    const found = outcomes(limits, several(1), several(1.25))
    expect(found.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'passed'])
    expect(found[2]?.measured).toBeCloseTo(0.2, 1)
    expect(found.every(({ isResolved }) => isResolved)).toBe(true)
  })

  test('is unresolved with one run a side, says what it takes, and is invalid without a base', () => {
    const [found] = outcomes(['latency.regression <= 5%'], [run()], [run(2)])
    expect(found).toMatchObject({ outcome: 'passed', isResolved: false, measured: expect.closeTo(1, 9) })
    expect(found?.reason).toContain('transcribench experiment')
    expect(outcomes(['latency.regression <= 5%'])[0]?.outcome).toBe('invalid')
  })
})
