import { expect, test } from 'vitest'
import { neededTexts } from '#scoring/profiles/needed-texts'
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

test('nine of ten patterns of the languages need a text that can be looked for before them', () => {
  const needing = patterns.filter((pattern) => neededTexts(pattern) !== null)
  expect(needing.length / patterns.length).toBeGreaterThan(0.9)
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
