import { describe, expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { seededRandom } from '#prelude'
import { renderMarkdown, renderSummary } from '#reports/run/render-summary'
import { blank } from '../journal/a-run.ts'
import { codesIn, findingIn, measuredRun, only, spokenUtterances } from './measured-run.ts'
import { watched } from './watched-run.ts'

const utterances = spokenUtterances(10, 'a b c d e', (index) => ({ seconds: 2 + index / 2 }))

/** The first sentence of a summary, unbroken. */
function answerSentence(evaluation: Evaluation): string {
  const text = renderSummary(evaluation, {
    terminal: { width: 1000, color: false, unicode: true },
    folder: null,
  })
  return text.split('\n')[0]?.trim() ?? ''
}

interface Played {
  /** Milliseconds for a second of audio. */
  readonly paces: Readonly<Record<string, number>>
  readonly rounds?: number
  /** How many times as long a request of a contender takes in a round. */
  slowness?(round: number, contenderId: string): number
  readonly texts?: Readonly<Record<string, string>>
  readonly concurrency?: number
}

/** Contenders whose requests take a different time and a tenth more or less by chance. */
function played({ paces, rounds = 8, slowness = () => 1, texts = {}, concurrency = 1 }: Played) {
  const random = seededRandom(7)
  return measuredRun({
    utterances,
    contenders: Object.keys(paces),
    rounds,
    concurrency,
    fate: ({ contenderId }) => texts[contenderId] ?? 'a b c d e',
    durationMs: ({ contenderId, utterance, round }) =>
      (paces[contenderId] ?? 0) *
      (utterance.seconds ?? 0) *
      slowness(round, contenderId) *
      (0.9 + 0.2 * random.unit()),
  })
}

const pairOf = ({ speeds }: Evaluation) => only(speeds.pairs)

describe('the speeds of two contenders of a run', () => {
  test('have a ratio with an interval from the spread between pairs of turns', () => {
    const evaluation = evaluateRun(played({ paces: { slow: 80, fast: 40 } }))
    const pair = pairOf(evaluation)
    const [slow, fast] = evaluation.contenders.map(({ systemSpeed }) => systemSpeed.value ?? Number.NaN)
    expect(pair).toMatchObject({
      faster: 'fast',
      slower: 'slow',
      basis: 'speed',
      verdict: 'faster',
      reason: null,
    })
    expect(pair.ratio).toBeCloseTo((fast ?? 0) / (slow ?? 1), 12)
    expect(pair.interval).toMatchObject({ confidence: 0.95, method: 'pairs-of-turns' })
    expect(pair.interval?.low).toBeGreaterThan(1.8)
    expect(pair.interval?.low).toBeLessThan(2)
    expect(pair.interval?.high).toBeGreaterThan(2)
    expect(answerSentence(evaluation)).toMatch(
      / fast was 2\.0\d? times as fast as slow \(95% interval 1\.9\d? to 2\.\d+\)\.$/,
    )
  })

  test('are those of a quiet machine where another program slowed half of the run', () => {
    const evaluation = evaluateRun(
      played({ paces: { slow: 80, fast: 40 }, rounds: 16, slowness: (round) => (round <= 8 ? 3 : 1) }),
    )
    const { interval, verdict, faster } = pairOf(evaluation)
    expect([faster, verdict]).toEqual(['fast', 'faster'])
    expect(interval?.low).toBeLessThan(2)
    expect(interval?.high).toBeGreaterThan(2)
  })

  test('are not compared where one contender began slowly for longer than the other', () => {
    const { speeds } = evaluateRun(
      played({
        paces: { slow: 80, fast: 40 },
        rounds: 16,
        slowness: (round, contenderId) => (round <= (contenderId === 'slow' ? 4 : 1) ? 3 : 1),
      }),
    )
    expect(speeds).toMatchObject({
      pairs: [],
      withheld: 'the latencies of slow had not settled when measuring began',
    })
  })

  test('are called alike where they differ by less than the margin for certain', () => {
    const evaluation = evaluateRun(played({ paces: { one: 40, other: 40.2 }, rounds: 16 }))
    expect(pairOf(evaluation).verdict).toBe('alike')
    expect(answerSentence(evaluation)).toMatch(
      / They were equally fast within 5% \(95% interval 0\.9\d to 1\.0\d\)\.$/,
    )
  })

  test('are left open inside the margin, since a further run would differ by as much', () => {
    const evaluation = evaluateRun(played({ paces: { one: 40, other: 42 }, rounds: 16 }))
    const { verdict, interval } = pairOf(evaluation)
    expect(verdict).toBe('unresolved')
    expect(interval?.low).toBeGreaterThan(1)
    expect(answerSentence(evaluation)).toMatch(
      / Which of the two is faster is unresolved \(1\.05 times, 95% interval 1\.0\d to 1\.0\d\)\.$/,
    )
  })

  test('have no interval and no winner with fewer than eight turns, and say how many rounds it takes', () => {
    const evaluation = evaluateRun(played({ paces: { slow: 80, fast: 40 }, rounds: 6, concurrency: 1 }))
    expect(pairOf(evaluation)).toMatchObject({
      interval: null,
      verdict: 'unresolved',
      reason: 'needs 8 turns, has 6',
    })
    const several = evaluateRun(played({ paces: { slow: 80, fast: 40 }, rounds: 5, concurrency: 2 }))
    expect(several.speeds).toMatchObject({ turnCount: 5, roundsNeeded: 20 })
    expect(answerSentence(several)).toMatch(
      / Which of the two is faster is unresolved: needs 8 turns, has 5 \(--rounds 20\)\.$/,
    )
  })

  test('leave out turns that one of the two did not finish', () => {
    const run = played({ paces: { slow: 80, fast: 40 }, rounds: 10 })
    const last = run.requests.at(-1)
    const record: RunMaterial['record'] = { ...run.record, status: 'interrupted' }
    const cut = { ...run, record, attempts: run.attempts.filter(({ index }) => index !== last?.index) }
    const { interval } = pairOf(evaluateRun(cut))
    const whole = pairOf(evaluateRun(played({ paces: { slow: 80, fast: 40 }, rounds: 8 })))
    expect(interval?.low).toBeCloseTo(whole.interval?.low ?? 0, 12)
  })

  test('are not compared while other programs keep the machine busy', () => {
    const quiet = { cpuPaces: { slow: 0.08, fast: 0.04 } }
    const run = played({ paces: { slow: 80, fast: 40 } })
    expect(evaluateRun(watched(run, quiet)).speeds).toMatchObject({ withheld: null })
    // 80 % of two processors for half of the run.
    const busy = evaluateRun(watched(run, { ...quiet, foreign: (share) => (share < 0.4 ? 1.6 : 0) }))
    expect(codesIn(busy)).toContain('HOST_BUSY')
    expect(busy.speeds).toMatchObject({
      pairs: [],
      withheld: expect.stringMatching(/^other programs kept 0\.\d of \d/),
    })
    expect(answerSentence(busy)).toMatch(
      / Their speeds are not compared: other programs kept 0\.\d of \d+ processors busy\.$/,
    )
  })

  test('of a single contender on a busy machine are marked in every medium', () => {
    const run = played({ paces: { slow: 80 } })
    const busy = evaluateRun(watched(run, { cpuPaces: { slow: 0.08 }, foreign: () => 1.6 }))
    const reason = /other programs kept 1\.6 of \d+ processors busy/
    const answer = answerSentence(busy)
    expect(answer).toMatch(
      / and transcribes ~12\.5 seconds of speech a second\. Its latency and speed are not/,
    )
    expect(answer).toMatch(reason)
    const terminal = { width: 120, color: false, unicode: true }
    const text = renderSummary(busy, { terminal, folder: null })
    expect(text).toMatch(/slow .* ~12\.5× .* ~\d+ ms/)
    expect(text).toMatch(/~ not comparable: other programs/)
    const markdown = renderMarkdown(busy)
    expect(markdown).toMatch(/\| \\?~12\.5×/)
    expect(markdown).toMatch(/not comparable: other programs/)
    const quiet = evaluateRun(watched(run, { cpuPaces: { slow: 0.08 } }))
    expect(quiet.speeds).toMatchObject({ withheld: null, pairs: [] })
    expect(renderMarkdown(quiet)).not.toContain('~12.5')
  })

  test('are not compared where the client itself had to wait for a processor', () => {
    const run = played({ paces: { slow: 80, fast: 40 } })
    // Its server cannot be watched, and so nobody knows whose work it was.
    const late = (lateMs: number, stalledRate: number | null): RunMaterial => ({
      ...run,
      attempts: run.attempts.map((one) => ({ ...one, dueAtMs: one.sentAtMs - lateMs })),
      telemetry: [0, run.attempts.at(-1)?.endedAtMs ?? 0].map((atMs) => ({
        ...blank,
        atMs,
        hostCpuSeconds: 0,
        ownCpuSeconds: 0,
        hostCpuStalledSeconds: stalledRate === null ? null : (stalledRate * atMs) / 1000,
      })),
    })
    const starved = evaluateRun(late(209, 0.99))
    expect(starved.validity).not.toBe('invalid')
    const found = findingIn(starved, 'HOST_BUSY')
    expect(found?.message).toMatch(/^1% of the requests left 209 ms or more .* for 99% of the time: latency/)
    expect(starved.speeds.withheld).toMatch(/^1% of the requests left 209 ms/)
    expect(answerSentence(starved)).toContain(
      ' Their speeds are not compared: 1% of the requests left 209 ms',
    )
    expect(evaluateRun(late(209, null)).speeds.withheld).toMatch(/^1% of the requests left 209 ms/)
    // A late moment of a quiet machine, and lateness that is a small part of a request, are neither.
    expect(evaluateRun(late(209, 0.05)).speeds.withheld).toBeNull()
    expect(evaluateRun(late(15, 0.99)).speeds.withheld).toBeNull()
  })

  test('are left open where processor time says the opposite of the clock', () => {
    const run = played({ paces: { slow: 80, fast: 40 } })
    const evaluation = evaluateRun(watched(run, { cpuPaces: { slow: 0.03, fast: 0.066 } }))
    expect(pairOf(evaluation)).toMatchObject({ verdict: 'unresolved', faster: 'fast' })
    expect(answerSentence(evaluation)).toMatch(
      / Which of the two is faster is unresolved: fast took less time, but 2\.2 times the processor time\.$/,
    )
    const alike = evaluateRun(watched(run, { cpuPaces: { slow: 0.04, fast: 0.0404 } }))
    expect(pairOf(alike).verdict).toBe('faster')
  })

  test('are not compared in a run that is not valid', () => {
    const run = played({ paces: { slow: 80, fast: 40 } })
    const failed = evaluateRun({ ...run, record: { ...run.record, status: 'failed' } })
    expect(failed.speeds).toMatchObject({ withheld: 'the run is not valid', pairs: [] })
  })

  test('of a load that decides how much is done are compared by latency', () => {
    const run = played({ paces: { slow: 80, fast: 40 } })
    const load = { kind: 'poisson', rate: { requestsPerSecond: 2 }, forSeconds: null } as const
    const evaluation = evaluateRun({ ...run, record: { ...run.record, load } })
    const { basis, ratio, verdict } = pairOf(evaluation)
    expect([basis, verdict]).toEqual(['latency', 'faster'])
    expect(ratio).toBeGreaterThan(1.9)
    expect(ratio).toBeLessThan(2.1)
    expect(answerSentence(evaluation)).toMatch(/ fast answered 2\.0\d? times as fast as slow \(95% /)
  })

  test('share one confidence among all pairs', () => {
    const evaluation = evaluateRun(
      played({ paces: { slow: 80, middle: 60, fast: 40, other: 40.5 }, rounds: 8 }),
    )
    expect(evaluation.speeds?.pairs).toHaveLength(6)
    const alone = pairOf(evaluateRun(played({ paces: { slow: 80, fast: 40 }, rounds: 8 })))
    for (const { interval } of evaluation.speeds?.pairs ?? []) {
      expect(interval?.confidence).toBeGreaterThan(0.95)
    }
    expect(alone.interval?.confidence).toBe(0.95)
  })

  test('are in the sentence of the more accurate one', () => {
    const texts = { slow: 'a b c d e', fast: 'a b c d x' }
    const evaluation = evaluateRun(played({ paces: { slow: 80, fast: 40 }, texts }))
    expect(answerSentence(evaluation)).toMatch(
      /^slow makes 20\.0 fewer errors per hundred words than fast .* and took 2\.0\d? times as long \(95% interval .*\)\.$/,
    )
  })
})

test('a contender that is alone has no speed to be compared with', () => {
  const { speeds } = evaluateRun(played({ paces: { alone: 40 } }))
  expect(speeds).toMatchObject({ withheld: null, pairs: [], crossovers: [], roundsNeeded: null })
})
