import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findProfile, profiles } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { tokeniseCharacters, tokeniseWords } from '#scoring/tokens'

const basic = findProfile('basic')

describe('the profile basic', () => {
  test.each([
    ['“Don’t stop—AT&T!”', "don't stop at t"],
    ["'em dogs' o'clock rockʼnʼroll", "em dogs o'clock rock'n'roll"],
    ['ﬁve １２ cafe\u0301 3.5', 'five 12 café 3 5'],
    ['STRASSE straße ΟΔΟΣ İzmir', 'strasse straße οδος izmir'],
    ['नमस्ते, दुनिया!', 'नमस्ते दुनिया'],
    ['สวัสดีครับ', 'สวัสดีครับ'],
    ['مرحبًا بالعالم؟', 'مرحبًا بالعالم'],
    ['你好，世界。', '你好 世界'],
    ['co\u00adoperate \u200fשלום\ufeff', 'cooperate שלום'],
    ['❤️ 1️⃣ 👨‍👩‍👧 a', '1 a'],
    ['ខ្ញុំ\u200bស្រឡាញ់', 'ខ្ញុំ ស្រឡាញ់'],
    ['  \t\n ', ''],
    ['…?!', ''],
    ["a \u0301's b'\u0301c", "a s b'c"],
  ])('makes %j to %j', (text, expected) => {
    expect(normalise(text, basic)).toBe(expected)
  })

  test('leaves what it has made as it is, whatever the text', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string())
    fc.assert(
      fc.property(anyText, (text) => {
        const once = normalise(text, basic)
        expect(normalise(once, basic)).toBe(once)
      }),
      { numRuns: 1000 },
    )
  })
})

test('no profile throws, and no token is empty, whatever the text', () => {
  const lone = fc.constantFrom('\ud800', '\udc00', '\u0301', '\u0000', '\uffff', '\u200d', '€', '.', '5', ' ')
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(lone, fc.string())).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(anyText, (text) => {
      for (const profile of profiles) {
        const made = normalise(text, profile)
        expect(tokeniseWords(made, profile.words)).not.toContain('')
        for (const rule of ['graphemes', 'no-spaces', 'code-points'] as const) {
          const characters = tokeniseCharacters(made, rule)
          expect(characters).not.toContain('')
          if (rule !== 'no-spaces') expect(characters.join('')).toBe(made)
        }
      }
    }),
    { numRuns: 100 },
  )
})

describe('words', () => {
  test('are cut at spaces, and in scripts without spaces by dictionary where the rule says so', () => {
    expect(tokeniseWords(' a  b\tc ')).toEqual(['a', 'b', 'c'])
    expect(tokeniseWords('你好世界 ok', 'spaces')).toEqual(['你好世界', 'ok'])
    expect(tokeniseWords('你好世界 ok', 'spaces-and-dictionary')).toEqual(['你好', '世界', 'ok'])
    expect(tokeniseWords('iphone手机abc', 'spaces-and-dictionary')).toEqual(['iphone', '手机', 'abc'])
    expect(tokeniseWords('привет мир', 'spaces-and-dictionary')).toEqual(['привет', 'мир'])
  })
})

describe('characters', () => {
  test('are letters with their marks, spaces counted by default', () => {
    expect(tokeniseCharacters('né e\u0301 हि')).toEqual(['n', 'é', ' ', 'e\u0301', ' ', 'हि'])
    expect(tokeniseCharacters('a b', 'no-spaces')).toEqual(['a', 'b'])
    expect(tokeniseCharacters('e\u0301', 'code-points')).toEqual(['e', '\u0301'])
    expect(tokeniseCharacters('日本語')).toEqual(['日', '本', '語'])
  })

  test('are the same by the short way as by the segmenter', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    const simple = fc.string({
      unit: fc.constantFrom('a', 'é', ' ', 'ж', 'ѕ', 'א', 'あ', 'ン', '語', 'ß', '1', 'ʼ', '\u00ad'),
    })
    fc.assert(
      fc.property(simple, (text) => {
        expect(tokeniseCharacters(text)).toEqual(
          Array.from(segmenter.segment(text), ({ segment }) => segment),
        )
      }),
    )
  })
})
