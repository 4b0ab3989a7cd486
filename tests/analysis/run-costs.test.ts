import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { RecordedContender, RecordedOwnPrices } from '#journal/run-record'
import { blank } from '../journal/a-run.ts'
import { measuredRun } from './measured-run.ts'

const utterances = ['a', 'b', 'c', 'd'].map((id) => ({ id, reference: 'one two', seconds: 9.4 }))

const ownPrices: RecordedOwnPrices = {
  machine: {
    price: 800,
    lifeYears: 4,
    idleWatts: 15,
    wattsPerBusyProcessor: 10,
    source: 'an assumption',
    date: '2026-11-21',
  },
  electricity: { perKilowattHour: 0.2, source: 'an assumption', date: '2026-11-21' },
}

const contender = (id: string, price: Partial<RecordedContender> = {}): RecordedContender => ({
  id,
  engine: null,
  model: id,
  language: 'en',
  patchedMode: null,
  ...price,
})

const cloud = contender('cloud', {
  usdPerMinute: 0.006,
  priceSource: 'https://a.example/pricing',
  priceDate: '2026-11-21',
  billing: { stepSeconds: 1, rounding: 'up', minimumSeconds: 15 },
})

/** 12 requests of 9.4 s to each contender; the server's processor works half of the time. */
function pricedRun(contenders: readonly RecordedContender[]): RunMaterial {
  const run = measuredRun({
    utterances,
    contenders: contenders.map(({ id }) => id),
    rounds: 3,
    durationMs: () => 1000,
    fate: () => 'one two',
  })
  const telemetry = Array.from({ length: 100 }, (_, index) => ({
    ...blank,
    atMs: index * 250,
    serverCpuSeconds: index * 0.125,
  }))
  return { ...run, telemetry, record: { ...run.record, contenders, ownPrices } }
}

describe('what a run says of costs', () => {
  test('is what the provider bills for these lengths, by its own rounding', () => {
    const { costs, contenders } = evaluateRun(pricedRun([cloud]))
    // 12 requests of 15 billed seconds are 3 minutes at $0.006; 12 of 9.4 s are 112.8 s of audio.
    expect(contenders[0]?.cost).toMatchObject({
      audioSeconds: expect.closeTo(112.8, 9),
      usd: expect.closeTo(0.018, 12),
    })
    expect(costs?.providers).toMatchObject([
      {
        contenderId: 'cloud',
        usd: expect.closeTo(0.018, 12),
        usdPerAudioHour: expect.closeTo((0.018 / 112.8) * 3600, 9),
      },
    ])
    // $0.547570 for the machine and $0.072 for its idle power a day, over $0.574468 saved with each hour.
    expect(costs?.providers[0]?.breakEven).toEqual([
      { contenderId: null, kind: 'at', audioHoursPerDay: expect.closeTo(0.61957 / 0.574468, 4) },
    ])
  })

  test('holds the provider against every contender that was measured on this machine', () => {
    const { costs } = evaluateRun(pricedRun([cloud, contender('local')]))
    // Half a processor for 12 s is 6 s for 112.8 s of audio: 1915 J an hour, $0.000106.
    expect(costs?.local).toMatchObject([
      {
        contenderId: 'local',
        energyUsdPerAudioHour: expect.closeTo(0.000106, 5),
        maxAudioHoursPerDay: expect.closeTo(9.4 * 24, 6),
      },
    ])
    expect(costs?.providers[0]?.breakEven).toMatchObject([{ contenderId: 'local', kind: 'at' }])
  })

  test('is nothing where no contender has a price that can be looked up', () => {
    expect(evaluateRun(pricedRun([contender('local')])).costs).toBeNull()
    const rumour = { ...cloud, priceSource: null }
    expect(evaluateRun(pricedRun([rumour])).costs).toBeNull()
  })

  test('leaves out requests that no provider bills: refused for the rate limit or the key', () => {
    const refusal = (code: string, httpStatus: number) =>
      ({ kind: 'refused', code, message: 'no', hint: null, httpStatus }) as const
    const run = measuredRun({
      utterances,
      contenders: ['cloud'],
      fate: ({ utterance }) =>
        utterance.id === 'a'
          ? refusal('RATE_LIMITED', 429)
          : utterance.id === 'b'
            ? refusal('MISSING_API_KEY', 401)
            : 'one two',
    })
    const { contenders } = evaluateRun({ ...run, record: { ...run.record, contenders: [cloud], ownPrices } })
    expect(contenders[0]?.cost?.audioSeconds).toBeCloseTo(18.8, 9)
  })
})
