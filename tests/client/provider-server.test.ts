import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openProviderServer } from '#client/provider-server'
import type { TranscriptionServer } from '#client/transcription-server'
import type { Clock } from '#load/clock'
import { providerAccess } from '#providers/access'
import { findProvider } from '#providers/providers'
import { temporaryFolder } from '../temporary-folder.ts'
import { type Handler, type OddServer, sendJson, startOddServer } from './odd-server.ts'

/** A clock whose time passes in sleeps only, each of which is over at once. */
interface NotedClock extends Clock {
  readonly sleptMs: readonly number[]
}

function notedClock(): NotedClock {
  const sleptMs: number[] = []
  let nowMs = 0
  return {
    sleptMs,
    nowMs: () => nowMs,
    today: () => new Date('2026-11-27T12:00:00Z'),
    async sleepUntil(dueAtMs) {
      sleptMs.push(dueAtMs - nowMs)
      nowMs = Math.max(nowMs, dueAtMs)
    },
  }
}

interface Bench extends AsyncDisposable {
  readonly clock: NotedClock
  readonly provider: OddServer
  readonly server: TranscriptionServer
  transcribe(signal?: AbortSignal): ReturnType<TranscriptionServer['transcribe']>
}

/** A provider with one connection; its address and keys are in the environment. */
async function bench(
  id: string,
  handle: Handler,
  env: (root: string) => Record<string, string>,
  timeoutMs = 600_000,
): Promise<Bench> {
  const stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  const path = join(folder.path, 'one.wav')
  await writeFile(path, Buffer.alloc(1000))
  const provider = stack.use(await startOddServer(handle))
  const data = findProvider(id)
  const access =
    data && providerAccess(data, { env: env(`http://127.0.0.1:${provider.port}`), keyFrom: null })
  if (data === null || access === null || 'missing' in access) throw new Error(`no access to ${id}`)
  const clock = notedClock()
  const server = stack.use(openProviderServer(data, { access, clock, connections: 1 }))
  return {
    clock,
    provider,
    server,
    transcribe: (signal) =>
      server.transcribe({
        audio: { path, sizeBytes: 1000, mimeType: 'audio/wav' },
        model: 'standard',
        language: 'en',
        timestamps: [],
        options: {},
        timeoutMs,
        signal,
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test.each([
  ['3', 3000],
  ['1.5', 1500],
  ['Fri, 27 Nov 2026 12:01:30 GMT', 90_000],
  ['-1', 2000],
  ['0', 2000],
  ['soon', 2000],
])(
  'a job that is asked for too often, with Retry-After "%s", is asked for again after %d ms',
  async (retryAfter, waitMs) => {
    let asked = 0
    const job = (status: string, text: string | null) => ({ id: 'j', status, text })
    await using here = await bench(
      'assemblyai',
      ({ method, url }, response) => {
        if (url === '/v2/upload') return sendJson(response, { upload_url: 'https://cdn.example/1' })
        if (method === 'POST') return sendJson(response, job('queued', null))
        asked += 1
        if (asked > 1) return sendJson(response, job('completed', 'yes'))
        response.setHeader('retry-after', retryAfter)
        sendJson(response, { error: 'Too many requests' }, 429)
      },
      (root) => ({ ASSEMBLYAI_API_KEY: 'k', ASSEMBLYAI_BASE_URL: root }),
    )
    expect((await here.transcribe()).outcome).toMatchObject({ ok: true, value: { text: 'yes' } })
    expect(here.clock.sleptMs).toEqual([250, waitMs])
  },
)

test('a job of Amazon whose state is asked for too often is asked for again, and not paid for in vain', async () => {
  await using here = await amazon((response) => void response.writeHead(204).end())
  const { handle } = here.provider
  let asked = 0
  here.provider.handle = (seen, response, request) => {
    if (seen.headers['x-amz-target'] !== 'Transcribe.GetTranscriptionJob')
      return handle(seen, response, request)
    asked += 1
    if (asked > 1) return handle(seen, response, request)
    sendJson(response, { __type: 'ThrottlingException', Message: 'Rate exceeded' }, 400)
  }
  expect((await here.transcribe()).outcome).toMatchObject({ ok: true, value: { text: 'yes' } })
  expect(here.clock.sleptMs).toEqual([250, 2000])
})

/** A job of AssemblyAI whose polls get the responses of `polls` one after the other, the last one again and again. */
function polled(
  timeoutMs: number,
  ...polls: readonly ((response: ServerResponse) => void)[]
): Promise<Bench> {
  let count = 0
  return bench(
    'assemblyai',
    ({ method, url }, response) => {
      if (url === '/v2/upload') return sendJson(response, { upload_url: 'https://cdn.example/1' })
      if (method === 'POST') return sendJson(response, { id: 'j', status: 'queued', text: null })
      polls[Math.min(count, polls.length - 1)]?.(response)
      count += 1
    },
    (root) => ({ ASSEMBLYAI_API_KEY: 'k', ASSEMBLYAI_BASE_URL: root }),
    timeoutMs,
  )
}

const completed = (response: ServerResponse): void =>
  sendJson(response, { id: 'j', status: 'completed', text: 'yes' })
const badGateway = (response: ServerResponse): void => void response.writeHead(502).end('<html>Bad Gateway')
const reset = (response: ServerResponse): void => void response.destroy()

test('a job is polled again after a bad gateway, a refusal for a while and a lost connection', async () => {
  const unavailable = (response: ServerResponse): void => {
    response.setHeader('retry-after', '7')
    sendJson(response, { error: 'Down for maintenance' }, 503)
  }
  await using here = await polled(600_000, badGateway, unavailable, reset, completed)
  expect((await here.transcribe()).outcome).toMatchObject({ ok: true, value: { text: 'yes' } })
  expect(here.clock.sleptMs).toEqual([250, 2000, 7000, 2000])
})

test('a job whose polls fail until its time is over fails as the last of them did', async () => {
  await using cut = await polled(600_000, reset)
  expect((await cut.transcribe()).outcome).toMatchObject({ ok: false, failure: { kind: 'unreachable' } })
  expect(cut.clock.nowMs()).toBe(600_000)
  await using down = await polled(600_000, badGateway)
  expect((await down.transcribe()).outcome).toMatchObject({ ok: false, failure: { httpStatus: 502 } })
})

test('a poll that gets no response ends before the job does, and is followed by another one', async () => {
  const silent = (): void => undefined
  await using here = await polled(3000, silent, completed)
  expect((await here.transcribe()).outcome).toMatchObject({ ok: true, value: { text: 'yes' } })
  expect(here.clock.sleptMs).toEqual([250, 2000])
  await using never = await polled(3000, silent)
  const { outcome } = await never.transcribe()
  expect(outcome).toMatchObject({ ok: false, failure: { kind: 'timedOut', afterMs: 3000 } })
})

test('a job that is unknown to the provider is polled once', async () => {
  await using here = await polled(600_000, (response) => sendJson(response, { error: 'Not found' }, 404))
  expect((await here.transcribe()).outcome).toMatchObject({ ok: false, failure: { httpStatus: 404 } })
  expect(here.clock.sleptMs).toEqual([250])
})

test('a job whose start Amazon refuses for a rate limit fails, as nothing of it is paid for', async () => {
  await using here = await amazon((response) => void response.writeHead(204).end())
  const { handle } = here.provider
  here.provider.handle = (seen, response, request) =>
    seen.headers['x-amz-target'] === 'Transcribe.StartTranscriptionJob'
      ? sendJson(response, { __type: 'LimitExceededException', Message: 'Too many jobs' }, 400)
      : handle(seen, response, request)
  expect((await here.transcribe()).outcome).toMatchObject({ ok: false, failure: { code: 'RATE_LIMITED' } })
})

test.each(['', '/', '//'])(
  'a job of Azure is sent the address at which its recording was put, with "%s" at the end of the container',
  async (end) => {
    await using here = await bench(
      'azure',
      ({ method }, response) => void response.writeHead(method === 'POST' ? 400 : 201).end(),
      (root) => ({
        AZURE_API_KEY: 'k',
        AZURE_BASE_URL: root,
        AZURE_STORAGE_URL: `${root}/container${end}?sv=2021-08-06&sig=a%2Fb%3D`,
      }),
    )
    await here.transcribe()
    const [put, submitted] = here.provider.seen
    expect(put?.url).toMatch(/^\/container\/[\w-]+\?sv=2021-08-06&sig=a%2Fb%3D$/)
    expect(JSON.parse(String(submitted?.body)).contentUrls).toEqual([
      `http://127.0.0.1:${here.provider.port}${put?.url}`,
    ])
  },
)

/** Amazon, whose jobs leave a recording, a job and a text; `removal` answers a request that removes one of them. */
function amazon(removal: (response: ServerResponse) => void | Promise<void>): Promise<Bench> {
  const job = { TranscriptionJob: { TranscriptionJobStatus: 'COMPLETED', LanguageCode: 'en-US' } }
  return bench(
    'aws',
    ({ method, headers }, response) => {
      const isRemoval = method === 'DELETE' || headers['x-amz-target'] === 'Transcribe.DeleteTranscriptionJob'
      if (isRemoval) return removal(response)
      sendJson(response, method === 'GET' ? { results: { transcripts: [{ transcript: 'yes' }] } } : job)
    },
    (root) => ({
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'a-secret',
      AWS_REGION: 'eu-central-1',
      AWS_BUCKET: 'the-bucket',
      AWS_BASE_URL: root,
      AWS_STORAGE_URL: `${root}/bucket`,
    }),
  )
}

test('neither an answer nor the next job waits until what a job has left is removed, but closing does', async () => {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await using here = await amazon(async (response) => {
    begun.resolve()
    await released.promise
    response.writeHead(204).end()
  })
  for (const _ of ['first', 'next']) expect((await here.transcribe()).outcome.ok).toBe(true)
  await begun.promise
  let isClosed = false
  const closing = here.server[Symbol.asyncDispose]().then(() => {
    isClosed = true
  })
  await Promise.race([closing, here.server.listModels()])
  expect(isClosed).toBe(false)
  released.resolve()
  await closing
  const removed = here.provider.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url)
  const stored = here.provider.seen.filter(({ method }) => method === 'PUT').map(({ url }) => url)
  expect(removed.toSorted()).toEqual(stored.flatMap((url) => [url, `${url}.json`]).toSorted())
})

test('what a job has left that was dropped is removed before the connections are closed', async () => {
  const drop = new AbortController()
  await using here = await amazon((response) => void response.writeHead(204).end())
  const { handle } = here.provider
  here.provider.handle = (seen, ...rest) => {
    if (seen.headers['x-amz-target'] === 'Transcribe.StartTranscriptionJob') drop.abort()
    return handle(seen, ...rest)
  }
  expect((await here.transcribe(drop.signal)).outcome).toEqual({ ok: false, failure: { kind: 'dropped' } })
  await here.server[Symbol.asyncDispose]()
  const [stored, , ...removals] = here.provider.seen
  expect(removals.map(({ method, headers }) => headers['x-amz-target'] ?? method)).toEqual([
    'Transcribe.DeleteTranscriptionJob',
    'DELETE',
  ])
  expect(removals.at(-1)?.url).toBe(stored?.url)
})
