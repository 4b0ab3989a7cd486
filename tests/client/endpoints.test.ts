import { expect, test } from 'vitest'
import type { Connection } from '#client/connection'
import type { EndpointName } from '#contract/endpoints'
import type { Mode } from '#contract/modes'
import { temporaryFolder } from '../temporary-folder.ts'
import { connectTo, sendJson, serviceWith, startOddServer, token, writeDiscovery } from './odd-server.ts'

const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const mode: Mode = {
  id,
  name: 'Dictation',
  preset: 'note',
  language: 'en',
  model: 'moonshine-tiny',
  punctuation: true,
  capitalization: true,
  profanityFilter: false,
  customInstructions: null,
  userSystemPrompt: null,
  isDefault: false,
  isSystemProvided: false,
  sortOrder: 1,
  createdDate: '2026-06-02T13:57:46Z',
  modifiedDate: '2026-06-02T13:57:46Z',
  languageModel: null,
  cloudTranscriptionModel: null,
  cloudProvider: null,
  postProcessingMode: 0,
  postProcessingProvider: null,
  englishSpelling: null,
  useStreamingTranscription: false,
  cloudAccuracyTier: null,
  removeTrailingPeriod: false,
  enableScreenOCR: false,
  vendorCustomPrompt: null,
  cloudPostProcessingModel: null,
}
const recording = {
  id,
  text: 'a',
  postProcessedText: 'A.',
  transcribedText: 'a',
  date: '2026-06-02T13:57:46Z',
  duration: 1.5,
  mode: 'Dictation',
  transcriptionProvider: 'local',
  postProcessingProvider: '',
  status: 'completed',
  audioFilePath: '/recordings/a.wav',
}

interface Example {
  readonly endpoint: Exclude<EndpointName, 'transcribe' | 'health'>
  readonly call: (connection: Connection) => Promise<unknown>
  readonly sends: string
  readonly body?: unknown
  readonly answer: object
}

const examples: readonly Example[] = [
  {
    endpoint: 'listModels',
    call: (connection) => connection.listModels(),
    sends: 'GET /models',
    answer: { ok: true, models: [] },
  },
  {
    endpoint: 'listModes',
    call: (connection) => connection.listModes(),
    sends: 'GET /modes',
    answer: { ok: true, modes: [mode] },
  },
  {
    endpoint: 'getMode',
    call: (connection) => connection.getMode('a/b c'),
    sends: 'GET /modes/a%2Fb%20c',
    answer: { ok: true, mode },
  },
  {
    endpoint: 'createMode',
    call: (connection) => connection.createMode({ name: 'Dictation', language: 'en' }),
    sends: 'POST /modes',
    body: { name: 'Dictation', language: 'en' },
    answer: { ok: true, mode },
  },
  {
    endpoint: 'patchMode',
    call: (connection) => connection.patchMode(id, { languageModel: null, sortOrder: 2 }),
    sends: `PATCH /modes/${id}`,
    body: { languageModel: null, sortOrder: 2 },
    answer: { ok: true, mode },
  },
  {
    endpoint: 'deleteMode',
    call: (connection) => connection.deleteMode(id),
    sends: `DELETE /modes/${id}`,
    answer: { ok: true },
  },
  {
    endpoint: 'searchRecordings',
    call: (connection) => connection.searchRecordings({ until: 'a b&c', limit: 3 }),
    sends: 'GET /recordings/search?until=a+b%26c&limit=3',
    answer: { ok: true, total: 9, returned: 1, recordings: [recording] },
  },
]

test.each(examples)('$endpoint sends $sends and gives back the answer', async (example) => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(serviceWith((_, response) => sendJson(response, example.answer)))
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  expect(await example.call(connection)).toEqual({ ok: true, value: example.answer })
  const { method, url, headers, body } = server.seen.at(-1) ?? fail()
  expect(`${method} ${url}`).toBe(example.sends)
  expect(headers.authorization).toBe(`Bearer ${token}`)
  expect(headers.host).toBe(`127.0.0.1:${server.port}`)
  expect(headers['content-type']).toBe(example.body === undefined ? undefined : 'application/json')
  expect(body.length === 0 ? undefined : JSON.parse(body.toString())).toEqual(example.body)
})

test('what we send is checked strictly: a field that the API does not have never leaves', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(
    serviceWith((_, response) => sendJson(response, { ok: true, mode })),
  )
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  const before = server.seen.length
  const misspelt: object = { name: 'Dictation', langauge: 'en' }
  await expect(connection.createMode(misspelt as { name: string })).rejects.toThrow('langauge')
  await expect(connection.patchMode(id, { sortOrder: 3_000_000_000 })).rejects.toThrow()
  const blank = { request: { text: ' ', preset: 'note' } as const, timeoutMs: 1_000 }
  await expect(connection.postProcessTimed(blank)).rejects.toThrow('blank')
  expect(server.seen).toHaveLength(before)
})

test('one socket is kept open and used again', async () => {
  await using folder = await temporaryFolder()
  const sockets = new Set<unknown>()
  await using server = await startOddServer(
    serviceWith((_, response) => {
      sockets.add(response.socket)
      sendJson(response, { ok: true, modes: [] })
    }),
  )
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }), 1)
  for (let count = 0; count < 20; count += 1) await connection.listModes()
  expect(sockets.size).toBe(1)
})

function fail(): never {
  throw new Error('the server saw no request')
}
