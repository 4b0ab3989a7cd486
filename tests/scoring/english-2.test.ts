import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findProfile, findRecordedProfile, normalise, profileNames, traceNormalisation } from '#scoring'
import { englishPhrases } from '../../src/scoring/profiles/languages/english-phrases.ts'
import { numberWords } from '../../src/scoring/profiles/published/number-words.ts'
import { readTable } from '../../src/scoring/profiles/published/spelling-table.ts'
import { readVectors } from './vectors.ts'

interface EnglishPairs {
  readonly equal: readonly { readonly class: string; readonly one: string; readonly other: string }[]
  readonly different: readonly { readonly one: string; readonly other: string; readonly why: string }[]
}

const { equal, different } = JSON.parse(
  readFileSync(new URL('fixtures/english-pairs.json', import.meta.url), 'utf8'),
) as EnglishPairs
const english = findProfile('english')
const made = (text: string): string => normalise(text, english)
const published = ['normalizers', 'normalizer-vectors'].flatMap((name) =>
  readVectors<Record<string, string>>(name).map((row) => (row['text'] ?? row['input']) as string),
)

describe('the second version of the profile english', () => {
  test('is held by 66 pairs that must be equal and at least 40 that must differ', () => {
    expect(equal).toHaveLength(66)
    expect(different.length).toBeGreaterThanOrEqual(40)
  })

  test.each(equal)('equates $class: “$one” and “$other”', ({ one, other }) => {
    expect(made(one)).toBe(made(other))
  })

  test.each(different)('distinguishes “$one” from “$other”: $why', ({ one, other }) => {
    expect(made(one)).not.toBe(made(other))
  })

  test.each([
    ['It costs twenty five dollars and ten cents.', 'it costs $25.10'],
    ['the year 2000, 10:30 and 10:00', "the year 2000 1030 and 10 o'clock"],
    ['one third, one second, 30 sec, the twenty second', '1 third 1 second 30 seconds the 22nd'],
    ['uh-huh, uh-uh, uh, mm-hmm', 'uhhuh uhuh'],
    ['the ER, er, the E.R.', 'the e r the e r'],
    ['the b b c I think, f b i', 'the bbc i think fbi'],
    ['St. James St. and First Ave., Ave Maria', 'saint james street and 1st avenue ave maria'],
    [
      "the Sen. said John's book, they'd've gone, he's got",
      "the senator said john's book they would have gone he has got",
    ],
    ['10 mm, 1 km, 5 kms, ten lbs', '10 millimeters 1 kilometer 5 kilometers £10'],
    ['$5M, $3k, $2.5 bn, 5 m', '$5000000 $3000 $2500000000 5 meters'],
    ['“don’t” – the ‘big’ one (laughs) [noise]', 'do not the big 1'],
    ['user@example.com & www.example.org', 'user at example dot com and www dot example dot org'],
    ['half a million or a million, an hour', 'half a 1000000 or 1000000 an hour'],
    ['march 10 miles, 5 may come, 5 May 2020', 'march 10th miles 5 may come 5th may 2020'],
    ['6\'2" or six foot two inches', '6 feet 2 or 6 feet 2'],
    ['', ''],
    ['um', ''],
  ])('makes “%s” to “%s”', (text, expected) => {
    expect(made(text)).toBe(expected)
  })

  test('leaves every word and phrase as it writes it', () => {
    const phrases = [...readTable(englishPhrases).values()]
    expect(phrases.length).toBeGreaterThan(200)
    expect(phrases.filter((phrase) => made(made(phrase)) !== made(phrase))).toEqual([])
  })

  test('leaves what it has made as it is: all published texts', () => {
    expect(published.filter((text) => made(made(text)) !== made(text))).toEqual([])
  })

  test('makes of a text stage by stage what it makes of it at once', () => {
    const different = published.filter(
      (text) => traceNormalisation(text, english).at(-1)?.text !== made(text),
    )
    expect(different).toEqual([])
  })

  test('leaves what it has made as it is: words, phrases, figures and marks in any order', () => {
    const pairTexts = [...equal, ...different].flatMap(({ one, other }) => [one, other])
    const phrases = [...readTable(englishPhrases)].flat()
    const others =
      "um|mm|john's|it's|n't|'s|'d been|got|st|o|a|i|05|0|3.5|.5|5.|-5|-$5|$0.36|¢7|%|3,5|1990's|rc232|(x)|[|…|.|,|-|’|'|½|_|٣|\n|:|/|" +
      "5 %|00|30|555|1234|&|@|+|= |k|m|km|lb|min|second|third|half|and|of|the|may|jan.|5th|er|ER|'n'|non-|e-|x|y|z|t|c|f|degrees|hour"
    const piece = fc.constantFrom(
      ...numberWords().keys(),
      ...[...pairTexts, ...phrases].flatMap((text) => [text, ...text.split(' ')]),
      ...others.split('|'),
    )
    const text = fc
      .array(fc.tuple(piece, fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 8 })
      .map((pieces) => pieces.flat().join(''))
    fc.assert(
      fc.property(text, (written) => {
        const once = made(written)
        expect(made(once)).toBe(once)
        expect(once).toBe(once.trim())
      }),
      { numRuns: 5000 },
    )
  })

  test('never throws and leaves what it has made as it is, whatever the text holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (written) => {
        const once = made(written)
        expect(made(once)).toBe(once)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the versions of a profile', () => {
  test('have different names; the name alone is the newest for people and the first for documents', () => {
    expect(profileNames).toEqual(expect.arrayContaining(['english', 'english@1', 'english@2', 'basic']))
    expect(findProfile('english').id).toBe('english@2')
    expect(findProfile('english@1').id).toBe('english@1')
    expect(findRecordedProfile('english').id).toBe('english@1')
    expect(findRecordedProfile('english@2').id).toBe('english@2')
    expect(findRecordedProfile('basic').id).toBe('basic')
    expect(() => findRecordedProfile('english@3')).toThrow(/english@2/)
  })

  test('keep what they made when they were published: the first one, of all published texts', () => {
    const first = findProfile('english@1')
    const digest = createHash('sha256')
    for (const text of published) digest.update(`${normalise(text, first)}\n`)
    expect(first.fingerprint).toBe('9fa0069abae25ac553692eca52856334c4f1432c26bddb3e1294a300aeecb3a5')
    expect(digest.digest('hex')).toBe('60b42edf5d8434dbf82f63e2c3fa0642ad2e41ad1831018cfb0e43a2e6488592')
  })
})
