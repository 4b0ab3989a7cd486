import { describe, expect, test } from 'vitest'
import { type CompareOptions, type Comparison, compareSides, type RunMaterial } from '#analysis'
import { seededRandom } from '#prelude'
import { normalDraws } from '../statistics/normal-draws.ts'
import { measuredRun, timedOut } from './measured-run.ts'

const utterances = Array.from({ length: 30 }, (_, index) => ({
  id: `u${String(index).padStart(2, '0')}`,
  reference: 'one two three four five',
  seconds: 1 + index,
  speaker: `s${index % 3}`,
}))
const normal = normalDraws(seededRandom(9))

/** So many runs, each with luck of its own, at 100 ms and 20 ms a second. */
function runs(count: number, factor: number, more: Partial<Parameters<typeof measuredRun>[0]> = {}) {
  return Array.from({ length: count }, (_, index): RunMaterial => {
    const luck = factor * Math.exp(0.01 * normal())
    return measuredRun({
      utterances,
      fate: () => 'one two three four five',
      durationMs: ({ utterance }) => luck * (100 + 20 * (utterance.seconds ?? 1)) * Math.exp(0.05 * normal()),
      ...more,
      record: { id: `run-${index}`, startedAt: `2026-11-21T07:${10 + index}:00.000Z`, ...more.record },
    })
  })
}

function compared(
  base: readonly RunMaterial[],
  run: readonly RunMaterial[],
  options?: CompareOptions,
): Comparison {
  const outcome = compareSides(base, run, options)
  if (!outcome.ok) throw outcome.failure
  return outcome.value
}

const speedsOf = (comparison: Comparison) =>
  Object.fromEntries((comparison.contenders[0]?.speed ?? []).map((speed) => [speed.metric, speed]))

describe('sets of runs', () => {
  test('tell that a side is slower, in its fixed and its per-second cost as well', () => {
    const comparison = compared(runs(8, 1), runs(8, 1.25))
    const { latency, rtfx } = speedsOf(comparison)
    expect(latency).toMatchObject({ verdict: 'worse', basis: 'pairs of runs', note: null })
    expect(Math.abs((latency?.relativeChange ?? 0) - 0.25)).toBeLessThan(0.03)
    expect((latency?.interval?.low ?? 9) < 0.25 && (latency?.interval?.high ?? 0) > 0.25).toBe(true)
    expect(rtfx?.verdict).toBe('worse')
    expect(speedsOf(comparison)['latency.slope']?.verdict).toBe('worse')
    expect(comparison.base.runs).toHaveLength(8)
    expect(comparison.family.comparisonCount).toBeGreaterThan(4)
    expect(comparison.findings.map(({ code }) => code)).toContain('VERDICTS_SHARE_CONFIDENCE')
  })

  test('of the same build are equivalent', () => {
    const { latency } = speedsOf(compared(runs(12, 1), runs(12, 1)))
    expect(latency?.verdict).toBe('equivalent')
  })

  test('under five a side are described, with their interval', () => {
    const { latency } = speedsOf(compared(runs(3, 1), runs(3, 2)))
    expect(latency).toMatchObject({ verdict: null, note: 'descriptive only: 5 runs a side decide' })
    expect(latency?.interval?.low).toBeGreaterThan(0.5)
  })

  test('of one run have an interval from the calibration of the host, and still no verdict', () => {
    const spreads = { latency: { standardDeviation: 0.015, pairCount: 10 } }
    const { latency, rtfx } = speedsOf(compared(runs(1, 1), runs(1, 2), { spreads }))
    expect(latency).toMatchObject({ verdict: null, note: 'descriptive only', basis: 'calibration' })
    expect((latency?.interval?.low ?? 0) > 0.8 && (latency?.interval?.high ?? 0) < 1.2).toBe(true)
    expect(rtfx).toMatchObject({ interval: null, basis: null })
  })

  test('made on another machine or under another load keep their speeds apart, with every reason', () => {
    const [example] = runs(1, 1)
    const host = { ...(example as RunMaterial).record.host, cpuModel: 'another processor' }
    const other = runs(5, 1, { concurrency: 2, record: { host } })
    const comparison = compared(runs(5, 1), other)
    expect(speedsOf(comparison)['latency']).toMatchObject({
      verdict: null,
      interval: null,
      note: 'not comparable: another load, another machine',
    })
    expect(comparison.contenders[0]?.rates[0]?.verdict).toBe('equivalent')
  })

  test('with other settings say which', () => {
    const record = (threads: number) => ({
      config: { contenders: [{ id: 'tiny', settings: { threads } }], name: `n${threads}` },
    })
    const comparison = compared(runs(1, 1, { record: record(1) }), runs(1, 1, { record: record(2) }))
    const found = comparison.findings.find(({ code }) => code === 'SETTINGS_DIFFER')
    expect(found?.message).toBe('also different: contenders.tiny.settings.threads 1 → 2')
  })
})

describe('what changed', () => {
  const before = runs(1, 1, {
    fate: ({ utterance }) => (utterance.id === 'u05' ? timedOut : 'one two three four'),
  })
  const after = runs(1, 1, {
    fate: ({ utterance }) =>
      utterance.id === 'u06'
        ? timedOut
        : utterance.id < 'u10'
          ? 'one too three four five'
          : 'one two three fore',
  })
  const [contender] = compared(before, after).contenders

  test('names words that are mistaken more or less often', () => {
    expect(contender?.confusions.slice(0, 2)).toEqual([
      { reference: 'four', hypothesis: 'fore', base: 0, run: 20 },
      { reference: 'five', hypothesis: null, base: 28, run: 20 },
    ])
  })

  test('names the texts that changed and were counted the same', () => {
    expect(contender?.textOnlyCount).toBe(8)
    expect(contender?.textOnly[0]).toBe('u00')
  })

  test('sums by length, speaker and tag', () => {
    const speakers = contender?.groups.filter(({ by }) => by === 'speaker') ?? []
    expect(speakers.map(({ name }) => name).sort()).toEqual(['s0', 's1', 's2'])
    expect(speakers.reduce((sum, { utteranceCount }) => sum + utteranceCount, 0)).toBe(28)
    const long = contender?.groups.find(({ name }) => name === '10-30 s')
    expect(long?.difference).toBeCloseTo(0.19, 12)
    expect(contender?.byDuration.map(({ bucket }) => bucket)).toContain('5-10 s')
  })

  test('names failures that came and went', () => {
    expect(contender?.failureChanges).toEqual([
      { utteranceId: 'u05', failedIn: 'base', failure: 'failed (timedOut)' },
      { utteranceId: 'u06', failedIn: 'run', failure: 'failed (timedOut)' },
    ])
  })

  test('is exact where every text was heard twice on both sides and was alike', () => {
    const twice = { rounds: 2 }
    const exact = compared(runs(1, 1, twice), runs(1, 1, { ...twice, fate: () => 'one two' })).contenders[0]
    expect(exact?.rates[0]).toMatchObject({ isExact: true, verdict: 'worse' })
    expect(contender?.rates[0]?.isExact).toBe(false)
  })
})
