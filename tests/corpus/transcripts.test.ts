import { describe, expect, test } from 'vitest'
import { readTranscripts, type TranscriptPair } from '#corpus'
import { caught, lines } from './caught.ts'
import { temporaryFolder } from './temporary-folder.ts'

type Content = string | Uint8Array

async function pair(
  extension: string,
  reference: Content,
  hypothesis: Content,
): Promise<readonly TranscriptPair[]> {
  await using folder = await temporaryFolder()
  const paths = [
    await folder.write(`ref${extension}`, reference),
    await folder.write(`hyp${extension}`, hypothesis),
  ] as const
  return await readTranscripts(...paths)
}

async function problems(
  extension: string,
  reference: Content,
  hypothesis: Content,
): Promise<readonly string[]> {
  const error = await caught(pair(extension, reference, hypothesis))
  expect(error).toMatchObject({ code: 'TRANSCRIPTS_UNREADABLE', exit: 'badInput' })
  return lines(error)
}

describe('plain text', () => {
  test('is paired line by line, by line number', async () => {
    expect(await pair('.txt', 'one two\nthree\n', 'one too\nfree')).toEqual([
      { id: '1', reference: 'one two', hypothesis: 'one too' },
      { id: '2', reference: 'three', hypothesis: 'free' },
    ])
  })

  test('counts blank lines as empty transcripts, so that short lines are never lost', async () => {
    expect(await pair('.txt', 'a\n\nyes sir\n', '\nb\n\n')).toEqual([
      { id: '1', reference: 'a', hypothesis: '' },
      { id: '2', reference: '', hypothesis: 'b' },
      { id: '3', reference: 'yes sir', hypothesis: '' },
    ])
  })

  test('may have a byte order mark and carriage returns on one side', async () => {
    expect(await pair('.txt', '\ufeffone\r\ntwo\r\n', 'one\ntwo\n')).toEqual([
      { id: '1', reference: 'one', hypothesis: 'one' },
      { id: '2', reference: 'two', hypothesis: 'two' },
    ])
  })

  test('of different lengths is refused, with the first line that has no partner', async () => {
    expect(await problems('.txt', 'a\nb\nc\n', 'a\n')).toEqual([
      'ref.txt:2  ref.txt has 3 lines and hyp.txt 1: from here on there is no partner',
    ])
    expect(await problems('.txt', 'a\n', 'a\n\n')).toEqual([
      'hyp.txt:2  hyp.txt has 2 lines and ref.txt 1: from here on there is no partner',
    ])
  })

  test('that is empty or not UTF-8 is refused, both files at once', async () => {
    expect(await problems('.txt', '', Buffer.from([0x61, 0x0a, 0xff, 0x0a]))).toEqual([
      'ref.txt  has no lines',
      'hyp.txt:2  is not UTF-8; save the file as UTF-8',
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
      { id: 'b', reference: 'x', hypothesis: 'z' },
      { id: 'a', reference: '', hypothesis: 'y' },
    ])
  })

  test('may carry both sides in one line', async () => {
    const both = '{"id":7,"reference":"x","hypothesis":"y"}\n'
    expect(await pair('.jsonl', both, both)).toEqual([{ id: '7', reference: 'x', hypothesis: 'y' }])
  })

  test('name every id without a partner, on both sides', async () => {
    expect(
      await problems(
        '.jsonl',
        '{"id":"a","text":"x"}\n{"id":"b","text":"x"}\n',
        '{"id":"b","text":"x"}\n{"id":"c","text":"x"}\n',
      ),
    ).toEqual(['ref.jsonl:1  the id "a" is not in hyp.jsonl', 'hyp.jsonl:2  the id "c" is not in ref.jsonl'])
  })

  test('report every bad line of both files at once', async () => {
    expect(
      await problems(
        '.jsonl',
        '{"id":"a","text":"x"}\n{"id":"a","text":"x"}\n{"text":"x"}\nnonsense\n',
        '{"id":"a"}\n{"id":"b","text":5}\n[]\n',
      ),
    ).toEqual([
      'ref.jsonl:2  the id "a" stands on line 1 already',
      'ref.jsonl:3  has no "id"',
      expect.stringMatching(/^ref\.jsonl:4 {2}is not JSON: /),
      'hyp.jsonl:1  has neither "hypothesis" nor "text"',
      'hyp.jsonl:2  "text" is not a text',
      'hyp.jsonl:3  is not a JSON object',
    ])
  })
})

test('trn files are paired by the id at the end of the line', async () => {
  expect(await pair('.trn', 'one (uh) two (spk-1)\n(spk-2)\n', '(spk-2)\nsomething (x) (spk-1)\n')).toEqual([
    { id: 'spk-1', reference: 'one (uh) two', hypothesis: 'something (x)' },
    { id: 'spk-2', reference: '', hypothesis: '' },
  ])
  expect(await problems('.trn', 'no id here\n', 'x (a)\n')).toEqual([
    'ref.trn:1  has no id in parentheses at its end',
  ])
})

test('files of two kinds are not paired', async () => {
  await using folder = await temporaryFolder()
  const plain = await folder.write('a.txt', 'x\n')
  const keyed = await folder.write('b.jsonl', '{"id":"a","text":"x"}\n')
  expect(lines(await caught(readTranscripts(plain, keyed)))).toEqual([
    'a.txt  is paired by line, and b.jsonl by id: give both in one format',
  ])
})

test('files that are not there are both reported; files of one name are told apart by their paths', async () => {
  await using folder = await temporaryFolder()
  const paths = [`${folder.path}/one/x.txt`, `${folder.path}/two/x.txt`] as const
  expect(lines(await caught(readTranscripts(...paths)))).toEqual([
    `${paths[0]}  is missing`,
    `${paths[1]}  is missing`,
  ])
  await folder.write('one/x.txt', 'a\nb\n')
  await folder.write('two/x.txt', 'a\n')
  expect(lines(await caught(readTranscripts(...paths)))).toEqual([
    `${paths[0]}:2  ${paths[0]} has 2 lines and ${paths[1]} 1: from here on there is no partner`,
  ])
})
