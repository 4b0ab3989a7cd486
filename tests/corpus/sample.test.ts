import { expect, test } from 'vitest'
import { drawSample } from '#corpus/read-corpus'

const elements = Array.from({ length: 100 }, (_, index) => ({ id: `u${index}`, seconds: (index * 37) % 100 }))
const draw = (count: number, seed: number): readonly { readonly id: string; readonly seconds: number }[] =>
  drawSample(elements, ({ seconds }) => seconds, { count, seed })

test('a sample has one element of each stratum of length, in the order of the corpus', () => {
  for (const seed of [1, 2, 3]) {
    const drawn = draw(20, seed)
    const strata = drawn.map(({ seconds }) => Math.floor(seconds / 5)).sort((left, right) => left - right)
    expect(strata).toEqual(Array.from({ length: 20 }, (_, stratum) => stratum))
    const places = drawn.map((element) => elements.indexOf(element))
    expect(places).toEqual(places.toSorted((left, right) => left - right))
  }
})

test('the same seed draws the same, another seed draws others', () => {
  expect(draw(20, 7)).toEqual(draw(20, 7))
  expect(draw(20, 7)).not.toEqual(draw(20, 8))
})

test('each element is drawn about equally often, also where the strata are not equally large', () => {
  const counts = new Map(elements.map(({ id }) => [id, 0]))
  const draws = 4000
  for (let seed = 0; seed < draws; seed += 1) {
    for (const { id } of draw(30, seed)) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  // 30 strata of 3 or 4 elements: an element is drawn in a third or a quarter of all draws.
  for (const count of counts.values()) {
    expect(count / draws).toBeGreaterThan(0.22)
    expect(count / draws).toBeLessThan(0.37)
  }
})

test('the lengths of a sample add up to their share of the whole, closer than without balance', () => {
  const sums = Array.from({ length: 300 }, (_, seed) =>
    draw(10, seed).reduce((sum, { seconds }) => sum + seconds, 0),
  )
  const whole = elements.reduce((sum, { seconds }) => sum + seconds, 0) / 10
  const mean = sums.reduce((sum, one) => sum + one, 0) / sums.length
  const deviation = Math.sqrt(sums.reduce((sum, one) => sum + (one - mean) ** 2, 0) / sums.length)
  expect(Math.abs(mean - whole)).toBeLessThan(2)
  // Ten drawn without balance would vary by about 87.
  expect(deviation).toBeLessThan(15)
})

test('nothing is drawn where no fewer are wanted', () => {
  expect(draw(100, 1)).toBe(elements)
})
