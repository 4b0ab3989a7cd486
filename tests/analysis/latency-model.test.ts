import { describe, expect, test } from 'vitest'
import { findCrossover } from '#analysis/figures/latency/latency-crossover'
import { fitLatencyModel } from '#analysis/figures/latency/latency-figures'
import type { LatencySample } from '#analysis/requests/request-times'
import { seededRandom } from '#prelude'
import { fittedParts } from '#reports/run/speed-sentences'
import { normalDraws } from '../statistics/normal-draws.ts'
import { times } from './measured-run.ts'

const normal = normalDraws(seededRandom(22))

/** Sixty recordings of 1 to 120 s, with noise of 8 % and three outliers that take three times as long. */
function samples(cost: (seconds: number) => number, more: { noise?: number; count?: number } = {}) {
  const { noise = 0.08, count = 60 } = more
  return Array.from({ length: count }, (_, index): LatencySample => {
    const audioSeconds = Math.exp((Math.log(120) * index) / (count - 1))
    const outlier = index % 20 === 7 ? 3 : 1
    const latencyMs = cost(audioSeconds) * Math.exp(noise * normal()) * outlier
    return { utteranceId: `u${index}`, audioSeconds, latencyMs }
  })
}

describe('latency as a function of length', () => {
  test('has the fixed and the per-second cost, outliers notwithstanding', () => {
    const model = fitLatencyModel(samples((d) => 250 + 80 * d))
    if (model.value === null) throw new Error(model.reason)
    expect(Math.abs(model.fixedMs.value - 250)).toBeLessThan(40)
    expect(Math.abs(model.perSecondMs.value - 80)).toBeLessThan(3)
    const { fixedMs, perSecondMs } = model
    expect((fixedMs.interval?.low ?? 999) < 250 && (fixedMs.interval?.high ?? 0) > 250).toBe(true)
    expect((perSecondMs.interval?.low ?? 999) < 80 && (perSecondMs.interval?.high ?? 0) > 80).toBe(true)
    expect(model.perWindowMs).toBeNull()
    expect(model.predictions.map(({ audioSeconds }) => audioSeconds)).toEqual([2, 5, 15, 30, 60])
    const at15 = model.predictions.find(({ audioSeconds }) => audioSeconds === 15)
    expect(Math.abs((at15?.p50Ms ?? 0) - 1450)).toBeLessThan(100)
    expect(at15?.p95Ms).toBeGreaterThan(at15?.p50Ms ?? 0)
    expect((at15?.p50Interval?.low ?? 9999) < 1450 && (at15?.p50Interval?.high ?? 0) > 1450).toBe(true)
    expect(model.predictions.every(({ isExtrapolated }) => !isExtrapolated)).toBe(true)
  })

  test('sees the step of an engine that pads its input to windows of 30 s, and none where there is none', () => {
    const windows = (d: number): number => Math.ceil(d / 30)
    const padded = fitLatencyModel(samples((d) => 100 + 5 * d + 900 * (windows(d) - 1), { noise: 0.02 }))
    expect(padded.value === null ? 0 : (padded.perWindowMs ?? 0)).toBeGreaterThan(700)
    const straight = Array.from({ length: 60 }, () => fitLatencyModel(samples((d) => 250 + 80 * d)))
    const stepped = straight.filter((model) => model.value !== null && model.perWindowMs !== null)
    expect(stepped.length).toBeLessThanOrEqual(3)
  })

  test('shows no time below zero, however noisy the requests are', () => {
    const noisy = samples((d) => 400 + 2 * d, { noise: 1.2, count: 16 }).map((sample, index) => ({
      ...sample,
      audioSeconds: 1 + index / 12,
    }))
    const model = fitLatencyModel(noisy)
    if (model.value === null) throw new Error(model.reason)
    expect(model.perSecondMs.interval?.low ?? 0).toBeLessThan(0)
    const bounds = model.predictions.flatMap(({ p50Interval }) => p50Interval ?? [])
    expect(Math.min(...bounds.flatMap(({ low, high }) => [low, high]))).toBe(0)
    expect(fittedParts(model)).toMatch(/ \(0(\.0+)? ms – [0-9.]+ m?s\) for every second of audio$/)
    expect(fittedParts(model)).not.toContain('−')
  })

  test('predicts no time where the line of long recordings goes below zero', () => {
    const sample = (d: number) => ({ utteranceId: `${d}`, audioSeconds: d, latencyMs: 50 * d - 500 })
    const model = fitLatencyModel(times(16, (at) => sample(20 + 2 * at)))
    const [at2, , at15] = model.value === null ? [] : model.predictions
    expect(at2).toMatchObject({ audioSeconds: 2, p50Ms: null, p50Interval: null, p95Ms: null })
    expect(at15).toMatchObject({ audioSeconds: 15, p50Ms: expect.closeTo(250, 6) })
  })

  test('is absent where the lengths do not suffice, with the reason', () => {
    expect(fitLatencyModel([])).toEqual({
      value: null,
      reason: 'needs 8 answered utterances, there are 0',
    })
    const upTo = (longest: number, count: number) =>
      samples((d) => 100 + d, { count }).map((sample, at) => ({
        ...sample,
        audioSeconds: at === 0 ? longest : 5,
      }))
    const modelled = [upTo(10, 8), upTo(10, 7), upTo(9.9, 8)].map(
      (some) => fitLatencyModel(some).value !== null,
    )
    expect(modelled).toEqual([true, false, false])
  })

  test('says the same again, and gathers what is very much', () => {
    const many = samples((d) => 250 + 80 * d, { count: 2000 })
    const model = fitLatencyModel(many)
    expect(fitLatencyModel(many)).toEqual(model)
    expect(model.value === null ? 0 : model.utteranceCount).toBe(2000)
    expect(model.value === null ? 0 : Math.abs(model.perSecondMs.value - 80)).toBeLessThan(2)
  })
})

describe('two contenders', () => {
  const light = samples((d) => 100 + 60 * d)
  const heavy = samples((d) => 600 + 20 * d)

  test('cross where their lines do', () => {
    const found = findCrossover(light, heavy)
    if (found.kind !== 'at') throw new Error(JSON.stringify(found))
    expect(found.fasterBelow).toBe('first')
    expect(Math.abs(found.audioSeconds - 12.5)).toBeLessThan(3)
    expect((found.interval?.low ?? 99) < 12.5 && (found.interval?.high ?? 0) > 12.5).toBe(true)
  })

  test('do not cross where one is faster at every length', () => {
    const slow = samples((d) => 400 + 120 * d)
    expect(findCrossover(light, slow)).toEqual({ kind: 'none', faster: 'first' })
    expect(findCrossover(slow, light)).toEqual({ kind: 'none', faster: 'second' })
  })

  test('that are alike are not said to cross or not to', () => {
    expect(
      findCrossover(
        light,
        samples((d) => 100 + 60 * d),
      ).kind,
    ).toBe('unresolved')
    expect(findCrossover(light, []).kind).toBe('unresolved')
  })
})
