import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorCount } from '#scoring/counts'
import { findProfile, findRecordedProfile, profileNames } from '#scoring/profiles/index'
import { normalise, type Profile, traceNormalisation } from '#scoring/profiles/profile'
import { alignUtterance, scorePair, scoreUtterance } from '#scoring/score-utterance'
import { readEnglishPairs, readPairs } from '../../scripts/language-pairs.ts'
import { writtenFormStage } from '../../src/scoring/profiles/language-rules/written-forms.ts'
import { englishPhrases } from '../../src/scoring/profiles/languages/english.ts'
import { englishForms, englishForms3 } from '../../src/scoring/profiles/languages/english-forms.ts'
import { dropBracketed } from '../../src/scoring/profiles/languages/english-marks.ts'
import { numberWords } from '../../src/scoring/profiles/published/number-words.ts'
import { readTable } from '../../src/scoring/profiles/published/spelling-table.ts'
import { comparePhrases, numberPhrases } from './english-number-phrases.ts'
import { readVectors } from './vectors.ts'

const { equal, different, third, makes } = readEnglishPairs()
const english = findProfile('english')
const made = (text: string): string => normalise(text, english)
const errors = (reference: string, hypothesis: string): number =>
  errorCount(scorePair({ reference, hypothesis }, english).words)
const published = ['normalizers', 'normalizer-vectors'].flatMap((name) =>
  readVectors<Record<string, string>>(name).map((row) => (row['text'] ?? row['input']) as string),
)

describe('the newest version of the profile english', () => {
  test('is held by 66 pairs that must be equal and at least 40 that must differ', () => {
    expect(equal).toHaveLength(66)
    expect(different.length).toBeGreaterThanOrEqual(40)
  })

  test.each(equal)('equates $class: “$one” and “$other”', ({ one, other }) => {
    expect([errors(one, other), errors(other, one)]).toEqual([0, 0])
  })

  test.each(different)('distinguishes “$one” from “$other”: $why', ({ one, other }) => {
    expect(Math.min(errors(one, other), errors(other, one))).toBeGreaterThan(0)
  })

  test.each(third)('decides of $class whether “$one” and “$other” sound the same', ({ one, other, same }) => {
    const found = [errors(one, other), errors(other, one)]
    if (same) expect(found).toEqual([0, 0])
    else expect(Math.min(...found)).toBeGreaterThan(0)
  })

  test('has a row of docs/normalisation.md for every written form that the second version lacks', () => {
    const errorsOf = ({ one, other }: (typeof third)[number], profile: Profile): number[] => [
      errorCount(scorePair({ reference: one, hypothesis: other }, profile).words),
      errorCount(scorePair({ reference: other, hypothesis: one }, profile).words),
    ]
    const whole = third.map((pair) => errorsOf(pair, english))
    const unshown = englishForms3.filter((form) => {
      if (englishForms.includes(form)) return false
      const stage = writtenFormStage(
        englishForms3.filter((other) => other !== form),
        ['', ''],
      )
      const stages = english.stages.map((own) => (own.name === stage.name ? stage : own))
      const profile = { ...english, stages }
      return third.every((pair, at) => isDeepStrictEqual(errorsOf(pair, profile), whole[at]))
    })
    expect(unshown.map(({ pattern }) => pattern.source)).toEqual([])
  })

  const errorsEachWay = ({ one, other }: { readonly one: string; readonly other: string }): number[] => [
    errors(one, other),
    errors(other, one),
  ]
  const speech = readPairs(new URL('fixtures/english-speech.txt', import.meta.url))

  test('equates what engines and people write for the same speech: dates, prices, ranges, codes, addresses, and others', () => {
    expect(speech.equal.length).toBeGreaterThan(700)
    expect(speech.equal.filter((pair) => Math.max(...errorsEachWay(pair)) > 0)).toEqual([])
  })

  test('distinguishes what sounds otherwise in the same kinds of text', () => {
    expect(speech.different.length).toBeGreaterThan(390)
    expect(speech.different.filter((pair) => Math.min(...errorsEachWay(pair)) === 0)).toEqual([])
  })

  test('equates the texts of a number phrase, and no phrases that sound different: a sample of the 30,000 in tests/validate', () => {
    const { hidden, falseDifferences, comparedCount } = comparePhrases(numberPhrases(7, 500))
    expect(comparedCount).toBeGreaterThan(1500)
    expect(hidden).toEqual([])
    expect(falseDifferences).toEqual([])
  })

  test('takes a figure as the other text says it, and shows the words that were taken', () => {
    const pair = {
      id: 'a',
      reference: 'the year 1984 began',
      hypothesis: 'the year nineteen eighty five began',
    }
    const options = { profile: english, alignment: 'canonical' } as const
    expect(scoreUtterance(pair, options).words).toEqual({
      hits: 4,
      substitutions: 1,
      deletions: 0,
      insertions: 0,
    })
    const { steps } = alignUtterance(pair, options)
    expect(steps.map(({ reference }) => reference)).toEqual(['the', 'year', '19', '84', 'began'])
    const alike = { ...pair, hypothesis: 'the year nineteen eighty four began' }
    expect(alignUtterance(alike, options).steps.map(({ hypothesis }) => hypothesis)).toEqual([
      'the',
      'year',
      '1984',
      'began',
    ])
  })

  test('shows in a trace how a figure may be said, and what stands for it alone', () => {
    const trace = traceNormalisation('in 911', english)
    expect(trace.at(-2)?.text).toBe('in 911|=911|~9_~1_1|~9_11|~91_1')
    expect(trace.at(-1)).toEqual({ stage: 'without the other text', text: 'in 911' })
  })

  test('reads what can be said in several ways in one form where the other text leaves a choice', () => {
    const alternatives = [
      {
        kind: 'alternatives' as const,
        branches: [
          [{ kind: 'words' as const, words: ['911'] }],
          [{ kind: 'words' as const, words: ['help'] }],
        ],
      },
    ]
    const { words } = scoreUtterance(
      { id: 'a', reference: alternatives, hypothesis: 'nine hundred eleven' },
      { profile: english, alignment: 'canonical' },
    )
    expect(words).toEqual({ hits: 1, substitutions: 0, deletions: 0, insertions: 0 })
  })

  test.each(makes)('makes “%s” to “%s”', (text, expected) => {
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
    const some = published.filter((_, at) => at % 10 === 0)
    expect(some.filter((text) => traceNormalisation(text, english).at(-1)?.text !== made(text))).toEqual([])
  })

  test('leaves what it has made as it is, but for one text in 250: words, phrases, figures and marks in any order', () => {
    const pairTexts = [equal, different, speech.equal, speech.different].flatMap((pairs) =>
      pairs.flatMap(({ one, other }) => [one, other]),
    )
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
    // What a mark said, as the end of a number or a letter of its own, can be lost in what was made.
    const texts = fc.sample(text, 5000)
    const changed = texts.filter((written) => made(made(written)) !== made(written))
    expect(changed.length).toBeLessThan(texts.length / 250)
    expect(texts.filter((written) => made(written) !== made(written).trim())).toEqual([])
  })

  test('never throws and leaves what it has made as it is, whatever the text holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (written) => {
        const once = made(written)
        expect(made(once)).toBe(once)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the versions of a profile', () => {
  test('have different names; the name alone is the newest for people, and nothing for documents', () => {
    expect(profileNames).toEqual(expect.arrayContaining(['english', 'english@2', 'english@3', 'basic']))
    expect(findProfile('english').id).toBe('english@3')
    expect(findRecordedProfile('english@2').id).toBe('english@2')
    expect(findRecordedProfile('basic').id).toBe('basic')
    for (const gone of ['english', 'english@1', 'english@4'])
      expect(() => findRecordedProfile(gone)).toThrow(/english@2, english@3|english@3, english@2/)
  })

  test('keep what they made when they were published: the second one, of all published texts', () => {
    const second = findProfile('english@2')
    const digest = createHash('sha256')
    for (const text of published) digest.update(`${normalise(text, second)}\n`)
    expect(second.fingerprint).toBe('6879d395f121f7725f8754c6e9381c86aa95e9a5cef323526ec964ce47ba0dd1')
    expect(digest.digest('hex')).toBe('76d62e973486ab9b4b5e96a63d4adcdcb73509c77f192bc7522174ce92cdf87d')
  })
})

test('brackets that are not closed keep their words, however many there are', () => {
  expect(dropBracketed.apply('<a (b) [c')).toBe('<a   [c')
  expect(dropBracketed.apply('> (a <b> [c')).toBe('> (a   [c')
  for (const many of ['<a'.repeat(300_000), '(a'.repeat(300_000)]) {
    expect(dropBracketed.apply(`>)${many}`) === `>)${many}`).toBe(true)
  }
})

test('a row of marks as long as a recogniser may repeat one is read in time that grows with its length', () => {
  const english = findProfile('english')
  expect(normalise(`so${'!'.repeat(100_000)}be it`, english)).toBe('so be it')
  expect(normalise(`${'-'.repeat(100_000)}be it`, english)).toBe('be it')
  expect(normalise('five--six', english)).toBe(normalise('five – six', english))
})
