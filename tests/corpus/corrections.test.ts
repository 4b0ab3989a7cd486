import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CorrectionsFile, correctionsPath, readCorrections } from '#corpus/corrections'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught, json, lines } from './caught.ts'

const line = {
  utteranceId: 'a-1',
  before: 'a more a amiable woman',
  after: 'a more amiable woman',
  when: '2026-11-21T12:00:00Z',
  by: 'ann',
  seen: 'blind',
}

async function read(content: string | Uint8Array): Promise<CorrectionsFile> {
  await using folder = await temporaryFolder()
  return await readCorrections(await folder.write('corrections.jsonl', content), 'quick/corrections.jsonl')
}

describe('a file of corrections', () => {
  test('keeps its lines in the order in which they were made; blank ones are passed over', async () => {
    const second = { ...line, before: line.after, after: 'a most amiable woman', seen: 'seen' }
    expect(await read(`\ufeff${json(line)}\r\n\n${json(second)}`)).toMatchObject({
      source: 'quick/corrections.jsonl',
      lines: [line, second],
    })
  })

  test('may be empty: then nothing was corrected', async () => {
    expect((await read('')).lines).toEqual([])
  })

  test('has a fingerprint of what it corrects, independent of who did it and when', async () => {
    const { fingerprint } = await read(json(line))
    const ofAnother = async (change: object): Promise<string> =>
      (await read(json({ ...line, ...change }))).fingerprint
    expect(await ofAnother({ by: 'bob', when: '2026-11-22T12:00:00Z', seen: 'seen' })).toBe(fingerprint)
    for (const change of [{ after: 'x' }, { before: 'x' }, { utteranceId: 'x' }]) {
      expect(await ofAnother(change)).not.toBe(fingerprint)
    }
  })

  test('names a fault that many lines share once, with their number', async () => {
    const error = await caught(read(json(...Array.from({ length: 40 }, () => ({ ...line, mood: 'good' })))))
    expect(error.message).toContain('40 lines, nothing was skipped')
    expect(lines(error)).toEqual([expect.stringMatching(/^corrections\.jsonl:1 {2}.*mood.* \(40 lines\)/)])
  })

  test('is refused as a whole, with every line that cannot be used', async () => {
    const error = await caught(
      read(
        `${json(line, { ...line, seen: 'maybe' })}{"utteranceId"\n${json({ ...line, when: 'today', mood: 'good' })}[]\n`,
      ),
    )
    expect(error).toMatchObject({ code: 'CORRECTIONS_UNREADABLE', exit: 'badInput' })
    expect(error.message).toContain('4 lines, nothing was skipped')
    expect(lines(error)).toEqual([
      expect.stringMatching(/^corrections\.jsonl:2 {2}seen: /),
      expect.stringMatching(/^corrections\.jsonl:3 {2}is not JSON: /),
      expect.stringMatching(/^corrections\.jsonl:4 {2}when: .*mood/),
      'corrections.jsonl:5  is not a JSON object',
    ])
  })

  test('that is not UTF-8 or not there is refused', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"utteranceId":"caf'),
      Buffer.from([0xe9]),
      Buffer.from('"}\n'),
    ])
    expect(lines(await caught(read(bytes)))[0]).toContain('is not UTF-8')
    const error = await caught(readCorrections(join('/nowhere', 'corrections.jsonl')))
    expect(error).toMatchObject({ code: 'CORRECTIONS_UNREADABLE' })
    expect(error.message).toContain('ENOENT')
  })

  test('is next to the manifest of its corpus', async () => {
    await using folder = await temporaryFolder()
    const manifest = await folder.write('voices/manifest.jsonl', '{}\n')
    expect(await correctionsPath(manifest, { env: {} })).toBe(join(folder.path, 'voices/corrections.jsonl'))
  })
})
