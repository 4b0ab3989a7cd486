import { describe, expect, test } from 'vitest'
import { evaluateRun, rateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { chooseScoring, transcriptScorer } from '#analysis/requests/transcript-scorer'
import type { AttemptLine } from '#journal/attempt-line'
import type { TelemetryLine } from '#journal/telemetry-line'
import type { LoadShape } from '#load/loads/registry'
import { seededRandom } from '#prelude'
import { blank } from '../journal/a-run.ts'
import { codesIn, evaluatedRun, findingIn, measuredRun, spokenUtterances, timedOut } from './measured-run.ts'

const utterances = spokenUtterances(80, 'a b', { seconds: 2 })
const closed = measuredRun({ utterances, fate: () => 'a b' })

/** The same requests under an open load: due as they were sent, or this much before. */
function opened(lateMs: (index: number) => number): RunMaterial {
  const rate = { requestsPerSecond: 10 }
  return {
    ...closed,
    record: { ...closed.record, load: { kind: 'poisson', rate, forSeconds: null } },
    attempts: closed.attempts.map((line, index) => ({ ...line, dueAtMs: line.sentAtMs - lateMs(index) })),
  }
}

/** Samples of every second of ten seconds, in which all counters grow as given. */
function telemetry(change: (second: number) => Partial<TelemetryLine>): TelemetryLine[] {
  return Array.from({ length: 10 }, (_, second) => ({
    ...blank,
    atMs: 1000 * second,
    wallAtMs: 1e12 + 1000 * second,
    serverCpuSeconds: second,
    ownCpuSeconds: 0.1 * second,
    hostCpuSeconds: 1.1 * second,
    ...change(second),
  }))
}

describe('a run is VALID, INVALID or SHORT', () => {
  test('valid where everything asked for can be known', () => {
    expect(evaluateRun(closed)).toMatchObject({ validity: 'valid', missing: [] })
  })

  test('short of what a summary shows, with the requests that are missing', () => {
    const few = evaluatedRun({ utterances: utterances.slice(0, 20), fate: () => 'a b' })
    expect(few.validity).toBe('short')
    expect(few.missing).toEqual([{ contenderId: 'tiny', metric: 'latency.p95', moreRequests: 52 }])
  })

  test('short of what its thresholds ask for, and of nothing else', () => {
    const asking = (thresholds: readonly string[]) =>
      evaluateRun({ ...closed, record: { ...closed.record, config: { thresholds } } })
    expect(asking(['latency.p99 <= 2s']).missing).toEqual([
      { contenderId: 'tiny', metric: 'latency.p99', moreRequests: 288 },
    ])
    expect(asking(['latency.p50 <= 2s', 'wer <= 8%']).validity).toBe('valid')
  })

  test('short by the requests that have the time in question, and not of a time that none of them has', () => {
    const missingFor = (threshold: string, count: number, change: (line: AttemptLine) => AttemptLine) => {
      const run = measuredRun({ utterances: utterances.slice(0, count), fate: () => 'a b' })
      const record = { ...run.record, config: { thresholds: [threshold] } }
      return evaluateRun({ ...run, record, attempts: run.attempts.map(change) }).missing
    }
    const connected = (line: AttemptLine): AttemptLine => {
      const connectMs = line.index < 10 ? 5 : 0
      return {
        ...line,
        socket: { startedAtMs: line.sentAtMs + 5, connectMs, uploadedAtMs: line.sentAtMs + 6 },
      }
    }
    expect(missingFor('phase.connect.p95 <= 1s', 80, connected)).toEqual([
      { contenderId: 'tiny', metric: 'phase.connect.p95', moreRequests: 62 },
    ])
    // Without recorded sockets, no further request shows how long it took to connect.
    expect(missingFor('phase.connect.p95 <= 1s', 50, (line) => line)).toEqual([])
    expect(missingFor('latency.p95 <= 1s', 50, (line) => line)).toMatchObject([{ moreRequests: 22 }])
  })

  test('invalid where the generator was late under an open load, which a closed one cannot be', () => {
    const late = (index: number) => (index % 20 === 0 ? 60 : 0.1)
    expect(codesIn(opened(late))).toContain('GENERATOR_LATE')
    expect(evaluateRun(opened(late)).validity).toBe('invalid')
    expect(codesIn(opened(() => 0.1))).not.toContain('GENERATOR_LATE')
    const { record } = closed
    expect(codesIn({ ...opened(late), record })).not.toContain('GENERATOR_LATE')
  })

  test('valid and marked as busy, under an open load too, where other programs had most of the machine and requests left in time', () => {
    const busy = telemetry((second) => ({ hostCpuSeconds: 2.5 * second }))
    for (const run of [opened(() => 0), closed]) {
      expect(codesIn({ ...run, telemetry: busy })).toContain('HOST_BUSY')
      expect(evaluateRun({ ...run, telemetry: busy }).validity).toBe(evaluateRun(run).validity)
      expect(codesIn({ ...run, telemetry: telemetry(() => ({})) })).toEqual(codesIn(run))
    }
  })

  test('marked as busy by the processors of the whole machine, where this program may use fewer', () => {
    const { host } = closed.record
    const record = { ...closed.record, host: { ...host, cpuCount: 1, machineCpuCount: 4 } }
    const busy = telemetry((second) => ({ hostCpuSeconds: 2.5 * second }))
    const { findings } = evaluateRun({ ...closed, record, telemetry: busy })
    const { message } = findings.find(({ code }) => code === 'HOST_BUSY') ?? expect.fail('it is busy')
    expect(message).toMatch(/^other programs kept 1\.\d of 4 processors busy/)
  })

  test('invalid where the clock was set or the machine slept', () => {
    const stepped = telemetry((second) => ({ wallAtMs: 1e12 + 1000 * second + (second > 4 ? 3_600_000 : 0) }))
    expect(codesIn({ ...closed, telemetry: stepped })).toContain('CLOCK_STEPPED')
    expect(codesIn({ ...closed, telemetry: telemetry(() => ({})) })).not.toContain('CLOCK_STEPPED')
  })

  test("invalid where Little's law does not hold, because attempts are missing", () => {
    expect(codesIn(closed)).not.toContain('LITTLES_LAW_BROKEN')
    // The windows reach over a long attempt of which the completion lies outside.
    const held = closed.attempts.map((line, index) =>
      index === 0 ? { ...line, sentAtMs: line.sentAtMs, endedAtMs: line.endedAtMs + 1e6 } : line,
    )
    expect(codesIn({ ...closed, attempts: held })).toContain('LITTLES_LAW_BROKEN')
  })

  test("valid where many short windows make Little's law rough at each of their edges", () => {
    const texts = Array.from({ length: 4 }, () => utterances).flat()
    const spoken = texts.map((utterance, index) => ({ ...utterance, id: `u${index}` }))
    const many = measuredRun({
      utterances: spoken,
      rounds: 20,
      concurrency: 16,
      fate: () => 'a b',
      durationMs: ({ utterance }) => 100 + (Number(utterance.id.slice(1)) % 7),
    })
    expect(codesIn(many)).not.toContain('LITTLES_LAW_BROKEN')
  })
})

describe("Little's law, over 200 constructed journals", () => {
  /** How one journal comes about; what is undefined does not happen. */
  interface Story {
    readonly seed: number
    readonly concurrency: number | null
    readonly tail: 'even' | 'pareto' | 'late'
    readonly timeoutShare: number
    readonly resumedAt?: number
    readonly isRetried?: boolean
    readonly damage?: 'dropped' | 'twice' | 'stalled'
  }
  const count = 60
  const scorer = transcriptScorer(chooseScoring(closed.record, {}).profile)

  /** Plays a load without a clock, and damages the journal as the story says. */
  function played(story: Story): RunMaterial {
    const { concurrency, tail, timeoutShare, resumedAt, isRetried, damage } = story
    const random = seededRandom(story.seed)
    const spoken = spokenUtterances(count, 'a b')
    const run = measuredRun({ utterances: spoken, concurrency: concurrency ?? 1, fate: () => 'a b' })
    const serviceMs = (index: number): number => {
      if (tail === 'late' && index === count - 30) return 5000
      return tail === 'pareto' ? 30 * (1 - random.unit()) ** -0.8 : 25 + 10 * random.unit()
    }
    const stallAt = damage === 'stalled' ? 10 + Math.floor(40 * random.unit()) : null
    let places = Array.from({ length: concurrency ?? 1 }, () => 0)
    let segment = 0
    let shiftMs = 0
    let stalledUntilMs = Number.NEGATIVE_INFINITY
    const attempts: AttemptLine[] = []
    for (const [index, line] of run.attempts.entries()) {
      if (index === resumedAt) {
        segment = 1
        shiftMs = 60_000
        places = places.map(() => 125 * index + shiftMs)
      }
      const place = places.indexOf(Math.min(...places))
      let dueAtMs = concurrency === null ? 125 * index + shiftMs : (places[place] ?? 0)
      if (index === stallAt) stalledUntilMs = dueAtMs + 4000
      const sentAtMs = Math.max(dueAtMs, stalledUntilMs) + random.unit()
      // Of a closed load a request is due when a place is free.
      if (concurrency !== null) dueAtMs = sentAtMs
      const isLost = random.unit() < timeoutShare
      const endedAtMs = sentAtMs + (isLost ? 2000 : serviceMs(index))
      const own = { ...line, ...(segment === 0 ? {} : { segment }), dueAtMs, sentAtMs, endedAtMs }
      attempts.push(isLost ? { ...own, outcome: { ok: false, failure: timedOut } } : own)
      places[place] = endedAtMs
      if (isRetried !== true || !isLost) continue
      const againMs = endedAtMs + 1500
      places[place] = againMs + 30
      attempts.push({ ...own, attempt: 2, dueAtMs: againMs, sentAtMs: againMs, endedAtMs: againMs + 30 })
    }
    const victim = Math.floor(count * random.unit())
    const damaged = attempts.flatMap((line) =>
      line.index !== victim || line.attempt > 1
        ? [line]
        : damage === 'dropped'
          ? []
          : damage === 'twice'
            ? [line, line]
            : [line],
    )
    const load: LoadShape =
      concurrency === null
        ? { kind: 'constant', rate: { requestsPerSecond: 8 }, forSeconds: null }
        : { kind: 'closed', concurrency }
    return { ...run, record: { ...run.record, load }, attempts: damaged }
  }

  const tails = ['even', 'pareto', 'late'] as const
  const loads = [null, 1, 4, 16]
  const sound = Array.from({ length: 128 }, (_, seed): Story => {
    const timeoutShare = seed % 3 === 0 ? 0.05 : 0
    return {
      seed,
      concurrency: loads[seed % 4] ?? null,
      tail: tails[Math.floor(seed / 4) % 3] ?? 'even',
      timeoutShare,
      ...(seed % 5 === 0 ? { resumedAt: 20 + (seed % 30) } : {}),
      isRetried: seed % 2 === 0,
    }
  })
  const damages = ['dropped', 'twice', 'stalled'] as const
  const broken = Array.from(
    { length: 72 },
    (_, seed): Story => ({
      ...(sound[seed] as Story),
      damage: damages[seed % 3] ?? 'dropped',
      // A stall of 4 s is to be a part of the run that matters, whatever the tail.
      ...(seed % 3 === 2 ? { tail: 'even', timeoutShare: 0, isRetried: false } : {}),
    }),
  )
  /** Without the intervals of rates, which take the most time. */
  const quickCodes = (run: RunMaterial): readonly string[] =>
    codesIn(rateRun(run, scorer, { replicates: 0 }).rated)
  const found = (story: Story): readonly string[] =>
    quickCodes(played(story)).filter(
      (code) =>
        code === 'LITTLES_LAW_BROKEN' ||
        // Under an open load a client that stands still is late.
        (story.damage === 'stalled' && story.concurrency === null && code === 'GENERATOR_LATE'),
    )

  test('is broken by no tail, time-out, repeat or resumption', () => {
    expect(sound.filter((story) => found(story).length > 0)).toEqual([])
  })

  test('is broken by every attempt that is missing or twice, and by every stall of the client', () => {
    expect(broken.filter((story) => found(story).length === 0)).toEqual([])
  })
})

describe('latency under an open load', () => {
  test('counts from the due moment, with service time next to it', () => {
    const [contender] = evaluateRun(opened(() => 500)).contenders
    expect(contender?.latencyMs.p50).toMatchObject({ value: 600 })
    expect(contender?.serviceMs.p50).toMatchObject({ value: 100 })
    expect(contender?.realTimeFactor.p50.value).toBeCloseTo(0.05, 12)
    expect(evaluateRun(closed).contenders[0]?.latencyMs.p50).toMatchObject({ value: 100 })
  })

  test('reports how late the requests left', () => {
    const { instrument } = evaluateRun(opened((index) => index))
    expect(instrument.sendLagMs).toMatchObject({ p50: 39, p99: 79, max: 79, sampleCount: 80 })
  })
})

test('contenders that were left out are named', () => {
  const skipped = [{ id: 'large', reason: 'the target does not list this model' }]
  const { findings } = evaluateRun({ ...closed, record: { ...closed.record, skipped } })
  expect(findings).toContainEqual({
    code: 'CONTENDERS_SKIPPED',
    severity: 'warning',
    message: 'skipped by --skip-unready: large (the target does not list this model)',
    advice: 'see what the target has: transcribench doctor',
  })
})

test('the hint for a contender that was left out checks its own target', () => {
  const reason = 'the target does not list this model'
  const skipped = ['large', 'huge', 'local'].map((id) => ({ id, reason }))
  const gpu = { target: 'openai:http://gpu:8000/v1', keyFrom: 'GPU_KEY' }
  const contenders = [
    { id: 'large', ...gpu },
    { id: 'huge', ...gpu },
    { id: 'local', target: 'embedded' },
  ]
  const config = { target: 'embedded', keyFrom: null, contenders }
  const found = findingIn({ ...closed, record: { ...closed.record, config, skipped } }, 'CONTENDERS_SKIPPED')
  expect(found?.advice).toBe(
    'see what the target has: transcribench doctor openai:http://gpu:8000/v1 --key-from GPU_KEY; transcribench doctor',
  )
})
