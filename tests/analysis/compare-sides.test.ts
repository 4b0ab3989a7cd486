import { describe, expect, test } from 'vitest'
import type { Comparison } from '#analysis/documents/comparison'
import { evaluateRun } from '#analysis/evaluate-run'
import { parseThresholds } from '#analysis/metrics/threshold'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import type { HealthSnapshot } from '#contract/resources'
import type { HostSpeed, RunRecord } from '#journal/run-record'
import { seededRandom } from '#prelude'
import { aRecord } from '../journal/a-run.ts'
import { normalDraws } from '../statistics/normal-draws.ts'
import { codesIn, compared, findingIn, measuredRun, timedOut } from './measured-run.ts'

const utterances = Array.from({ length: 30 }, (_, index) => ({
  id: `u${String(index).padStart(2, '0')}`,
  reference: 'one two three four five',
  seconds: 1 + index,
  speaker: `s${index % 3}`,
}))
const normal = normalDraws(seededRandom(9))

/** So many runs, each with separate random noise, at 100 ms and 20 ms a second. */
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

const speedsOf = (comparison: Comparison) =>
  Object.fromEntries((comparison.contenders[0]?.speed ?? []).map((speed) => [speed.metric, speed]))

describe('sets of runs', () => {
  test('show that a side is slower, in its fixed and its per-second cost as well', () => {
    const comparison = compared(runs(8, 1), runs(8, 1.25))
    const { latency, rtfx } = speedsOf(comparison)
    expect(latency).toMatchObject({ verdict: 'worse', basis: 'pairs of runs', note: null })
    expect(Math.abs((latency?.relativeChange ?? 0) - 0.25)).toBeLessThan(0.03)
    expect((latency?.interval?.low ?? 9) < 0.25 && (latency?.interval?.high ?? 0) > 0.25).toBe(true)
    expect(rtfx?.verdict).toBe('worse')
    expect(speedsOf(comparison)['latency.slope']?.verdict).toBe('worse')
    expect(comparison.base.runs).toHaveLength(8)
    expect(comparison.family.comparisonCount).toBeGreaterThan(4)
    expect(codesIn(comparison)).toContain('VERDICTS_SHARE_CONFIDENCE')
  })

  test('are as valid together as the gravest of them', () => {
    const long = runs(1, 1, { rounds: 3 })
    const short = runs(1, 1)
    const [first = ''] = utterances.map(({ id }) => id)
    const invalid = runs(1, 1, { fate: ({ utterance }) => (utterance.id === first ? 'one' : timedOut) })
    const validities = (side: readonly RunMaterial[]) => {
      const { validity, runs: own } = compared(side, long).base
      return [validity, own.map((run) => run.validity)]
    }
    expect(validities(long)).toEqual(['valid', ['valid']])
    expect(validities(short)).toEqual(['short', ['short']])
    expect(validities([...long, ...short])).toEqual(['short', ['valid', 'short']])
    expect(validities([...short, ...invalid])).toEqual(['invalid', ['short', 'invalid']])
  })

  test.each([
    ['answered nothing', () => timedOut],
    [
      'answered one utterance alone',
      ({ utterance }: { utterance: { id: string } }) => (utterance.id === 'u00' ? 'one' : timedOut),
    ],
  ])('judge speeds by the pairs of valid runs, where a run %s', (_, fate) => {
    const slower = runs(8, 1.25)
    const lost = runs(4, 9, { fate })[3]
    if (lost === undefined) throw new RangeError('no run')
    const comparison = compared(runs(8, 1), slower.with(3, lost))
    const { latency, rtfx } = speedsOf(comparison)
    expect([latency?.verdict, rtfx?.verdict]).toEqual(['worse', 'worse'])
    expect(Math.abs((latency?.relativeChange ?? 0) - 0.25)).toBeLessThan(0.03)
    expect(codesIn(comparison)).toContain('SIDE_NOT_VALID')
  })

  test('of a single run that is not valid compare no speeds, and a limit on them says why', () => {
    const side = runs(1, 1, { fate: ({ utterance }) => (utterance.id === 'u00' ? 'one' : timedOut) })
    const comparison = compared(runs(1, 1), side)
    expect(speedsOf(comparison)['latency']).toMatchObject({
      relativeChange: null,
      verdict: null,
      note: 'not comparable: a run is not valid',
    })
    const [limit] = checkThresholds(parseThresholds(['latency.regression <= 5%']), {
      evaluation: evaluateRun(side[0] as RunMaterial),
      comparison,
    })
    expect(limit).toMatchObject({ outcome: 'invalid', reason: 'not comparable: a run is not valid' })
  })

  test('name an utterance that one of several runs lacks by the sides that have it, each once', () => {
    const at = (day: number, count: number, change: Partial<(typeof utterances)[number]> = {}) =>
      measuredRun({
        utterances: utterances.slice(0, count).map((one) => (one.id === 'u28' ? { ...one, ...change } : one)),
        fate: ({ utterance }) => utterance.reference,
        record: { id: `run-${day}`, startedAt: `2026-11-2${day}T07:00:00.000Z` },
      })
    const unpaired = (...sides: Parameters<typeof compared>) =>
      compared(...sides).contenders[0]?.unpaired.map(({ utteranceId, reason }) => `${utteranceId} ${reason}`)
    expect(unpaired([at(1, 29), at(2, 30)], [at(3, 29)])).toEqual(['u29 only in base'])
    expect(unpaired([at(1, 30), at(2, 29)], [at(3, 30)])).toEqual(['u29 not in every run'])
    expect(unpaired([at(1, 29)], [at(2, 29), at(3, 30)])).toEqual(['u29 only in run'])
    const options = { onlyMatching: true }
    const other = at(2, 29, { reference: 'six' })
    expect(unpaired([at(1, 29), other], [at(3, 28)], options)).toEqual(['u28 only in base'])
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
    const found = findingIn(comparison, 'SETTINGS_DIFFER')
    expect(found?.message).toBe('also different: contenders.tiny.settings.threads 1 → 2')
  })

  test('take no dot in the name of a contender for the end of the name', () => {
    const record = (id: string, threads: number) => ({
      config: { contenders: [{ id, engine: 'any', settings: { threads } }] },
    })
    const named = (id: string, threads: number): RunMaterial[] =>
      runs(1, 1, { contenders: [id], record: record(id, threads) })
    const [older, newer] = ['parakeet-0.6b-v2', 'parakeet-0.6b-v3']
    const both = compared(named(older, 1), named(newer, 1), { contenders: [{ base: older, run: newer }] })
    expect(messageOf(both, 'SETTINGS_DIFFER')).toBeNull()
    expect(messageOf(compared(named(older, 1), named(older, 2)), 'SETTINGS_DIFFER')).toBe(
      `also different: contenders.${older}.settings.threads 1 → 2`,
    )
  })

  test('say which settings the runs of one side differ in among themselves', () => {
    const record = (threads: number) => ({ config: { contenders: [{ id: 'tiny', settings: { threads } }] } })
    const mixed = [...runs(1, 1, { record: record(1) }), ...runs(1, 1, { record: record(2) })]
    expect(messageOf(compared(mixed, mixed), 'SETTINGS_DIFFER')).toBe(
      'also different: contenders.tiny.settings.threads 1 or 2 → 1 or 2',
    )
  })
})

const messageOf = ({ findings }: Comparison, code: string): string | null =>
  findings.find((finding) => finding.code === code)?.message ?? null

test('speeds over all requests are not held against each other where the utterances are others, those over shared ones are', () => {
  const longer = [...utterances, { id: 'one-more', reference: 'one two three four five', seconds: 90 }]
  const comparison = compared(runs(5, 1), runs(5, 1, { utterances: longer }), { onlyMatching: true })
  const speeds = speedsOf(comparison)
  const other = { verdict: null, interval: null, note: 'not comparable: other utterances' }
  expect(speeds['latency.p50']).toMatchObject(other)
  expect(speeds['rtfx']).toMatchObject(other)
  expect(speeds['rtfx']?.relativeChange).not.toBeNull()
  expect(speeds['latency']).toMatchObject({ note: null, basis: 'pairs of runs' })
  expect(speeds['latency.slope']).toMatchObject({ note: null, basis: 'pairs of runs' })
})

describe('the speed of the machine itself', () => {
  const onHost = (speed: HostSpeed, more: Partial<RunRecord> = {}) => ({
    record: { ...more, host: { ...aRecord.host, speed } },
  })
  const rested = { integerMillionsPerSecond: 660, floatBillionsPerSecond: 1.8, memoryBillionsPerSecond: 14 }
  const throttled = {
    integerMillionsPerSecond: 410,
    floatBillionsPerSecond: 1.1,
    memoryBillionsPerSecond: 13,
  }

  test('keeps speeds apart where one side was throttled, and compares what was heard all the same', () => {
    const comparison = compared(runs(5, 1, onHost(rested)), runs(5, 1.6, onHost(throttled)))
    expect(speedsOf(comparison)['latency']).toMatchObject({
      verdict: null,
      interval: null,
      note: 'not comparable: another host speed',
    })
    expect(messageOf(comparison, 'HOST_SPEED_DIFFERS')).toBe(
      'speeds get no verdict: the machine itself was 38% slower in the run than in the base ' +
        '(million integer steps a second 660 → 410, billion float operations 1.80 → 1.10)',
    )
    expect(comparison.contenders[0]?.rates[0]?.verdict).toBe('equivalent')
    const back = compared(runs(5, 1.6, onHost(throttled)), runs(5, 1, onHost(rested)))
    expect(messageOf(back, 'HOST_SPEED_DIFFERS')).toContain('38% slower in the base than in the run')
  })

  test('is no matter of matching utterances, which accuracy alone hangs on', () => {
    const [base, run] = [runs(5, 1, onHost(rested)), runs(5, 1, onHost(throttled))]
    const comparison = compared(base, run, { onlyMatching: true })
    expect(speedsOf(comparison)['latency']?.note).toBe('not comparable: another host speed')
    expect(comparison.contenders[0]?.pairedUtteranceCount).toBe(30)
  })

  test('may differ by what equal runs differ by, in memory by any amount, and in one bad moment of five', () => {
    const alike = { integerMillionsPerSecond: 610, floatBillionsPerSecond: 1.65, memoryBillionsPerSecond: 5 }
    const one = [...runs(4, 1, onHost(alike)), ...runs(1, 1, onHost(throttled))]
    const comparison = compared(runs(5, 1, onHost(rested)), one)
    expect(messageOf(comparison, 'HOST_SPEED_DIFFERS')).toBeNull()
    expect(speedsOf(comparison)['latency']?.note).toBeNull()
  })

  test('says nothing where the server is elsewhere', () => {
    const target = { ...aRecord.target, kind: 'openai', baseUrl: 'https://speech.example/v1' } as const
    const far = compared(runs(5, 1, onHost(rested, { target })), runs(5, 1, onHost(throttled, { target })))
    expect(speedsOf(far)['latency']).toMatchObject({ note: null, basis: 'pairs of runs' })
  })
})

describe('what a service says of itself', () => {
  const served = (settings: HealthSnapshot['service_settings']) => {
    const health = { ...(aRecord.target.health as HealthSnapshot), service_settings: settings }
    return { record: { target: { ...aRecord.target, kind: 'discovered', health } } } as const
  }

  test('is compared, although no config names it', () => {
    const [base, run] = [served({ threads: 1, instances: 1 }), served({ threads: 2, instances: 1 })]
    const comparison = compared(runs(1, 1, base), runs(1, 1, run))
    expect(messageOf(comparison, 'SETTINGS_DIFFER')).toBe('also different: service.threads 1 → 2')
    expect(messageOf(comparison, 'SETTINGS_UNKNOWN')).toBeNull()
  })

  test('is not taken for equal where it says nothing', () => {
    const [base, run] = [served({ threads: 1 }), served(undefined)]
    const comparison = compared(runs(1, 1, base), runs(1, 1, run))
    expect(messageOf(comparison, 'SETTINGS_DIFFER')).toBe('also different: service.threads 1 → not known')
    expect(messageOf(comparison, 'SETTINGS_UNKNOWN')).toBe(
      'threads, quantisation and concurrency of the service are not known in the run: it does not report them',
    )
    expect(messageOf(compared(runs(1, 1, run), runs(1, 1, run)), 'SETTINGS_UNKNOWN')).toContain(
      'in the base and the run',
    )
  })

  test('is not missed in the built-in one, which a run starts by itself', () => {
    expect(messageOf(compared(runs(1, 1), runs(1, 1)), 'SETTINGS_UNKNOWN')).toBeNull()
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

  test('leaves out words of utterances that were answered alike in the first round', () => {
    const said = 'one two three four five'
    const misheard = 'one too three four five'
    const isEven = (id: string): boolean => Number(id.slice(1)) % 2 === 0
    const earlier = runs(1, 1, { rounds: 2, fate: ({ utterance: { id } }) => (isEven(id) ? misheard : said) })
    const later = runs(1, 1, { rounds: 2, fate: ({ round }) => (round === 1 ? misheard : said) })
    const [changed] = compared(earlier, later).contenders
    expect(changed?.identicalTextCount).toBe(0)
    expect(changed?.confusions).toEqual([
      { reference: 'two', hypothesis: 'too', base: 0, run: utterances.length / 2 },
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

  test('counts an utterance once in a tag that the corpus gives it twice', () => {
    const tagged = (side: readonly RunMaterial[]) =>
      side.map((run) => ({
        ...run,
        utterances: run.utterances.map((one) => ({
          ...one,
          tags: one.id < 'u10' ? ['far', 'far'] : ['near'],
        })),
      }))
    const [pair] = compared(tagged(before), tagged(after)).contenders
    const groups = pair?.groups.filter(({ by }) => by === 'tag')
    expect(groups?.map(({ name, utteranceCount }) => [name, utteranceCount])).toEqual([
      ['near', 20],
      ['far', 8],
    ])
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
