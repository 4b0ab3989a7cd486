import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import type { ModelEntry, ProviderStatus } from '#contract/resources'
import { startOddServer } from '../client/odd-server.ts'
import { type ChatServer, saying, startChatServer } from './chat-server.ts'
import { type Answer, startTestService, type TestService } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

const said = 'um send it on monday'
let reply: (text: string) => unknown = () => saying('Send it on Monday.')
let chat: ChatServer
let started: TestService

beforeAll(async () => {
  chat = await startChatServer((text) => reply(text))
  started = await startTestService({
    catalogue: scriptedCatalogue({ echo: {} }),
    env: {
      OPENAI_API_KEY: 'secret-key',
      OPENAI_BASE_URL: `${chat.baseUrl}/`,
      OLLAMA_BASE_URL: chat.baseUrl,
      LLAMACPP_BASE_URL: 'http://127.0.0.1:1/v1',
    },
    requestTimeoutSeconds: 2,
  })
})
beforeEach(() => {
  reply = () => saying('Send it on Monday.')
})
afterAll(async () => {
  await started[Symbol.asyncDispose]()
  await chat[Symbol.asyncDispose]()
})

const process = (body: unknown): Promise<Answer> => started.send('POST', '/post-process', { body })

const createMode = (fields: object): Promise<string> =>
  started.createMode({ name: `Mode ${Math.random()}`, ...fields })

const lastAsked = (): ChatServer['asked'][number] | undefined => chat.asked.at(-1)
const instructions = (): string => lastAsked()?.body?.messages?.[0]?.content ?? ''

describe('a text', () => {
  test('is edited by the first provider that has its key, as the preset says', async () => {
    const { json, status } = await process({ text: said, preset: 'mail' })
    expect(status).toBe(200)
    expect(json).toEqual({
      ok: true,
      text: 'Send it on Monday.',
      provider: 'openai',
      model: 'gpt-4.1-mini',
      preset: 'mail',
      latency_ms: expect.any(Number),
      post_processed: true,
    })
    expect(lastAsked()).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret-key' },
      body: { model: 'gpt-4.1-mini', messages: [{ role: 'system' }, { role: 'user', content: said }] },
    })
    expect(instructions()).toContain('e-mail')
  })

  test('is edited as a prompt says, by the provider and the model that are named', async () => {
    const { json } = await process({ text: said, prompt: 'Shout.', provider: 'ollama', model: 'small' })
    expect(json).toMatchObject({ provider: 'ollama', model: 'small', preset: 'custom', post_processed: true })
    expect(instructions()).toContain('Shout.')
    expect(lastAsked()?.headers.authorization).toBeUndefined()
  })

  test('goes to the first model that a local provider lists when none is named', async () => {
    expect((await process({ text: said, preset: 'note', provider: 'ollama' })).json).toMatchObject({
      model: 'first-model',
    })
  })

  test('is edited as a Mode says, with its words and its spelling', async () => {
    const mode_id = await createMode({
      preset: 'note',
      postProcessingMode: 2,
      localPostProcessingModel: 'tiny',
      customInstructions: 'Keep it short.',
      englishSpelling: 'british',
      customVocabulary: ['Kubernetes'],
    })
    expect((await process({ text: said, mode_id })).json).toMatchObject({
      provider: 'ollama',
      model: 'tiny',
      preset: 'note',
    })
    for (const part of ['Keep it short.', 'british', 'Kubernetes']) expect(instructions()).toContain(part)
  })

  test('with fields that a form left empty is edited as if they were left out', async () => {
    const mode_id = await createMode({
      postProcessingMode: 1,
      postProcessingProvider: '',
      cloudPostProcessingModel: '',
      languageModel: 'its-model',
    })
    const empty = { preset: '', prompt: '', provider: '', model: '' }
    expect((await process({ text: said, mode_id, ...empty })).json).toMatchObject({
      provider: 'openai',
      model: 'its-model',
      post_processed: true,
    })
    expect((await process({ text: said, ...empty, mode_id: '', preset: 'mail' })).json).toMatchObject({
      provider: 'openai',
      model: 'gpt-4.1-mini',
      preset: 'mail',
    })
  })

  test('comes back without what a model thought before it answered', async () => {
    reply = () => saying('<think>\nWhat do they want?\n</think>\n\nSend it.')
    expect((await process({ text: said, preset: 'hyper' })).json).toMatchObject({ text: 'Send it.' })
  })
})

describe('a provider that fails', () => {
  test.each([
    ['refuses', () => 500],
    ['does not take the key', () => 401],
    ['answers something else', () => ({ hello: 'there' })],
    ['answers no JSON', () => 'hello'],
    ['answers nothing', () => saying(' \n')],
    ['does not answer in time', () => null],
  ])('because it %s leaves the text unchanged, and says so', async (_what, failing) => {
    reply = failing
    expect(await process({ text: ` ${said} `, preset: 'mail' })).toMatchObject({
      status: 200,
      json: { ok: true, text: ` ${said} `, provider: 'openai', post_processed: false },
    })
    const shown = JSON.stringify(started.logged)
    expect(shown).not.toContain('monday')
    expect(shown).not.toContain('secret-key')
  })

  test.each(['llamacpp', 'groq'])('because %s is not there or has no key does the same', async (provider) => {
    expect((await process({ text: said, preset: 'mail', provider })).json).toMatchObject({
      ok: true,
      text: said,
      provider,
      post_processed: false,
    })
  })
})

describe('a request', () => {
  test.each([
    ['an unknown preset', { text: said, preset: 'poem' }],
    ['a blank prompt', { text: said, prompt: ' ' }],
    ['a Mode id that is none', { text: said, mode_id: '1' }],
  ])('with %s is refused', async (_what, body) => {
    expect(await process(body)).toMatchObject({
      status: 200,
      json: { ok: false, error: { code: 'INVALID_REQUEST' } },
    })
  })

  test.each([
    ['a blank text', { text: ' ' }, 'text: is blank.'],
    ['no text', {}, 'text: is missing.'],
    ['a number as its text', { text: 1 }, 'text: must be of type string.'],
  ])('with %s is refused in a sentence about the text', async (_what, body, message) => {
    const answer = await process({ ...body, preset: 'mail' })
    expect(answer.json.error).toMatchObject({ code: 'INVALID_REQUEST', message })
  })

  test('goes to a server below the path of its address, whose query is kept', async () => {
    await using own = await startTestService({ env: { CUSTOM_BASE_URL: `${chat.baseUrl}?api-version=2` } })
    const body = { text: said, preset: 'mail', provider: 'custom', model: 'm' }
    expect((await own.send('POST', '/post-process', { body })).json).toMatchObject({ post_processed: true })
    expect(lastAsked()?.path).toBe('/v1/chat/completions?api-version=2')
  })

  test('with an unknown provider is refused with those that there are', async () => {
    const answer = await process({ text: said, preset: 'mail', provider: 'nobody' })
    expect(answer.json.error).toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      hint: expect.stringContaining('ollama'),
    })
  })

  test('with a Mode whose post-processing is off is refused, unless it says itself what to do', async () => {
    const mode_id = await createMode({ preset: 'mail' })
    expect((await process({ text: said, mode_id })).json.error?.code).toBe('INVALID_REQUEST')
    expect((await process({ text: said, mode_id, preset: 'note' })).json).toMatchObject({ preset: 'note' })
    expect((await process({ text: said, mode_id, prompt: 'Shout.' })).json).toMatchObject({
      preset: 'custom',
    })
  })
})

describe('the health of providers', () => {
  const health = async (service: TestService): Promise<Readonly<Record<string, ProviderStatus>>> => {
    const { json } = await service.send('GET', '/health')
    const { post_processing_providers } = endpoints.health.answer.parse(json)
    return Object.fromEntries(post_processing_providers.map((provider) => [provider.id, provider]))
  }

  test('is what requests have shown, and no provider is asked, unless the operator allows it', async () => {
    await using own = await startTestService({ env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: chat.baseUrl } })
    const askedBefore = chat.asked.length
    expect((await health(own))['openai']).toEqual({
      id: 'openai',
      key_present: true,
      reachable: false,
      status: 'unknown',
    })
    expect((await health(own))['groq']).toMatchObject({ key_present: false, status: 'unknown' })
    expect(chat.asked).toHaveLength(askedBefore)
    await own.send('POST', '/post-process', { body: { text: said, preset: 'note' } })
    expect((await health(own))['openai']).toMatchObject({ reachable: true, status: 'healthy' })
  })

  test('is asked for in the background, while requests go on, and kept for a minute', async () => {
    const askedBefore = chat.asked.length
    await using own = await startTestService({
      env: {
        OPENAI_API_KEY: 'k',
        OPENAI_BASE_URL: chat.baseUrl,
        OLLAMA_BASE_URL: 'http://127.0.0.1:1/v1',
      },
      askProviders: true,
    })
    expect(await health(own)).toMatchObject({
      openai: { status: 'checking' },
      ollama: { status: 'checking' },
    })
    let known = await health(own)
    while (known['openai']?.status === 'checking' || known['ollama']?.status === 'checking') {
      await sleep(5)
      known = await health(own)
    }
    expect(known).toMatchObject({
      openai: { status: 'healthy', reachable: true, key_present: true },
      ollama: { status: 'unreachable', reachable: false, key_present: true },
      groq: { status: 'unknown', reachable: false, key_present: false },
    })
    // Waits for every question that is open.
    await own.send('GET', '/models?kind=text')
    expect(chat.asked.slice(askedBefore).map(({ path }) => path)).toEqual(['/v1/models'])
  })
})

test('/health does not wait for a server of models that takes a question and is silent', async () => {
  const asked = new AbortController()
  await using silent = await startOddServer(() => asked.abort())
  const env = { OLLAMA_BASE_URL: `http://127.0.0.1:${silent.port}/v1` }
  await using own = await startTestService({ env, askProviders: true })
  const listing = own.send('GET', '/models?kind=text')
  if (!asked.signal.aborted) await once(asked.signal, 'abort')
  // The question is open, here and for a client that lists the models.
  let isListed = false
  void listing.then(() => {
    isListed = true
  })
  const { json } = await own.send('GET', '/health')
  expect(endpoints.health.answer.parse(json).post_processing_providers).toContainEqual(
    expect.objectContaining({ id: 'ollama', reachable: false }),
  )
  expect(isListed).toBe(false)
  await listing
})

describe('the language models of providers', () => {
  const listed = async (service: TestService, query = 'kind=text'): Promise<readonly ModelEntry[]> =>
    endpoints.listModels.answer.parse((await service.send('GET', `/models?${query}`)).json).models

  test('are listed where a server of this machine answers, and a cloud provider has its key', async () => {
    await using own = await startTestService({
      env: {
        GROQ_API_KEY: 'k',
        GROQ_CHAT_MODEL: 'llama-3',
        GROQ_BASE_URL: 'http://127.0.0.1:1/v1',
        OLLAMA_BASE_URL: 'http://127.0.0.1:1/v1',
        LMSTUDIO_BASE_URL: chat.baseUrl,
      },
    })
    const cloud = { id: 'llama-3', kind: 'text', provider: 'groq', installed: true }
    const local = {
      id: 'first-model',
      kind: 'text',
      provider: 'local',
      installed: true,
      displayName: 'LM Studio first-model',
    }
    expect(await listed(own)).toMatchObject([cloud, local])
    expect((await listed(own, 'kind=all')).filter(({ kind }) => kind === 'text')).toHaveLength(2)
    expect(await listed(own, 'kind=voice')).toMatchObject([{ id: 'echo' }])
    const { json } = await own.send('GET', '/health')
    expect(endpoints.health.answer.parse(json).local_models['local_llm']).toEqual([
      { id: 'first-model', displayName: 'LM Studio first-model', installed: true },
    ])
    // What is listed is what a client can name.
    const named = { text: said, prompt: 'Shout.', provider: 'local', model: 'first-model' }
    expect((await own.send('POST', '/post-process', { body: named })).json).toMatchObject({
      provider: 'lmstudio',
      model: 'first-model',
      post_processed: true,
    })
  })

  test('are none where no server answers and no key is there, and every name in an answer is a text', async () => {
    const nowhere = 'http://127.0.0.1:1/v1'
    await using own = await startTestService({
      env: { OLLAMA_BASE_URL: nowhere, LLAMACPP_BASE_URL: nowhere, LMSTUDIO_BASE_URL: nowhere },
    })
    expect(await listed(own)).toEqual([])
    const answer = await own.send('POST', '/post-process', { body: { text: said, prompt: 'Shout.' } })
    expect(answer.json).toEqual({
      ok: true,
      text: said,
      provider: 'ollama',
      model: '',
      preset: 'custom',
      latency_ms: expect.toSatisfy(Number.isInteger),
      post_processed: false,
    })
  })
})
