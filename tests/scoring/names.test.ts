import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareWriting } from '#scoring/error-analysis/formatting'
import { keywordSearch } from '#scoring/error-analysis/keywords'
import { nameRule } from '#scoring/error-analysis/word-classes'
import { findProfile } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { alignPair } from '#scoring/score-utterance'

const basic = findProfile('basic')
const names = (reference: string, hypothesis = reference): string =>
  compareWriting(reference, hypothesis)
    .names.map(({ name, kind }) => `${name} ${kind}`)
    .join(', ')

describe('proper names', () => {
  test.each([
    ['We met Anna in Paris.', 'Anna hit, Paris hit'],
    ['Anna met us. Ben did not? Carl… Dora: Eve!', ''],
    ['He asked Dr. Lee and J. Doe, and I said I’d come.', 'Dr hit, Lee hit, Doe hit'],
    ['Then the NASA flew past O’Neil.', 'NASA hit, O’Neil hit'],
    ['She said, “Go home, Anna.”', 'Anna hit'],
    ['They saw the “Titanic” in May on a Monday.', 'Titanic hit'],
    ['The Quick Brown Fox Jumps', ''],
    ['WE MET ANNA IN PARIS', ''],
    ['we met anna in paris', ''],
    ['Вчера мы были в Москве.', 'Москве hit'],
    ['我们去北京。', ''],
    ['', ''],
  ])('in "%s" are known by their capitals: %s', (text, found) => {
    expect(names(text)).toBe(found)
  })

  test('are right, mistaken, left out or put in, whatever their capitals in the answer', () => {
    expect(names('We met Anna and Ben in Paris', 'we met anna and Den in')).toBe(
      'Anna hit, Ben substitution, Paris deletion',
    )
    expect(names('we met in town', 'We met Anna in town')).toBe('Anna insertion')
  })

  test('have a rule that people can read', () => {
    expect(nameRule).toMatch(/capital first letter that begins no sentence/)
  })
})

test('a keyword with figures is found however the alignment divides them into words', () => {
  const english = findProfile('english')
  const look = (reference: string, hypothesis: string): unknown => {
    const { steps } = alignPair({ reference, hypothesis }, english)
    return ['555 0199', '1984'].map((keyword) => {
      const [counts] = keywordSearch([keyword], english)(steps)
      return [counts?.found ?? 0, counts?.missed ?? 0]
    })
  }
  const phone = [1, 0]
  expect(look('Call 555 0199.', 'call five five five oh one nine nine')).toEqual([phone, [0, 0]])
  expect(look('Call 555 0199.', 'call 5550199')).toEqual([phone, [0, 0]])
  expect(look('Call 555 0199.', 'call 555 0198')).toEqual([
    [0, 1],
    [0, 0],
  ])
  expect(look('In 1984 it rained', 'in nineteen eighty-four it rained')).toEqual([
    [0, 0],
    [1, 0],
  ])
})

test('many keywords at once are found as each alone, but for spellings that are the same', () => {
  const word = fc.constantFrom('a', 'b', 'c')
  const text = fc.array(word, { maxLength: 10 }).map((words) => words.join(' '))
  const keywords = fc.array(
    fc
      .array(fc.constantFrom('a', 'A', 'b', 'c', '!'), { minLength: 1, maxLength: 3 })
      .map((words) => words.join(' ')),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(text, text, keywords, (reference, hypothesis, all) => {
      const { steps } = alignPair({ reference, hypothesis }, basic)
      const known = new Set<string>()
      const different = all.filter((keyword) => {
        const key = normalise(keyword, basic)
        return !known.has(key) && known.add(key) !== undefined
      })
      const alone = different.flatMap((keyword) => keywordSearch([keyword], basic)(steps))
      const byKeyword = (a: { keyword: string }, b: { keyword: string }): number =>
        a.keyword < b.keyword ? -1 : 1
      expect(keywordSearch(all, basic)(steps).sort(byKeyword)).toEqual(alone.sort(byKeyword))
    }),
  )
})
