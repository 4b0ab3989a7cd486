import { describe, expect, test } from 'vitest'
import { withAbsolutePaths } from '../../src/corpus/manifest/foreign-manifest.ts'
import { json, lines, readManifest as read, refusedManifest as refused } from './caught.ts'

describe('a NeMo manifest', () => {
  test('is read without conversion: ids from the files, other keys ignored without a warning', async () => {
    const corpus = await read(
      'train.json',
      json(
        { audio_filepath: 'wavs/0001.wav', duration: 2.5, text: 'one', lang: 'de', offset: 0 },
        { audio_filepath: '/data/wavs/0002.flac', duration: 3, text: 'two', pred_text: 'too' },
      ),
    )
    expect(corpus.name).toBe('train')
    expect(corpus.warnings).toEqual([])
    expect([...corpus.utterances]).toMatchObject([
      { id: '0001', durationSeconds: 2.5, text: 'one', language: 'de' },
      { id: '0002', durationSeconds: 3, text: 'two', audioPath: '/data/wavs/0002.flac' },
    ])
  })

  test('names the key that is not used where a line has two names of one field', async () => {
    const line = { audio_filepath: 'a.wav', sentence: 'old', text: 'one', duration: 1, transcript: 'older' }
    const { utterances, warnings } = await read('m.jsonl', json(line))
    expect([...utterances]).toMatchObject([{ text: 'one' }])
    expect(warnings.map(({ where, what }) => `${where}  ${what}`)).toEqual([
      'm.jsonl:1  the key "sentence" is not used',
      'm.jsonl:1  the key "transcript" is not used',
    ])
  })

  test('files of the same name are distinguished by their folders', async () => {
    const { utterances } = await read(
      'm.jsonl',
      json(
        { audio_filepath: 'a/1.wav', text: 'one' },
        { audio_filepath: 'b/1.wav', text: 'two' },
        { audio_filepath: 'b/2.tar.wav', text: 'three' },
      ),
    )
    expect(utterances.map(({ id }) => id)).toEqual(['a/1', 'b/1', '2.tar'])
  })

  test('reports the same file twice as a duplicate', async () => {
    const error = await refused(
      'm.jsonl',
      json({ audio_filepath: 'a/1.wav', text: 'one' }, { audio_filepath: 'a/1.wav', text: 'two' }),
    )
    expect(lines(error)).toEqual(['m.jsonl:2  the id "a/1" is on line 1 already'])
  })
})

describe('a table', () => {
  test('reads CSV with quoted commas, quotes and line breaks', async () => {
    const corpus = await read(
      'm.csv',
      'id,audio,text,durationSeconds,tags,keywords,entities\r\n1,a.wav,"well, ""yes""\nindeed",2.5,read; noisy,yes;in deed,name: well; date:yes\r\n\r\n2,b.wav,no,,,,\r\n',
    )
    expect([...corpus.utterances]).toMatchObject([
      {
        id: '1',
        text: 'well, "yes"\nindeed',
        durationSeconds: 2.5,
        tags: ['read', 'noisy'],
        keywords: ['yes', 'in deed'],
        entities: [
          { type: 'name', text: 'well' },
          { type: 'date', text: 'yes' },
        ],
        line: 2,
      },
      { id: '2', text: 'no', durationSeconds: null, tags: [], keywords: [], entities: [], line: 5 },
    ])
  })

  test('reads the columns of Common Voice, where quotes in TSV are text', async () => {
    const corpus = await read(
      'test.tsv',
      'client_id\tpath\tsentence\tup_votes\tlocale\nabc\tclips/x_1.mp3\t"Oh," she said\t2\ten\n',
    )
    expect([...corpus.utterances]).toMatchObject([
      { id: 'x_1', text: '"Oh," she said', speaker: 'abc', language: 'en' },
    ])
    expect(corpus.warnings).toEqual([])
  })

  test('splits at semicolons where the header has them', async () => {
    expect([...(await read('m.csv', 'file;text\na.wav;one, two\n')).utterances]).toMatchObject([
      { id: 'a', text: 'one, two' },
    ])
  })

  test('prefers the own name of a column to its other names, then the first, and names the unused one', async () => {
    const own = await read('m.csv', 'path,audio,text\nold.wav,new.wav,x\n')
    expect([...own.utterances]).toMatchObject([{ id: 'new' }])
    expect(lines({ problems: own.warnings })).toEqual([
      'm.csv:1  the column "path" is not used, because "audio" is the audio as well',
    ])
    const first = await read('m.csv', 'audio,transcript,sentence\na.wav,x,y\n')
    expect([...first.utterances]).toMatchObject([{ text: 'x' }])
    expect(lines({ problems: first.warnings })).toEqual([
      'm.csv:1  the column "sentence" is not used, because "transcript" is the text as well',
    ])
  })

  test('a row of a TSV with too many fields gets no advice on quotes, which TSV does not have', async () => {
    const error = await refused('m.tsv', 'id\taudio\ttext\na\ta.wav\tone\ttwo\n')
    expect(lines(error)).toEqual([
      'm.tsv:2  has 4 columns, the header has 3 (separate fields with one tab; a field cannot hold a tab, because TSV has no quotes)',
    ])
  })

  test('every bad row is reported with the line that it begins on', async () => {
    const error = await refused(
      'm.csv',
      'id,audio,text,duration\na,a.wav,"two\nlines",1\nb,b.wav\nc,,x,long\n,d.wav,,1\n',
    )
    expect(lines(error)).toEqual([
      'm.csv:4  has 2 columns, the header has 4 (put quotes around a field that holds the separator)',
      'm.csv:5  has no "audio"',
      'm.csv:5  "durationSeconds" is "long"; it has to be a number of seconds',
      'm.csv:6  has no "id"',
      'm.csv:6  the reference is empty: write what is said, or tag it "no-speech" where nothing is said',
    ])
  })

  test('a missing column is reported with the names that it may have', async () => {
    const error = await refused('m.csv', 'id,sound,words\na,a.wav,x\n')
    expect(lines(error)).toEqual([
      expect.stringContaining(
        'm.csv:1  the header has no column for audio, which may be called audio, audio_f',
      ),
      expect.stringContaining('reference (name a column so; there are: id, sound, words)'),
    ])
  })

  test('two columns of one name are refused', async () => {
    const error = await refused('m.csv', 'audio,text,votes,text,votes\na.wav,x,1,y,2\n')
    expect(lines(error)).toEqual([
      'm.csv:1  the header has two columns "text" (give every column a different name)',
    ])
  })

  test('is read whatever the case of its ending', async () => {
    const { utterances } = await read('M.CSV', 'id,audio,text\na,a.wav,x\n')
    expect([...utterances]).toMatchObject([{ id: 'a', text: 'x' }])
  })

  test('blank lines before its header are skipped', async () => {
    const { utterances, warnings } = await read('m.csv', '\n \nid;audio;text;langauge\na;a.wav;x;en\n')
    expect([...utterances]).toMatchObject([{ id: 'a', line: 4 }])
    expect(warnings).toMatchObject([{ where: 'm.csv:3' }])
  })

  test('warns about a misspelt column name', async () => {
    const { warnings } = await read('m.csv', 'id,audio,text,langauge,votes\na,a.wav,x,en,1\n')
    expect(lines({ problems: warnings })).toEqual([
      'm.csv:1  the column "langauge" is not used (did you mean "language"?)',
    ])
  })

  test('is read piece by piece, with the line of every row', async () => {
    const rows = Array.from(
      { length: 9000 },
      (_, index) => `u${index},a.wav,"${'word '.repeat(8)}\n${index}"`,
    )
    const { utterances } = await read('m.csv', `id,audio,text\n${rows.join('\n')}\n`)
    expect([utterances.length, utterances.at(8999)]).toMatchObject([9000, { id: 'u8999', line: 18_000 }])
  })

  test('a quote that never ends is given up before it has all of a large file in memory', async () => {
    const open = `id,audio,text\na,a.wav,"${`${'x,y,z,'.repeat(1000)}\n`.repeat(3000)}`
    expect(lines(await refused('m.csv', open))).toEqual([
      expect.stringMatching(/^m\.csv:2 {2}cannot be read as CSV: a record is longer than 16 MiB/),
    ])
  })

  test('a quote without its end is reported', async () => {
    expect(lines(await refused('m.csv', 'id,audio,text\na,a.wav,"x\n'))).toEqual([
      expect.stringMatching(/^m\.csv:2 {2}cannot be read as CSV: Quote Not Closed/),
    ])
  })
})

describe('a manifest without a folder, such as standard input', () => {
  const line = (audio: string): string => `{"id":"a","audio":"${audio}","text":"café"}\n`

  test.each([
    ['UTF-8', Buffer.from(line('a.wav'))],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${line('a.wav')}`)],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${line('a.wav')}`, 'utf16le')],
  ])('gets absolute paths in every line: %s', (_encoding, bytes) => {
    const { ending, content } = withAbsolutePaths(bytes, '/voices')
    expect([ending, content.toString()]).toEqual(['.jsonl', line('/voices/a.wav')])
  })

  test.each(['jsonl', 'csv'])('is refused where it is not UTF-8, as a file is: %s', async (kind) => {
    const text = kind === 'csv' ? 'id,audio,text\na,a.wav,café\n' : line('a.wav')
    const { ending, content } = withAbsolutePaths(Buffer.from(text, 'latin1'), '/voices')
    expect(ending).toBe(`.${kind}`)
    expect(lines(await refused(`m${ending}`, content))).toContainEqual(expect.stringMatching(/is not UTF-8/))
  })
})
