import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TextScore } from '#rates/documents'
import type { TextScoreOptions } from '#rates/scored-pair'
import { readPairs } from '#transcripts/read-pairs'
import { caught, lines } from '../corpus/caught.ts'
import { startTextScore } from '../rates/start-text-score.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const sets = join(import.meta.dirname, '../scoring/fixtures/nist')
const set = (name: string): Promise<string> => readFile(join(sets, name), 'utf8')

interface Scored {
  readonly score: TextScore
  readonly notes: readonly string[]
}

/** Scores two texts as sclite does, under these names. */
async function sclite(
  names: readonly [string, string],
  texts: readonly [string, string],
  options: Partial<TextScoreOptions> = {},
): Promise<Scored> {
  await using folder = await temporaryFolder()
  const notes: string[] = []
  const scorer = startTextScore({ alignment: 'sclite', seed: 1, ...options })
  const source = {
    reference: await folder.write(names[0], texts[0]),
    hypothesis: await folder.write(names[1], texts[1]),
    formatOfUnknown: 'trn' as const,
  }
  const pairs = readPairs(source, { onNote: (note) => void notes.push(note) })
  for await (const block of pairs) for (const pair of block) scorer.add(pair)
  return { score: scorer.result(), notes }
}

/** Sentences, words, and correct, substituted, deleted and inserted ones: a line of sclite's -o rsum. */
function figures({ score: { utteranceCount, words } }: Scored): readonly number[] {
  const { hits, substitutions, deletions, insertions } = words.counts
  return [utteranceCount, words.referenceLength, hits, substitutions, deletions, insertions]
}

const timed = (stm: string, ctm: string): Promise<Scored> => sclite(['calls.stm', 'calls.ctm'], [stm, ctm])

describe('sets built as those of NIST’s own tests have the counts of sclite', async () => {
  const [stm, ctm] = [await set('calls.stm'), await set('calls.ctm')]
  const lacking = (pattern: RegExp): string =>
    ctm
      .split('\n')
      .filter((line) => !pattern.test(line))
      .join('\n')

  test('3: segments with labels and alternatives, words by time in capitals, overlapping and between segments', async () => {
    const scored = await timed(stm, ctm)
    expect(figures(scored)).toEqual([9, 43, 34, 4, 5, 5])
    expect(scored.notes).toEqual([
      '5 words of calls.ctm in no segment of calls.stm, first “WELL” at 0.2 s (line 1): counted in the next segment, after the last one in that, as sclite does',
    ])
  })

  test.each([
    'IGNORE_TIME_SEGMENT_IN_SCORING',
    'ignore_time_segment_in_scoring',
    'IGNORETIMESEGMENTINSCORING',
  ])('3a: segments that are not scored: %s', async (mark) => {
    const ignored = stm.replace(/the movers.*|not yet.*/g, mark)
    const scored = await timed(ignored, ctm)
    expect(figures(scored)).toEqual([7, 32, 27, 2, 3, 4])
    expect(scored.notes[0]).toBe(
      '2 segments of calls.stm not scored, as the file asks (IGNORE_TIME_SEGMENT_IN_SCORING), with 10 recognised words',
    )
  })

  test('3b: words with confidences, NA among them', async () => {
    const confident = ctm.replace(
      /^(?!.*<ALT).+$/gm,
      (line, at: number) => `${line} ${at % 7 === 0 ? 'NA' : '0.53'}`,
    )
    expect(figures(await timed(stm, confident))).toEqual([9, 43, 34, 4, 5, 5])
  })

  test('3c: a file whose segments have no words', async () => {
    const unsaid = stm.replace(/^(4102 \S+ \S+ \S+ \S+).*/gm, '$1')
    expect(figures(await timed(unsaid, ctm))).toEqual([9, 31, 23, 4, 4, 16])
  })

  test.each([
    ['no options', {}, [25, 100, 60, 23, 17, 22]],
    ['-D', { optionalDeletions: true }, [25, 100, 68, 21, 11, 22]],
    ['-F', { fragments: true }, [25, 100, 65, 23, 12, 17]],
    ['-F -D', { optionalDeletions: true, fragments: true }, [25, 100, 75, 19, 6, 17]],
  ])(
    '7: choices on both sides, optional words, fragments, tags and stars, with %s',
    async (_, options, counts) => {
      const scored = await sclite(
        ['cases.ref', 'cases.hyp'],
        [await set('cases.ref'), await set('cases.hyp')],
        {
          sclite: options,
        },
      )
      expect(figures(scored)).toEqual(counts)
      expect(scored.notes).toEqual([
        '11 words with a tag after a semicolon: the tag is not scored, as in sclite',
      ])
    },
  )

  test('9 and 15a, b: words of another script, and its characters', async () => {
    const scored = await sclite(['s.stm', 's.ctm'], [await set('script.stm'), await set('script.ctm')], {
      characters: 'no-spaces',
    })
    expect(figures(scored)).toEqual([3, 13, 8, 3, 2, 0])
    expect(scored.score.characters?.counts).toEqual({
      hits: 18,
      substitutions: 1,
      deletions: 1,
      insertions: 1,
    })
  })

  test.each([
    [false, [4, 14, 10, 2, 2, 0]],
    [true, [4, 14, 11, 2, 1, 0]],
  ])('15c, d: transcripts in UTF-8, optional words %s', async (optionalDeletions, counts) => {
    const texts = [await set('utf8.ref'), await set('utf8.hyp')] as const
    expect(figures(await sclite(['r', 'h'], texts, { sclite: { optionalDeletions } }))).toEqual(counts)
  })

  test.each([
    ['a file', /^4101/, [11, 0, 32, 0], '2 of 4 channels of calls.stm, first 4101 a'],
    ['the other file', /^4102/, [23, 4, 16, 5], '2 of 4 channels of calls.stm, first 4102 a'],
    ['a channel', /^4101 A/, [18, 1, 24, 0], '1 of 4 channels of calls.stm, first 4101 a'],
    ['the other channel', /^4101 B/, [27, 3, 13, 5], '1 of 4 channels of calls.stm, first 4101 b'],
    ['a channel of the second file', /^4102 A/, [24, 4, 15, 5], '1 of 4 channels of calls.stm, first 4102 a'],
    ['its other channel', /^4102 B/, [33, 4, 6, 5], '1 of 4 channels of calls.stm, first 4102 b'],
    ['nothing', /^$/, [34, 4, 5, 5], null],
  ])('16: words that lack %s count as deleted', async (_, pattern, counts, missing) => {
    const scored = await timed(stm, lacking(pattern))
    expect(figures(scored)).toEqual([9, 43, ...counts])
    const note = scored.notes.find((each) => each.includes('has no words for'))
    if (missing === null) expect(note).toBeUndefined()
    else expect(note).toBe(`calls.ctm has no words for ${missing}: their words count as deleted`)
  })

  test.each(['', ';; no word was recognised\n'])(
    '16: so does a file without any word: %j',
    async (nothing) => {
      const scored = await timed(stm, nothing)
      expect(figures(scored)).toEqual([9, 43, 0, 0, 43, 0])
      expect(scored.notes).toEqual(['calls.ctm has no words: all words of calls.stm count as deleted'])
    },
  )

  // Counts of sclite 2.4.10, which parts words at white space in ASCII alone.
  test.each([
    [
      ['r.trn', 'h.trn'],
      ['q a\u00a0b \u3000 {\u00a0/ x } z (s-1)\n', 'q y z (s-1)\n'],
      [1, 5, 2, 1, 2, 0],
    ],
    [
      ['r.trn', 'h.trn'],
      ['q z\u00a0 \x01 (s-1)\n', 'q z\u00a0* \x01 (s-1)\n'],
      [1, 3, 3, 0, 0, 0],
    ],
    [
      ['r.trn', 'h.trn'],
      ['q \\ ; { a\\ / b } (s-1)\n', 'q \\ b (s-1)\n'],
      [1, 4, 3, 0, 1, 0],
    ],
    [
      ['s.stm', 's.ctm'],
      ['f A s 0 2 a\u00a0b c\u3000\n', 'f A 0 1 a\u00a0b\nf A 1 1 c\n'],
      [1, 2, 1, 1, 0, 0],
    ],
  ] as const)(
    'words end at white space in ASCII alone, even behind a backslash: %j %j',
    async (names, texts, counts) => {
      expect(figures(await sclite(names, texts))).toEqual(counts)
    },
  )

  test.each([
    ['q a b x @ (s-1)\n', 'q x c w e a (s-1)\n', [1, 4, 2, 0, 2, 4]],
    ['q a b { d / @ } x @ (s-1)\n', 'q x c w e a (s-1)\n', [1, 4, 2, 0, 2, 4]],
    ['q a b { d / @ } x (s-1)\n', 'q x c w e a (s-1)\n', [1, 4, 1, 3, 0, 2]],
  ] as const)('an @ outside of braces decides between alignments: %j %j', async (said, heard, counts) => {
    expect(figures(await sclite(['r.trn', 'h.trn'], [said, heard]))).toEqual(counts)
  })

  test('16: words that no segment is of are refused, as in sclite', async () => {
    const refusal = await caught(timed(stm, `${ctm}9999 B 1.00 0.20 EXTRA\n9999 b 2.00 0.20 MORE\n`))
    expect(lines(refusal)).toEqual([
      'calls.ctm:52  calls.stm has no segment of file 9999, channel B (“EXTRA” and 1 more word) (add its segments, or remove its words)',
    ])
  })

  test('hubscr: files as the mapping filters leave them, with -F -D', async () => {
    const texts = [await set('filtered.stm'), await set('filtered.ctm')] as const
    const bare = await sclite(['f.stm', 'f.ctm'], texts)
    expect(figures(bare)).toEqual([3, 18, 12, 3, 3, 0])
    const options = { optionalDeletions: true, fragments: true }
    expect(figures(await sclite(['f.stm', 'f.ctm'], texts, { sclite: options }))).toEqual([
      3, 18, 17, 1, 0, 0,
    ])
  })
})

test('segments of one channel that begin at once are scored one by one', async () => {
  const { score } = await timed('f 1 a 0 2 one\nf 1 b 0 2 two\n', 'f 1 0.5 0.2 one\n')
  expect(score.words.counts).toEqual({ hits: 1, substitutions: 0, deletions: 1, insertions: 0 })
})
