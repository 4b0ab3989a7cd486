import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { englishDifferences, findProfile, normalise } from '#scoring'
import { numberWords } from '../../src/scoring/profiles/published/number-words.ts'
import { readVectors } from './vectors.ts'

const english = findProfile('english@1')
const whisper = findProfile('whisper-english')

describe('the first version of the profile english', () => {
  test.each([
    ['0.5 percent', '0.5%'],
    ['-0.5 percent', '-0.5%'],
    ['0 five', '5'],
    ['007 dollars', '$007'],
    ['0.5 million', '500000'],
  ])('reads figures that begin with a nought: %s', (text, read) => {
    expect(normalise(text, english)).toBe(read)
  })

  test.each(englishDifferences)('mends $what: $text', ({ text, whisper: theirs, english: ours }) => {
    expect(normalise(text, whisper)).toBe(theirs)
    expect(normalise(text, english)).toBe(ours)
  })

  test.each([
    ['It costs twenty five dollars and ten cents.', 'it costs $25.10'],
    ['in nineteen eighty-four', 'in 1984'],
    ['double oh seven is one oh one', '007 is 101'],
    ['one and a half million', '1500000'],
    ['fifty per cent of $20 million', '50% of $20000000'],
    ['the twenty-first, the 21st', 'the 21st the 21st'],
    ["Mr. Park won't, they'd've gone", 'mister park will not they would have gone'],
    ["it's what she's got", 'it is what she has got'],
    ['um, uh — the colour (laughs) [noise]', 'the color'],
    ['3,500 and 3,5 and 1,2,3', '3500 and 3.5 and 1 2 3'],
    ["the dogs' bone, rock'n'roll, 'tis", "the dogs bone rock'n'roll tis"],
  ])('makes “%s” to “%s”', (text, expected) => {
    expect(normalise(text, english)).toBe(expected)
  })

  test('leaves what it has made as it is: all published texts', () => {
    for (const name of ['normalizers', 'normalizer-vectors']) {
      for (const row of readVectors<Record<string, string>>(name)) {
        const once = normalise((row['text'] ?? row['input']) as string, english)
        expect(normalise(once, english)).toBe(once)
      }
    }
  })

  test('leaves what it has made as it is: words, figures and marks in any order', () => {
    const piece = fc.constantFrom(
      ...numberWords().keys(),
      ...[
        'ninth',
        'and a half',
        'um',
        'mm',
        "john's",
        "it's",
        "n't",
        "'s",
        "'d been",
        'got',
        'mr',
        'st',
        'o',
        'a',
      ],
      ...[
        '1',
        '05',
        '0',
        '3.5',
        '.5',
        '5.',
        '-5',
        '$5',
        '-$5',
        '$0.36',
        '¢7',
        '50%',
        '%',
        '1,000',
        '3,5',
        '1st',
      ],
      ...[
        '50s',
        "1990's",
        '10km',
        'rc232',
        '(x)',
        '[',
        '…',
        '.',
        ',',
        '-',
        '’',
        "'",
        '½',
        '_',
        '٣',
        '\n',
        '5 %',
      ],
    )
    const text = fc
      .array(fc.tuple(piece, fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 9 })
      .map((pieces) => pieces.flat().join(''))
    fc.assert(
      fc.property(text, (written) => {
        const once = normalise(written, english)
        expect(normalise(once, english)).toBe(once)
        expect(once).toBe(once.trim())
      }),
      { numRuns: 3000 },
    )
  })
})
