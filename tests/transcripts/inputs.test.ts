import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Utterance } from '#scoring/read-pair'
import { readPairs } from '#transcripts/read-pairs'
import { caught, lines } from '../corpus/caught.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { hints, read, readIn, refused } from './read-files.ts'

describe('UTF-16 with a byte order mark', () => {
  const text = 'eins zwölf\ndrei 𝄞 vier\n'
  const [little, big] = [0, 1].map(() => Buffer.from(`\ufeff${text}`, 'utf16le')) as [Buffer, Buffer]
  const pairs = [
    ['1', 'eins zwölf', 'eins zwölf'],
    ['2', 'drei 𝄞 vier', 'drei 𝄞 vier'],
  ]

  test('is read as text, in either order of bytes', async () => {
    expect((await read({ 'a.txt': little, 'b.txt': big.swap16() })).pairs).toEqual(pairs)
  })

  test.each(['.vtt', '.srt'])('is read in subtitles: %s', async (ending) => {
    const cue = `${ending === '.vtt' ? 'WEBVTT\n\n' : '1\n'}00:00:01.000 --> 00:00:02.000\nzwölf\n`
    const files = { [`a${ending}`]: Buffer.from(`\ufeff${cue}`, 'utf16le'), [`b${ending}`]: cue }
    const [, plain, other] = (await read(files)).pairs[0] ?? []
    expect([plain, other]).toEqual([other, 'zwölf'])
  })

  test('is read from standard input whose pieces end anywhere', async () => {
    const stdin = Readable.from([
      little.subarray(0, 3),
      ...[...little.subarray(3)].map((byte) => Buffer.of(byte)),
    ])
    expect((await read({ 'b.txt': text }, { stdin }, ['-', 'b.txt'])).pairs).toEqual(pairs)
  })
})

describe('bytes that are no UTF-8 text', () => {
  const good = 'one two\nthree four\n'
  const utf32 = (text: string, isLittle: boolean): Buffer => {
    const bytes = Buffer.alloc(4 * text.length)
    for (const [index, character] of [...text].entries()) {
      const code = character.codePointAt(0) ?? 0
      if (isLittle) bytes.writeUInt32LE(code, 4 * index)
      else bytes.writeUInt32BE(code, 4 * index)
    }
    return bytes
  }
  const swapped = Buffer.from(good, 'utf16le').swap16()
  test.each([
    ['UTF-16LE', Buffer.from(good, 'utf16le')],
    ['UTF-16BE', swapped],
    ['UTF-16LE', Buffer.from('добрый день\n'.repeat(60), 'utf16le')],
    ['UTF-32LE', utf32(good, true)],
    ['UTF-32BE', utf32(good, false)],
  ])(
    'are refused as %s without a byte order mark, with the command that converts them',
    async (name, bytes) => {
      expect(await refused({ 'a.txt': bytes, 'b.txt': good })).toEqual([
        `a.txt  seems to be ${name.slice(0, 6)} (save it as UTF-8: iconv -f ${name} -t UTF-8 old > new)`,
      ])
    },
  )

  test('are refused where a single NUL is among them, by its line', async () => {
    expect(await refused({ 'a.txt': 'one two\nthree\0four\n', 'b.txt': good })).toEqual([
      "a.txt:2  has a NUL byte (remove it: tr -d '\\000' < old > new; or save the file as UTF-8 where it is UTF-16)",
    ])
  })

  test('are called no encoding where the file has four of them, one a NUL', async () => {
    expect(await refused({ 'a.txt': 'a\0b\n', 'b.txt': 'x\n' })).toEqual([
      expect.stringMatching(/^a\.txt:1 {2}has a NUL byte/),
    ])
  })
})

describe('files that the system does not let us read', () => {
  test('are refused as such, whenever it shows', async () => {
    await using folder = await temporaryFolder({ 'b.txt': 'x\n' })
    // Reading the memory of this process from its beginning is an input/output error for every user.
    const error = await caught(
      (async () => {
        for await (const _ of readPairs({ reference: '/proc/self/mem', hypothesis: `${folder.path}/b.txt` }));
      })(),
    )
    expect(lines(error)).toEqual(['mem  cannot be read: i/o error (EIO)'])
    expect(error.hint).toBe(hints.two)
  })
})

describe('standard input', () => {
  const stdin = (text: string): AsyncIterable<Uint8Array> => Readable.from([Buffer.from(text)])

  test('is read where a path is -, in any format', async () => {
    await using folder = await temporaryFolder({ 'ref.txt': 'one\ntwo\n' })
    const { pairs } = await readIn(folder, ['ref.txt', '-'], { stdin: stdin('one\ntoo\n') })
    expect(pairs).toEqual([
      ['1', 'one', 'one'],
      ['2', 'two', 'too'],
    ])
    const rows = stdin('{"id":"a","reference":"x","hypothesis":"y"}\n')
    expect((await readIn(folder, ['-'], { stdin: rows })).pairs).toEqual([['a', 'x', 'y']])
    const table = stdin('reference,hypothesis\nx,y\n')
    expect((await readIn(folder, ['-'], { stdin: table, format: 'csv' })).pairs).toEqual([['2', 'x', 'y']])
  })

  test('is named stdin in problems, and can be only one of the files', async () => {
    await using folder = await temporaryFolder({ 'ref.trn': 'x (s-1)\n' })
    const options = { stdin: stdin('no id\n'), format: 'trn' as const }
    expect(lines(await caught(readIn(folder, ['ref.trn', '-'], options)))).toEqual([
      'stdin:1  the line has no id (end it with an id in parentheses: (speaker-utterance))',
    ])
    expect(lines(await caught(readIn(folder, ['-', '-'], { stdin: stdin('') })))).toEqual([
      '-  is named twice (standard input holds one file: name the other one)',
    ])
  })
})

describe('columns and fields of other names', () => {
  const names = { id: 'utt', reference: 'said', hypothesis: 'heard' }

  test('are those that are named, and no tags', async () => {
    const table = 'utt,said,heard,room\na,x,y,hall\n'
    await using folder = await temporaryFolder()
    const reference = await folder.write('p.csv', table)
    const pairs: Utterance[] = []
    for await (const block of readPairs({ reference, hypothesis: null, names })) pairs.push(...block)
    expect(pairs).toEqual([
      { id: 'a', reference: 'x', hypothesis: 'y', speaker: null, tags: { room: 'hall' } },
    ])
    const rows = '{"utt":"a","said":"x","heard":null}\n'
    expect((await readIn(folder, ['-'], { names, stdin: Readable.from([Buffer.from(rows)]) })).pairs).toEqual(
      [['a', 'x', null]],
    )
  })

  test('hold for two files as well', async () => {
    const files = { 'r.tsv': 'utt\tsaid\na\tx\n', 'h.jsonl': '{"utt":"a","heard":"y"}\n' }
    expect((await read(files, { names })).pairs).toEqual([['a', 'x', 'y']])
  })

  test('that are not there are refused with those that are', async () => {
    expect(await refused({ 'p.csv': 'utt,text,asr\na,x,y\n' })).toEqual([
      'p.csv:1  the header has no "hypothesis" or "pred_text" (add "hypothesis", or name the column: --hypothesis-column <name>; there are: utt, text, asr)',
    ])
    const misspelt = await refused(
      { 'p.csv': 'utt,text,asr\na,x,y\n' },
      { names: { hypothesis: 'asd', id: 'ut' } },
    )
    expect(misspelt).toEqual([
      'p.csv:1  the header has no "ut" (add "ut", the id that pairs the texts, or name the column: --id-column <name>; there are: utt, text, asr)',
      'p.csv:1  the header has no "asd" (add "asd", or name the column: --hypothesis-column <name>; there are: utt, text, asr)',
    ])
  })

  test('need no id in a file of pairs: the line is the id', async () => {
    const table = 'reference,hypothesis\nx,y\n"a\nb",c\nd,e\n'
    expect((await read({ 'p.csv': table })).pairs).toEqual([
      ['2', 'x', 'y'],
      ['3', 'a\nb', 'c'],
      ['5', 'd', 'e'],
    ])
  })
})

describe('files of one transcript', () => {
  const whisper = JSON.stringify({
    text: ' Hello there. Good bye.',
    segments: [{ start: 0, end: 1, text: ' Hello there.' }],
    language: 'en',
  })
  const whisperCpp = JSON.stringify(
    { systeminfo: 'x', transcription: [{ text: ' Hello there.' }, { text: ' Good bye.' }] },
    null,
    2,
  )
  const segmentsAlone = JSON.stringify({ segments: [{ text: 'Hello there.' }, { text: 'Good bye.' }] })
  const partsOfWords = JSON.stringify({
    transcription: [' Hel', 'lo', ' there', '.', ' Good', ' b', 'ye.'].map((text) => ({ text })),
  })
  const oneWordInTwo = JSON.stringify({
    transcription: [' Hello there. Good b', 'ye.'].map((text) => ({ text })),
  })
  const firstSpaced = JSON.stringify({ segments: [' Hello there.', 'Good bye.'].map((text) => ({ text })) })
  const verbose = JSON.stringify(
    { task: 'transcribe', language: 'english', duration: 3, text: 'Hello there. Good bye.' },
    null,
    2,
  )
  const listed = JSON.stringify([
    { id: 1, start: 0, end: 1, text: ' Hello there.' },
    { id: 2, start: 1, end: 2, text: ' Good bye.' },
  ])
  const unscored =
    '{"segments": [{"text": " Hello there.", "words": [{"word": "Hello", "score": NaN}]}, {"text": "Good bye."}]}'
  const printed = '\n[00:00.000 --> 00:01.250]   Hello there.\n[00:00:01.250 --> 00:00:03.000]  Good bye.\n'
  const srt =
    '\ufeff1\r\n00:00:00,000 --> 00:00:01,500\r\n<i>Hello</i>\r\nthere.\r\n\r\n2\r\n00:00:01,500 --> 00:00:03,000\r\n{\\an8}Good bye.\r\n'
  const vtt =
    'WEBVTT - a title\nKind: captions\n\nNOTE a remark\nover two lines\n\nSTYLE\n::cue { color: red }\n\n' +
    'first\n00:00.000 --> 00:01.500 align:start\n<v Anna>Hello <00:00.700>there.</v>\n\n00:01.500 --> 00:03.000\nGood&nbsp;bye.\n'

  test('commands of SubStation Alpha that are never closed are text, in time that grows with it', async () => {
    const open = '{\\'.repeat(300_000)
    const { pairs } = await read({ 'ref.txt': 'x\n', 'talk.srt': `00:00:00,000 --> 00:00:01,500\n${open}` })
    expect(pairs[0]?.[2] === open).toBe(true)
  })

  test.each([
    ['Whisper', 'talk.json', whisper],
    ['whisper.cpp', 'talk.json', whisperCpp],
    ['segments alone', 'talk.json', segmentsAlone],
    ['whisper.cpp with parts of words', 'talk.json', partsOfWords],
    ['whisper.cpp with one word in two parts', 'talk.json', oneWordInTwo],
    ['segments of which the first alone begins with a space', 'talk.json', firstSpaced],
    ['OpenAI, text alone', 'talk.json', '{"text":"Hello there. Good bye."}'],
    ['OpenAI, verbose without segments', 'talk.json', verbose],
    ['faster-whisper, a list of segments', 'talk.json', listed],
    ['WhisperX, with a score that is no number', 'talk.json', unscored],
    ['what whisper.cpp prints', 'talk.txt', printed],
    ['what whisper.cpp prints on Windows', 'talk.txt', printed.replaceAll('\n', '\r\n')],
    ['SubRip', 'talk.srt', srt],
    ['SubRip in a file of text', 'talk.txt', srt],
    ['WebVTT', 'talk.vtt', vtt],
    ['WebVTT in a file of text', 'talk.txt', vtt],
  ])('are read from %s, paired with plain text as one transcript', async (_, name, content) => {
    const { pairs, notes } = await read({ 'ref.txt': 'hello there\ngood bye\n', [name]: content })
    const [[id, reference, hypothesis] = []] = pairs
    expect([id, reference, String(hypothesis).replace('\u00a0', ' ')]).toEqual([
      'ref',
      'hello there good bye',
      'Hello there. Good bye.',
    ])
    expect(pairs).toHaveLength(1)
    expect(notes).toEqual([`ref.txt is read as one transcript, because ${name} is one`])
  })

  test('are read from WebVTT with every character that is written as a reference', async () => {
    const written =
      'I don&#39;t say &quot;no&quot; in a caf&#xE9; &amp; co, &constructor; &#xD800; &#9999999;'
    const { pairs } = await read({ 'r.txt': 'x', 'h.vtt': `WEBVTT\n\n00:01.000 --> 00:02.000\n${written}\n` })
    expect(pairs[0]?.[2]).toBe('I don\'t say "no" in a café & co, &constructor; \ufffd \ufffd')
  })

  test('are read from SubRip with the characters that tools escape', async () => {
    const { pairs } = await read({
      'r.txt': 'x',
      'h.srt': '1\n00:00:01,000 --> 00:00:02,000\nQ&amp;A &lt;3 AT&T\n',
    })
    expect(pairs[0]?.[2]).toBe('Q&A <3 AT&T')
  })

  const rolling = [
    '00:00:00,000 --> 00:00:02,000\nthe cat sat on\n',
    '00:00:02,000 --> 00:00:04,000\nthe cat sat on\nthe old mat\n',
    '00:00:04,000 --> 00:00:06,000\nthe old mat\nand slept there\n',
    '00:00:06,000 --> 00:00:07,000\nand slept there\n',
  ]
  const rollsUp = 'h.srt: 3 of 4 cues repeat the end of the one before, as captions that roll up do: '

  test('of captions that roll up are named, and hold every word once where that is asked for', async () => {
    const files = { 'r.txt': 'the cat sat on the old mat and slept there', 'h.srt': rolling.join('\n') }
    const kept = await read(files)
    expect(kept.pairs[0]?.[2]).toBe(
      'the cat sat on the cat sat on the old mat the old mat and slept there and slept there',
    )
    expect(kept.notes).toContain(`${rollsUp}to count what they repeat once, add --captions merge`)
    const merged = await read(files, { captions: 'merge' })
    expect(merged.pairs[0]?.[2]).toBe(files['r.txt'])
    expect(merged.notes).toContain(`${rollsUp}10 repeated words taken out`)
  })

  test('of captions in which a word ends one cue and begins the next hold it twice', async () => {
    const cues = ['they said no', 'no they did not', 'and left', 'left them there']
    const srt = cues.map((text, at) => `00:00:0${at},000 --> 00:00:0${at + 1},000\n${text}\n`).join('\n')
    const { pairs, notes } = await read({ 'r.txt': 'x', 'h.srt': srt }, { captions: 'merge' })
    expect(pairs[0]?.[2]).toBe(cues.join(' '))
    expect(notes).toHaveLength(1)
  })

  test('of captions out of order are sorted by time, and labels of speakers are named', async () => {
    const cue = (at: number, text: string): string => `00:0${at}.000 --> 00:0${at + 1}.000\n${text}\n`
    const vtt = `WEBVTT\n\n${[cue(1, 'JOHN: hello'), cue(5, '>> DR MAY: bye'), cue(3, 'Note: this')].join('\n')}`
    const { pairs, notes } = await read({ 'r.txt': 'x', 'h.vtt': vtt })
    expect(pairs[0]?.[2]).toBe('JOHN: hello Note: this >> DR MAY: bye')
    expect(notes.slice(0, 2)).toEqual([
      'h.vtt: 1 of 3 cues begin before the one above them: sorted by time',
      'h.vtt: 2 of 3 cues begin with the label of a speaker, first “JOHN:”: remove such labels where the other side has none, since they count as words',
    ])
  })

  test('of WhisperX have labels of speakers in brackets, which are named', async () => {
    const srt =
      '1\n00:00:00,000 --> 00:00:01,000\n[SPEAKER_00]: hello\n\n2\n00:00:01,000 --> 00:00:02,000\n[MUSIC] bye\n'
    const { notes } = await read({ 'r.txt': 'x', 'h.srt': srt })
    expect(notes[0]).toMatch(/^h.srt: 1 of 2 cues begin with the label of a speaker, first “\[SPEAKER_00\]:”/)
  })

  test('are read in the format that one side is named with', async () => {
    const files = { 'r.txt': 'hello there good bye', 'h.out': verbose }
    const { pairs } = await read(files, { format: { hypothesis: 'whisper' } })
    expect(pairs[0]?.[2]).toBe('Hello there. Good bye.')
  })

  test('that programs of Whisper print leave out what is about the program, and say how much', async () => {
    const log = `Detecting language using up to the first 30 seconds.\nDetected language: English\n${printed}`
    const { pairs, notes } = await read({ 'r.txt': 'x', 'h.txt': log })
    expect(pairs[0]?.[2]).toBe('Hello there. Good bye.')
    expect(notes[0]).toBe('h.txt: 2 of 4 lines without times: not read')
  })

  test('are read from SubRip up to the next times, whatever lines are empty or hold spaces', async () => {
    const cues = [
      '1\n00:00:01,000 --> 00:00:02,000\none\n \n',
      '2\n00:00:03 --> 00:00:04\ntwo\n\nthree\n\n',
      '3\n00:00:05,000 --> 00:00:06,000\n4\n',
      '4\n00:00:07,000 --> 00:00:08,000\n5\n\n',
    ]
    const { pairs } = await read({ 'r.txt': 'x', 'h.srt': cues.join('') })
    expect(pairs[0]?.[2]).toBe('one two three 4 5')
  })

  test('are read from WebVTT cue by cue where no empty line is between them', async () => {
    const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\none\n00:03.000 --> 00:04.000\ntwo\n\nNOTE three\n'
    expect((await read({ 'r.txt': 'x', 'h.vtt': vtt })).pairs[0]?.[2]).toBe('one two')
  })

  test.each([
    ['h.vtt', 'WEBVTT\n\nNOTE silence\n'],
    ['h.srt', '\ufeff\r\n'],
    ['h.srt', ''],
  ])('without a cue say that nothing was recognised: %s %j', async (name, content) => {
    expect((await read({ 'r.txt': 'x', [name]: content })).pairs).toEqual([['r', 'x', '']])
  })

  test('may be both sides', async () => {
    expect((await read({ 'ref.vtt': vtt, 'hyp.json': whisper })).pairs).toHaveLength(1)
  })

  test('do not keep .json files of one object a line from being those', async () => {
    const rows = '{"id":"a","text":"x"}\n{"id":"b","text":"y"}\n'
    expect((await read({ 'r.json': rows, 'h.json': rows })).pairs).toHaveLength(2)
  })

  test('are refused with files of several transcripts, and where they are not what they are called', async () => {
    expect(await refused({ 'r.jsonl': '{"id":"a","text":"x"}\n', 'talk.srt': srt })).toEqual([
      'talk.srt  is one transcript, and r.jsonl holds several by id (name a folder of such files, each called after the id of its utterance)',
    ])
    const page = await refused({ 'r.txt': 'x\n', 'h.srt': '<html>not found</html>\n' })
    expect(page).toEqual([
      'h.srt  holds no subtitles (a line of times begins each: 00:00:01,000 --> 00:00:03,500; an empty file says that nothing was recognised)',
    ])
    const wrong = await refused({ 'r.txt': 'x\n', 'h.txt': '{"id":"a"}\n' }, { format: 'whisper' })
    expect(wrong).toEqual([
      expect.stringMatching(/^r\.txt {2}is not JSON: /),
      'h.txt  is no transcript of Whisper (it holds {"text": …}, {"segments": […]}, {"transcription": […]}, or lines [00:00.000 --> 00:01.250] …; rows of JSON are named .jsonl)',
    ])
  })

  test('in two folders are paired by name, with those in folders below', async () => {
    const files = {
      'refs/a.txt': 'one\ntwo\n',
      'refs/sub/b.txt': 'three\n',
      'out/sub/b.json': segmentsAlone,
      'out/a.json': whisper,
      'out/a.srt': srt,
    }
    const { pairs, notes } = await read(files, {}, ['refs', 'out'])
    expect(pairs).toEqual([
      ['a', 'one two', 'Hello there. Good bye.'],
      ['sub/b', 'three', 'Hello there. Good bye.'],
    ])
    expect(notes).toEqual(['of out only files ending in .json are read; 1 file with another ending'])
  })

  test('in a folder can be paired with rows by id; what has no partner is named by its file', async () => {
    const files = { 'r.jsonl': '{"id":"a","text":"x"}\n', 'out/a.txt': 'x', 'out/b.txt': 'y' }
    expect(await refused(files, {}, ['r.jsonl', 'out'])).toEqual([
      'out/b.txt  the id "b" is not in r.jsonl (write an empty file for a recording that an engine did not answer)',
    ])
  })

  test('are missing in a folder without any', async () => {
    await using folder = await temporaryFolder({ 'r/a.txt': 'x' })
    await mkdir(join(folder.path, 'h'))
    await folder.write('h/a.doc', 'x')
    expect(lines(await caught(readIn(folder, ['r', 'h'])))).toEqual([
      'h  is a folder without transcripts (put one transcript a file into it, as .txt, .json, .vtt, .srt, or name a file)',
    ])
  })
})
