import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import type { Recording } from '#contract/resources'
import { startService } from '#service/service'
import { temporaryFolder } from '../temporary-folder.ts'
import { base64, startTestService, type TestService, tone } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

const said = ['First, the café.', 'Second: STRASSE and Ωμέγας', 'Third one, 100% sure_', 'Fourth\u0000 word']
const audio_base64 = base64(tone(0.5))
const echo = { engine: 'scripted', model: 'echo', audio_base64 }
const catalogue = scriptedCatalogue({ echo: { inOrder: said.map((text) => ({ text })) } })

let started: TestService
let all: readonly Recording[]

beforeAll(async () => {
  started = await startTestService({ record: true, catalogue })
  for (const _ of said) {
    await started.transcribe(echo)
    // Dates have milliseconds, and each recording is to have its own.
    const now = Date.now()
    while (Date.now() === now) await Promise.resolve()
  }
  all = (await search('')).recordings
})
afterAll(() => started[Symbol.asyncDispose]())

async function search(query: string): Promise<{ total: number; returned: number; recordings: Recording[] }> {
  const { json } = await started.send('GET', `/recordings/search?${query}`)
  const { total, returned, recordings } = endpoints.searchRecordings.answer.parse(json)
  return { total, returned, recordings: [...recordings] }
}

const found = async (query: string): Promise<readonly string[]> =>
  (await search(query)).recordings.map(({ text }) => text)

describe('a recording', () => {
  test('says everything about a transcription, newest first', () => {
    expect(all.map(({ text }) => text)).toEqual(said.toReversed())
    expect(all.at(-1)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      text: said[0],
      transcribedText: said[0],
      postProcessedText: '',
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      duration: 0.5,
      mode: '',
      transcriptionProvider: 'scripted',
      postProcessingProvider: '',
      status: 'completed',
      audioFilePath: '',
    })
  })

  test('is found by its id, in either case', async () => {
    const [recording] = all
    for (const id of [recording?.id ?? '', recording?.id.toUpperCase() ?? '']) {
      expect((await started.send('GET', `/recordings/${id}`)).json).toEqual({ ok: true, recording })
    }
  })

  test('carries the name of the Mode it was made with', async () => {
    await using own = await startTestService({ record: true })
    const [mode] = (await own.send('GET', '/modes')).json.modes ?? []
    await own.transcribe({ mode_id: mode?.id, audio_base64 })
    expect((await own.send('GET', '/recordings')).json).toMatchObject({
      recordings: [{ mode: mode?.name, text: 'Hello world.' }],
    })
  })

  test('is not made of a transcription unless the operator asks for it, and never of a failed one', async () => {
    await using plain = await startTestService()
    await plain.transcribe(echo)
    expect((await plain.send('GET', '/recordings')).json).toMatchObject({ total: 0, recordings: [] })
    await using failing = await startTestService({
      recordAudio: true,
      catalogue: scriptedCatalogue({ echo: { otherwise: { failure: 'TRANSCRIPTION_FAILED' } } }),
    })
    await failing.transcribe(echo)
    expect((await failing.send('GET', '/recordings')).json).toMatchObject({ total: 0 })
    expect(await readdir(join(failing.folder, 'recordings'))).toEqual([])
  })
})

describe('a search', () => {
  test.each([
    ['q=cafe', [said[0]]],
    ['q=CAF%C3%89', [said[0]]],
    ['q=cafe%CC%81', [said[0]]],
    ['q=stra%C3%9Fe', [said[1]]],
    ['q=%CF%89%CE%BC%CE%B5%CE%B3%CE%B1%CF%82', [said[1]]],
    ['q=100%25', [said[2]]],
    ['q=_', [said[2]]],
    ['q=h%00%20w', [said[3]]],
    ['q=one&limit=1', [said[2]]],
    ['q=nowhere', []],
    ['q=;--', []],
  ])('for %s finds what differs in case or diacritics at most', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test.each(['1e2', '0x10', '99999999999999999999'])('with limit %j is refused', async (limit) => {
    const answer = await started.send('GET', `/recordings/search?limit=${limit}`)
    expect(answer).toMatchObject({ status: 200, json: { ok: false, error: { code: 'INVALID_REQUEST' } } })
  })

  test('takes a day, a second and a zone for what they are', async () => {
    const [last] = all
    const moment = last?.date ?? ''
    const total = async (query: string): Promise<number> => (await search(query)).total
    expect(await total(`until=${moment.slice(0, 10)}`)).toBe(4)
    expect(await total(`until=${moment.slice(0, 19)}Z`)).toBe(4)
    expect(await total(`until=${Math.floor(Date.parse(moment) / 1000)}`)).toBe(4)
    const later = new Date(Date.parse(moment) + 7_200_000).toISOString().replace('Z', '+02:00')
    expect(await total(`since=${encodeURIComponent(later)}`)).toBe(1)
    expect(await total(`since=${later}`)).toBe(1)
    expect(await total('since=2100-01-01')).toBe(0)
    expect(await total('until=1999-12-31T23:59')).toBe(0)
  })

  test.each([
    'since=yesterday',
    'until=2026-13-01',
    'since=2026-02-30',
    'until=2026-06-31T10:00:00Z',
    'since=2026-06-02T25:00:00Z',
    'until=NaN',
  ])('with %s is refused', async (query) => {
    const answer = await started.send('GET', `/recordings/search?${query}`)
    expect(answer.json.error?.code).toBe('INVALID_REQUEST')
  })
})

describe('what was recorded', () => {
  test('keeps its sound as it came, for its owner only, where the operator asks for it', async () => {
    await using own = await startTestService({ recordAudio: true })
    await own.transcribe({ ...echo, mime_type: 'audio/wav' })
    const { json } = await own.send('GET', '/recordings')
    const [recording] = endpoints.searchRecordings.answer.parse(json).recordings
    const path = recording?.audioFilePath ?? ''
    expect(path).toBe(join(own.folder, 'recordings', `${recording?.id}.wav`))
    expect((await readFile(path)).equals(tone(0.5))).toBe(true)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('leaves nothing of a sound whose recording never came to be, and touches no other file', async () => {
    await using folder = await temporaryFolder()
    const catalogue = scriptedCatalogue({ echo: {} })
    await (await startService({ dataDir: folder.path, catalogue })).stop()
    const database = new DatabaseSync(join(folder.path, 'service.sqlite'))
    for (const name of ['a.wav', 'b.wav']) {
      database.prepare('INSERT INTO unfinished_sounds (file_name) VALUES (?)').run(name)
    }
    database.close()
    const files = ['a.wav', 'b.wav.unfinished', 'c.wav'].map((name) => join(folder.path, 'recordings', name))
    await mkdir(dirname(files[0] ?? ''), { recursive: true })
    for (const file of files) await writeFile(file, 'sound')
    await using _service = await startService({ dataDir: folder.path, catalogue })
    expect(await readdir(join(folder.path, 'recordings'))).toEqual(['c.wav'])
  })
})
