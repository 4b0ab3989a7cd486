import { describe, expect, test } from 'vitest'
import { compareSides } from '#analysis/comparison/compare-runs'
import type { ThresholdResult } from '#analysis/documents/comparison'
import { evaluateRun } from '#analysis/evaluate-run'
import { findMetric, metrics } from '#analysis/metrics/metrics'
import { parseThreshold, parseThresholds } from '#analysis/metrics/threshold'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import { blank } from '../journal/a-run.ts'
import {
  evaluatedRun,
  measuredRun,
  only,
  spokenUtterances,
  timedOut,
  unitWritten,
  unsoundPaths,
} from './measured-run.ts'

function limitOf(text: string) {
  return parseThresholds([text]).map(({ metric, operator, limit }) => [metric.id, operator, limit])[0]
}

function problemOf(text: string) {
  const parsed = parseThreshold(text)
  if (parsed.ok) throw new Error('expected a problem')
  return parsed.failure
}

describe('a threshold is read', () => {
  test.each([
    ['wer <= 8%', 'wer', '<=', 0.08],
    ['cer<=3%', 'cer', '<=', 0.03],
    ['  failures   <   0.7 %  ', 'failures', '<', 0.007],
    ['latency.p95 <= 2s', 'latency.p95', '<=', 2000],
    ['latency.p95 <= 250ms', 'latency.p95', '<=', 250],
    ['rtfx >= 10', 'rtfx', '>=', 10],
    ['throughput > 10x', 'rtfx', '>', 10],
    ['wer.regression <= 0.5pp', 'wer.regression', '<=', 0.005],
    ['cer.regression <= -0.5pp', 'cer.regression', '<=', -0.005],
    ['coverage ≥ 99.5%', 'coverage', '>=', 0.995],
    ['first-request <= 3 s', 'first-request', '<=', 3000],
    ['wer by tag <= 8%', 'wer', '<=', 0.08],
    ['latency.p95 by duration <= 2s', 'latency.p95', '<=', 2000],
    ['latency.slope.regression <= 5%', 'latency.slope.regression', '<=', 0.05],
  ])('%s', (text, ...expected) => {
    expect(limitOf(text)).toEqual(expected)
  })

  test('for every metric there is', () => {
    for (const { id, unit } of metrics) expect(limitOf(`${id} <= 1${unitWritten[unit]}`)?.[0]).toBe(id)
  })
})

describe('a threshold is refused', () => {
  test.each([
    ['latency.p95 <= 2', 'has no unit', 'write "latency.p95 <= 2s" or "latency.p95 <= 2000ms"'],
    ['wer <= 8', 'has no unit', 'write "wer <= 8%"'],
    ['wer <= 8constructor', '"constructor" is not a unit of wer', 'write "wer <= 8%"'],
    ['wer <= 8s', '"s" is not a unit of wer', 'write "wer <= 8%"'],
    ['wer.regression <= 0.5%', '"%" is not a unit of wer.regression', 'write "wer.regression <= 0.5pp"'],
    ['latncy.p95 <= 2s', '"latncy.p95" is not a metric', 'did you mean "latency.p95"?'],
    ['p95 <= 2s', '"p95" is not a metric', 'did you mean "latency.p95"?'],
    ['latency.p59 <= 2s', '"latency.p59" is not a metric', 'did you mean "latency.p95"?'],
    [
      'rtfx by tag >= 10',
      '"rtfx by tag" is not a grouping',
      'hold all together to the limit: write "rtfx" alone',
    ],
    [
      'wer by accent <= 8%',
      '"wer by accent" is not a grouping',
      'write "wer by tag" or "wer by speaker" or "wer by language" or "wer by source" or "wer by duration"',
    ],
    ['wer == 8%', '"==" is not an operator here', 'write <=, <, >= or >'],
    ['wer <= 0,5%', '"0,5%" is not a number', 'write the decimals after a point: "0.5%"'],
    ['wer <= little', '"little" is not a number', 'write a limit such as "2%"'],
    ['8% >= wer', 'is not a threshold', 'write it as "wer <= 8%" or "latency.p95 <= 2s"'],
    ['', 'is not a threshold', 'write it as "wer <= 8%" or "latency.p95 <= 2s"'],
  ])('%j: %s', (text, what, hint) => {
    expect(problemOf(text)).toEqual({ where: text, what, hint })
  })

  test('with the names that exist where none is near', () => {
    expect(problemOf('happiness >= 9').hint).toMatch(/^write one of: wer, cer, .*latency\.p50/)
  })

  test('together with every other one that cannot be read', () => {
    expect(() => parseThresholds(['wer <= 8', 'wer <= 8%', 'p95 < 2'])).toThrow(
      expect.objectContaining({
        code: 'THRESHOLD_INVALID',
        exit: 'badInput',
        problems: [
          expect.objectContaining({ where: 'wer <= 8' }),
          expect.objectContaining({ where: 'p95 < 2' }),
        ],
      }),
    )
  })
})

const utterances = spokenUtterances(100, 'a b c d e')
const numberOf = ({ utterance }: { utterance: { id: string } }) => Number(utterance.id.slice(1))

/** 100 requests that take 1 to 100 ms; the first `failing` of the slowest fail. */
const slowing = (failing = 0) =>
  evaluatedRun({
    utterances,
    fate: (asked) => (numberOf(asked) >= 100 - failing ? timedOut : 'a b c d x'),
    durationMs: (asked) => numberOf(asked) + 1,
  })

function check(text: string, evaluation = slowing()): ThresholdResult {
  return only(checkThresholds(parseThresholds([text]), { evaluation }))
}

describe('a threshold is checked', () => {
  test.each([
    ['wer <= 20%', 'passed'],
    ['wer < 20%', 'failed'],
    ['wer <= 19.9%', 'failed'],
    ['coverage >= 100%', 'passed'],
    ['ser <= 50%', 'failed'],
    ['failures <= 0%', 'passed'],
  ])('by comparing the figure with the limit: %s %s', (text, outcome) => {
    expect(check(text).outcome).toBe(outcome)
  })

  test('by a percentile when the request of that rank lies within', () => {
    // Shown is 95.05, interpolated; the 95th of a hundred requests took 95 ms, and that is what counts.
    expect(slowing().contenders[0]?.latencyMs.p95.value).toBeCloseTo(95.05, 9)
    expect(check('latency.p95 <= 95ms')).toMatchObject({ outcome: 'passed', measured: 95, limit: 95 })
    expect(check('latency.p95 < 95ms').outcome).toBe('failed')
  })

  test('by a percentile with failures beyond every limit', () => {
    expect(check('latency.p95 <= 95ms', slowing(5))).toMatchObject({ outcome: 'passed', measured: 95 })
    expect(check('latency.p95 <= 10s', slowing(6))).toMatchObject({
      outcome: 'failed',
      measured: null,
      reason: '6 of 100 requests failed, and a failed request lies beyond any limit',
    })
  })

  test('by a percentile whose interval includes the failures too, and so the value', () => {
    const { interval } = check('latency.p50 <= 1s')
    expect(slowing().contenders[0]?.latencyMs.p50).toMatchObject({ interval })
    const result = check('latency.p50 <= 1s', slowing(30))
    // Ranks 40 and 61 of a hundred; of the seventy answered requests they would be 28 and 44.
    expect(result).toMatchObject({ measured: 50, interval: { low: 40, high: 61 } })
    expect(check('latency.p50 <= 1s', slowing(45))).toMatchObject({ measured: 50, interval: null })
  })

  test('on a busy machine as on any other, and the reason of a time over its limit says that the machine was busy', () => {
    const telemetry = [0, 1, 2, 3].map((second) => ({
      ...blank,
      atMs: 1000 * second,
      serverCpuSeconds: 0,
      ownCpuSeconds: 0,
      hostCpuSeconds: 1.5 * second,
    }))
    const run = measuredRun({
      utterances,
      fate: () => 'a b c d x',
      durationMs: (asked) => numberOf(asked) + 1,
    })
    const busy = evaluateRun({ ...run, telemetry })
    expect(check('latency.p95 <= 90ms', busy)).toMatchObject({
      outcome: 'failed',
      measured: 95,
      reason: 'other programs kept 1.5 of 2 processors busy: measure again on a quiet machine',
    })
    expect(check('latency.p95 <= 95ms', busy)).toMatchObject({ outcome: 'passed', reason: null })
    expect(check('wer <= 1%', busy)).toMatchObject({ outcome: 'failed', reason: null })
  })

  test('by the connecting of requests that had to connect, as its figure is', () => {
    const run = measuredRun({ utterances, fate: () => 'a b c d e' })
    const attempts = run.attempts.map((attempt, index) => ({
      ...attempt,
      socket: {
        startedAtMs: attempt.sentAtMs + 20,
        connectMs: index < 10 ? 12 : 0,
        uploadedAtMs: attempt.sentAtMs + 30,
      },
    }))
    const evaluation = evaluateRun({ ...run, attempts })
    expect(evaluation.contenders[0]?.phases.connectMs.p50.value).toBe(12)
    expect(check('phase.connect.p50 <= 5ms', evaluation)).toMatchObject({ outcome: 'failed', measured: 12 })
  })

  test('by every contender, and reported for each', () => {
    const evaluation = evaluatedRun({
      utterances,
      contenders: ['tiny', 'base'],
      fate: ({ contenderId }) => (contenderId === 'tiny' ? 'a b c d x' : 'a b c d e'),
    })
    const results = checkThresholds(parseThresholds(['wer <= 1%', 'cer <= 50%']), { evaluation })
    expect(results.map(({ threshold, contenderId, outcome }) => [threshold, contenderId, outcome])).toEqual([
      ['wer <= 1%', 'tiny', 'failed'],
      ['wer <= 1%', 'base', 'passed'],
      ['cer <= 50%', 'tiny', 'passed'],
      ['cer <= 50%', 'base', 'passed'],
    ])
  })
})

describe('a threshold is invalid, which is as good as failed,', () => {
  test('when too few samples say anything about it', () => {
    expect(check('latency.p99 <= 10s')).toMatchObject({
      outcome: 'invalid',
      measured: null,
      reason: 'needs 268 more answered requests',
    })
  })

  test('when nothing was answered', () => {
    const nothing = evaluatedRun({ utterances, fate: () => timedOut })
    expect(check('wer <= 100%', nothing)).toMatchObject({ outcome: 'invalid', reason: 'nothing was scored' })
    expect(check('rtfx >= 1', nothing).outcome).toBe('invalid')
    expect(check('failures <= 1%', nothing).outcome).toBe('failed')
  })

  test('when it is about a regression and there is no base', () => {
    expect(check('wer.regression <= 1pp').reason).toBe(
      'needs a base run to compare with: transcribench compare <base> <run>',
    )
  })
})

describe('a regression', () => {
  const regression = (baseErrors: number, runErrors: number, worseCount = 100, utteranceCount = 100) => {
    const run = (errors: number) =>
      measuredRun({
        utterances: utterances.slice(0, utteranceCount),
        fate: (asked) =>
          ['a b c d e', 'a b c d x', 'a b c x x'][numberOf(asked) < worseCount ? errors : 0] ?? '',
      })
    const comparison = compareSides([run(baseErrors)], [run(runErrors)])
    if (!comparison.ok) throw comparison.failure
    return { evaluation: evaluateRun(run(runErrors)), comparison: comparison.value }
  }
  const checked = (text: string, subject: ReturnType<typeof regression>) =>
    checkThresholds(parseThresholds([text]), subject)[0]

  test('fails only when its whole interval lies beyond the limit', () => {
    expect(checked('wer.regression <= 0.5pp', regression(0, 1))).toMatchObject({
      outcome: 'failed',
      measured: expect.closeTo(0.2, 12),
      limit: 0.005,
      isResolved: true,
    })
  })

  test('passes where nothing changed, and where it got better', () => {
    expect(checked('wer.regression <= 0pp', regression(1, 1))).toMatchObject({
      outcome: 'passed',
      measured: 0,
      isResolved: true,
    })
    expect(checked('wer.regression <= -10pp', regression(1, 0))).toMatchObject({ outcome: 'passed' })
  })

  test('passes unresolved where the limit lies within the interval', () => {
    expect(checked('wer.regression <= 2pp', regression(0, 1, 10))).toMatchObject({
      outcome: 'passed',
      isResolved: false,
      reason: 'unresolved: the limit lies within the interval',
    })
  })

  test('passes unresolved where fewer than six utterances make it', () => {
    const few = regression(0, 2, 5)
    expect(few.comparison.contenders[0]?.rates[0]?.interval?.low).toBeGreaterThan(0.005)
    expect(checked('wer.regression <= 0.5pp', few)).toMatchObject({
      outcome: 'passed',
      isResolved: false,
      reason: 'unresolved: only 5 differ, too few to exclude chance',
    })
  })

  test('of fewer than twenty utterances stays open even where nothing differs, and of one whatever it is', () => {
    const checkedOne = (errors: number) => checked('wer.regression <= 0.5pp', regression(0, errors, 100, 1))
    expect(checkedOne(0)).toMatchObject({
      interval: null,
      outcome: 'passed',
      isResolved: false,
      reason:
        'unresolved: one utterance says too little of other speech; it takes 20, and of several speakers five',
    })
    const checkedFew = (count: number) => checked('wer.regression <= 0.5pp', regression(0, 0, 6000, count))
    expect(checkedFew(2)).toMatchObject({ outcome: 'passed', isResolved: false })
    expect(checkedFew(19)).toMatchObject({ outcome: 'passed', isResolved: false })
    expect(checkedFew(20)).toMatchObject({ outcome: 'passed', isResolved: true, reason: null })
    expect(checkedOne(1)).toMatchObject({
      outcome: 'passed',
      isResolved: false,
      reason: 'unresolved: too few utterances for an interval',
    })
  })
})

describe('the table of metrics', () => {
  test('names each metric once, with its formula, source and reading', () => {
    const names = metrics.flatMap(({ id, aliases = [] }) => [id, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    expect(metrics.length).toBeGreaterThan(20)
    for (const { name, formula, source, reading } of metrics) {
      for (const text of [name, formula, source, reading]) expect(text.length).toBeGreaterThan(3)
    }
  })

  test('is found by id and by alias, whatever the case', () => {
    expect(findMetric('WER')?.id).toBe('wer')
    expect(findMetric('throughput')?.id).toBe('rtfx')
    expect(findMetric('nothing')).toBeNull()
  })
})

test('results of thresholds are sound documents', () => {
  const every = metrics.map(({ id, unit }) => `${id} <= 1${unitWritten[unit]}`)
  expect(unsoundPaths(checkThresholds(parseThresholds(every), { evaluation: slowing(30) }))).toEqual([])
})
