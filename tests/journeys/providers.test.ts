import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saying } from '../service/chat-server.ts'
import { documentedAnswer, documentedRefusals, type ProtocolName } from '../service/provider-answers.ts'
import { type Canned, type ProviderServer, type Recorded, startProvider } from '../service/provider-server.ts'
import { base64, tone } from '../service/running-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type RunningCli, startCli } from './run-cli.ts'

const secret = 'sk-very-secret-0123456789'
const protocols = ['openai', 'deepgram', 'elevenlabs'] as const

/** What each provider does, by the first part of its address. */
const behaviours = ['answers', 'late', 'unauthorized', 'limited', 'broken', 'cut', 'silent'] as const
type Behaviour = (typeof behaviours)[number]

const keyVariable = 'TEST_KEY'
const timeoutSeconds = 5

let home: Awaited<ReturnType<typeof temporaryFolder>>
let server: ProviderServer
let serving: RunningCli
let origin = ''
let token = ''

beforeAll(async () => {
  home = await temporaryFolder()
  server = await startProvider(answerAsThePathSays)
  const engines = protocols.flatMap((kind) =>
    behaviours.map((behaviour) => ({
      kind,
      provider: `${kind}-${behaviour}`,
      baseUrl: `${server.baseUrl}/${behaviour}${kind === 'openai' ? '/v1' : ''}`,
      keyVariable,
      models: ['model'],
      timeoutSeconds,
    })),
  )
  const enginesFile = join(home.path, 'engines.json')
  await writeFile(enginesFile, JSON.stringify({ engines }))
  const dataDir = join(home.path, 'data')
  const flags = ['--engines', enginesFile, '--data-dir', dataDir, '--models-dir', join(home.path, 'models')]
  const chat = Object.fromEntries(
    Object.entries(chatBehaviours).flatMap(([id, behaviour]) => [
      [`${id.toUpperCase()}_BASE_URL`, `${server.baseUrl}/${behaviour}/v1`],
      [`${id.toUpperCase()}_API_KEY`, secret],
    ]),
  )
  serving = startCli(['serve', ...flags, '--request-timeout', '12'], {
    cwd: home.path,
    env: { ...chat, [keyVariable]: secret },
  })
  await serving.said(/Ctrl-C stops it/)
  const announced = JSON.parse(await readFile(join(dataDir, 'local-api.json'), 'utf8'))
  origin = `http://127.0.0.1:${announced.port}`
  token = announced.token
})
afterAll(async () => {
  serving.process.kill('SIGTERM')
  const { stderr, stdout } = await serving.ended
  await server[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
  expect(stdout + stderr).not.toContain(secret)
})

/** The post-processing providers that the service knows, each with another behaviour. */
const chatBehaviours: Readonly<Record<string, Behaviour>> = {
  openai: 'answers',
  groq: 'unauthorized',
  mistral: 'limited',
  openrouter: 'broken',
  ollama: 'cut',
  llamacpp: 'silent',
  lmstudio: 'late',
}

function answerAsThePathSays(request: Recorded): Canned {
  const [, behaviour, ...rest] = request.path.split('/')
  const path = rest.join('/')
  const protocol = path === 'v1/listen' ? 'deepgram' : path === 'v1/speech-to-text' ? 'elevenlabs' : 'openai'
  const body = path === 'v1/chat/completions' ? saying('Send it.') : documentedAnswer(protocol, request)
  return cannedFor(behaviour as Behaviour, body, documentedRefusals[protocol](secret))
}

function cannedFor(
  behaviour: Behaviour,
  body: unknown,
  refusals: ReturnType<(typeof documentedRefusals)[ProtocolName]>,
): Canned {
  switch (behaviour) {
    case 'answers':
      return { body }
    case 'late':
      return { body, delayMs: 500 }
    case 'unauthorized':
      return { status: 401, body: refusals[401] }
    case 'limited':
      return { status: 429, headers: { 'retry-after': '7' }, body: refusals[429] }
    case 'broken':
      return { status: 500, body: refusals[500] }
    case 'cut':
      return { body, isCut: true }
    case 'silent':
      return {}
  }
}

/** Asks the service by the runtime's own `fetch`, as a client in a script does. */
async function post(path: string, body: unknown) {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { headers: response.headers, json: (await response.json()) as Record<string, unknown> }
}

const transcribeBy = (protocol: ProtocolName, behaviour: Behaviour) =>
  post('/transcribe', {
    engine: `${protocol}-${behaviour}`,
    model: 'model',
    language: 'en',
    audio_base64: base64(tone(0.5)),
    mime_type: 'audio/wav',
  })

describe.each(protocols)('a served engine of the protocol %s', (protocol) => {
  test('sends the recording with its length and returns the transcript', async () => {
    const before = server.requests.length
    const { json } = await transcribeBy(protocol, 'answers')
    expect(json).toMatchObject({ ok: true, text: 'Hello there.', engine: `${protocol}-answers` })
    const [request, ...others] = server.requests.slice(before)
    expect(others).toEqual([])
    expect(Number(request?.headers['content-length'])).toBeGreaterThanOrEqual(
      request?.audio.length ?? Number.POSITIVE_INFINITY,
    )
    expect(request?.headers['transfer-encoding']).toBeUndefined()
  })

  test('returns the transcript of a provider that answers late', async () => {
    expect((await transcribeBy(protocol, 'late')).json).toMatchObject({ ok: true, text: 'Hello there.' })
  })

  test.each([
    ['unauthorized', 'MISSING_API_KEY', /refuses the key \(HTTP 401\): .*credentials/i],
    ['limited', 'RATE_LIMITED', /takes no more requests for now: .*too many requests/i],
    ['broken', 'TRANSCRIPTION_FAILED', /\(HTTP 500\): .*internal error/i],
    ['cut', 'TRANSCRIPTION_FAILED', /broke off its answer/],
    ['silent', 'TIMEOUT', new RegExp(`no answer within ${timeoutSeconds} s`)],
  ] as const)(
    'of a provider that is %s answers %s in the words of the provider',
    async (behaviour, code, message) => {
      const { json } = await transcribeBy(protocol, behaviour)
      expect(json).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(message) } })
      expect(JSON.stringify(json)).not.toContain(secret)
    },
  )

  test('passes on when a rate-limited provider may be asked again', async () => {
    const { headers, json } = await transcribeBy(protocol, 'limited')
    expect(json).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(7)
  })
})

describe('served post-processing', () => {
  test.each(Object.entries(chatBehaviours))(
    'by %s, a provider that is "%s", answers with a text',
    async (provider, behaviour) => {
      const text = 'um send it'
      const { json } = await post('/post-process', { text, preset: 'mail', provider, model: 'm' })
      const isEdited = behaviour === 'answers' || behaviour === 'late'
      expect(json).toMatchObject({
        ok: true,
        provider,
        text: isEdited ? 'Send it.' : text,
        post_processed: isEdited,
      })
    },
  )
})
