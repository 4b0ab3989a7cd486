import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantileSketch, sketchError } from '#statistics/quantiles'

const latencies = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 300 })

function sketched(values: readonly number[]): ReturnType<typeof quantileSketch> {
  const sketch = quantileSketch()
  for (const value of values) sketch.add(value)
  return sketch
}

test('a quantile of a sketch is within 1 % of the value of its rank', () => {
  fc.assert(
    fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, probability) => {
      const rank = Math.floor(probability * (values.length - 1))
      const exact = values.toSorted((one, other) => one - other)[rank] ?? Number.NaN
      const found = sketched(values).quantile(probability) ?? Number.NaN
      expect(Math.abs(found - exact) / exact).toBeLessThanOrEqual(sketchError + 1e-9)
    }),
  )
})

test('merged sketches are the sketch of all values', () => {
  fc.assert(
    fc.property(latencies, latencies, (ours, theirs) => {
      const merged = sketched(ours)
      merged.merge(sketched(theirs).bins())
      expect(merged.bins()).toEqual(sketched([...ours, ...theirs]).bins())
    }),
  )
})

test('a sketch without values has no quantile, and one of ten thousand values has few bins', () => {
  expect(quantileSketch().quantile(0.5)).toBeNull()
  const values = Array.from({ length: 10_000 }, (_, place) => 40 + place / 10)
  expect(sketched(values).bins().length).toBeLessThan(200)
})
