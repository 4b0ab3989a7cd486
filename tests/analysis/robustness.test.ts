import { expect, test } from 'vitest'
import type { Robustness } from '#analysis/documents/error-analysis'
import { evaluationSchema } from '#analysis/documents/evaluation'
import { listClusterings } from '#rates/error-rate'
import { detailTables } from '#reports/run/details/details'
import { evaluatedRun, type SpokenUtterance } from './measured-run.ts'

const words = 'one two three four five six seven eight nine ten'

/** Of each of 12 recordings a version for every value. */
function ladder(
  values: readonly (number | null)[],
  harder: 'lower' | 'higher' | null = 'lower',
  unit = 'dB',
): readonly SpokenUtterance[] {
  return Array.from({ length: 12 }, (_, parent) =>
    values.map((value) => ({
      id: `p${parent}.snr${value}`,
      reference: words,
      derived: { parents: [`p${parent}`], ladder: { parameter: 'snr', unit, harder, value } },
    })),
  ).flat()
}

/** Wrong words of an utterance by the value of the ladder; every third recording has one more. */
function evaluated(utterances: readonly SpokenUtterance[], wrong: Readonly<Record<string, number>>) {
  return evaluatedRun({
    utterances,
    fate: ({ utterance: { id, derived } }) => {
      const extra = Number.parseInt(id.slice(1), 10) % 3 === 0 ? 1 : 0
      const count = (wrong[String(derived?.ladder?.value)] ?? 0) + extra
      return words
        .split(' ')
        .map((word, at) => (at < count ? 'wrong' : word))
        .join(' ')
    },
  })
}

function robustnessOf(...args: Parameters<typeof evaluated>): readonly Robustness[] {
  return evaluated(...args).errorAnalyses[0]?.robustness ?? []
}

const snr = { null: 0, 20: 0, 10: 2, 0: 6 }

test('rates follow each other from the easiest to the hardest value, the version without the step first', () => {
  const [found] = robustnessOf(ladder([0, 10, null, 20]), snr)
  expect(found?.rungs.map(({ value, utteranceCount }) => [value, utteranceCount])).toEqual([
    [null, 12],
    [20, 12],
    [10, 12],
    [0, 12],
  ])
  const rates = found?.rungs.map(({ errors }) => errors.rate ?? 0) ?? []
  expect(rates.map((rate) => Number(rate.toFixed(3)))).toEqual([0.033, 0.033, 0.233, 0.633])
})

test('the value at which the rate crosses a limit is interpolated, with an interval that holds it', () => {
  const [found] = robustnessOf(ladder([20, 10, 0]), snr)
  const half = found?.crossings.find(({ limitRate }) => limitRate === 0.5)
  // From 23.3 % at 10 dB to 63.3 % at 0 dB.
  expect(half).toMatchObject({ position: 'within', value: expect.closeTo(10 - (10 * 26.667) / 40, 2) })
  expect(half?.easierEnd).toBeGreaterThanOrEqual(half?.value ?? 0)
  expect(half?.harderEnd).toBeLessThanOrEqual(half?.value ?? 0)
})

test('a limit that lies beyond either end of the ladder has no value', () => {
  const [found] = robustnessOf(ladder([20, 10]), { 20: 3, 10: 4 })
  expect(found?.crossings.map(({ limitRate, position, value }) => [limitRate, position, value])).toEqual([
    [0.05, 'before', null],
    [0.1, 'before', null],
    [0.2, 'before', null],
    [0.3, 'before', null],
    [0.5, 'beyond', null],
  ])
})

test('a ladder that is hard at both ends has rates and no crossing', () => {
  const [found] = robustnessOf(ladder([0.8, 1, 1.2], null), { 0.8: 3, 1: 0, 1.2: 3 })
  expect(found?.rungs.map(({ value }) => value)).toEqual([0.8, 1, 1.2])
  expect(found?.crossings).toEqual([])
})

test('versions of one recording are resampled together', () => {
  const [byRecording] = listClusterings([])
  const version = (id: string) => ({ id, speaker: null, derived: { parents: ['p1'] } })
  expect(byRecording?.clusterOf(version('p1.snr0'))).toBe('p1')
  expect(byRecording?.clusterOf({ id: 'p1', speaker: null })).toBe('p1')
  // Twice as many versions of the same recordings say nothing more.
  const twice = evaluated(ladder([20, 10]), { 20: 1, 10: 1 }).contenders[0]?.words.interval
  const once = evaluated(ladder([20]), { 20: 1 }).contenders[0]?.words.interval
  expect(twice).toEqual(once)
})

test('a limit is not listed for a ladder in another unit that never crosses it', () => {
  const inDecibels = ladder([10, 0])
  const inPercent = ladder([30, 60], 'lower', '%')
  const evaluation = evaluatedRun({
    utterances: [...inDecibels, ...inPercent],
    fate: ({ utterance: { derived } }) =>
      derived?.ladder?.unit === 'dB' && derived.ladder.value === 0 ? 'none' : words,
  })
  const [limits] = detailTables(evaluation, ['limits'])
  const lines = limits?.toCsv().trim().split('\r\n').slice(1)
  expect(lines).toHaveLength(5)
  expect(lines?.every((line) => line.includes(',dB,'))).toBe(true)
})

test('the tables are in CSV with the unit, and a corpus without a ladder has none', () => {
  const evaluation = evaluated(ladder([null, 10, 0]), snr)
  expect(evaluationSchema.safeParse(evaluation).success).toBe(true)
  const [rungs, limits] = detailTables(evaluation, ['robustness', 'limits'])
  expect(rungs?.toCsv().split('\r\n').slice(0, 2)).toEqual([
    'contender,parameter,value,unit,wer_rate,wer_low95_rate,wer_high95_rate,substitutions,deletions,insertions,reference_words,utterances,asked,scored',
    expect.stringMatching(/^tiny,snr,,dB,0\.03333333333333333,.*,4,0,0,120,12,12,12$/),
  ])
  expect(limits?.toCsv()).toContain('tiny,snr,0.5,')
  expect(detailTables(evaluated([{ id: 'a', reference: words }], {}), ['robustness', 'limits'])).toEqual([])
})
