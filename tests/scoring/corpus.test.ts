import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countErrors } from '#scoring/alignment/align'
import type { TranscriptPart } from '#scoring/alignment/networks'
import { ratesOf } from '#scoring/counts'
import { parseMarkup, parseTrn } from '#scoring/formats/trn'
import { defaultProfile, findProfile } from '#scoring/profiles/index'
import { takenReading, type Utterance } from '#scoring/read-pair'
import { score } from '#scoring/score-corpus'
import { alignUtterance, scorePair, scoreUtterance } from '#scoring/score-utterance'
import { tokeniseWords } from '#scoring/tokens'
import { readVectors } from './vectors.ts'

const basic = findProfile('basic')
const utterances: readonly Utterance[] = [
  { id: 'right', reference: 'The cat sat.', hypothesis: 'the cat sat', speaker: 'a' },
  { id: 'wrong', reference: 'A dog.', hypothesis: 'the dog ran', speaker: 'b' },
  { id: 'failed', reference: 'one two', hypothesis: null, speaker: 'a' },
  { id: 'silence', reference: '', hypothesis: 'thank you' },
  { id: 'quiet', reference: '', hypothesis: '' },
  { id: 'marks', reference: '…', hypothesis: '' },
]

test.each(['@', '@ @', '{ @ / @ }'])('a reference of %s says nothing, so no profile emptied it', (text) => {
  const markup = parseMarkup(text, { hasTags: true })
  const { corpus } = score([{ id: 'a', reference: markup.ok ? markup.parts : text, hypothesis: '' }], {
    profile: basic,
    alignment: 'sclite',
  })
  expect(corpus).toMatchObject({ emptied: [], silent: { utteranceCount: 1 } })
})

describe('a corpus', () => {
  const { corpus, utterances: scores } = score(utterances, { profile: basic })

  test('has rates of sums over what was answered', () => {
    expect(corpus.words).toEqual({ hits: 4, substitutions: 1, deletions: 0, insertions: 3 })
    expect(corpus.wordRates.errorRate).toBeCloseTo(4 / 5, 12)
    expect(corpus.sentenceErrorRate).toBeCloseTo(2 / 5, 12)
    expect(corpus.meanUtteranceRate).toBeCloseTo((0 + 1) / 2, 12)
    expect(corpus.characters?.hits).toBeGreaterThan(10)
  })

  test('has next to them its coverage and the rate with failures as empty transcripts', () => {
    expect(corpus.coverage).toBeCloseTo(5 / 6, 12)
    expect(corpus.wordsFailedAsEmpty.deletions).toBe(2)
    expect(corpus.wordRateFailedAsEmpty).toBeCloseTo(6 / 7, 12)
    expect(scores[2]).toMatchObject({ id: 'failed', words: null, characters: null })
  })

  test('has silence in a separate table, and names references that were emptied', () => {
    expect(corpus.silent).toEqual({ utteranceCount: 3, answeredWithWords: 1, insertedWords: 2 })
    expect(corpus.emptied).toEqual(['marks'])
  })

  test('says what it was made with', () => {
    expect(corpus).toMatchObject({
      profile: { id: 'basic', fingerprint: basic.fingerprint },
      alignment: 'canonical',
      characterRule: 'graphemes',
      utteranceCount: 6,
      speakerCount: 2,
    })
    expect(score([], { profile: basic, alignment: 'jiwer' }).corpus).toMatchObject({
      characterRule: 'code-points',
      coverage: null,
      sentenceErrorRate: null,
      wordRates: { errorRate: 0, matchErrorRate: 0, wordInformationPreserved: 1 },
    })
  })

  test('refuses an id that occurs twice', () => {
    const twice = [utterances[0], utterances[0]] as Utterance[]
    expect(() => score(twice, { profile: basic })).toThrow('right occurs twice')
  })
})

describe('several accepted references', () => {
  const options = { profile: basic }

  test('are scored by the one with the fewest edits, among those with the most words right', () => {
    const utterance = {
      id: 'x',
      reference: ['Anne is going to go', 'Ann is gonna go'],
      hypothesis: 'ann is gonna go',
    }
    expect(scoreUtterance(utterance, options).words).toEqual({
      hits: 4,
      substitutions: 0,
      deletions: 0,
      insertions: 0,
    })
    expect(alignUtterance(utterance, options).steps.every(({ kind }) => kind === 'hit')).toBe(true)
    const shorter = { id: 'x', reference: ['a b c d', 'a'], hypothesis: 'a x' }
    expect(scoreUtterance(shorter, options).words).toMatchObject({ hits: 1, deletions: 0, insertions: 1 })
  })

  test.each(['canonical', 'jiwer', 'kaldi', 'sclite'] as const)(
    'are chosen by the same rule as alternatives in a transcript: %s',
    (alignment) => {
      const word = fc.constantFrom('a', 'b', 'c')
      const text = fc.array(word, { minLength: 1, maxLength: 5 })
      fc.assert(
        fc.property(
          fc.array(text, { minLength: 1, maxLength: 4 }),
          fc.array(word, { maxLength: 5 }),
          (texts, heard) => {
            const reference = texts.map((words) => words.join(' '))
            const parts: TranscriptPart[] = [
              { kind: 'alternatives', branches: texts.map((words) => [{ kind: 'words', words }]) },
            ]
            const hypothesis = heard.join(' ')
            const scoring = { profile: findProfile('basic'), alignment }
            const listed = scoreUtterance({ id: 'x', reference, hypothesis }, scoring)
            const written = scoreUtterance({ id: 'x', reference: parts, hypothesis }, scoring)
            expect([listed.words, listed.characters]).toEqual([written.words, written.characters])
          },
        ),
        { numRuns: 500 },
      )
    },
  )

  test('can be in one transcript, each part normalised for itself', () => {
    const reference = parseTrn('Well, { GOING TO / gonna } (uh) go. (s-1)').records[0]?.parts ?? []
    const scored = scoreUtterance({ id: 'x', reference, hypothesis: 'Well gonna go!' }, options)
    expect(scored.words).toEqual({ hits: 3, substitutions: 0, deletions: 0, insertions: 0 })
    expect(scored.characters).toMatchObject({ hits: 13, substitutions: 0, deletions: 0, insertions: 0 })
  })

  test('are shown in the reading that was taken, as it is written', () => {
    const reference = parseTrn('Well, { GOING TO / gonna } (uh) go. (s-1)').records[0]?.parts ?? []
    const readingFor = (hypothesis: string): string =>
      takenReading({ id: 'x', reference, hypothesis }, options)
    expect(readingFor('well gonna go')).toBe('Well, gonna go.')
    expect(readingFor('well going to uh go')).toBe('Well, GOING TO uh go.')
    const texts = ['It is ten.', "It's 10."]
    expect(takenReading({ id: 'x', reference: texts, hypothesis: "it's 10" }, options)).toBe("It's 10.")
    expect(takenReading({ id: 'x', reference: texts, hypothesis: null }, options)).toBe("It's 10.")
  })

  test('count the same as the reading that was taken', () => {
    const word = fc.constantFrom('a', 'b', 'c')
    const { parts } = fc.letrec<{ parts: TranscriptPart[]; part: TranscriptPart }>((tie) => ({
      parts: fc.array(tie('part'), { maxLength: 3 }),
      part: fc.oneof(
        { maxDepth: 2 },
        fc.record({ kind: fc.constant('words' as const), words: fc.array(word, { maxLength: 3 }) }),
        fc.record({ kind: fc.constant('optional' as const), word }),
        fc.record({
          kind: fc.constant('alternatives' as const),
          branches: fc.array(tie('parts'), { minLength: 1, maxLength: 3 }),
        }),
      ),
    }))
    const answer = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(parts, answer, (reference, hypothesis) => {
        const reading = takenReading({ id: 'x', reference, hypothesis }, options)
        const counted = scoreUtterance({ id: 'x', reference, hypothesis }, options).words
        expect(scoreUtterance({ id: 'x', reference: reading, hypothesis }, options).words).toEqual(counted)
      }),
      { numRuns: 500 },
    )
  })

  test('meet a hypothesis that leaves choices too', () => {
    const hypothesis = parseTrn('{ going to / gonna } go \\{ (s-1)').records[0]?.parts ?? []
    expect(scoreUtterance({ id: 'x', reference: 'gonna go', hypothesis }, options).words).toMatchObject({
      hits: 2,
      insertions: 0,
    })
    const plain = parseTrn('a \\@ b (s-1)').records[0]?.parts ?? []
    expect(
      scoreUtterance({ id: 'x', reference: 'a @ b', hypothesis: plain }, { profile: findProfile('verbatim') })
        .words,
    ).toMatchObject({ hits: 3 })
  })

  test('of none, or of an empty one, are an empty reference', () => {
    for (const reference of [[], '', ['']]) {
      expect(scoreUtterance({ id: 'x', reference, hypothesis: 'a' }, options).words?.insertions).toBe(1)
    }
  })
})

describe('jiwer is followed in everything', () => {
  test('its rates, those of empty references among them, are those of the published rows', () => {
    const jiwer = findProfile('jiwer')
    for (const row of readVectors<{
      ref: string
      hyp: string
      jiwer: Record<string, number>
      cer: Record<string, number>
    }>('pairs')) {
      const made = scorePair({ reference: row.ref, hypothesis: row.hyp }, jiwer, {
        alignment: 'jiwer',
        characters: 'code-points',
      })
      const rates = ratesOf(made.words, 'jiwer')
      expect(rates.errorRate).toBeCloseTo(row.jiwer['wer'] as number, 12)
      expect(rates.matchErrorRate).toBeCloseTo(row.jiwer['mer'] as number, 12)
      expect(rates.wordInformationLost).toBeCloseTo(row.jiwer['wil'] as number, 12)
      expect(rates.wordInformationPreserved).toBeCloseTo(row.jiwer['wip'] as number, 12)
      expect(ratesOf(made.characters, 'jiwer').errorRate).toBeCloseTo(row.cer['cer'] as number, 12)
    }
  })

  test('its characters are code points where none are asked for, of a pair as of an utterance', () => {
    const [profile, alignment] = [findProfile('jiwer'), 'jiwer'] as const
    const texts = { reference: 'e\u0301te\u0301', hypothesis: 'e\u0301te' }
    const { characters } = scorePair(texts, profile, { alignment })
    expect(characters).toEqual({ hits: 4, substitutions: 0, deletions: 1, insertions: 0 })
    expect(scoreUtterance({ id: 'x', ...texts }, { profile, alignment }).characters).toEqual(characters)
  })

  test('a single tab parts no words, two spaces do', () => {
    const words = (text: string): string[] => tokeniseWords(text, findProfile('jiwer').words)
    expect(words('a\tb c  d')).toEqual(['a\tb', 'c', 'd'])
    expect(countErrors(words('a b'), words('a\tb'), 'jiwer')).toMatchObject({
      substitutions: 1,
      deletions: 1,
    })
  })

  // [reference, hypothesis, hits, substitutions, deletions and insertions of words, and of characters]: jiwer 4.0.0.
  test.each([
    ['a b', '\ufeffa b', [1, 1, 0, 0], [3, 0, 0, 1]],
    ['a \ufeff b', 'a b', [2, 0, 1, 0], [3, 0, 2, 0]],
    ['a b', 'a\x1c\x1cb', [2, 0, 0, 0], [2, 1, 0, 1]],
    ['a b', '\x85a b\x1f', [2, 0, 0, 0], [3, 0, 0, 0]],
    ['a \u3000b', 'a b', [2, 0, 0, 0], [3, 0, 1, 0]],
  ] as const)(
    'white space is what Python takes for it: %j and %j',
    (reference, hypothesis, words, characters) => {
      const made = scorePair({ reference, hypothesis }, findProfile('jiwer'), { alignment: 'jiwer' })
      expect(Object.values(made.words)).toEqual(words)
      expect(Object.values(made.characters)).toEqual(characters)
    },
  )
})

test('the default profile fits the language, or the scorer that is followed', () => {
  expect(defaultProfile('en').id).toBe('english@3')
  expect(defaultProfile('en-GB').id).toBe('english@3')
  expect(defaultProfile('el').id).toBe('basic')
  expect(defaultProfile('eno').id).toBe('basic')
  expect(defaultProfile(null).id).toBe('basic')
  expect(() => defaultProfile('en_US')).toThrow(RangeError)
  expect(defaultProfile('en', 'jiwer').id).toBe('jiwer')
  expect(defaultProfile('en', 'sclite').id).toBe('sclite')
})
