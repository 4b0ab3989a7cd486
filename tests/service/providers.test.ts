import { afterAll, describe, expect, test } from 'vitest'
import type { ProviderProtocol } from '#providers/protocol'
import { protocols } from '#providers/protocols/protocols'
import { providerData, sentByDefault } from '#providers/providers'
import type { Clip } from '#service/engines/engine'
import { type ProviderEngine, providerEngine } from '../../src/service/engines/provider-engine.ts'
import { openOutbound } from '../../src/service/engines/provider-exchange.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeEngine } from './describe-engine.ts'
import { documentedAnswer } from './provider-answers.ts'
import { type Canned, type ProviderServer, startProvider } from './provider-server.ts'
import { base64, startTestService, tone, withEngines } from './running-service.ts'

const secret = 'sk-very-secret-0123456789'
const speech: Clip = { samples: new Float32Array(16_000).fill(0.5), fileName: null }

const shapes = ['openai', 'deepgram', 'elevenlabs'] as const

function engineAt(
  server: Pick<ProviderServer, 'baseUrl'>,
  protocol: ProviderProtocol,
  more: { readonly env?: Record<string, string>; readonly timeoutSeconds?: number } = {},
): ProviderEngine {
  const settings = {
    id: 'it',
    displayName: 'It',
    protocol,
    baseUrl: server.baseUrl,
    models: ['whisper-1', 'gpt-4o-transcribe', 'nova-3', 'scribe_v1'],
    options: sentByDefault(
      providerData.find((provider) => protocols[provider.protocol] === protocol) ?? { options: [] },
    ),
    keyVariable: 'IT_API_KEY',
    env: { IT_API_KEY: secret },
    timeoutSeconds: 30,
    maxClipSeconds: null,
    ...more,
  }
  return providerEngine(settings, openOutbound())
}

async function ask(
  engine: ProviderEngine,
  wanted: {
    readonly model?: string
    readonly language?: string | null
    readonly timestamps?: readonly ('segment' | 'word')[]
    readonly signal?: AbortSignal
  } = {},
) {
  const {
    model = 'whisper-1',
    language = null,
    timestamps = [],
    signal = new AbortController().signal,
  } = wanted
  const loaded = await engine.load({ id: model, folder: '', threads: 1 })
  if (!loaded.ok) throw new Error('not loaded')
  return loaded.value.transcribe(speech, { language, timestamps, signal })
}

describe.each(shapes)('the protocol of %s', (name) => {
  const protocol = protocols[name]
  test('is asked and read as its reference says', async () => {
    await using server = await startProvider((request) => ({ body: documentedAnswer(name, request) }))
    const outcome = await ask(engineAt(server, protocol), {
      language: 'en-GB',
      timestamps: ['segment', 'word'],
    })
    if (!outcome.ok) throw new Error(outcome.failure.message)
    expect(outcome.value.text).toBe('Hello there.')
    expect(outcome.value.language).toMatch(/^en(-GB)?$/)
    expect(outcome.value.words?.map(({ word }) => word).join(' ')).toMatch(/^Hello there\.?$/)
    if (protocol.timestamps.includes('segment')) {
      expect(outcome.value.segments).toEqual([
        { id: 0, start: expect.any(Number), end: expect.any(Number), text: 'Hello there.' },
      ])
    }
    const [request] = server.requests
    expect(
      [request?.headers.authorization, request?.headers['xi-api-key']].filter(
        (header) => header !== undefined,
      ),
    ).toEqual([name === 'elevenlabs' ? secret : `${name === 'deepgram' ? 'Token' : 'Bearer'} ${secret}`])
  })

  test('that answers something else has failed', async () => {
    for (const body of ['<html>', {}, { text: 3 }, { results: { channels: [] } }, []]) {
      await using server = await startProvider(() => ({ body }))
      expect(await ask(engineAt(server, protocol))).toMatchObject({
        failure: { code: 'TRANSCRIPTION_FAILED' },
      })
    }
  })
})

describe('what a provider is sent', () => {
  test('a form with the language in two letters, and times where the model has them', async () => {
    await using server = await startProvider(() => ({ body: { text: 'a' } }))
    const engine = engineAt(server, protocols.openai)
    await ask(engine, { language: 'en-GB', timestamps: ['segment'] })
    await ask(engine, { model: 'gpt-4o-transcribe', timestamps: ['segment', 'word'] })
    expect(server.requests.map(({ path, fields }) => ({ path, fields }))).toEqual([
      {
        path: '/audio/transcriptions',
        fields: {
          model: ['whisper-1'],
          language: ['en'],
          response_format: ['verbose_json'],
          'timestamp_granularities[]': ['segment'],
        },
      },
      { path: '/audio/transcriptions', fields: { model: ['gpt-4o-transcribe'], response_format: ['json'] } },
    ])
  })

  test('by Deepgram in the address, by ElevenLabs in a form, and nothing that was not asked for', async () => {
    await using server = await startProvider(() => ({ body: {} }))
    const deepgram = engineAt(server, protocols.deepgram)
    await ask(deepgram, { model: 'nova-3', language: 'en-GB', timestamps: ['segment'] })
    await ask(deepgram, { model: 'nova-3' })
    const elevenlabs = engineAt(server, protocols.elevenlabs)
    await ask(elevenlabs, { model: 'scribe_v1', language: 'en-GB' })
    await ask(elevenlabs, { model: 'scribe_v1' })
    const form = { model_id: ['scribe_v1'], timestamps_granularity: ['none'], tag_audio_events: ['false'] }
    expect(server.requests.map(({ path, query, fields }) => [`${path}?${query}`, fields])).toEqual([
      ['/v1/listen?model=nova-3&punctuate=true&language=en-GB&utterances=true', {}],
      ['/v1/listen?model=nova-3&punctuate=true&detect_language=true', {}],
      ['/v1/speech-to-text?', { ...form, language_code: ['en'] }],
      ['/v1/speech-to-text?', form],
    ])
  })
})

describe('a provider', () => {
  const failure = async (canned: Canned) => {
    await using server = await startProvider(() => canned)
    const engine = engineAt(server, protocols.openai)
    const outcome = await ask(engine)
    return { outcome: outcome.ok ? null : outcome.failure, status: engine.status() }
  }

  test.each([
    [401, 'MISSING_API_KEY', 'unauthorized'],
    [403, 'MISSING_API_KEY', 'unauthorized'],
    [429, 'RATE_LIMITED', 'healthy'],
    [408, 'TIMEOUT', 'healthy'],
    [504, 'TIMEOUT', 'healthy'],
    [400, 'TRANSCRIPTION_FAILED', 'healthy'],
    [500, 'TRANSCRIPTION_FAILED', 'healthy'],
    [302, 'TRANSCRIPTION_FAILED', 'healthy'],
  ])('that answers HTTP %i is %s', async (status, code, health) => {
    const answer = await failure({
      status,
      headers: { location: 'http://127.0.0.1:9/' },
      body: { error: { message: `Wrong key ${secret}.` } },
    })
    expect(answer.outcome?.code).toBe(code)
    expect(JSON.stringify(answer)).not.toContain(secret)
    expect(answer.status).toMatchObject({ key_present: true, reachable: true, status: health })
  })

  test('that answers without end has failed, and was there', async () => {
    const answer = await failure({ body: `${' '.repeat(33 * 2 ** 20)}{"text":"Hi."}` })
    expect(answer.outcome).toMatchObject({
      code: 'TRANSCRIPTION_FAILED',
      message: 'It answered something else than a transcript.',
    })
    expect(answer.status).toMatchObject({ reachable: true, status: 'healthy' })
  })

  test('that is not there has failed, and its state says so', async () => {
    const engine = engineAt({ baseUrl: 'http://127.0.0.1:9' }, protocols.openai)
    expect(engine.status()).toEqual({ id: 'it', key_present: true, reachable: false, status: 'unknown' })
    expect(await ask(engine)).toMatchObject({ failure: { code: 'TRANSCRIPTION_FAILED' } })
    expect(engine.status()).toMatchObject({ reachable: false, status: 'unreachable' })
  })

  test('without its key is not asked', async () => {
    await using server = await startProvider(() => ({ body: { text: 'a' } }))
    const engine = engineAt(server, protocols.openai, { env: {} })
    expect(await ask(engine)).toMatchObject({
      failure: { code: 'MISSING_API_KEY', hint: expect.stringContaining('IT_API_KEY') },
    })
    expect(server.requests).toEqual([])
    expect(engine.status().key_present).toBe(false)
  })

  test('that names a time to come back is not asked before', async () => {
    await using server = await startProvider(() => ({
      status: 429,
      headers: { 'retry-after': '60' },
      body: '',
    }))
    const engine = engineAt(server, protocols.openai)
    expect(await ask(engine)).toMatchObject({ failure: { code: 'RATE_LIMITED', hint: 'Retry after 60 s.' } })
    expect(await ask(engine)).toMatchObject({
      failure: { code: 'RATE_LIMITED', hint: expect.stringMatching(/^Retry after (60|59) s\.$/) },
    })
    expect(server.requests).toHaveLength(1)
  })

  test('may name it as a date, or not at all', async () => {
    const date = new Date(Date.now() + 90_000).toUTCString()
    const dated = await failure({ status: 429, headers: { 'retry-after': date }, body: '' })
    expect(dated.outcome?.hint).toMatch(/^Retry after (9[01]|8\d) s\.$/)
    expect((await failure({ status: 429, body: '' })).outcome?.hint).toBe('Send fewer at once.')
  })

  test('that answers 400 to a key that it does not know, as Google does, refuses the key', async () => {
    const error = {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
    }
    expect(await failure({ status: 400, body: { error } })).toMatchObject({
      outcome: { code: 'MISSING_API_KEY', hint: 'Check IT_API_KEY.' },
      status: { status: 'unauthorized' },
    })
  })

  test('that fails to answer about a job is asked again, because the job goes on and is paid for', async () => {
    const answers: readonly Canned[] = [
      { body: { upload_url: 'https://cdn.example/1' } },
      { body: { id: 'a', status: 'queued' } },
      { status: 429, headers: { 'retry-after': '1' }, body: {} },
      { status: 502, headers: { 'retry-after': '1' }, body: 'Bad Gateway' },
      {},
      { body: { id: 'a', status: 'completed', text: 'Hello there.', words: [] } },
    ]
    await using server = await startProvider((_request, index) => answers[index] ?? { body: {} })
    expect(await ask(engineAt(server, protocols.assemblyai, { timeoutSeconds: 15 }))).toMatchObject({
      value: { text: 'Hello there.' },
    })
    expect(server.requests).toHaveLength(answers.length)
  })

  test('whose address has a query is asked below its path', async () => {
    await using server = await startProvider(() => ({ body: { text: 'a' } }))
    await ask(engineAt({ baseUrl: `${server.baseUrl}/v1?api-version=2` }, protocols.openai))
    expect(server.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
      '/v1/audio/transcriptions?api-version=2',
    ])
  })

  test('that does not answer in time is a time-out', async () => {
    await using server = await startProvider(() => ({}))
    const engine = engineAt(server, protocols.openai, { timeoutSeconds: 0.2 })
    expect(await ask(engine)).toMatchObject({ failure: { code: 'TIMEOUT' } })
  })

  test('hears no more of a clip that was given up', async () => {
    const controller = new AbortController()
    await using server = await startProvider(() => {
      controller.abort()
      return {}
    })
    const engine = engineAt(server, protocols.openai)
    expect((await ask(engine, { signal: controller.signal })).ok).toBe(false)
    expect(engine.status().status).toBe('unknown')
  })
})

describe('in the service', () => {
  const enginesFile = (baseUrl: string) => `engines:
  - kind: openai
    provider: groq
    baseUrl: ${baseUrl}/
  - kind: openai
    provider: my-server
    baseUrl: ${baseUrl}
    models: [whisper-1, whisper-large-v3]
`

  test('providers are offered, asked, and listed, and their keys stay secret', async () => {
    await using server = await startProvider(({ headers }, index) =>
      index === 0 ? { body: { text: 'Hi.' } } : { status: 401, body: `Not for ${headers.authorization}` },
    )
    const keys = { GROQ_API_KEY: secret, DEEPGRAM_API_KEY: secret }
    await using engines = await withEngines(enginesFile(server.baseUrl), keys)
    await using started = await startTestService(engines.options)
    const listed = await started.send('GET', '/models?installed_only=1')
    const models = (listed.json['models'] as { id: string; provider: string }[]).map(
      ({ id, provider }) => `${provider} ${id}`,
    )
    expect(models).toEqual([
      'groq whisper-large-v3-turbo',
      'groq whisper-large-v3',
      'my-server whisper-1',
      'my-server whisper-large-v3',
      'deepgram nova-3',
      'deepgram nova-2',
      // Its chat model, for post-processing.
      'groq llama-3.3-70b-versatile',
    ])
    const audio_base64 = base64(tone(0.5))
    const first = await started.transcribe({ engine: 'groq', model: 'whisper-large-v3', audio_base64 })
    expect(first.json).toMatchObject({ ok: true, text: 'Hi.', engine: 'groq', model: 'whisper-large-v3' })
    const second = await started.transcribe({ engine: 'my-server', model: 'whisper-large-v3', audio_base64 })
    expect(second.json.error?.code).toBe('MISSING_API_KEY')
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${secret}`,
      undefined,
    ])
    const keyless = await started.transcribe({ engine: 'openai', model: 'whisper-1', audio_base64 })
    expect(keyless.json.error).toMatchObject({
      code: 'MISSING_API_KEY',
      hint: expect.stringContaining('OPENAI_API_KEY'),
    })
    const health = await started.send('GET', '/health', { headers: { authorization: undefined } })
    expect(health.json['providers']).toEqual([
      { id: 'groq', key_present: true, reachable: true, status: 'healthy' },
      { id: 'my-server', key_present: true, reachable: true, status: 'unauthorized' },
      { id: 'deepgram', key_present: true, reachable: false, status: 'unknown' },
      { id: 'openai', key_present: false, reachable: false, status: 'unknown' },
      ...['mistral', 'fireworks', 'elevenlabs', 'google', 'assemblyai', 'speechmatics', 'gladia'].map(
        (id) => ({
          id,
          key_present: false,
          reachable: false,
          status: 'unknown',
        }),
      ),
    ])
    expect(JSON.stringify([started.logged, listed, first, second, health])).not.toContain(secret)
  })

  /** A service with a key for Groq and its models, and what it answers by a Mode of the cloud. */
  async function startWithGroq() {
    const stack = new AsyncDisposableStack()
    const server = stack.use(await startProvider(() => ({ body: { text: 'Hi.' } })))
    const engines = stack.use(await withEngines(enginesFile(server.baseUrl), { GROQ_API_KEY: secret }))
    const started = stack.use(await startTestService(engines.options))
    const transcribeBy = async (mode: Readonly<Record<string, string>>, request: object = {}) => {
      const mode_id = await started.createMode({ model: 'cloud', cloudProvider: 'groq', ...mode })
      return (await started.transcribe({ mode_id, audio_base64: base64(tone(0.5)), ...request })).json
    }
    return { server, transcribeBy, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }
  const named = { name: 'Cloud', cloudTranscriptionModel: 'whisper-large-v3' }

  test('a Mode of the cloud names its provider and model', async () => {
    await using groq = await startWithGroq()
    expect(await groq.transcribeBy(named)).toMatchObject({
      ok: true,
      engine: 'groq',
      model: 'whisper-large-v3',
    })
  })

  test('a request that names its engine sends no audio to the provider of its Mode', async () => {
    await using groq = await startWithGroq()
    const { error } = await groq.transcribeBy({ name: 'First model' }, { engine: 'local' })
    expect(error).toMatchObject({
      code: 'MODEL_NOT_INSTALLED',
      message: 'The model whisper-large-v3-turbo is not installed.',
    })
    expect(groq.server.requests).toEqual([])
    const answer = await groq.transcribeBy(named, { engine: 'my-server' })
    expect(answer).toMatchObject({ ok: true, engine: 'my-server' })
  })

  test('a Mode of the cloud whose provider has no key says so', async () => {
    await using folder = await temporaryFolder()
    await using started = await startTestService({ catalogue: undefined, modelsDir: folder.path, env: {} })
    const mode_id = await started.createMode({ name: 'Cloud', model: 'cloud', cloudProvider: 'mistral' })
    const answer = await started.transcribe({ mode_id, audio_base64: base64(tone(0.5)) })
    expect(answer.json.error).toMatchObject({ code: 'MISSING_API_KEY', message: 'Mistral needs a key.' })
  })
})

for (const name of shapes) {
  const serverFor = startProvider((request) => ({ body: documentedAnswer(name, request) }))
  afterAll(async () => (await serverFor)[Symbol.asyncDispose]())
  describeEngine(`of the protocol ${name}`, async () => {
    const server = await serverFor
    return {
      engine: engineAt(server, protocols[name]),
      model: { id: 'whisper-1', folder: '', threads: 1 },
      unloadable: { id: '', folder: '', threads: 1 },
      speech,
      expected: /^hello there\.$/,
    }
  })
}
