import { describe, expect, test } from 'vitest'
import { questionState } from '#analysis/comparison/verdicts'
import { becameWorse, type Comparison, listJudgements } from '#analysis/documents/comparison'
import { evaluateRun } from '#analysis/evaluate-run'
import { runDifference } from '#analysis/figures/speed/run-difference'
import { parseThresholds } from '#analysis/metrics/threshold'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import type { RunRecord } from '#journal/run-record'
import { seededRandom } from '#prelude'
import { comparisonMarkdown } from '#reports/comparison/comparison-markdown'
import { renderComparison } from '#reports/comparison/render-comparison'
import { comparisonJunit } from '#reports/junit'
import { studentQuantile } from '#statistics/distributions'
import { normalDraws } from '../statistics/normal-draws.ts'
import { codesIn, compared, findingIn, measuredRun, only, type PlayedRun, timedOut } from './measured-run.ts'
import { watched } from './watched-run.ts'

const reference = 'one two three four five'
const utterances = Array.from({ length: 100 }, (_, index) => ({
  id: `u${String(index).padStart(2, '0')}`,
  reference,
  seconds: 1 + (index % 20),
}))
const wide = { width: 1000, color: false, unicode: true }

type Answers = Parameters<typeof measuredRun>[0]['fate']

interface Build {
  /** How many times as long requests take. */
  readonly factor?: number
  /** Spread from run to run. */
  readonly spread?: number
  /** The slowest tenth of the requests takes so many times as long. */
  readonly tail?: number
  readonly seed?: number
  readonly fate?: Answers
  readonly record?: Partial<RunRecord>
}

/** Of all runs of this file: sides of a comparison are different runs. */
let runCount = 0

/** So many runs of one build, each with its own random errors. */
function runs(count: number, build: Build = {}): PlayedRun[] {
  const { factor = 1, spread = 0.01, tail = 1, seed = 1, fate = () => reference, record = {} } = build
  const normal = normalDraws(seededRandom(seed))
  return Array.from({ length: count }, (_, index) => {
    const luck = factor * Math.exp(spread * normal())
    runCount += 1
    return measuredRun({
      utterances,
      fate,
      durationMs: ({ utterance }) => {
        const isSlow = Number(utterance.id.slice(1)) % 10 === 0
        return luck * (100 + (utterance.seconds ?? 1)) * Math.exp(0.05 * normal()) * (isSlow ? tail : 1)
      },
      record: { id: `run-${runCount}`, startedAt: `2026-11-21T07:${10 + index}:00.000Z`, ...record },
    })
  })
}

const onlyPair = ({ contenders }: Comparison) => only(contenders)

const speedOf = (comparison: Comparison, wanted: string) => {
  const found = onlyPair(comparison).speed.find(({ metric }) => metric === wanted)
  if (found === undefined) throw new Error(`${wanted} was not compared`)
  return found
}

const sentenceOf = (comparison: Comparison): string =>
  renderComparison(comparison, [], wide).split('\n')[0]?.trim() ?? ''

describe('a verdict and the interval next to it', () => {
  test('agree, whatever the number of differences', () => {
    for (const factor of [1, 1.02, 1.05, 1.08, 1.12, 1.3]) {
      const comparison = compared(runs(8, { spread: 0.02 }), runs(8, { spread: 0.02, factor, seed: 2 }))
      for (const { speed, rates, failures } of comparison.contenders) {
        for (const { verdict, judgedBy, margin, ...row } of [...speed, ...rates, failures]) {
          if (verdict === null || judgedBy === null) continue
          const sign = 'metric' in row && row.metric === 'rtfx' ? -1 : 1
          const [low, high] = [sign * judgedBy.low, sign * judgedBy.high].sort((a, b) => a - b)
          const isInside = (low ?? 0) >= -margin && (high ?? 0) <= margin
          expect(judgedBy.confidence).toBeGreaterThanOrEqual(0.95)
          expect(verdict === 'equivalent').toBe(isInside)
          expect(verdict === 'worse').toBe((low ?? 0) > margin)
          expect(verdict === 'better').toBe((high ?? 0) < -margin)
        }
      }
    }
  })

  test('say which way an unresolved one goes, that its size is unresolved, and about how many runs would resolve it', () => {
    const comparison = compared(runs(8, { spread: 0.01 }), runs(8, { factor: 1.06, seed: 2 }))
    const latency = speedOf(comparison, 'latency')
    expect(latency).toMatchObject({ verdict: 'unresolved', direction: 'worse' })
    expect(latency.moreNeeded).toBeGreaterThan(0)
    const text = renderComparison(comparison, [], wide)
    expect(text).toMatch(/latency +\d+ ms +\d+ ms +\+\d\.\d% +\+\d\.\d to \+\d+\.\d +\? slower/)
    expect(text).toMatch(
      /\? latency: slower; whether by more than 5\.0% is unresolved; about \d+ more runs a side would resolve it/,
    )
    expect(sentenceOf(comparison)).toMatch(
      /open: latency \(\+\d\.\d%.*: slower; whether by more than 5\.0% is unresolved/i,
    )
    expect(comparisonMarkdown(comparison, [])).toContain('whether by more than 5.0% is unresolved')
    // The other figures are parts of these: their way is enough in a sentence.
    expect(sentenceOf(comparison)).toMatch(/, latency p50 \(slower\)/)
  })

  test('is settled by about as many runs as were said to be needed', () => {
    const build = { spread: 0.015, factor: 1.08 }
    const few = compared(runs(8, { spread: 0.015 }), runs(8, { ...build, seed: 2 }))
    const { verdict, moreNeeded } = speedOf(few, 'latency')
    expect(verdict).toBe('unresolved')
    const count = 8 + (moreNeeded ?? 0)
    expect(count).toBeLessThan(60)
    const many = compared(runs(count, { spread: 0.015 }), runs(count, { ...build, seed: 2 }))
    expect(speedOf(many, 'latency').verdict).toBe('worse')
  })

  test('holds no difference where too few utterances differ to exclude chance', () => {
    const fate: Answers = ({ utterance }) => (Number(utterance.id.slice(1)) < 4 ? 'one two' : reference)
    const [wer] = onlyPair(compared(runs(1), runs(1, { fate }))).rates
    expect(wer).toMatchObject({ verdict: 'unresolved', direction: null })
    expect(wer?.judgedBy?.low).toBe(0)
  })
})

test('an error rate that many comparisons leave open is not said to differ in too few utterances', () => {
  const side = (isWrong: (index: number) => boolean) =>
    measuredRun({
      utterances,
      contenders: ['a', 'b', 'c', 'd', 'e', 'f'],
      fate: ({ utterance: { id } }) => (isWrong(Number(id.slice(1))) ? 'one two three four' : reference),
    })
  const comparison = compared([side((index) => index < 8)], [side((index) => index >= 8 && index < 30)])
  const [rate] = comparison.contenders[0]?.rates ?? []
  expect(rate).toMatchObject({ metric: 'wer', verdict: 'unresolved', differingCount: 30 })
  expect([rate?.interval?.low ?? 0, rate?.judgedBy?.low ?? 1].map((low) => low > 0.002)).toEqual([
    true,
    false,
  ])
  const text = renderComparison(comparison, [], wide)
  expect(text).toMatch(/WER .* within 0\.2 pp/)
  expect(text).not.toContain('only 30 differ')
})

describe('speeds of two sides', () => {
  const quiet = { cpuPaces: { tiny: 0.04 } }
  const busy = { ...quiet, foreign: () => 1 }
  const watchedRuns = (count: number, build: Build, how: Parameters<typeof watched>[1]) =>
    runs(count, build).map((run) => watched(run, how))

  test('are not compared where other programs kept the machine busy, not even by a change', () => {
    const comparison = compared(watchedRuns(5, {}, quiet), watchedRuns(5, { factor: 1.4 }, busy))
    for (const row of onlyPair(comparison).speed) {
      expect(row).toMatchObject({ verdict: null, interval: null, relativeChange: null })
      expect(row.note).toMatch(/^not comparable: other programs kept 1\.0 of \d+ processors busy$/)
    }
    expect(onlyPair(comparison).crossover.kind).toBe('unresolved')
    const text = renderComparison(comparison, [], wide)
    expect(text).not.toMatch(/faster|slower|[+−]\d+\.\d%/)
    for (const name of ['latency p50', 'speed']) {
      expect(text).toMatch(new RegExp(`^ *${name} +~\\S+.* ~\\S+`, 'm'))
      expect(comparisonMarkdown(comparison, [])).toMatch(new RegExp(`\\| ${name} \\| \\\\~.* \\| \\\\~`))
    }
    expect(codesIn(comparison)).toContain('HOST_BUSY')
  })

  test('rest on the quiet pairs of runs alone, and say how many were left out', () => {
    const mixed = runs(8, { factor: 1.4, seed: 2 }).map((run, index) =>
      watched(run, index < 2 ? busy : quiet),
    )
    const comparison = compared(watchedRuns(8, {}, quiet), mixed)
    const whole = compared(runs(8).slice(2), runs(8, { factor: 1.4, seed: 2 }).slice(2))
    expect(speedOf(comparison, 'latency').verdict).toBe('worse')
    expect(speedOf(comparison, 'latency').relativeChange).toBeCloseTo(
      speedOf(whole, 'latency').relativeChange ?? 0,
      12,
    )
    const found = findingIn(comparison, 'HOST_BUSY')
    expect(found?.message).toContain('busy in 2 of 16 runs, which are excluded from speeds')
  })

  test('have no winner where processor time says the opposite', () => {
    const [base, run] = [
      watchedRuns(6, {}, { cpuPaces: { tiny: 0.04 } }),
      watchedRuns(6, { factor: 1.4, seed: 2 }, { cpuPaces: { tiny: 0.03 } }),
    ]
    const latency = speedOf(compared(base, run), 'latency')
    expect(latency).toMatchObject({
      verdict: 'unresolved',
      direction: null,
      note: 'processor time says the opposite: 25.0% less',
    })
    const alike = watchedRuns(6, { factor: 1.4, seed: 2 }, { cpuPaces: { tiny: 0.0395 } })
    expect(speedOf(compared(base, alike), 'latency').verdict).toBe('worse')
    const threads = (count: number) => ({
      config: { contenders: [{ id: 'tiny', settings: { threads: count } }] },
    })
    const traded = compared(
      watchedRuns(6, { record: threads(1) }, { cpuPaces: { tiny: 0.04 } }),
      watchedRuns(6, { record: threads(2), factor: 0.7, seed: 2 }, { cpuPaces: { tiny: 0.05 } }),
    )
    expect(speedOf(traded, 'latency').verdict).toBe('better')
  })

  test('of five runs against one rest on what the five know of the spread', () => {
    const comparison = compared(runs(5), runs(1, { factor: 1.5, seed: 2 }))
    const latency = speedOf(comparison, 'latency')
    expect(latency).toMatchObject({ basis: 'runs of one side', verdict: 'worse', note: null })
    expect(codesIn(comparison)).not.toContain('ONE_RUN_A_SIDE')
    // Variance 0.00025 of the five, and a fifth of it more for their mean.
    const interval = runDifference([-0.02, -0.01, 0, 0.01, 0.02], [0.1], null).intervalAt(0.95)
    expect(interval?.high).toBeCloseTo(0.1 + studentQuantile(0.975, 4) * Math.sqrt(0.00025 * 1.2), 12)
  })
})

describe('failed requests', () => {
  const failing = (ids: (index: number) => boolean): Answers => {
    return ({ utterance }) => (ids(Number(utterance.id.slice(1))) ? timedOut : reference)
  }

  test('become worse where six and more fail on one side alone, by the exact test of pairs', () => {
    const comparison = compared(runs(1), runs(1, { fate: failing((index) => index < 12) }))
    const { failures } = onlyPair(comparison)
    expect(failures).toMatchObject({
      base: 0,
      run: 12,
      baseRequests: 100,
      runRequests: 100,
      pairedCount: 100,
      onlyBase: 0,
      onlyRun: 12,
      difference: 0.12,
      verdict: 'worse',
    })
    expect(failures.judgedBy?.low).toBeGreaterThan(0.04)
    expect(becameWorse(comparison)).toBe(true)
    expect(sentenceOf(comparison)).toMatch(/^Worse: failed requests \(0 of 100 → 12 of 100\); /)
    expect(comparisonJunit(comparison, [])).toMatch(
      /name="failed of tiny"><failure message="✗ worse: 0 to 12/,
    )
  })

  test('are open where only a few differ, and named all the same', () => {
    const comparison = compared(runs(1), runs(1, { fate: failing((index) => index < 3) }))
    expect(onlyPair(comparison).failures.verdict).toBe('unresolved')
    expect(onlyPair(comparison).failures.judgedBy?.low).toBeLessThanOrEqual(0)
    expect(sentenceOf(comparison)).toContain(
      'failed requests (0 of 100 → 3 of 100, too few to exclude chance)',
    )
    expect(becameWorse(comparison)).toBe(false)
  })

  test('that fail on both sides count for nothing, and none at all has no verdict', () => {
    const same = failing((index) => index < 20)
    expect(onlyPair(compared(runs(1, { fate: same }), runs(1, { fate: same }))).failures).toMatchObject({
      verdict: 'equivalent',
      difference: 0,
    })
    expect(onlyPair(compared(runs(1), runs(1))).failures.verdict).toBeNull()
  })

  test('of several runs are paired in the order of time', () => {
    const { failures } = onlyPair(
      compared(runs(3), [...runs(1), ...runs(2, { fate: failing((index) => index < 5) })]),
    )
    expect(failures).toMatchObject({ pairedCount: 300, onlyRun: 10, verdict: 'worse' })
  })

  test('are held to a limit on their rise', () => {
    const after = runs(1, { fate: failing((index) => index < 12) })
    const comparison = compared(runs(1), after)
    const evaluation = evaluateRun(after[0] as RunMaterial)
    const held = (limits: readonly string[]) =>
      checkThresholds(parseThresholds(limits), { evaluation, comparison }).map(
        ({ outcome, isResolved }) => `${outcome}${isResolved ? '' : ', open'}`,
      )
    expect(
      held(['failures.regression <= 1pp', 'failures.regression <= 12pp', 'failures.regression <= 50pp']),
    ).toEqual(['failed', 'passed, open', 'passed'])
    expect(held(['failures.regression <= 0pp'])).toEqual(['failed'])
    const clean = compared(runs(1), runs(1))
    expect(
      checkThresholds(parseThresholds(['failures.regression <= 0pp']), { evaluation, comparison: clean }),
    ).toMatchObject([{ outcome: 'passed', isResolved: true, measured: 0 }])
  })
})

describe('a slow tail', () => {
  test('is named where p95 is far slower and p50 is not', () => {
    const comparison = compared(runs(1), runs(1, { tail: 3 }))
    expect(sentenceOf(comparison)).toMatch(
      /slow tail: p95 \+\d+\.\d% while p50 is [+−]?\d\.\d%, in too few runs for a verdict/i,
    )
    expect(comparisonMarkdown(comparison, [])).toContain('### ❓')
    const text = renderComparison(comparison, [], wide)
    expect(text).toMatch(/latency +base {2}[▁▂▃▄▅▆▇█ ]+\n +run {3}[▁▂▃▄▅▆▇█ ]+\n +\d+ ms +\d+ ms/)
    expect(sentenceOf(compared(runs(1), runs(1, { factor: 3 })))).not.toMatch(/slow tail/i)
    expect(sentenceOf(compared(runs(1), runs(1, { seed: 3 })))).not.toMatch(/slow tail/i)
  })

  test('is certainly worse where the runs show it', () => {
    const comparison = compared(runs(6), runs(6, { tail: 3, seed: 2 }))
    expect(speedOf(comparison, 'latency.p95').verdict).toBe('worse')
    expect(sentenceOf(comparison)).toMatch(
      /^Worse: .*latency p95 \(.*slow tail: p95 \+\d+\.\d% while p50 is [+−]?\d\.\d%;/,
    )
  })
})

test('a word that takes the place of many is summed over them', () => {
  const words = reference.split(' ')
  const fate: Answers = ({ utterance }) => {
    const place = Number(utterance.id.slice(1)) % 5
    return words.map((word, index) => (index === place ? 'uh' : word)).join(' ')
  }
  const comparison = compared(runs(1), runs(1, { fate }))
  expect(onlyPair(comparison).intruders).toEqual([{ hypothesis: 'uh', replacedCount: 5, base: 0, run: 100 }])
  expect(renderComparison(comparison, [], wide)).toContain('words       “uh” for 5 words 0 → 100×')
})

describe('the question of an experiment', () => {
  test('is open while failures, latency or its tail are, and not for rates, which more runs do not settle', () => {
    const state = (run: readonly RunMaterial[], isBeside = false) =>
      questionState(compared(runs(12), run), isBeside)
    expect(state(runs(12, { seed: 2 }))).toEqual({ isOpen: false, isBeyondRuns: false })
    expect(state(runs(12, { seed: 2, factor: 1.05 })).isOpen).toBe(true)
    const heard: Answers = ({ utterance }) => (utterance.id < 'u03' ? 'one two' : reference)
    expect(state(runs(12, { seed: 2, fate: heard }))).toEqual({ isOpen: false, isBeyondRuns: true })
  })

  test('is not open for a figure that runs of this length do not have', () => {
    const short = runs(6).map((run) => {
      const requests = run.requests.slice(0, 60)
      return { ...run, requests, attempts: run.attempts.filter(({ index }) => index < requests.length) }
    })
    const comparison = compared(short, short)
    expect(speedOf(comparison, 'latency.p95').reason).toContain('needs')
    expect(questionState(comparison, false).isOpen).toBe(false)
    expect(listJudgements(comparison).length).toBe(9)
  })
})
