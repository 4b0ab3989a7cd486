import { expect, test } from 'vitest'
import { mayMatch, neededTexts } from '#scoring/profiles/needed-texts'
import { readLanguagePairs } from '../../scripts/language-pairs.ts'
import { patternOf } from '../../src/scoring/profiles/language-rules/language-file.ts'
import { languages } from '../../src/scoring/profiles/languages/all.ts'

const patterns = languages.flatMap(({ rules }) => {
  const { letters, numbers, unspacedNumbers } = rules()
  const rewrites = [
    ...(letters?.rewrites ?? []),
    ...(numbers?.signs.forms ?? []),
    ...(unspacedNumbers?.forms ?? []),
    ...(unspacedNumbers?.finalForms ?? []),
  ]
  return [...rewrites.map(({ pattern }) => pattern), ...(numbers?.signs.ordinals ?? [])].map(patternOf)
})

test('a text that holds no pattern of a language is the only kind that is not searched for it', () => {
  const texts = readLanguagePairs().flatMap(({ equal, different }) =>
    [...equal, ...different].flatMap(({ one, other }) => [one.toLowerCase(), other.toLowerCase()]),
  )
  let matchCount = 0
  for (const pattern of patterns) {
    const isPossible = mayMatch(pattern)
    for (const text of texts) {
      if (text.search(pattern) < 0) continue
      matchCount += 1
      expect(isPossible(text), `${pattern} in ${text}`).toBe(true)
    }
  }
  expect(matchCount).toBeGreaterThan(1000)
  expect(
    patterns.filter((pattern) => neededTexts(pattern) !== null).length / patterns.length,
  ).toBeGreaterThan(0.9)
})

test.each<[RegExp, readonly string[] | null]>([
  [/(?<=\d) ?km2(?![\p{L}\d])/u, ['km2']],
  [/(?<!\d)(\d+)-?(?:ste|te)[rns]?/u, ['ste', 'te']],
  [/nr\.? ?(?=\d)/u, ['nr']],
  [/ab?c/, null],
  [/abc+d/, ['abc']],
  [/xy(?:ab)*/, ['xy']],
  [/\d(?!ab)\./, ['.']],
  [/[-–]\d{2}/, ['-', '–']],
  [/[^-]\d/, null],
  [/(?:ab|)\d/, null],
  [/\u0041{0,2}xyz{0,2}/, ['xy']],
  [/ab\p{L}cde/u, ['cde']],
  [/ABC/i, null],
])('every match of %s holds one of %j', (pattern, texts) => {
  expect(neededTexts(pattern)).toEqual(texts)
})
