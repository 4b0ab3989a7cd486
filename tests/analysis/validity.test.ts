import { describe, expect, test } from 'vitest'
import { evaluateRun, type RunMaterial } from '#analysis'
import type { TelemetryLine } from '#journal'
import { measuredRun } from './measured-run.ts'

const utterances = Array.from({ length: 80 }, (_, index) => ({
  id: `u${index}`,
  reference: 'a b',
  seconds: 2,
}))
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

const codesOf = (run: RunMaterial): readonly string[] => evaluateRun(run).findings.map(({ code }) => code)

/** Samples of every second of ten seconds, in which all counters grow as given. */
function telemetry(change: (second: number) => Partial<TelemetryLine>): TelemetryLine[] {
  return Array.from({ length: 10 }, (_, second) => ({
    atMs: 1000 * second,
    wallAtMs: 1e12 + 1000 * second,
    serverCpuSeconds: second,
    serverResidentBytes: null,
    ownCpuSeconds: 0.1 * second,
    hostCpuSeconds: 1.1 * second,
    hostLoad1: null,
    ...change(second),
  }))
}

describe('a run is VALID, INVALID or SHORT', () => {
  test('valid where everything asked for can be known', () => {
    expect(evaluateRun(closed)).toMatchObject({ validity: 'valid', missing: [] })
  })

  test('short of what a summary shows, with the requests that are missing', () => {
    const few = evaluateRun(measuredRun({ utterances: utterances.slice(0, 20), fate: () => 'a b' }))
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

  test('invalid where the generator was late under an open load, which a closed one cannot be', () => {
    const late = (index: number) => (index % 20 === 0 ? 60 : 0.1)
    expect(codesOf(opened(late))).toContain('GENERATOR_LATE')
    expect(evaluateRun(opened(late)).validity).toBe('invalid')
    expect(codesOf(opened(() => 0.1))).not.toContain('GENERATOR_LATE')
    const { record } = closed
    expect(codesOf({ ...opened(late), record })).not.toContain('GENERATOR_LATE')
  })

  test('invalid where other programs had more than half of the machine under an open load', () => {
    const busy = telemetry((second) => ({ hostCpuSeconds: 2.5 * second }))
    expect(codesOf({ ...opened(() => 0), telemetry: busy })).toContain('HOST_OVERLOADED')
    const codes = codesOf({ ...closed, telemetry: busy })
    expect(codes).toContain('HOST_BUSY')
    expect(codes).not.toContain('HOST_OVERLOADED')
    expect(codesOf({ ...opened(() => 0), telemetry: telemetry(() => ({})) })).toEqual(
      codesOf(opened(() => 0)),
    )
  })

  test('invalid where the clock was set or the machine slept', () => {
    const stepped = telemetry((second) => ({ wallAtMs: 1e12 + 1000 * second + (second > 4 ? 3_600_000 : 0) }))
    expect(codesOf({ ...closed, telemetry: stepped })).toContain('CLOCK_STEPPED')
    expect(codesOf({ ...closed, telemetry: telemetry(() => ({})) })).not.toContain('CLOCK_STEPPED')
  })

  test("invalid where Little's law does not hold, because attempts are missing", () => {
    expect(codesOf(closed)).not.toContain('LITTLES_LAW_BROKEN')
    // The windows reach over a long attempt of which the completion lies outside.
    const held = closed.attempts.map((line, index) =>
      index === 0 ? { ...line, sentAtMs: line.sentAtMs, endedAtMs: line.endedAtMs + 1e6 } : line,
    )
    expect(codesOf({ ...closed, attempts: held })).toContain('LITTLES_LAW_BROKEN')
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
    expect(codesOf(many)).not.toContain('LITTLES_LAW_BROKEN')
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
