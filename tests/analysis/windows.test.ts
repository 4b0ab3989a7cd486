import { describe, expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { parseThresholds } from '#analysis/metrics/threshold'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { scoreRequests } from '#analysis/score-requests'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { LoadShape } from '#load/loads/registry'
import { seededRandom } from '#prelude'
import {
  evaluatedRun,
  measuredRun,
  spokenUtterances,
  timedOut,
  warmedUp as warmedUpAt,
} from './measured-run.ts'

const utterances = (count: number) => spokenUtterances(count, 'a b', { seconds: 2 })

/** One request a second from 0 on under an open load, each answered after so many milliseconds. */
function openRun(count: number, serviceMs: (index: number) => number): RunMaterial {
  const run = measuredRun({ utterances: utterances(count), fate: () => 'a b' })
  const load: LoadShape = { kind: 'constant', rate: { requestsPerSecond: 1 }, forSeconds: null }
  return {
    ...run,
    record: { ...run.record, load },
    attempts: run.attempts.map((line, index) => ({
      ...line,
      dueAtMs: 1000 * index,
      sentAtMs: 1000 * index,
      endedAtMs: 1000 * index + serviceMs(index),
    })),
  }
}

const windowsOf = ({ utterances: rows }: Evaluation) => rows.map(({ window }) => window)
const contenderOf = (run: RunMaterial) => evaluateRun(run).contenders[0] as Evaluation['contenders'][number]

describe('a load that ended within a pass over the corpus', () => {
  /** The first of three utterances was sent once more than the others, and always has an error in two words. */
  const evaluation = evaluatedRun({
    utterances: utterances(3).map((utterance) => ({ ...utterance, speaker: utterance.id })),
    rounds: 2,
    fate: ({ utterance: { id }, round }) => (id === 'u0' ? 'a c' : round === 1 ? 'a b' : null),
  })
  const [contender] = evaluation.contenders

  test('weighs every utterance alike in each rate, and counts all that was answered', () => {
    expect(contender?.counts).toMatchObject({ planned: 6, answered: 4, notSent: 2 })
    expect(contender?.words).toMatchObject({ rate: 1 / 6, referenceLength: 8, counts: { substitutions: 2 } })
    expect(contender?.sentenceErrorRate).toBe(1 / 3)
    expect(contender?.wordsWithFailuresAsEmpty.rate).toBe(contender?.words.rate)
    expect(contender?.meanUtteranceWordErrorRate).toBe(contender?.words.rate)
    expect(contender?.words.interval).toMatchObject({ low: 0, high: 0.5 })
    const all = evaluation.errorAnalyses[0]?.breakdowns.find(({ by }) => by === 'duration')?.groups[0]
    expect(all).toMatchObject({ words: { rate: 1 / 6 }, characterErrorRate: 1 / 9, sentenceErrorRate: 1 / 3 })
  })

  test('weighs them alike in the rates next to the word error rate', () => {
    const rates = evaluation.errorAnalyses[0]?.rates
    // One of six words is wrong, so the match error rate cannot be higher; five of six are right on both sides.
    expect(rates?.matchErrorRate).toMatchObject({ rate: 1 / 6, numerator: 2, denominator: 8 })
    expect(rates?.sentenceErrorRate).toMatchObject({ rate: 1 / 3, numerator: 2, denominator: 4 })
    expect(rates?.wordInformationPreserved).toBeCloseTo((5 / 6) ** 2, 12)
  })
})

describe('a load as it was offered and sent', () => {
  const load: LoadShape = {
    kind: 'steps',
    steps: [
      { rate: { requestsPerSecond: 2 }, forSeconds: 5 },
      { rate: { requestsPerSecond: 1 }, forSeconds: 10 },
    ],
    intervals: { kind: 'even' },
  }
  const dueAtMs = (index: number): number => (index < 10 ? 500 * index : 5000 + 1000 * (index - 10))

  /** Two steps, of which every request was sent at its moment, changed as given. */
  function stepsRun(change: (line: AttemptLine, index: number) => AttemptLine | null): RunMaterial {
    const run = measuredRun({ utterances: utterances(20), fate: () => 'a b' })
    return {
      ...run,
      record: { ...run.record, load },
      requests: run.requests.map((request, index) => ({
        ...request,
        send: { kind: 'due' as const, dueAtMs: dueAtMs(index) },
      })),
      attempts: run.attempts.flatMap((line, index) => {
        const atMs = 700 + dueAtMs(index)
        return change({ ...line, dueAtMs: atMs, sentAtMs: atMs, endedAtMs: atMs + 100 }, index) ?? []
      }),
    }
  }
  const phasesOf = (run: RunMaterial) => contenderOf(run).loadPhases
  const inTime = (requestCount: number, seconds: number) => ({
    requestCount,
    seconds,
    requestsPerSecond: requestCount / seconds,
  })
  const offered = [inTime(10, 5), inTime(10, 10)]

  test('is the same where every request left at its moment', () => {
    const phases = phasesOf(stepsRun((line) => line))
    expect(phases?.map(({ description }) => description)).toEqual(['2/s for 5 s', '1/s for 10 s'])
    expect(phases?.map((phase) => phase.offered)).toEqual(offered)
    expect(phases?.map((phase) => phase.sent)).toEqual(offered)
  })

  test('differs by what left in a later step, was sent again, or was not sent', () => {
    const late = stepsRun((line, index) =>
      index === 9 ? { ...line, sentAtMs: 5800, endedAtMs: 5900 } : line,
    )
    expect(phasesOf(late)?.map(({ sent }) => sent)).toEqual([inTime(9, 5), inTime(11, 10)])
    const again = stepsRun((line) => line)
    const [first] = again.attempts
    if (first === undefined) throw new TypeError('there is an attempt')
    const repeated = { ...again, attempts: [...again.attempts, { ...first, attempt: 2 }] }
    expect(phasesOf(repeated)?.map(({ sent }) => sent)).toEqual([inTime(11, 5), inTime(10, 10)])
    // Interrupted after 4 s of the second step.
    const part = stepsRun((line, index) => (index > 14 ? null : line))
    expect(phasesOf(part)?.map(({ sent }) => sent)).toEqual([inTime(10, 5), inTime(5, 4)])
    expect(phasesOf(part)?.map((phase) => phase.offered)).toEqual(offered)
  })

  test('counts a run that was resumed from the moments of its plan', () => {
    const resumed = stepsRun((line, index) => {
      if (index < 13) return line
      // The rest moves up: it begins a minute later, with the fourth request of the second step.
      const atMs = 60_000 + dueAtMs(index) - dueAtMs(13)
      return { ...line, segment: 1, dueAtMs: atMs, sentAtMs: atMs, endedAtMs: atMs + 100 }
    })
    expect(phasesOf(resumed)?.map(({ sent }) => sent)).toEqual(offered)
  })

  test('of a closed load is all that was sent until the last answer', () => {
    const run = measuredRun({ utterances: utterances(20), concurrency: 4, fate: () => 'a b' })
    expect(phasesOf(run)).toEqual([
      {
        description: '4 in flight',
        offered: { requestCount: 20, seconds: null, requestsPerSecond: null },
        sent: inTime(20, 0.5),
      },
    ])
  })
})

describe('a closed load against a server that stands still', () => {
  /** 50 ms an answer; of every 300th and 301st so much more. */
  function standing(stopMs: number, change: Partial<RunMaterial['record']> = {}): Evaluation {
    const run = measuredRun({
      utterances: utterances(900),
      concurrency: 2,
      record: {
        command: 'transcribench run --concurrency 2 --rounds=3 --contender tiny'.split(' '),
        ...change,
      },
      fate: () => 'a b',
      durationMs: ({ utterance: { id } }) => (Number(id.slice(1)) % 300 > 297 ? 50 + stopMs : 50),
    })
    return evaluateRun(run)
  }
  const hiddenIn = ({ findings }: Evaluation) => findings.find(({ code }) => code === 'CLOSED_LOAD_HIDES')

  test('says how long it gave no answer, what share of the time that is, and the command that shows it', () => {
    const evaluation = standing(4000)
    expect(evaluation.contenders[0]?.latencyMs.p95.value).toBe(50)
    expect(hiddenIn(evaluation)?.message).toMatch(
      /^tiny gave no answer for up to 4\.\d s at a time, 3 times, 3\d% of the time in all, of which p95 \(50 ms\)/,
    )
    expect(hiddenIn(evaluation)?.advice).toMatch(
      /: transcribench run --contender tiny --rate \d+\/s --duration 60s$/,
    )
    const inFile = standing(4000, { settingSources: { 'load.concurrency': 'file' } })
    expect(hiddenIn(inFile)?.advice).toContain('with the load {rate: ')
  })

  test('says nothing of long recordings', () => {
    const long = measuredRun({
      utterances: utterances(100).map((one, index) => ({ ...one, seconds: index % 10 === 0 ? 120 : 2 })),
      fate: () => 'a b',
      durationMs: ({ utterance: { seconds = 1 } }) => 50 * seconds,
    })
    expect(hiddenIn(evaluateRun(long))).toBeUndefined()
  })
})

describe('percentiles hold the steady part of a load', () => {
  test('of one in flight, which is everything that was sent', () => {
    const run = measuredRun({
      utterances: utterances(9),
      fate: ({ utterance: { id } }) => (id === 'u8' ? null : 'a b'),
    })
    const evaluation = evaluateRun(run)
    expect(windowsOf(evaluation)).toEqual([...Array.from({ length: 8 }, () => 'steady'), null])
    expect(evaluation.contenders[0]?.leftOut).toEqual({ rampCount: 0, drainCount: 0 })
  })

  test('of several in flight, without as many at both ends of every block', () => {
    const run = measuredRun({
      utterances: utterances(20),
      rounds: 2,
      concurrency: 4,
      fate: () => 'a b',
      // Those that leave at once, and those that are left at the end, take ten times as long.
      durationMs: ({ utterance: { id } }) =>
        [0, 1, 2, 3, 16, 17, 18, 19].includes(Number(id.slice(1))) ? 1000 : 100,
    })
    const { leftOut, latencyMs, serviceMs, counts } = contenderOf(run)
    expect(leftOut).toEqual({ rampCount: 8, drainCount: 8 })
    expect(latencyMs).toMatchObject({ sampleCount: counts.answered - 16, p50: { value: 100 } })
    expect(serviceMs.p50).toMatchObject({ interval: { high: 100 } })
  })

  test('of several in flight for one contender alone, in an export as in the evaluation', () => {
    const run = measuredRun({ utterances: utterances(20), concurrency: 4, fate: () => 'a b' })
    const own: RunMaterial = {
      ...run,
      record: {
        ...run.record,
        load: { kind: 'closed', concurrency: 1 },
        contenders: run.record.contenders.map((contender) => ({ ...contender, concurrency: 4 })),
      },
    }
    const evaluated = windowsOf(evaluateRun(own))
    expect(new Set(evaluated)).toEqual(new Set(['ramp', 'steady', 'drain']))
    expect(scoreRequests(own).map((row) => row.evaluated.window)).toEqual(evaluated)
  })

  test('of an open load, without what was due before the first answer and in as long a time at the end', () => {
    const evaluation = evaluateRun(openRun(20, () => 2500))
    expect(windowsOf(evaluation)).toEqual([
      ...Array.from({ length: 3 }, () => 'ramp'),
      ...Array.from({ length: 14 }, () => 'steady'),
      ...Array.from({ length: 3 }, () => 'drain'),
    ])
    expect(evaluation.contenders[0]?.leftOut).toEqual({ rampCount: 3, drainCount: 3 })
  })

  test('of an overloaded server with those that waited the longest in it', () => {
    // Each waits half a second longer than the one before: at the end ten are in flight, and one is left out.
    const run = openRun(20, (index) => 500 + 500 * index)
    const { leftOut, latencyMs } = contenderOf(run)
    expect(leftOut).toEqual({ rampCount: 1, drainCount: 1 })
    expect(latencyMs.sampleCount).toBe(18)
    const longest = evaluateRun(run)
      .utterances.filter(({ window }) => window === 'steady')
      .at(-1)
    expect(longest?.latencyMs).toBe(500 + 500 * 18)
  })

  test('of concurrent users, until the first of them has nothing left to say', () => {
    const run = measuredRun({ utterances: utterances(12), fate: () => 'a b' })
    const speakerOf = (index: number): number => index % 3
    // The first speaker is quick and has said everything after 4 s; the others need 8 s.
    const sentAtMs = (index: number): number =>
      Math.floor(index / 3) * (speakerOf(index) === 0 ? 1000 : 2000) + index
    const evaluation = evaluateRun({
      ...run,
      record: {
        ...run.record,
        load: { kind: 'users', users: 3, pauses: { meanSeconds: 1, intervals: { kind: 'even' } } },
      },
      requests: run.requests.map(
        (request, index): PlannedRequest => ({
          ...request,
          send: { kind: 'spoken', speaker: speakerOf(index), pauseMs: 0, speechMs: 0 },
        }),
      ),
      attempts: run.attempts.map(
        (line, index): AttemptLine => ({
          ...line,
          dueAtMs: sentAtMs(index),
          sentAtMs: sentAtMs(index),
          endedAtMs: sentAtMs(index) + 100,
        }),
      ),
    })
    // Sent at 0, 1, 2 (first turns) and 1003, 2004, 2005, 2006 | last turn of speaker 0 at 3009, then 4007 … 6011.
    expect(windowsOf(evaluation)).toEqual([
      ...['ramp', 'ramp', 'ramp'],
      ...['steady', 'steady', 'steady'],
      ...['steady', 'drain', 'drain'],
      ...['steady', 'drain', 'drain'],
    ])
  })

  test('of all blocks together, and are no mean of the blocks’ own', () => {
    // Round 1 takes 100 ms a request, round 2 takes 500: the mean of two medians would be 300.
    const run = measuredRun({
      utterances: utterances(10),
      rounds: 3,
      fate: () => 'a b',
      durationMs: ({ round }) => (round === 2 ? 500 : 100),
    })
    expect(contenderOf(run).latencyMs.p50).toMatchObject({ value: 100, sampleCount: 30 })
  })

  test('exclude the ramp of both segments of a resumed run', () => {
    const run = openRun(20, () => 500)
    const gap = run.attempts.map((line, index) =>
      index < 10
        ? line
        : {
            ...line,
            segment: 1,
            dueAtMs: line.dueAtMs + 1e6,
            sentAtMs: line.sentAtMs + 1e6,
            endedAtMs: line.endedAtMs + 1e6,
          },
    )
    expect(contenderOf({ ...run, attempts: gap }).leftOut).toEqual({ rampCount: 2, drainCount: 2 })
  })

  test('exclude no failure from an objective, whenever it happened', () => {
    const fate = ({ utterance: { id } }: { utterance: { id: string } }) =>
      Number(id.slice(1)) < 8 ? timedOut : 'a b'
    const evaluation = evaluatedRun({ utterances: utterances(120), concurrency: 8, fate })
    expect(windowsOf(evaluation).slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'ramp'))
    const [result] = checkThresholds(parseThresholds(['latency.p95 <= 2s']), { evaluation })
    expect(result).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('8 of 112') })
  })
})

describe('a run is short', () => {
  const asking = (run: RunMaterial, thresholds: readonly string[]) =>
    evaluateRun({ ...run, record: { ...run.record, config: { thresholds } } })

  test('of answers for a speed with several in flight, and says how many', () => {
    const short = evaluatedRun({ utterances: utterances(10), rounds: 8, concurrency: 4, fate: () => 'a b' })
    // Each of the eight blocks has ten answers, of which two come between the ramp and the drain: 8 × 38 are missing.
    const missing = short.missing.find(({ metric }) => metric === 'rtfx')
    expect(short.contenders[0]?.systemSpeed).toMatchObject({
      value: null,
      moreAnswers: missing?.moreRequests,
    })
    expect(missing?.moreRequests).toBeGreaterThan(0)
    expect(short.validity).toBe('short')
    const long = evaluatedRun({ utterances: utterances(96), concurrency: 4, fate: () => 'a b' })
    expect(long.missing).toEqual([])
  })

  test('of answers for a promise that is neither kept nor broken for certain', () => {
    const run = (slowCount: number) =>
      measuredRun({
        utterances: utterances(100),
        fate: () => 'a b',
        durationMs: ({ utterance: { id } }) => (Number(id.slice(1)) < slowCount ? 3000 : 100),
      })
    // MLPerf's table: 59 answers where none is late, 124 where two are.
    expect(asking(run(0), ['latency.p95 <= 2s']).missing).toEqual([])
    expect(asking(run(2), ['latency.p95 <= 2s']).missing).toEqual([
      { contenderId: 'tiny', metric: 'latency.p95 <= 2s', moreRequests: 24 },
    ])
    expect(asking(run(30), ['latency.p95 <= 2s']).missing).toEqual([])
  })

  test('of requests for a share of failures that few cannot show', () => {
    const run = measuredRun({ utterances: utterances(100), fate: () => 'a b' })
    expect(asking(run, ['failures <= 1%']).missing).toEqual([
      { contenderId: 'tiny', metric: 'failures <= 1%', moreRequests: 199 },
    ])
    expect(asking(run, ['failures <= 5%']).missing).toEqual([])
  })
})

describe('the time until the steady speed', () => {
  /** Two contenders in turns; the first five answers of each round 1 take long, as those of a server that warms up. */
  const warming = (slowCount: number, rounds = 4, slowMs = 1000) =>
    measuredRun({
      utterances: utterances(10),
      contenders: ['tiny', 'base'],
      rounds,
      fate: () => 'a b',
      durationMs: ({ utterance: { id }, round }) =>
        round === 1 && Number(id.slice(1)) < slowCount ? slowMs : 100,
    })
  const warmedUp = (run: RunMaterial): RunMaterial => warmedUpAt(run, { sentAtMs: -3000, endedAtMs: -1000 })

  test('counts from the first sending, without what other contenders had in between', () => {
    expect(contenderOf(warmedUp(warming(0))).untilSteadyMs).toEqual({ value: 2000 })
    expect(contenderOf(warmedUp(warming(7))).untilSteadyMs).toEqual({ value: 2000 + 7 * 1000 })
    // Five answers of 105 ms have 95% of the steady throughput, and of 106 ms only with one of 100 ms among them.
    expect(contenderOf(warmedUp(warming(7, 4, 105))).untilSteadyMs).toEqual({ value: 2000 })
    expect(contenderOf(warmedUp(warming(7, 4, 106))).untilSteadyMs).toEqual({ value: 2000 + 3 * 106 })
  })

  test('is not known without a warm-up, with too few repeats, and under an open load', () => {
    const reason = (run: RunMaterial) => contenderOf(run).untilSteadyMs
    expect(reason(warming(0))).toEqual({ value: null, reason: 'nothing was sent to warm up' })
    expect(reason(warmedUp(warming(0, 2)))).toMatchObject({
      reason: expect.stringContaining('needs 3 answers'),
    })
    const run = warmedUp(warming(0))
    const load: LoadShape = { kind: 'poisson', rate: { requestsPerSecond: 1 }, forSeconds: null }
    expect(reason({ ...run, record: { ...run.record, load } })).toMatchObject({
      reason: 'an open load is not sent as fast as it can be answered',
    })
  })
})

describe('requests that wait in one queue', () => {
  const told = (run: RunMaterial) =>
    evaluateRun(run).findings.filter(({ code }) => code === 'LATENCIES_DEPENDENT')
  /** Each comes a second after the one before and is served for 0 to 2 × mean seconds, when all before it are. */
  const queued = (
    count: number,
    meanSeconds: number,
    tail: { seed: number; times: number } | null = null,
  ) => {
    const random = seededRandom(tail?.seed ?? 7)
    let freeAtMs = 0
    const latencies = Array.from({ length: count }, (_, index) => {
      const times = tail !== null && random.unit() < 0.01 ? tail.times : 1
      freeAtMs = Math.max(freeAtMs, 1000 * index) + 2000 * meanSeconds * times * random.unit()
      return freeAtMs - 1000 * index
    })
    return openRun(count, (index) => latencies[index] ?? 0)
  }

  test('make intervals too narrow, which is reported with that of the mean by batches', () => {
    const [dependent, ...others] = told(queued(2000, 0.9))
    expect(others).toEqual([])
    const { message } = dependent ?? { message: '' }
    const [, mean, low, high, wider] =
      /mean latency (\S+) s \(95% interval (\S+) s to (\S+) s\) has an interval (\S+) times as wide as/.exec(
        message,
      ) ?? []
    expect(Number(low)).toBeLessThan(Number(mean))
    expect(Number(high)).toBeGreaterThan(Number(mean))
    expect(Number(wider)).toBeGreaterThan(2)
  })

  test('have a mean whose interval is not below zero, however wide it is', () => {
    const intervals = [4, 6].flatMap((seed) =>
      [600, 2000].flatMap((count) => {
        const [{ message } = { message: '' }] = told(queued(count, 0.5, { seed, times: 30 }))
        const found = /latency (\S+) s \(95% interval (\S+) s to (\S+) s\)/.exec(message)
        return found === null ? [] : [found.slice(1).map(Number)]
      }),
    )
    for (const [, low = 0] of intervals) expect(low).toBeGreaterThan(0)
    // One that is symmetric around its mean would begin below zero.
    expect(intervals.some(([, low = 0, high = 0]) => high / low > Math.E ** 2)).toBe(true)
  })

  test('are reported as too few where batches of them are still alike', () => {
    expect(told(queued(150, 0.98)).map(({ message }) => message)).toEqual([
      expect.stringContaining('the run is too short to measure how much'),
    ])
  })

  test('are not reported where no request waits, nor under a closed load, nor for a few', () => {
    expect(told(queued(2000, 0.2))).toEqual([])
    const { record } = measuredRun({ utterances: utterances(1), fate: () => 'a b' })
    const waiting = queued(2000, 0.9)
    expect(told({ ...waiting, record: { ...waiting.record, load: record.load } })).toEqual([])
    expect(told(queued(60, 0.98))).toEqual([])
  })
})
