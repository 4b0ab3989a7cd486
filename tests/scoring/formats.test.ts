import { describe, expect, test } from 'vitest'
import { align } from '#scoring/alignment/align'
import {
  pairRecords,
  parseJsonLines,
  parseKaldiText,
  parseLines,
  parsePairs,
} from '#scoring/formats/plain-text'
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
import { score } from '#scoring/score-corpus'
import { alignUtterance } from '#scoring/score-utterance'
import { readFixture } from './vectors.ts'

const told = (problems: readonly { where: string | null; what: string }[]): string[] =>
  problems.map(({ where, what }) => `${where}: ${what}`)

describe('lines of text', () => {
  test('are numbered, empty ones and one-character ones among them, whatever ends them', () => {
    const { records } = parseLines('\ufeffa\r\n\nb c\rx')
    expect(records.map(({ id, text }) => [id, text])).toEqual([
      ['1', 'a'],
      ['2', ''],
      ['3', 'b c'],
      ['4', 'x'],
    ])
    expect(parseLines('').records).toEqual([])
    expect(parseLines('a\n', 101).records[0]).toMatchObject({ id: '101', line: 101 })
  })
})

describe('Kaldi text', () => {
  test('has an id a line, and an empty transcript where nothing follows', () => {
    const { records, problems } = parseKaldiText('u1 hello there\nu2\n\nu1 again\n')
    expect(records.map(({ id, text }) => [id, text])).toEqual([
      ['u1', 'hello there'],
      ['u2', ''],
      ['u1', 'again'],
    ])
    expect(told(problems)).toEqual(['4: the id “u1” was used before, in line 1'])
  })
})

describe('JSON Lines', () => {
  test('of NeMo have their file as id and their other fields as tags', () => {
    const line =
      '{"audio_filepath":"a.wav","duration":1.5,"text":"hello","pred_text":"hallo","lang":"en","x":[1]}'
    expect(parseJsonLines(line).records[0]).toMatchObject({
      id: 'a.wav',
      text: 'hello',
      tags: { duration: '1.5', lang: 'en' },
    })
    expect(parseJsonLines(line, 'pred_text').records[0]?.text).toBe('hallo')
  })

  test('have every line that cannot be read reported, with a cure', () => {
    const { records, problems } = parseJsonLines(
      [
        '{"id":1,"text":"a"}',
        '{',
        '[]',
        '{"id":2}',
        '{"id":3,"pred_text":"b"}',
        '{"text":"c"}',
        '{"id":4,"text":"\\ud800"}',
      ].join('\n'),
    )
    expect(records).toHaveLength(1)
    expect(problems.map(({ where }) => where)).toEqual(['2', '3', '4', '5', '6', '7'])
    expect(problems[3]?.hint).toContain('pred_text')
    expect(problems[5]?.what).toContain('surrogate')
  })
})

describe('pairs.jsonl', () => {
  test('holds one text or several that are as right, and null where nothing came back', () => {
    const { utterances, problems } = parsePairs(
      '{"id":"a","reference":["gonna go","going to go"],"hypothesis":"going to go","speaker":"s","noise":"car"}\n' +
        '{"id":"b","reference":"x","hypothesis":null}\n{"id":"c","reference":"x"}\n{"id":"a","reference":"","hypothesis":""}\n',
    )
    expect(utterances.slice(0, 2)).toMatchObject([
      { id: 'a', speaker: 's', tags: { noise: 'car' } },
      { id: 'b', hypothesis: null },
    ])
    expect(told(problems)).toEqual([
      '3: the line has no hypothesis',
      '4: the id “a” was used before, in line 1',
    ])
  })
})

describe('two files', () => {
  test('are paired by id, and what has no partner is named', () => {
    const references = parseKaldiText('b two\na one\nc three\n').records
    const hypotheses = parseKaldiText('a one\nd four\nb too\n').records
    const { utterances, unpaired } = pairRecords(references, hypotheses)
    expect(utterances.map(({ id, reference, hypothesis }) => [id, reference, hypothesis])).toEqual([
      ['b', 'two', 'too'],
      ['a', 'one', 'one'],
    ])
    expect(unpaired).toEqual([
      { side: 'reference', id: 'c', line: 3 },
      { side: 'hypothesis', id: 'd', line: 2 },
    ])
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
    expect(ctm.parts[0]).toMatchObject({ confidence: 0.9 })
    expect(ctm.parts[3]).toMatchObject({ confidence: null })
  })

  test('assign every word to a segment: overlapping words, words between segments and behind the last one', () => {
    const { segments, hypotheses, between, ignored, taggedCount } = assignWords(stm.segments, ctm.parts)
    expect(hypotheses.map(({ text }) => text)).toEqual(['hello here', 'good buy', 'early late'])
    const { utterances } = pairRecords(segments, hypotheses)
    const { corpus } = score(utterances, { profile: findProfile('basic') })
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
  const { utterances } = pairRecords(
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

  test('keeps two different words different', () => {
    const words = ['{', '%7B', '%257B', '%', '@', '%40', ';', '%3B', '(a)', '%28a%29', 'a', '\\', '%5C']
    expect(new Set(words.map((word) => writeTrnLine([word], 'x'))).size).toBe(words.length)
  })

  test('writes words that may be deleted as such where they are', () => {
    expect(writeTrnLine(['(uh)', 'yes'], 's-1', { optionalDeletions: true })).toBe('(uh) yes (s-1)')
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
