import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCorpus } from '#corpus/read-corpus'
import { temporaryFolder } from '../temporary-folder.ts'
import { json, lines, readManifest as read, refusedManifest as refused } from './caught.ts'

const hash = 'ab'.repeat(32)
/** What an utterance has whose line says nothing of it. */
const bare = {
  alternatives: [],
  hasChoices: false,
  isDraft: false,
  tags: [],
  keywords: [],
  entities: [],
  times: [],
  durationSeconds: null,
  sha256: null,
  language: null,
  speaker: null,
  source: null,
  derived: null,
}

describe('a manifest in the native format', () => {
  test('reads every key into its field', async () => {
    const derived = {
      parents: ['a'],
      steps: [{ name: 'noise', parameters: { snr: 10 } }],
      seed: 1,
      ladder: { parameter: 'snr', unit: 'dB', harder: 'lower', value: 10 },
    }
    await using folder = await temporaryFolder()
    const path = await folder.write(
      'voices/manifest.jsonl',
      json({
        id: 'a-1',
        audio: 'audio/a.wav',
        text: 'Hello, Frankfurt.',
        durationSeconds: 1.5,
        sha256: hash.toUpperCase(),
        language: 'en-GB',
        speaker: 'ann',
        tags: ['read', 'noisy'],
        keywords: ['Frankfurt'],
        entities: [{ type: 'place', text: 'Frankfurt' }],
        source: 'made up',
        derived,
      }),
    )
    const corpus = await readCorpus(path, { env: {} })
    expect(corpus).toMatchObject({ name: 'voices', manifestPath: path, warnings: [] })
    expect([...corpus.utterances]).toEqual([
      {
        ...bare,
        id: 'a-1',
        audioPath: join(folder.path, 'voices/audio/a.wav'),
        text: 'Hello, Frankfurt.',
        keywords: ['Frankfurt'],
        entities: [{ type: 'place', text: 'Frankfurt' }],
        durationSeconds: 1.5,
        sha256: hash,
        language: 'en-GB',
        speaker: 'ann',
        tags: ['read', 'noisy'],
        source: 'made up',
        derived,
        line: 1,
      },
    ])
  })

  test('reads absent optional fields as null, and skips blank lines', async () => {
    const { utterances } = await read(
      'm.jsonl',
      `\n${json({ id: 'a', audio: '/elsewhere/a.wav', text: 'x', speaker: null })}\n\n`,
    )
    expect([...utterances]).toEqual([{ ...bare, id: 'a', audioPath: '/elsewhere/a.wav', text: 'x', line: 2 }])
  })

  test('a byte order mark and carriage returns are not part of the text', async () => {
    const corpus = await read(
      'm.jsonl',
      '\ufeff{"id":"a","audio":"a.wav","text":"x"}\r\n{"id":"b","audio":"b.wav","text":"y"}\r\n',
    )
    expect(corpus.utterances.map(({ id, text, line }) => [id, text, line])).toEqual([
      ['a', 'x', 1],
      ['b', 'y', 2],
    ])
  })

  test('a language may be a tag, a code or an English name, and is kept as its tag', async () => {
    const written = ['en_US', 'eng', 'English', 'zh-Hant']
    const { utterances } = await read(
      'm.jsonl',
      json(...written.map((language, index) => ({ id: `${index}`, audio: 'a.wav', text: 'x', language }))),
    )
    expect(utterances.map(({ language }) => language)).toEqual(['en-US', 'en', 'en', 'zh-Hant'])
  })

  test('accepts an empty reference where a tag declares silence', async () => {
    const { utterances } = await read(
      'm.jsonl',
      json(
        { id: 'a', audio: 'a.wav', text: '', tags: ['silence'] },
        { id: 'b', audio: 'b.wav', text: ' ', tags: ['street', 'no-speech'] },
      ),
    )
    expect(utterances.map(({ text }) => text)).toEqual(['', ''])
  })

  test('a reference may be a list of texts that are as right, or hold choices', async () => {
    const { utterances, warnings } = await read(
      'm.jsonl',
      json(
        { id: 'a', audio: 'a.wav', text: ['it is ten', "it's 10"] },
        { id: 'b', audio: 'b.wav', text: '{ it is / @ } (uh) fine', choices: true },
        { id: 'c', audio: 'c.wav', text: '(laughs) either {this / that}', choices: false },
      ),
    )
    expect(utterances.map(({ text, alternatives, hasChoices }) => [text, alternatives, hasChoices])).toEqual([
      ['it is ten', ["it's 10"], false],
      ['{ it is / @ } (uh) fine', [], true],
      ['(laughs) either {this / that}', [], false],
    ])
    expect(lines({ problems: warnings })).toEqual([
      'm.jsonl:3  the text looks as if it held choices, and every word of them is expected (add "choices": true where { a / b } means that either is right)',
    ])
  })

  test.each([
    [{ text: [] }, '"text" is []; it has to be a list of different texts'],
    [{ text: ['x', 'x'] }, '"text" is ["x","x"]; it has to be a list of different texts'],
    [{ text: ['x', 5] }, '"text" is ["x",5]; it has to be a list of different texts'],
    [
      { text: ['x', ' '] },
      'the reference is empty: write what is said, or tag it "no-speech" where nothing is said',
    ],
    [
      { text: 'well { it is / @ fine', choices: true },
      'the choices in "text" cannot be read: a { is never closed; close the alternatives with }, or write \\{ for the character',
    ],
    [
      { text: 'x \ud83d' },
      '"text" holds half a character, a surrogate without its pair: write the character as it is',
    ],
    [{ text: 'x', choices: 'yes' }, '"choices" is "yes"; it has to be true or false'],
  ])('several ways to say it are refused where they cannot be read: %o', async (change, problem) => {
    const error = await refused('m.jsonl', json({ id: 'a', audio: 'a.wav', ...change }))
    expect(lines(error)).toEqual([`m.jsonl:1  ${problem}`])
  })

  test('every problem of every line is reported at once, with its line', async () => {
    const error = await refused(
      'meetings.jsonl',
      [
        '{"id": "a", "audio": "a.wav", "text": "fine"}',
        '{"id": "b", "audio": "b.wav", "text": "no end',
        '[1, 2]',
        '{"audio": "c.wav"}',
        '{"id": "a", "audio": "d.wav", "text": "again"}',
        '{"id": 5, "audio": ["e.wav"], "text": 7}',
        '{"id": "f", "audio": "f.wav", "text": "  "}',
        '{"id": "g,h", "audio": "https://example.org/g.wav", "text": "x"}',
        '{"id": "i", "audio": "i.wav", "text": "x", "durationSeconds": "3", "sha256": "abc", "language": "Englsh", "tags": "read"}',
        '{"id": "j", "audio": "j.wav", "text": "x", "durationSeconds": 0, "speaker": 9}',
        '{"id": " k", "audio": "", "text": "x", "tags": ["silence", 3], "keywords": "k"}',
      ].join('\n'),
    )
    expect(error).toMatchObject({ code: 'CORPUS_UNREADABLE', exit: 'badInput' })
    expect(error.message).toContain('21 problems, nothing was skipped')
    expect(lines(error)).toEqual([
      expect.stringMatching(/^meetings\.jsonl:2 {2}is not JSON: /),
      'meetings.jsonl:3  is not a JSON object',
      'meetings.jsonl:4  has no "id"',
      'meetings.jsonl:4  has no "text"',
      'meetings.jsonl:5  the id "a" is on line 1 already',
      'meetings.jsonl:6  "id" is 5; it has to be a text',
      'meetings.jsonl:6  "audio" is ["e.wav"]; it has to be a path',
      'meetings.jsonl:6  "text" is 7; it has to be a text, or a list of texts',
      'meetings.jsonl:7  the reference is empty: write what is said, or tag it "no-speech" where nothing is said',
      'meetings.jsonl:8  "id" holds a comma or a control character: "g,h"',
      'meetings.jsonl:8  "audio" is an address, https://example.org/g.wav: download it and give its path',
      'meetings.jsonl:9  "durationSeconds" is "3"; it has to be a number of seconds',
      'meetings.jsonl:9  "sha256" is not 64 hexadecimal digits',
      'meetings.jsonl:9  "language" is "Englsh", which is not a known language; did you mean "en" (English)?',
      'meetings.jsonl:9  "tags" is "read"; it has to be a list of texts',
      'meetings.jsonl:10  "durationSeconds" is 0; a recording lasts longer than 0 s',
      'meetings.jsonl:10  "speaker" is 9; it has to be a text',
      'meetings.jsonl:11  "id" is empty or has blanks around it',
      'meetings.jsonl:11  has no "audio"',
      'meetings.jsonl:11  "tags" is ["silence",3]; it has to be a list of texts',
      'meetings.jsonl:11  "keywords" is "k"; it has to be a list of texts',
    ])
  })

  test('a field under another name is one problem with the name that was meant and those that are accepted', async () => {
    const named = (key: string) =>
      Array.from({ length: 5 }, (_, index) => ({ id: `u${index}`, [key]: 'a.wav', text: 'x' }))
    for (const key of ['audio_file', 'Audio-Path', 'wav', 'audo']) {
      expect(lines(await refused('m.jsonl', json(...named(key))))).toEqual([
        `m.jsonl:1  has no "audio" (5 lines) (the line has "${key}": did you mean "audio"? accepted is "audio", or "audio_filepath" in a NeMo manifest)`,
      ])
    }
    expect(lines(await refused('m.jsonl', json({ id: 'a', audio: 'a.wav', transcript: 'x' })))).toEqual([
      'm.jsonl:1  has no "text" (the line has "transcript": did you mean "text"?)',
    ])
  })

  test('keys that are not used are warnings, one for each key, with what was meant', async () => {
    const corpus = await read(
      'm.jsonl',
      json(
        { id: 'a', audio: 'a.wav', text: 'x', speeker: 'ann', duration: 2 },
        { id: 'b', audio: 'b.wav', text: 'x', speeker: 'bob', mood: 'good' },
      ),
    )
    expect(lines({ problems: corpus.warnings })).toEqual([
      'm.jsonl:1  the key "speeker" is not used (2 lines) (did you mean "speaker"?)',
      'm.jsonl:1  the key "duration" is not used (did you mean "durationSeconds"?)',
      'm.jsonl:2  the key "mood" is not used',
    ])
  })

  test('lines that are not UTF-8 are named, and those around them keep their numbers', async () => {
    const error = await refused(
      'm.jsonl',
      Buffer.concat([
        Buffer.from('{"id":"a","audio":"a.wav","text":"x"}\n{"id":"b","audio":"b.wav","text":"caf'),
        Buffer.from([0xe9]),
        Buffer.from('"}\n{"id":"c"}\n'),
      ]),
    )
    expect(lines(error)).toEqual([
      'm.jsonl:2  is not UTF-8; save the file as UTF-8',
      'm.jsonl:3  has no "audio"',
      'm.jsonl:3  has no "text"',
    ])
  })

  test.each([
    ['UTF-16LE', (bytes: Buffer) => bytes],
    ['UTF-16BE', (bytes: Buffer) => bytes.swap16()],
  ])('a manifest in %s with a byte order mark is read, across the pieces of a file', async (_, ordered) => {
    // Two bytes each, and four: a piece ends between them.
    const text = 'ja 𝄞 '.repeat(100_000).trim()
    const rows = ['a', 'b'].map((id) => json({ id, audio: `${id}.wav`, text })).join('')
    const { utterances } = await read('m.jsonl', ordered(Buffer.from(`\ufeff${rows}`, 'utf16le')))
    expect(utterances.map((each) => [each.id, each.text === text])).toEqual([
      ['a', true],
      ['b', true],
    ])
  })

  test.each([
    ['half a character', Buffer.from('\ufeff{"id":"a"}\n"\ud83d"\n', 'utf16le')],
    [
      'an odd number of bytes',
      Buffer.concat([Buffer.from('\ufeff{"id":"a"}\n{', 'utf16le'), Buffer.of(0x41)]),
    ],
  ])('a manifest in UTF-16 with %s is refused with its line', async (_, bytes) => {
    expect(lines(await refused('m.jsonl', bytes))).toContain(
      'm.jsonl:2  is not UTF-8; save the file as UTF-8',
    )
  })

  test('a line that is longer than what is read at once is read whole, and those behind it keep their numbers', async () => {
    const text = 'yes '.repeat(200_000)
    const long = json({ id: 'a', audio: 'a.wav', text })
    expect((await read('m.jsonl', long)).utterances.at(0)?.text).toBe(text)
    expect(lines(await refused('m.jsonl', `${long}{}\n`))[0]).toBe('m.jsonl:2  has no "id"')
  })

  test.each([
    ['an empty file', '', 'm.jsonl  has no utterances in it'],
    ['blank lines', '\n\n', 'm.jsonl  has no utterances in it'],
    [
      'a JSON array',
      '[\n{"id":"a"},\n{"id":"b"}\n]',
      'm.jsonl:1  begins a JSON array; a manifest has one object a line (jq -c ".[]" makes it so)',
    ],
  ])('%s is refused in one sentence', async (_name, content, line) => {
    expect(lines(await refused('m.jsonl', content))).toEqual([line])
  })
})
