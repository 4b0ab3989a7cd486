import { expect, test } from 'vitest'
import { comparePhrases, numberPhrases } from '../scoring/english-number-phrases.ts'

test('of 30,000 number phrases none is equal to one that sounds different, and all texts of one are equal', () => {
  const [newest, second] = ['english', 'english@2'].map((id) =>
    comparePhrases(numberPhrases(20_261_128, 30_000), id),
  )
  expect(newest?.comparedCount).toBeGreaterThan(90_000)
  expect(newest).toMatchObject({ hidden: [], falseDifferences: [] })
  // The same phrases find what the second version hides, and where it errs.
  expect(second?.hidden.length).toBeGreaterThan(5000)
  expect(second?.falseDifferences.length).toBeGreaterThan(5000)
})
