import { describe, expect, test } from 'vitest'
import { align } from '#scoring/alignment/align'
import { parseKaldiText, type TranscriptRecord } from '#scoring/formats/plain-text'
import {
  startSpeakers,
  writeHtmlDiff,
  writePra,
  writeSgmlPath,
  writeSgmlSystem,
  writeSpeakerTable,
  writeTrnLine,
} from '#scoring/formats/sclite-reports'
import { assignWords, parseCtm, parseStm } from '#scoring/formats/timed'
import { parseTrn } from '#scoring/formats/trn'
import { findProfile } from '#scoring/profiles/index'
import type { Utterance } from '#scoring/read-pair'
import { score } from '#scoring/score-corpus'
import { alignUtterance } from '#scoring/score-utterance'
import { readFixture } from './vectors.ts'

const told = (problems: readonly { where: string | null; what: string }[]): string[] =>
  problems.map(({ where, what }) => `${where}: ${what}`)

/** Every reference with the hypothesis of its id. */
const paired = (
  references: readonly TranscriptRecord[],
  hypotheses: readonly TranscriptRecord[],
): readonly Utterance[] =>
  references.map(({ id, parts, text, speaker }) => {
    const heard = hypotheses.find((hypothesis) => hypothesis.id === id)
    return { id, reference: parts ?? text, hypothesis: heard?.parts ?? heard?.text ?? null, speaker }
  })

describe('Kaldi text', () => {
  test('has an id a line, and an empty transcript where nothing follows, whatever ends the lines', () => {
    const records = parseKaldiText('\ufeffu1 hello there\r\nu2\n\nu3 again\ru4 x', 101)
    expect(records.map(({ id, text, line }) => [id, text, line])).toEqual([
      ['u1', 'hello there', 101],
      ['u2', '', 102],
      ['u3', 'again', 104],
      ['u4', 'x', 105],
    ])
    expect(parseKaldiText('')).toEqual([])
  })
})

describe('stm and ctm', () => {
  const stm = parseStm(
    ';; comment\nrec 1 anna 0.0 2.0 <o,f0> hello { there / here }\nrec 1 bob 2.0 4.0 good bye\n' +
      'rec 1 bob 4.0 5.0 IGNORE_TIME_SEGMENT_IN_SCORING\nrec 1 bob 5 4 x\nrec\nrec 1 eve 8.0 9.0 bye\n',
  )
  const ctm = parseCtm(
    ';comment\nREC 1 0.10 0.40 hello 0.9\nrec 1 1.80 0.25 here\nrec 1 2.10 0.30 good\nrec 1 2.30 0.30 buy na\n' +
      'rec 1 4.2 0.2 hm\nrec 1 6.0 0.1 early\nrec 1 9.5 0.1 late;tag\nrec 1 x 0.1 y\n',
  )

  test('are read, with every bad line reported', () => {
    expect(stm.segments.map(({ id, speaker, labels }) => [id, speaker, labels])).toEqual([
      ['rec-1-0.0', 'anna', ['o', 'f0']],
      ['rec-1-2.0', 'bob', []],
      ['rec-1-4.0', 'bob', []],
      ['rec-1-8.0', 'eve', []],
    ])
    expect(told(stm.problems)).toEqual(['5: the line is no segment', '6: the line is no segment'])
    expect(told(ctm.problems)).toEqual(['9: the line is no word'])
  })

  test('assign every word to a segment: overlapping words, words between segments and behind the last one', () => {
    const { segments, hypotheses, between, ignored, taggedCount } = assignWords(stm.segments, ctm.parts)
    expect(hypotheses.map(({ text }) => text)).toEqual(['hello here', 'good buy', 'early late'])
    const { corpus } = score(paired(segments, hypotheses), { profile: findProfile('basic') })
    expect(corpus.words).toEqual({ hits: 3, substitutions: 2, deletions: 0, insertions: 1 })
    expect(between.map(({ word }) => word)).toEqual(['early', 'late;tag'])
    expect(ignored).toEqual({ segmentCount: 1, wordCount: 1 })
    expect(taggedCount).toBe(1)
  })

  test('report words of channels without a segment, channels without a word, and words out of order', () => {
    const segments = parseStm('a 1 s 0 2 one\na 1 s 2 4 two\na 2 s 0 2 three\n').segments
    const { parts } = parseCtm('A 1 1.0 0.1 one\na 1 3.0 0.1 two\na 1 0.5 0.1 zero\nb 1 0 1 x\n')
    const { hypotheses, unsorted, unknown, unheard } = assignWords(segments, parts)
    // Words go by the order of their file, as in sclite.
    expect(hypotheses.map(({ text }) => text)).toEqual(['one', 'two zero', ''])
    expect(unsorted.map(({ word }) => word)).toEqual(['zero'])
    expect(unknown.map(({ word }) => word)).toEqual(['x'])
    expect(unheard.map(({ id }) => id)).toEqual(['a-2-0'])
  })

  test('hold alternatives, each assigned as a whole to the segment of its latest word', () => {
    const segments = parseStm('a 1 s 0 2 one two\na 1 s 2 4 three\n').segments
    const choice = (...lines: string[]): string =>
      ['a 1 * * <ALT_BEGIN>', ...lines, 'a 1 * * <alt_end>'].join('\n')
    const { parts, problems } = parseCtm(
      `a 1 0 .1 one\n${choice('a 1 1 .1 too', 'a 1 * * <ALT>')}\n` +
        `${choice('a 1 1.5 .1 q', 'a 1 * * <ALT>', 'a 1 2.5 .2 three')}\n`,
    )
    expect(problems).toEqual([])
    expect(assignWords(segments, parts).hypotheses.map(({ text }) => text)).toEqual([
      'one { too / @ }',
      '{ q / three }',
    ])
  })

  test.each([
    ['a 1 * * <ALT_BEGIN>\na 1 0 1 x\n', '1: the alternatives that begin here never end'],
    ['a 1 * * <ALT>\n', '1: <ALT> without <ALT_BEGIN> before it'],
    ['a 1 * * <ALT_BEGIN>\na 1 * * <ALT_END>\n', '2: the alternatives hold no word'],
  ])('are refused where alternatives are not whole: %j', (text, problem) => {
    expect(told(parseCtm(text).problems)).toContain(problem)
  })
})

describe("sclite's reports", () => {
  const options = { profile: findProfile('sclite'), alignment: 'sclite' } as const
  const utterances = paired(
    parseTrn(readFixture('sclite/csrnab.ref')).records,
    parseTrn(readFixture('sclite/csrnab.hyp')).records,
  )
  const alignments = utterances.map((utterance) => ({
    id: utterance.id,
    speaker: utterance.speaker ?? '',
    ...alignUtterance(utterance, options),
  }))

  test('are written as sclite writes them: sgml', () => {
    const names = { title: './csrnab.hyp', referenceName: './csrnab.ref', hypothesisName: './csrnab.hyp' }
    const system = writeSgmlSystem(names)
    let sequence = 0
    const speakers = [...Map.groupBy(alignments, ({ speaker }) => speaker)].map(([speaker, spoken]) => {
      const paths = spoken.map((alignment) => writeSgmlPath(alignment, sequence++))
      return [system.beginSpeaker(speaker), ...paths, system.endSpeaker].join('')
    })
    expect([system.begin, ...speakers, system.end].join('')).toBe(readFixture('sclite/test1.sgml'))
  })

  test('are written as sclite writes them: pra', () => {
    const published = readFixture('sclite/test1.pra')
    for (const alignment of alignments) expect(published).toContain(writePra(alignment))
  })

  test('keep words under each other where capitals are longer than small letters', () => {
    const { steps } = align(['straße', 'ist', 'lang'], ['strasse', 'ist', 'lank'])
    expect(writePra({ id: 'a', steps }).split('\n').slice(2, 5)).toEqual([
      'REF:  STRASSE ist LANG ',
      'HYP:  STRASSE ist LANK ',
      'Eval: S           S    ',
    ])
  })

  test('are written as sclite writes them: the table by speaker', () => {
    const tally = startSpeakers()
    for (const { speaker, counts } of alignments) tally.add(speaker, counts)
    const speakers = tally.result()
    const figures = (table: string): string[][] =>
      table.split('\n').flatMap((line) => {
        const cells = line.replaceAll('|', ' ').trim().split(/\s+/)
        return /\d/.test(line) && !line.includes('csrnab') ? [cells] : []
      })
    expect(figures(writeSpeakerTable(speakers, './csrnab.hyp'))).toEqual(
      figures(readFixture('sclite/test1.sys')),
    )
    expect(figures(writeSpeakerTable(speakers, './csrnab.hyp', 'counts'))).toEqual(
      figures(readFixture('sclite/test1.raw')),
    )
    const lines = writeSpeakerTable(speakers, './csrnab.hyp').trimEnd().split('\n')
    expect(new Set(lines.map((line) => line.length)).size).toBe(1)
  })

  test('hold any number of speakers: the width of a column needs no argument for each cell', () => {
    const words = { hits: 9, substitutions: 1, deletions: 0, insertions: 0 }
    const speakers = Array.from({ length: 50_000 }, (_, index) => ({
      speaker: String(index),
      utteranceCount: 1,
      wrongCount: 1,
      words,
    }))
    expect(writeSpeakerTable(speakers, 'x')).toContain('| Sum/Avg |')
  })

  test('have a dash where there is nothing to divide by', () => {
    const silent = [
      {
        speaker: 's',
        utteranceCount: 1,
        wrongCount: 1,
        words: { hits: 0, substitutions: 0, deletions: 0, insertions: 2 },
      },
    ]
    expect(writeSpeakerTable(silent, 'x')).toMatch(/\| s +\| +1 +0 \| +- +- +- +- +- +100\.0 \|/)
  })
})

describe('a trn line', () => {
  test('holds nothing that a reader of trn files takes for markup', () => {
    const words = '{ a/b / @ b} (uh) x;y ;; ** c* a\\b 50% %7B %hesitation'.split(' ')
    const line = writeTrnLine(words, 'spk-1')
    expect(line).toBe(
      '%7B a/b / %40 b%7D %28uh%29 x%3By %3B%3B %2A%2A c%2A a%5Cb 50% %257B %hesitation (spk-1)',
    )
    const [record] = parseTrn(line).records
    expect(record).toMatchObject({ parts: [{ kind: 'words' }], taggedCount: 0 })
    expect(record?.parts).toEqual([{ kind: 'words', words: line.split(' ').slice(0, -1) }])
    expect(writeTrnLine([], 'spk-2')).toBe('(spk-2)')
  })

  test('keeps a word whole that holds white space, as jiwer leaves it in, and so do the other reports', () => {
    const [reference, hypothesis] = ['a\nb', 'c\td']
    expect(writeTrnLine([reference, hypothesis, 'x\u00a0y'], 's-1')).toBe('a%0Ab c%09d x\u00a0y (s-1)')
    expect(writeTrnLine(['%0A'], 's-1')).toBe('%250A (s-1)')
    expect(writeTrnLine(['\u3000', 'a'], 's-1')).toBe('\u3000 a (s-1)')
    const { steps } = align([reference], [hypothesis])
    expect(writePra({ id: 's-1', steps })).toContain('REF:  A%0AB \nHYP:  C%09D \n')
    expect(writeSgmlPath({ id: 's-1', steps }, 0)).toContain('\nS,"a%0Ab","c%09d"\n')
  })

  test('keeps two different words different', () => {
    const words = ['{', '%7B', '%257B', '%', '@', '%40', ';', '%3B', '(a)', '%28a%29', 'a', '\\', '%5C']
    expect(new Set(words.map((word) => writeTrnLine([word], 'x'))).size).toBe(words.length)
  })

  test('writes words that may be deleted as such where they are', () => {
    expect(writeTrnLine(['(uh)', 'yes'], 's-1', { optionalDeletions: true })).toBe('(uh) yes (s-1)')
  })

  test('has words around an @ normalised as one run of words', () => {
    const [record] = parseTrn('twenty @ one { a / b @ } (s-1)').records
    const utterance = { id: 's-1', reference: record?.parts ?? [], hypothesis: '21 b' }
    const { counts } = alignUtterance(utterance, { profile: findProfile('english') })
    expect(counts).toEqual({ hits: 2, substitutions: 0, deletions: 0, insertions: 0 })
  })

  test('has tags cut off its words, and counts them', () => {
    const { records } = parseTrn('a;t1;t2 b\\;c c;;t2 (d);t ; ;x e\\ (s-1)')
    expect(records[0]).toMatchObject({
      taggedCount: 4,
      parts: [
        { kind: 'words', words: ['a', 'b;c', 'c'] },
        { kind: 'optional', word: 'd' },
        { kind: 'words', words: [';', ';', 'e\\'] },
      ],
    })
  })
})

test('an HTML diff escapes what the texts hold', () => {
  const html = writeHtmlDiff([
    { kind: 'substitution', reference: '<b>', hypothesis: '"&"' },
    { kind: 'hit', reference: 'ok', hypothesis: 'ok' },
    { kind: 'deletion', reference: 'gone', hypothesis: null },
  ])
  expect(html).toBe(
    '<p class="alignment" dir="ltr"><span class="substitution"><del><bdi>&#60;b&#62;</bdi></del><ins><bdi>&#34;&#38;&#34;</bdi></ins></span> ' +
      '<bdi>ok</bdi> <span class="deletion"><del><bdi>gone</bdi></del></span></p>',
  )
})
