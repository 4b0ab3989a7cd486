import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import { align } from '#scoring/alignment/align'
import { errorCount } from '#scoring/counts'
import { durationBucket } from '#scoring/error-analysis/confusions'
import { makeLadder } from '#scoring/error-analysis/formatting'
import { keywordF1, keywordPrecision, keywordRecall, keywordSearch } from '#scoring/error-analysis/keywords'
import { findPathologies, pathologyRules } from '#scoring/error-analysis/pathologies'
import { auditReferences } from '#scoring/error-analysis/repeats'
import { compareNumbers, countClasses } from '#scoring/error-analysis/word-classes'
import { findProfile } from '#scoring/profiles/index'
import { rememberTexts } from '#scoring/profiles/remembered-profile'
import { alignPair } from '#scoring/score-utterance'
import type { AlignmentStep } from '#scoring/shapes'

const basic = findProfile('basic')
const english = findProfile('english')
const split = (text: string): string[] => text.split(' ').filter((word) => word !== '')
const aligned = (reference: string, hypothesis: string): readonly AlignmentStep[] =>
  align(split(reference), split(hypothesis)).steps

describe('the length of a recording', () => {
  test.each([
    [0, '0-2 s'],
    [2, '2-5 s'],
    [29.9, '10-30 s'],
    [30, '30 s and more'],
  ])('puts %d seconds into %s', (seconds, bucket) => {
    expect(durationBucket(seconds)).toBe(bucket)
  })
})

describe('keywords', () => {
  test('do not overlap themselves', () => {
    const repeated = alignPair({ reference: 'no no no', hypothesis: 'no no no' }, basic).steps
    expect(keywordSearch(['no no'], basic)(repeated)[0]).toMatchObject({ found: 1, missed: 0, invented: 0 })
  })

  test('are not found where another word was put in between', () => {
    const broken = alignPair({ reference: 'anna lee', hypothesis: 'anna maria lee' }, basic).steps
    expect(keywordSearch(['anna lee'], basic)(broken)[0]).toMatchObject({ found: 0, missed: 1, invented: 0 })
  })

  test('have recall, precision and F, absent where there is nothing to divide by', () => {
    const counts = { keyword: 'x', found: 3, missed: 1, invented: 2 }
    expect(keywordRecall(counts)).toBe(0.75)
    expect(keywordPrecision(counts)).toBe(0.6)
    expect(keywordF1(counts)).toBeCloseTo(2 / 3, 12)
    const never = { keyword: 'x', found: 0, missed: 0, invented: 0 }
    expect([keywordRecall(never), keywordPrecision(never), keywordF1(never)]).toEqual([null, null, null])
  })
})

describe('numbers', () => {
  const steps = alignPair(
    {
      reference:
        'On May 21st I paid twenty five dollars and then fifty percent of 50, in march 1984, and you may go',
      hypothesis: 'On May 21st I paid 25 and then fifteen percent of fifty, in march 1980 and 7 you may go',
    },
    english,
  ).steps

  test('are compared by value, so that only the way of writing can differ', () => {
    expect(compareNumbers([steps])).toEqual({ right: 2, formatOnly: 1, wrong: 2, missing: 0, invented: 1 })
  })

  test('have error rates by class of word', () => {
    const classes = countClasses([steps])
    expect(classes.money).toEqual({ hits: 0, substitutions: 1, deletions: 0, insertions: 0 })
    expect(classes.percent.substitutions).toBe(1)
    expect(classes.ordinal.hits).toBe(1)
    expect(classes.date).toEqual({ hits: 2, substitutions: 0, deletions: 0, insertions: 0 })
    expect(classes.number).toEqual({ hits: 1, substitutions: 1, deletions: 0, insertions: 1 })
  })
})

describe('degenerate output', () => {
  const kinds = (reference: string, hypothesis: string, seconds: number | null = null): string[] =>
    findPathologies(aligned(reference, hypothesis), seconds).map(({ kind }) => kind)
  const sentence = 'so we went down to the river and sat there until the evening came over the hills again'

  test.each([
    ['words on silence', '', 'thank you for watching', null, ['hallucination']],
    [
      'many words put in',
      'hello there',
      'hello please do not forget to like and subscribe there',
      null,
      ['hallucination'],
    ],
    [
      'a few words put in, too fast for the clip',
      'hello there',
      'hello and so on and there',
      0.8,
      ['hallucination'],
    ],
    ['the same at a speaking pace', 'hello there', 'hello and so on and there', 3, []],
    [
      'a loop',
      'we went home',
      'we went home we went home we went home we went home',
      null,
      ['hallucination', 'loop'],
    ],
    ['one word again and again', 'i do not know', 'i do not know know know know know', null, ['loop']],
    [
      'a refrain that is sung',
      'na na na na na na na na na na na na hey',
      'na na na na na na na na na na na na na hey',
      null,
      [],
    ],
    ['nothing at all', sentence, '', null, ['emptyOutput']],
    ['no start', sentence, sentence.split(' ').slice(6).join(' '), null, ['missingStart']],
    ['no end', sentence, sentence.split(' ').slice(0, 10).join(' '), null, ['missingEnd']],
    ['a hole', sentence, `${sentence.slice(0, 12)}came over the hills again`, null, ['missingMiddle']],
    ['another script', 'спасибо за внимание друзья', 'spasibo za vnimanie druzya', null, ['wrongScript']],
    ['a foreign name', 'он сказал привет миру wikipedia', 'он сказал привет миру wikipedia', null, []],
    [
      'ordinary mistakes',
      sentence,
      'so we want down the river and sad there until evening came over hills again',
      null,
      [],
    ],
    ['silence kept', '', '', null, []],
  ])('is classified by rules: %s', (_, reference, hypothesis, seconds, expected) => {
    expect(kinds(reference, hypothesis, seconds)).toEqual(expected)
  })

  test('are reported with what they concern, and each kind has its rule', () => {
    expect(
      findPathologies(aligned('go home', 'go home go home go home go home go home go home'), null),
    ).toContainEqual({
      kind: 'loop',
      size: 12,
      detail: 'go home ×6',
    })
    expect(Object.values(pathologyRules).every((rule) => rule.length > 20)).toBe(true)
  })

  test('are not seen in pairs with nothing but scattered errors', () => {
    const random = seededRandom(4)
    let alarms = 0
    for (let pair = 0; pair < 2000; pair += 1) {
      const words = Array.from({ length: 5 + random.below(30) }, () => `w${random.below(500)}`)
      const heard = words.flatMap((word) => {
        const dice = random.below(10)
        return dice === 0 ? [] : dice === 1 ? [`x${random.below(500)}`] : dice === 2 ? [word, 'y'] : [word]
      })
      alarms += findPathologies(align(words, heard).steps, words.length / 2.5).length
    }
    expect(alarms).toBe(0)
  })
})

describe('the audit of references', () => {
  const texts = (byContender: Readonly<Record<string, string | null>>) => new Map(Object.entries(byContender))

  test('suspects a reference that all contenders contradict in the same way', () => {
    const { suspects } = auditReferences(
      [
        { id: 'right', reference: 'a b c', hypotheses: texts({ x: 'a b c', y: 'a b d' }) },
        { id: 'wrong', reference: 'a b c d', hypotheses: texts({ x: 'A b x y.', y: 'a b x y', z: null }) },
        { id: 'slip', reference: 'more a more', hypotheses: texts({ x: 'a more', y: 'a more' }) },
        { id: 'alone', reference: 'a b', hypotheses: texts({ x: 'c', y: null }) },
      ],
      basic,
    )
    expect(
      suspects.map(({ id, agreedText, errors, contenderCount }) => [id, agreedText, errors, contenderCount]),
    ).toEqual([
      ['wrong', 'a b x y', 2, 2],
      ['slip', 'a more', 1, 2],
    ])
  })
})

describe('the ladder', () => {
  test('shows what part of the errors is a matter of writing', () => {
    const pair = {
      reference: 'It costs twenty dollars, the colour is fine.',
      hypothesis: 'it costs $20 the color is fine',
    }
    const rungs = makeLadder(rememberTexts(english))(pair)
    expect(rungs.map(({ rung, words }) => [rung, errorCount(words)])).toEqual([
      ['as written', 5],
      ['capitals', 4],
      ['punctuation', 3],
      ['numbers and contractions', 1],
      ['spellings', 0],
    ])
    expect(makeLadder(null)(pair)).toHaveLength(3)
  })

  test('ends in the rules of the language, with or without spellings', () => {
    const climbed = (profile: string, reference: string, hypothesis: string): readonly number[] =>
      makeLadder(rememberTexts(findProfile(profile)))({ reference, hypothesis }).map(({ words }) =>
        errorCount(words),
      )
    expect(climbed('german', 'Er hat 20 Euro.', 'er hat zwanzig euro')).toEqual([3, 2, 1, 0, 0])
    expect(climbed('portuguese', 'São 20 euros.', 'são vinte euros')).toEqual([3, 2, 1, 0, 0])
  })
})
