import { describe, expect, test } from 'vitest'
import { alignTranscripts } from '#scoring/alignment/align-transcripts'
import type { ScliteOptions, TranscriptPart } from '#scoring/alignment/networks'
import { addCounts, noErrors } from '#scoring/counts'
import { parseTrn } from '#scoring/formats/trn'
import { findProfile } from '#scoring/profiles/index'
import { scoreUtterance, type UtteranceScore } from '#scoring/score-utterance'
import type { AlignmentStep, ErrorCounts } from '#scoring/shapes'
import { readFixture } from './vectors.ts'

const parse = (text: string): readonly TranscriptPart[] => {
  const { records, problems } = parseTrn(`${text} (spk-1)`)
  expect(problems).toEqual([])
  return records[0]?.parts ?? []
}
const counts = (hits: number, substitutions: number, deletions: number, insertions: number): ErrorCounts => ({
  hits,
  substitutions,
  deletions,
  insertions,
})
const lowered = (parts: readonly TranscriptPart[]): readonly TranscriptPart[] =>
  parts.map((part) => {
    if (part.kind === 'words') return { ...part, words: part.words.map((word) => word.toLowerCase()) }
    if (part.kind === 'optional') return { ...part, word: part.word.toLowerCase() }
    return { ...part, branches: part.branches.map(lowered) }
  })

describe("sclite's first test", () => {
  const references = parseTrn(readFixture('sclite/csrnab.ref'))
  const hypotheses = new Map(
    parseTrn(readFixture('sclite/csrnab.hyp')).records.map((record) => [record.id, record]),
  )
  const alignments = references.records.map((record) => ({
    id: record.id,
    speaker: record.speaker,
    ...alignTranscripts(
      lowered(record.parts ?? []),
      lowered(hypotheses.get(record.id)?.parts ?? []),
      'sclite',
    ),
  }))

  test('has its published counts for every speaker', () => {
    expect(references.problems).toEqual([])
    expect(alignments).toHaveLength(51)
    const bySpeaker: Record<string, ErrorCounts> = {}
    for (const { speaker, counts } of alignments) {
      bySpeaker[speaker as string] = addCounts(bySpeaker[speaker as string] ?? noErrors, counts)
    }
    expect(bySpeaker).toEqual({
      '4t0': counts(385, 64, 9, 12),
      '4t1': counts(509, 32, 3, 4),
      '4t2': counts(369, 35, 0, 10),
    })
  })

  test('has its published alignment word for word', () => {
    const published = [
      ...readFixture('sclite/test1.sgml').matchAll(/<PATH id="\((.*?)\)".*>\n(.*)\n<\/PATH>/g),
    ]
    expect(published).toHaveLength(51)
    const written = (step: AlignmentStep): string => {
      if (step.kind === 'deletion') return `D,"${step.reference}",`
      if (step.kind === 'insertion') return `I,,"${step.hypothesis}"`
      return `${step.kind === 'hit' ? 'C' : 'S'},"${step.reference}","${step.hypothesis}"`
    }
    const made = new Map(alignments.map(({ id, steps }) => [id, steps.map(written).join(':')]))
    for (const [, id = '', path] of published) expect(made.get(id)).toBe(path)
  })
})

describe('a transcript with choices', () => {
  test.each([
    ['the { cat / dog } sat', 'the dog sat', counts(3, 0, 0, 0)],
    ['{ one hundred / 100 } people', 'one hundred people', counts(3, 0, 0, 0)],
    ['{ one hundred / 100 } people', '100 people', counts(2, 0, 0, 0)],
    ['for { @ / an } investor', 'for investor', counts(2, 0, 0, 0)],
    ['for { @ / an } investor', 'for an investor', counts(3, 0, 0, 0)],
    ['{ { a / b } c / d }', 'b c', counts(2, 0, 0, 0)],
    ['(uh) yes (uh)', 'yes', counts(1, 0, 0, 0)],
    ['(uh) yes (uh)', 'uh yes', counts(2, 0, 0, 0)],
    ['(uh) yes', 'oh yes', counts(1, 1, 0, 0)],
    ['yes', '(uh) yes', counts(1, 0, 0, 0)],
    ['{ a / b } { c / d }', '', counts(0, 0, 2, 0)],
  ])('%s is scored against “%s” in its best reading', (reference, hypothesis, expected) => {
    expect(alignTranscripts(parse(reference), parse(hypothesis)).counts).toEqual(expected)
  })

  test('of two readings with as few errors takes the one with more words right, then the longer one', () => {
    expect(alignTranscripts(parse('{ a b / c }'), parse('x y')).counts).toEqual(counts(0, 2, 0, 0))
    expect(alignTranscripts(parse('{ p q / d b }'), parse('b s')).counts).toEqual(counts(1, 0, 1, 1))
    expect(alignTranscripts(parse('{ a / b b } c'), parse('b c')).counts).toEqual(counts(2, 0, 1, 0))
  })

  test('counts an optional word that was not said as a hit as sclite -D does, and not at all otherwise', () => {
    const options = { optionalDeletions: true }
    const sclite = (reference: string, hypothesis: string): ErrorCounts =>
      alignTranscripts(parse(reference), parse(hypothesis), 'sclite', options).counts
    expect(sclite('(uh) yes', 'yes')).toEqual(counts(2, 0, 0, 0))
    expect(alignTranscripts(parse('(uh) yes'), parse('yes'), 'jiwer').counts).toEqual(counts(1, 0, 0, 0))
    // To leave out an optional word costs less than to leave out another one.
    expect(sclite('b (uh)', 'x')).toEqual(counts(1, 1, 0, 0))
  })

  test('has parentheses in its words as sclite reads it without -D', () => {
    const { counts: counted, steps } = alignTranscripts(parse('b (c) d'), parse('b c d'), 'sclite')
    expect(counted).toEqual(counts(2, 1, 0, 0))
    expect(steps[1]).toMatchObject({ reference: '(c)', hypothesis: 'c' })
  })

  test.each([
    ['fi- ab', 'fish ab', 2],
    ['-ish', 'fish', 1],
    ['fish', 'fi-', 1],
    ['fi-', 'fa-', 0],
    ['a-', 'ab-', 1],
    ['-a', 'b-a-', 0],
    ['-', 'x', 0],
    ['-', '-', 1],
    ['(ab-)', 'abc', 1],
    // Of an optional word sclite looks at the end alone.
    ['(-bc)', 'abc', 0],
  ])('has fragments matched as sclite -F -D does: %s with %s', (reference, hypothesis, hits) => {
    const options = { fragments: true, optionalDeletions: true }
    const aligned = alignTranscripts(parse(reference), parse(hypothesis), 'sclite', options)
    expect(aligned.counts.hits).toBe(hits)
    if (reference === 'fi- ab') {
      expect(alignTranscripts(parse(reference), parse(hypothesis), 'sclite').counts.hits).toBe(1)
    }
  })

  test('has its characters counted in the reading that the words took', () => {
    const scored = (sclite: ScliteOptions): UtteranceScore =>
      scoreUtterance(
        { id: 'x', reference: parse('b (c) d'), hypothesis: 'b d' },
        { profile: findProfile('sclite'), alignment: 'sclite', sclite },
      )
    const unsaid = scored({ optionalDeletions: true })
    expect(unsaid.words).toEqual(counts(3, 0, 0, 0))
    expect(unsaid.characters).toEqual(counts(3, 0, 0, 0))
    expect(scored({}).characters).toEqual(counts(3, 0, 4, 0))
  })

  test('is worked out in pieces when it is long', () => {
    const middle = Array.from({ length: 150 }, (_, index) => `{ a${index} / b${index} (uh) } c${index}`).join(
      ' ',
    )
    const said = Array.from({ length: 150 }, (_, index) =>
      index === 70 ? 'b70' : `b${index} c${index}`,
    ).join(' ')
    for (const rule of ['canonical', 'sclite', 'kaldi'] as const) {
      const extra = rule === 'sclite' ? 150 : 0
      const { counts: counted } = alignTranscripts(parse(middle), parse(said), rule, {
        optionalDeletions: true,
      })
      expect(counted).toEqual(counts(299 + extra, 0, 1, 0))
    }
  })
})

describe('a trn file', () => {
  test('has every line that cannot be read reported, with its number and a cure', () => {
    const { records, problems } = parseTrn(
      ';; comment\na (s-1)\nno id\n\n{ a (s-2)\na } (s-3)\n{ / b } (s-4)\nhi (s-1)\r\n(s-5)\n',
    )
    expect(records.map(({ id, line }) => [id, line])).toEqual([
      ['s-1', 2],
      ['s-1', 8],
      ['s-5', 9],
    ])
    expect(problems.map(({ where, what }) => `${where}: ${what}`)).toEqual([
      '3: the line has no id',
      '5: a { is never closed (s-2)',
      '6: a } closes what no { opened (s-3)',
      '7: an alternative is empty (s-4)',
    ])
    expect(problems.every(({ hint }) => hint !== undefined && hint.length > 0)).toBe(true)
  })

  test('may have alternatives in alternatives, but not so deep that only a mistake can have made them', () => {
    const nested = (depth: number): string => `${'{ a / '.repeat(depth)}b${' }'.repeat(depth)}`
    expect(parseTrn(`${nested(32)} (s-1)\n`).records).toHaveLength(1)
    const { records, problems } = parseTrn(`${nested(33)} (s-1)\n${'{ '.repeat(30_000)} (s-2)\nx (s-3)\n`)
    expect(records.map(({ id }) => id)).toEqual(['s-3'])
    expect(problems.map(({ where, what }) => `${where}: ${what}`)).toEqual([
      '1: alternatives are more than 32 deep in each other (s-1)',
      '2: alternatives are more than 32 deep in each other (s-2)',
    ])
  })

  test('has slashes and parentheses inside words as letters, and escaped marks too', () => {
    expect(parse('and/or f(x) \\{ a \\@ b\\}')).toEqual([
      { kind: 'words', words: ['and/or', 'f(x)', '{', 'a', '@', 'b}'] },
    ])
    expect(parse('{um/uh} x')).toEqual([
      {
        kind: 'alternatives',
        branches: [[{ kind: 'words', words: ['um'] }], [{ kind: 'words', words: ['uh'] }]],
      },
      { kind: 'words', words: ['x'] },
    ])
  })
})
