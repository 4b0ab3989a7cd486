import { describe, expect, test, vi } from 'vitest'
import type { Utterance } from '#scoring/read-pair'
import { readPairs, type TranscriptSource } from '#transcripts/read-pairs'
import { caught, lines } from '../corpus/caught.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { read, refused } from './read-files.ts'

type Content = string | Uint8Array

async function readAll(source: TranscriptSource): Promise<readonly Utterance[]> {
  const pairs: Utterance[] = []
  for await (const block of readPairs(source)) pairs.push(...block)
  return pairs
}

/** Two files of a kind, as they are given. */
const two = (extension: string, reference: Content, hypothesis: Content) => ({
  [`ref${extension}`]: reference,
  [`hyp${extension}`]: hypothesis,
})
const pair = async (...files: Parameters<typeof two>) => (await read(two(...files))).pairs
const problems = (...files: Parameters<typeof two>) => refused(two(...files))

const blankLine =
  'plain text is paired by line, and a blank line is an empty transcript; to pair by id, write {"id": "…", "text": "…"} a line into files named .jsonl'
const unanswered =
  'write "hypothesis": null, or an empty text, for an utterance that an engine did not answer'
const objects =
  'write an object a line: {"id":"…","text":"…"}, or {"id":"…","reference":"…","hypothesis":"…"}'

describe('plain text', () => {
  test('is paired line by line, by line number', async () => {
    expect(await pair('.txt', 'one two\nthree\n', 'one too\nfree')).toEqual([
      ['1', 'one two', 'one too'],
      ['2', 'three', 'free'],
    ])
  })

  test('counts blank lines as empty transcripts, so that short lines are never lost', async () => {
    expect(await pair('.txt', 'a\n\nyes sir\n', '\nb\n\n')).toEqual([
      ['1', 'a', ''],
      ['2', '', 'b'],
      ['3', 'yes sir', ''],
    ])
  })

  test('may have a byte order mark and carriage returns on one side', async () => {
    expect(await pair('.txt', '\ufeffone\r\ntwo\r', 'one\ntwo\n')).toEqual([
      ['1', 'one', 'one'],
      ['2', 'two', 'two'],
    ])
  })

  test('keeps braces, slashes and parentheses as they are', async () => {
    const text = '{ a / b } (uh) and/or (x)'
    expect(await pair('.txt', `${text}\n`, `${text}\n`)).toEqual([['1', text, text]])
  })

  test('of different lengths is refused, with the first line that has no partner', async () => {
    expect(await problems('.txt', 'a\nb\nc\n', 'a\n')).toEqual([
      `ref.txt:2  ref.txt has 3 lines and hyp.txt 1: no partner from here on (${blankLine})`,
    ])
    expect(await problems('.txt', 'a\n', 'a\n\n')).toEqual([
      `hyp.txt:2  hyp.txt has 2 lines and ref.txt 1: no partner from here on (${blankLine})`,
    ])
  })

  test('that is empty or not UTF-8 is refused, both files at once', async () => {
    expect(await problems('.txt', '', Buffer.from([0x61, 0x0a, 0xff, 0x0a]))).toEqual([
      'ref.txt  has no lines (give every utterance a line, a blank one where nothing was recognised; or name another file)',
      'hyp.txt:2  is not UTF-8 (save the file as UTF-8)',
    ])
  })

  test('with a carriage return inside a line is refused, because it may be a line end that was meant', async () => {
    const cure = "lines end with LF or CRLF; where CR alone ends a line: tr '\\r' '\\n' < old > new"
    expect(await problems('.txt', 'one\ntwo\rthree\n', 'one\ntwo\n')).toEqual([
      `ref.txt:2  has a carriage return inside (${cure})`,
    ])
    // An old file of a Macintosh is one line.
    expect(await problems('.txt', 'one two\r'.repeat(100_000), 'one\n')).toEqual([
      `ref.txt:1  has a carriage return inside (${cure})`,
    ])
  })

  test('with a line of 100 MB is refused by its number, and the lines behind it keep theirs', async () => {
    const long = Buffer.alloc(100 * 1_048_576, 'a ')
    const file = Buffer.concat([Buffer.from('one\n'), long, Buffer.from('\nthree\n'), Buffer.of(0xff, 0x0a)])
    const memoryBefore = process.memoryUsage().arrayBuffers
    const told = await problems('.txt', file, 'one\ntwo\nthree\nfour\n')
    expect(told).toEqual([
      expect.stringMatching(
        /^ref\.txt:2 {2}is longer than 16 MiB \(100 MiB\) \(put every utterance on a separate line/,
      ),
      'ref.txt:4  is not UTF-8 (save the file as UTF-8)',
    ])
    expect(process.memoryUsage().arrayBuffers - memoryBefore).toBeLessThan(300 * 1_048_576)
    expect(await problems('.txt', 'one', long.subarray(0, 17 * 1_048_576))).toEqual([
      expect.stringMatching(/^hyp\.txt:1 {2}is longer/),
    ])
  })
})

describe('JSON Lines', () => {
  test('are paired by id, in the order of the references', async () => {
    expect(
      await pair(
        '.jsonl',
        '{"id":"b","text":"x"}\n\n{"id":"a","text":""}\n',
        '{"id":"a","text":"y"}\n{"id":"b","text":"z"}',
      ),
    ).toEqual([
      ['b', 'x', 'z'],
      ['a', '', 'y'],
    ])
  })

  test('may carry both sides in one line', async () => {
    const both = '{"id":7,"reference":"x","hypothesis":"y"}\n'
    expect(await pair('.jsonl', both, both)).toEqual([['7', 'x', 'y']])
  })

  test('name every id without a partner, on both sides', async () => {
    expect(
      await problems(
        '.jsonl',
        '{"id":"a","text":"x"}\n{"id":"b","text":"x"}\n',
        '{"id":"b","text":"x"}\n{"id":"c","text":"x"}\n',
      ),
    ).toEqual([
      `ref.jsonl:1  the id "a" is not in hyp.jsonl (${unanswered})`,
      `hyp.jsonl:2  the id "c" is not in ref.jsonl (${unanswered})`,
    ])
  })

  test('report every bad line of both files at once', async () => {
    expect(
      await problems(
        '.jsonl',
        '{"id":"a","text":"x"}\n{"id":"a","text":"x"}\n{"text":"x"}\nnonsense\n',
        '{"id":"a"}\n{"id":"b","text":5}\n[]\n',
      ),
    ).toEqual([
      'ref.jsonl:3  has no "id" (add "id", or "audio_filepath": it pairs the texts)',
      expect.stringMatching(/^ref\.jsonl:4 {2}is not JSON: /),
      'ref.jsonl:2  the id "a" is on line 1 already (give every utterance a unique id)',
      'hyp.jsonl:1  has no "hypothesis" or "pred_text" or "text" or "sentence" (add "hypothesis")',
      'hyp.jsonl:2  "text" is not a text (write a text, or null where nothing came back)',
      `hyp.jsonl:3  is not a JSON object (${objects})`,
    ])
  })

  test('refuse half of a surrogate pair', async () => {
    const good = '{"id":"a","text":"x"}\n'
    expect(await problems('.jsonl', '{"id":"a","text":"x \\ud83d y"}\n', good)).toEqual([
      'ref.jsonl:1  "text" holds half of a surrogate pair (write the whole character, or leave it out)',
    ])
  })

  test('keep the order of the references where the hypotheses come in another, over many blocks', async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `utterance-number-${index}`)
    const rows = (all: readonly string[]): string =>
      all.map((id) => JSON.stringify({ id, text: id })).join('\n')
    const pairs = await pair('.jsonl', rows(ids), rows(ids.toReversed()))
    expect(pairs.map(([id]) => id)).toEqual(ids)
    expect(pairs.every(([, reference, hypothesis]) => reference === hypothesis)).toBe(true)
  })
})

describe('one file of pairs', () => {
  const alone = async (name: string, content: string): Promise<readonly Utterance[]> => {
    await using folder = await temporaryFolder()
    return await readAll({ reference: await folder.write(name, content), hypothesis: null })
  }

  test('holds both texts, and further fields as tags', async () => {
    const rows = [
      { id: 'a', reference: 'x', hypothesis: 'y', speaker: 's', noise: 'street', duration: 2.5, x: [1] },
      { id: 'b', reference: ['one', '1'], hypothesis: null },
      { id: null, audio_filepath: 'c.wav', text: 'x', pred_text: 'y' },
    ]
    expect(await alone('pairs.jsonl', rows.map((row) => JSON.stringify(row)).join('\r\n'))).toEqual([
      { id: 'a', reference: 'x', hypothesis: 'y', speaker: 's', tags: { noise: 'street', duration: '2.5' } },
      { id: 'b', reference: ['one', '1'], hypothesis: null, speaker: null, tags: {} },
      { id: 'c.wav', reference: 'x', hypothesis: 'y', speaker: null, tags: {} },
    ])
  })

  test('has no speaker, tag or id where a cell is empty', async () => {
    const table =
      'id,audio_filepath,reference,hypothesis,speaker,language\na,,x,y,s,en\n,b.wav,x,y,,\nc,,,,"",de\n'
    expect(await alone('pairs.csv', table)).toEqual([
      { id: 'a', reference: 'x', hypothesis: 'y', speaker: 's', tags: { language: 'en' } },
      { id: 'b.wav', reference: 'x', hypothesis: 'y', speaker: null, tags: {} },
      { id: 'c', reference: '', hypothesis: '', speaker: null, tags: { language: 'de' } },
    ])
  })

  test('has no tag of a column without a name, as pandas writes its index', async () => {
    expect((await alone('pairs.csv', ',id,reference,hypothesis\n0,a,x,y\n')).map(({ tags }) => tags)).toEqual(
      [{}],
    )
  })

  test('is refused with every line that is no pair, and with ids that stand twice', async () => {
    const row = '{"id":"a","reference":"x","hypothesis":"y"}'
    const rows = `${row}\n${row}\n{"id":"b","text":"x"}\n{"reference":3}\n`
    expect(await refused({ 'pairs.jsonl': rows })).toEqual([
      'pairs.jsonl:3  has no "hypothesis" or "pred_text" (add "hypothesis")',
      'pairs.jsonl:4  "reference" is not a text (write a text, or a list of texts that are as right)',
      'pairs.jsonl:4  has no "hypothesis" or "pred_text" (add "hypothesis")',
      'pairs.jsonl:2  the id "a" is on line 1 already (give every utterance a unique id)',
    ])
  })

  test('says in a column which rows came back at all, because a cell cannot be null', async () => {
    const table = 'id;reference;hypothesis;answered\na;x;;true\nb;x;;FALSE\nc;x;y;1\n'
    expect((await alone('pairs.csv', table)).map(({ hypothesis, tags }) => [hypothesis, tags])).toEqual([
      ['', {}],
      [null, {}],
      ['y', {}],
    ])
    expect((await alone('p.tsv', 'id\treference\thypothesis\na\tx\t\n'))[0]?.hypothesis).toBe('')
    const wrong = 'id,reference,hypothesis,answered\na,x,y,no\nb,x,,maybe\nc,x,,\n'
    expect(await refused({ 'pairs.csv': wrong })).toEqual([
      'pairs.csv:2  is not answered by "answered", and has a hypothesis (leave the hypothesis empty, or write true into "answered")',
      'pairs.csv:3  "answered" is "maybe" (write true or false)',
      'pairs.csv:4  "answered" is "" (write true or false)',
    ])
  })

  test('with a quote inside of a field is refused with the line of the file', async () => {
    const table = 'id,reference,hypothesis\na,"x\ny",z\nb,x,z\nc,he said "x" then,z\nd,x,z\n'
    expect(await refused({ 'pairs.csv': table })).toEqual([
      'pairs.csv:5  cannot be read as CSV: Invalid Opening Quote: a quote is found on field 1, value is "he said " (quotes inside of a field are doubled)',
    ])
  })

  test.each(['csv', 'tsv'])('may end its lines in either way, each as it likes: %s', async (format) => {
    const table = 'id,reference,hypothesis,room\n1,x,y,a\r\n2,x,y,a\n3,x,y,a\r\n'
    const written = format === 'csv' ? table : table.replaceAll(',', '\t')
    const pairs = await alone(`pairs.${format}`, written)
    expect(pairs.map(({ id, tags }) => [id, tags])).toEqual([
      ['1', { room: 'a' }],
      ['2', { room: 'a' }],
      ['3', { room: 'a' }],
    ])
  })

  test('may hold a quoted field over many blocks; a quote that is never closed is refused by its line', async () => {
    const long = 'a "" b\n'.repeat(100_000)
    const table = `id,reference,hypothesis\n1,"${long}",y\n2,x,"y"\n`
    const pairs = await alone('pairs.csv', table)
    expect(pairs.map(({ id, hypothesis }) => [id, hypothesis])).toEqual([
      ['1', 'y'],
      ['2', 'y'],
    ])
    expect(pairs[0]?.reference).toBe(long.replaceAll('""', '"'))
    expect(await refused({ 'pairs.csv': `${table}3,x,"y\n${'4,x,y\n'.repeat(100_000)}` })).toEqual([
      expect.stringMatching(/^pairs\.csv:100004 {2}cannot be read as CSV: Quote Not Closed/),
    ])
  })

  test('cannot be plain text, and cannot be empty', async () => {
    expect(await refused({ 'ref.txt': 'x\n' })).toEqual([
      'ref.txt  is alone (name the file of hypotheses as well)',
    ])
    expect(await refused({ 'pairs.jsonl': '\n' })).toEqual([
      'pairs.jsonl  has no lines (give every utterance a line, a blank one where nothing was recognised; or name another file)',
    ])
  })
})

describe('trn files', () => {
  test('are paired by the id at the end of the line, without regard to case, with their choices', async () => {
    expect(
      await pair('.trn', 'one { two / too } (SPK-1)\n;; a remark\n(spk-2)\n', '(spk-2)\nx\\{y (spk-1)\n'),
    ).toEqual([
      [
        'spk-1',
        [
          { kind: 'words', words: ['one'] },
          {
            kind: 'alternatives',
            branches: [[{ kind: 'words', words: ['two'] }], [{ kind: 'words', words: ['too'] }]],
          },
        ],
        [{ kind: 'words', words: ['x{y'] }],
      ],
      ['spk-2', [], []],
    ])
  })

  test.each([
    ['h.jsonl', '{"id":"SPK-1","text":"x"}\n'],
    ['text', 'SPK-1 x\n'],
    ['h.csv', 'id,text\nSPK-1,x\n'],
    ['h/SPK-1.txt', 'x\n'],
  ])('are paired with %s without regard to case too', async (name, content) => {
    const files = { 'r.trn': 'one (SPK-1)\n', [name]: content }
    expect((await read(files, {}, ['r.trn', name.split('/')[0] ?? ''])).pairs).toEqual([
      ['spk-1', [{ kind: 'words', words: ['one'] }], 'x'],
    ])
  })

  test('are not paired with a file of two ids that differ in case alone', async () => {
    const rows = '{"id":"A","text":"x"}\n{"id":"a","text":"y"}\n'
    expect(await refused({ 'r.trn': 'one (a)\n', 'h.jsonl': rows })).toEqual([
      'h.jsonl:2  the id "a" is on line 1 already (give every utterance a unique id)',
    ])
  })

  test('are refused where a line has no id, a brace has no partner, or an id is there twice, on either side', async () => {
    expect(await problems('.trn', 'no id here\nx { a (a)\nx (b)\nx (B)\n', 'x } (a)\n')).toEqual([
      'ref.trn:1  the line has no id (end it with an id in parentheses: (speaker-utterance))',
      expect.stringMatching(/^ref\.trn:2 {2}a \{ is never closed \(a\) \(/),
      'ref.trn:4  the id "b" is on line 3 already (give every utterance a unique id)',
      expect.stringMatching(/^hyp\.trn:1 {2}a \} closes what no \{ opened/),
    ])
  })
})

test('files of Kaldi are paired by the id at the beginning of the line, when they are said to be', async () => {
  const files = { text: 'a one two\nb\n', hyp: 'b three\na one\n' }
  expect((await read(files, { format: 'kaldi' })).pairs).toEqual([
    ['a', 'one two', 'one'],
    ['b', '', 'three'],
  ])
  expect(await refused({ text: 'a one\nb\n\na two\n', hyp: 'a x\nb y\n' }, { format: 'kaldi' })).toEqual([
    'text:4  the id "a" is on line 1 already (give every utterance a unique id)',
  ])
})

test('files of two kinds are not paired', async () => {
  expect(await refused({ 'a.txt': 'x\n', 'b.jsonl': '{"id":"a","text":"x"}\n' })).toEqual([
    'a.txt  is paired by line, and b.jsonl by id (give both in one format, or say which it is: --format trn)',
  ])
})

test('files that are not there are both reported; files of one name are distinguished by their paths', async () => {
  await using folder = await temporaryFolder()
  const paths = [`${folder.path}/one/x.txt`, `${folder.path}/two/x.txt`] as const
  expect(lines(await caught(readAll({ reference: paths[0], hypothesis: paths[1] })))).toEqual([
    `${paths[0]}  is missing`,
    `${paths[1]}  is missing`,
  ])
  await folder.write('one/x.txt', 'a\nb\n')
  await folder.write('two/x.txt', 'a\n')
  expect(lines(await caught(readAll({ reference: paths[0], hypothesis: paths[1] })))).toEqual([
    `${paths[0]}:2  ${paths[0]} has 2 lines and ${paths[1]} 1: no partner from here on (${blankLine})`,
  ])
})

describe('two stm files', () => {
  const segment = (start: number, text: string): string => `rec 1 ann ${start} ${start + 1} <o> ${text}\n`
  const out = 'IGNORE_TIME_SEGMENT_IN_SCORING'
  const written = (text: Utterance['reference'] | null): string =>
    typeof text === 'string'
      ? text
      : (text ?? [])
          .flatMap((part) => (typeof part !== 'string' && part.kind === 'words' ? part.words : []))
          .join(' ')

  test('leave out the segments that the references ask for, whatever the order, and say so', async () => {
    const reference = segment(0, out) + segment(1, 'one') + segment(2, out.toLowerCase()) + segment(3, 'two')
    const notes: string[] = []
    for (const heard of [
      segment(3, 'too') + segment(1, 'one') + segment(0, 'noise'),
      segment(0, out) + segment(1, 'one') + segment(3, 'too'),
    ]) {
      const stm = await read(two('.stm', reference, heard))
      expect(stm.pairs.map(([, ...texts]) => texts.map(written))).toEqual([
        ['one', 'one'],
        ['two', 'too'],
      ])
      notes.push(...stm.notes)
    }
    const said = '2 segments of ref.stm not scored, as the file asks; 1 of them had a hypothesis'
    expect(notes).toEqual([said, said])
  })

  test('are paired by time, whatever the digits and the letters that it is written in', async () => {
    const { pairs, notes } = await read(
      two(
        '.stm',
        'Talk A ann 0.00 1.00 one\nTalk A bob 0.00 1.50 two\nTalk A ann 3.00 4.00 three\n',
        'talk a BOB 0.0 1.5 too\ntalk a ann 0.0 1 won\ntalk a ann 3.04 4.0 free\n',
      ),
    )
    expect(pairs.map(([id, ...texts]) => [id, ...texts.map(written)])).toEqual([
      ['Talk-A-0.00', 'one', 'won'],
      ['Talk-A-0.00#2', 'two', 'too'],
      ['Talk-A-3.00', 'three', 'free'],
    ])
    expect(notes).toEqual([
      '1 segment of hyp.stm paired by time with one that begins up to 0.04 s earlier or later',
    ])
    expect(await problems('.stm', 'f 1 s 0 1 a\nf 1 s 5 6 b\n', 'f 1 s 0.1 1 a\nf 1 s 5.2 6 b\n')).toEqual([
      'ref.stm:2  hyp.stm has no segment of file f, channel 1, that begins at 5 s (the nearest that is left begins at 5.2 s; add it, or give the words with their times as a ctm)',
      'hyp.stm:2  ref.stm has no segment of file f, channel 1, that begins at 5.2 s (the nearest that is left begins at 5 s; add it, or give the words with their times as a ctm)',
    ])
  })

  test('name the nearest start that is left, of equally near ones the first in the file', async () => {
    const starts = (all: readonly number[]): string => all.map((start) => `f 1 s ${start} 99 a\n`).join('')
    const found = await problems('.stm', starts([5, 1, 4, 2]), starts([3.5, 2.5, 4, 7, 2.5, 1]))
    expect(
      found.map((line) => line.replace(/has no .* (begins at \S+ s) \(.*(begins at \S+ s);.*/, '$1, $2')),
    ).toEqual([
      'ref.stm:1  hyp.stm begins at 5 s, begins at 4 s',
      'ref.stm:4  hyp.stm begins at 2 s, begins at 2.5 s',
      'hyp.stm:1  ref.stm begins at 3.5 s, begins at 4 s',
      'hyp.stm:2  ref.stm begins at 2.5 s, begins at 2 s',
      'hyp.stm:4  ref.stm begins at 7 s, begins at 5 s',
      'hyp.stm:5  ref.stm begins at 2.5 s, begins at 2 s',
    ])
  })

  test('are paired without comparing each segment with all of the other file', async () => {
    const starts = (shift: number): string =>
      Array.from({ length: 500 }, (_, index) => segment(index + shift, 'a')).join('')
    using distance = vi.spyOn(Math, 'abs')
    expect(await pair('.stm', starts(0), starts(0.05))).toHaveLength(500)
    expect(await problems('.stm', starts(0), starts(0.5))).toHaveLength(1000)
    expect(distance.mock.calls.length).toBeLessThan(20_000)
  })

  test('refuse a hypothesis that asks to be left out, and references without a hypothesis', async () => {
    expect(await problems('.stm', segment(0, 'one') + segment(1, 'two'), segment(0, out))).toEqual([
      'hyp.stm:1  asks not to be scored, and its reference does not (write what was recognised, or ' +
        `${out} into the reference)`,
      'ref.stm:2  hyp.stm has no segment of file rec, channel 1, that begins at 1 s (add it, with an empty text ' +
        'where nothing was recognised)',
    ])
    expect(await problems('.stm', segment(0, out) + segment(1, 'two'), segment(5, 'x'))).toHaveLength(2)
  })
})
