import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Formatting, formatText } from '../../src/service/transcription/formatting.ts'

const untouched: Formatting = { punctuation: true, capitalization: true, removeTrailingPeriod: false }

describe('the text of a transcript', () => {
  test.each([
    ['Well, I never!', 'Well I never'],
    ['Don’t stop; it’s well-known (mostly).', 'Don’t stop it’s well-known mostly'],
    ['It is 3.5 at 10:30, or 1,000.', 'It is 3.5 at 10:30 or 1,000'],
    ['“Quoted” – and — dashed…', 'Quoted and dashed'],
    ["the players' ball", 'the players ball'],
    ['100% of R&D @ #5 and/or C*', '100% of R&D @ #5 and/or C*'],
    ['¿Qué? ¡Sí!', 'Qué Sí'],
    ['你好，世界。', '你好 世界'],
    ['...', ''],
  ])('without punctuation: %s', (text, expected) => {
    expect(formatText(text, { ...untouched, punctuation: false })).toBe(expected)
  })

  test.each([
    ['Ten of clubs.', 'Ten of clubs'],
    ['One. Two. ', 'One. Two'],
    ['And then...', 'And then...'],
    ['Really?', 'Really?'],
    ['', ''],
  ])('without its trailing period: %s', (text, expected) => {
    expect(formatText(text, { ...untouched, removeTrailingPeriod: true })).toBe(expected)
  })

  test('without capitals', () => {
    expect(formatText('Mr. ÉCOLE', { ...untouched, capitalization: false })).toBe('mr. école')
  })

  test('stays as it is where the Mode asks for nothing', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => formatText(text, untouched) === text))
  })

  test('does not change any more when it is written again', () => {
    const switches = fc.record({ punctuation: fc.boolean(), capitalization: fc.boolean() })
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), switches, (text, choice) => {
        const formatting = { ...untouched, ...choice }
        const once = formatText(text, formatting)
        expect(formatText(once, formatting)).toBe(once)
      }),
    )
  })
})
