import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { billedSeconds, breakEven, cloudCost, localCost, paretoFront, yearlyCosts } from '#capacity/cost'
import type { CloudPrice, PriceList } from '#capacity/prices'
import { findPrice, parsePrices } from '#capacity/prices'
import { BenchError } from '#prelude'
import { protocols } from '#providers/protocols/protocols'
import { cloudPrices, findProvider } from '#providers/providers'

/** Lengths of the quick corpus, from its manifest, in seconds. */
const manifest = await readFile(new URL('../../corpora/quick/manifest.jsonl', import.meta.url), 'utf8')
const quickLengths = manifest
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { readonly durationSeconds: number }).durationSeconds)

const shippedText = await readFile(new URL('../../configs/prices.yaml', import.meta.url), 'utf8')
const shippedPrices: PriceList = parsePrices(shippedText, 'configs/prices.yaml')

describe('the quick corpus, by hand, against two price lists', () => {
  // 7.1  2.99  5.3  6.05  3.29  1.095375  1.96025  1.5381875  1.554  3.5025: 34.3803125 s, 92 words.
  const worth = { audioSeconds: 34.3803125, correctWords: 90 }
  const measured = { worth, errorRate: 3 / 92 }

  const listed = { id: 'a', name: 'A', models: [], source: 'https://a.example', date: '2026-11-21' }

  test('to the nearest second they are 7 + 3 + 5 + 6 + 3 + 1 + 2 + 2 + 2 + 4 = 35 s, at $0.36 an hour $0.0035', async () => {
    const rounding = { stepSeconds: 1, rounding: 'nearest', minimumSeconds: 0 } as const
    const price = { ...listed, perAudioHour: 0.36, ...rounding }
    const cost = cloudCost(price, quickLengths, measured)
    // $0.0035 for 34.3803125 s is $0.366489 an hour; $0.0035 for 90 words is 3.89 cents a thousand.
    expect(cost?.billedShare).toBeCloseTo(35 / 34.3803125, 12)
    expect(cost?.perAudioHour).toBeCloseTo(0.366489, 6)
    expect(cost?.perThousandCorrectWords).toBeCloseTo(0.038889, 6)
  })

  test('with 15 s at least for each they are ten times 15 s, at $4.50 an hour $0.1875', async () => {
    const rounding = { stepSeconds: 1, rounding: 'up', minimumSeconds: 15 } as const
    const price = { ...listed, perAudioHour: 4.5, ...rounding }
    const cost = cloudCost(price, quickLengths, measured)
    expect(cost?.billedShare).toBeCloseTo(150 / 34.3803125, 12)
    expect(cost?.perAudioHour).toBeCloseTo(19.633329, 5)
    expect(cost?.perThousandCorrectWords).toBeCloseTo(2.083333, 6)
  })

  test('a machine of $800 for four years at a tenth of its capacity costs 1.3 cents an hour of audio, and pays from 1.7 h a day', async () => {
    const local = localCost(shippedPrices, {
      capacityAudioSecondsPerSecond: 20,
      utilisation: 0.1,
      cpuSecondsPerAudioSecond: 0.04,
      worth,
    })
    // A day: 800 / (4 · 365.25) = $0.547570, and 15 W · 24 h · $0.20 = $0.072, over 20 · 0.1 · 24 = 48 h of audio.
    // An hour of audio: 0.04 · 3600 s · 10 W = 1440 J = 0.0004 kWh = $0.00008.
    expect(local).toMatchObject({ audioHoursPerDay: 48, energyIs: 'estimated' })
    expect(local?.energyPerAudioHour).toBeCloseTo(0.00008, 12)
    expect(local?.perAudioHour).toBeCloseTo(0.01298771, 7)
    const rounding = { stepSeconds: 1, rounding: 'nearest', minimumSeconds: 0 } as const
    const price = { ...listed, perAudioHour: 0.36, ...rounding }
    const cloud = cloudCost(price, quickLengths, null)
    if (local === null || cloud === null) throw new TypeError('both have a price')
    const even = breakEven(local, cloud, 480)
    expect(even.kind).toBe('at')
    // (0.547570 + 0.072) / (0.366489 - 0.00008)
    if (even.kind === 'at') expect(even.audioHoursPerDay).toBeCloseTo(1.690923, 5)
    expect(breakEven(local, cloud, 1).kind).toBe('beyondOneMachine')
    expect(breakEven({ ...local, energyPerAudioHour: 1 }, cloud, 480)).toEqual({ kind: 'never' })
    expect(cloud.perThousandCorrectWords).toBeNull()
  })
})

test('a year of 500 users is the speech of their peak times the utilisation, at three machines and at a provider', () => {
  const local = localCost(shippedPrices, {
    capacityAudioSecondsPerSecond: 20,
    utilisation: 0.1,
    cpuSecondsPerAudioSecond: 0.04,
    worth: null,
  })
  const provider = { id: 'a', name: 'A', source: 'https://a.example', date: '2026-11-21' }
  const rates = { billedShare: 1, perAudioHour: 0.36, perThousandCorrectWords: null, errorRate: null }
  const { audioHours, own, providers } = yearlyCosts(
    { users: 500, machines: 3 },
    { meanAudioSeconds: 5, meanPauseSeconds: 20 },
    {
      currency: 'USD',
      utilisation: 0.1,
      local,
      machine: shippedPrices.machine,
      cloud: [{ ...provider, ...rates }],
    },
  )
  // 500 users · 5 s of every 25 s · 8766 h · 0.1.
  expect(audioHours).toBeCloseTo(87_660, 6)
  // 3 · (0.547570 + 0.072) · 365.25 for the machines, and 87,660 · 0.00008 for the energy.
  expect(own?.amount).toBeCloseTo(685.9068, 3)
  expect(providers[0]?.amount).toBeCloseTo(31_557.6, 6)
})

describe('rounding', () => {
  test.each([
    [37, 15, 'up', 0, 45],
    [45, 15, 'up', 0, 45],
    [0.5, 1, 'nearest', 0, 1],
    [11.2, 60, 'up', 0, 60],
    [3, null, 'up', 0, 3],
    [3, 1, 'up', 10, 10],
    [0.1 + 0.2, 0.1, 'up', 0, 0.3],
  ] as const)(
    '%d s in steps of %s, rounded %s, at least %d, are billed as %d',
    (seconds, stepSeconds, rounding, minimumSeconds, billed) => {
      expect(billedSeconds({ stepSeconds, rounding, minimumSeconds }, seconds)).toBeCloseTo(billed, 12)
    },
  )
})

test('the front has what nothing beats, and nothing whose figures are not known', () => {
  expect(
    paretoFront([
      { id: 'accurate', errorRate: 0.03, p95Ms: 900, perAudioHour: 0.4 },
      { id: 'cheap', errorRate: 0.08, p95Ms: 300, perAudioHour: 0.01 },
      { id: 'beaten', errorRate: 0.09, p95Ms: 300, perAudioHour: 0.02 },
      { id: 'unknown', errorRate: null, p95Ms: 1, perAudioHour: 0 },
    ]),
  ).toEqual(['accurate', 'cheap'])
})

describe('a price list', () => {
  test('of what is known is whole, and every cloud price has its page, its date and a provider that can be measured', async () => {
    expect(shippedPrices.cloud).toEqual([])
    expect(cloudPrices.length).toBeGreaterThanOrEqual(3)
    expect(new Set(cloudPrices.map(({ id }) => id)).size).toBe(cloudPrices.length)
    for (const { source, date, provider } of cloudPrices) {
      expect(`${source} ${date}`).toMatch(/^https:\/\/\S+ \d{4}-\d\d-\d\d$/)
      expect(Object.keys(protocols)).toContain(findProvider(provider)?.protocol)
    }
  })

  test('gives a price to the model of its provider alone, and to none by a name that two of them have', async () => {
    const entry = { ...cloudPrices[0], models: ['standard'] } as CloudPrice
    const cloud = [
      { ...entry, id: 'a', provider: 'aws' },
      { ...entry, id: 'b', provider: 'azure' },
      { ...entry, id: 'c', provider: undefined, models: ['mine'] },
    ]
    const idOf = (model: string | null, provider: string | null) =>
      findPrice({ cloud }, { model, provider })?.id
    expect(idOf('standard', 'azure')).toBe('b')
    expect(idOf('standard', 'speechmatics')).toBeUndefined()
    expect(idOf('standard', null)).toBeUndefined()
    expect(idOf('mine', 'aws')).toBe('c')
    expect(idOf('mine', null)).toBe('c')
    expect(idOf(null, 'aws')).toBeUndefined()
  })

  test('with faults reports all of them with their places', async () => {
    const entry = (id: string, more: string) =>
      `  - {id: ${id}, name: A, models: [], stepSeconds: 1, rounding: up, minimumSeconds: 0, date: 2026-11-21, ${more}}\n`
    const priced = 'perAudioHour: 1, source: https://a.example'
    const listing = (...entries: string[]) => shippedText.replace('cloud: []', `cloud:\n${entries.join('')}`)
    const broken = listing(
      entry('a', 'perAudioHour: cheap, source: https://a.example'),
      entry('b', 'perAudioHour: 1, source: somebody said so'),
    )
    const places = ['mine.yaml cloud.0.perAudioHour', 'mine.yaml cloud.1.source']
    const problems = places.map((where) => expect.objectContaining({ where }))
    expect(() => parsePrices(broken, 'mine.yaml')).toThrow(expect.objectContaining({ problems }))
    expect(() => parsePrices('cloud: [', 'mine.yaml')).toThrow('mine.yaml is no price list')
    expect(() => parsePrices('cloud: *mine', 'mine.yaml')).toThrow('mine.yaml is no price list')
    expect(parsePrices(listing(entry('a', priced)), 'mine.yaml').cloud).toHaveLength(1)
    const twice = listing(entry('a', priced), entry('a', priced))
    expect(() => parsePrices(twice, 'mine.yaml')).toThrow(BenchError)
  })
})
