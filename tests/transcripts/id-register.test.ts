import { expect, test } from 'vitest'
import { startIdRegister } from '../../src/transcripts/problems.ts'

test('two hundred thousand ids that differ little are distinguished, and each is known by its line', () => {
  const register = startIdRegister()
  const ids = Array.from({ length: 100_000 }, (_, index) => [`utt-${index}`, `${index}-utt`]).flat()
  const unknown = ids.filter((id, index) => register.add(id, index + 1) === null)
  expect(unknown).toHaveLength(ids.length)
  expect(register.lineOf('utt')).toBe(null)
  expect(ids.every((id, index) => register.add(id, 7) === index + 1)).toBe(true)
})
