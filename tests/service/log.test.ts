import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import type { HealthSnapshot } from '#contract/resources'
import type { LoggedEvent, ServiceEvent } from '#service/service-event'
import type { ServiceOptions } from '#service/settings'
import { base64, startTestService, type TestService, tone } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

type Heard<Kind extends ServiceEvent['kind']> = Extract<ServiceEvent, { kind: Kind }>

/** What the log of a service says of one transcription of `Call Ada.`, which takes 60 ms, or a second for a client that leaves. */
async function logOf(options: ServiceOptions, leavesMidway = false): Promise<readonly LoggedEvent[]> {
  const client = new AbortController()
  await using started = await startTestService({
    ...options,
    catalogue: scriptedCatalogue(
      { echo: { otherwise: { text: 'Call Ada.', delayMs: leavesMidway ? 1_000 : 60 } } },
      ({ kind }) => {
        if (leavesMidway && kind === 'started') client.abort()
      },
    ),
  })
  const body = { engine: 'scripted', model: 'echo', audio_base64: base64(tone(0.5)) }
  await started.transcribe(body, client.signal).catch(() => null)
  return started.logged
}

function only<Kind extends ServiceEvent['kind']>(events: readonly ServiceEvent[], kind: Kind): Heard<Kind> {
  const [first, ...others] = events.filter((event): event is Heard<Kind> => event.kind === kind)
  if (first === undefined || others.length > 0) throw new Error(`${others.length + 1} events of ${kind}`)
  return first
}

describe('the log', () => {
  test('reports how long an answer really took, and how much was heard, without a word of it', async () => {
    const events = await logOf({})
    expect(only(events, 'answered')).toMatchObject({ route: '/transcribe', code: null, isDelivered: true })
    expect(only(events, 'answered').durationMs).toBeGreaterThanOrEqual(60)
    expect(only(events, 'transcribed')).toMatchObject({
      engine: 'scripted',
      model: 'echo',
      audioSeconds: 0.5,
    })
    expect(JSON.stringify(events)).not.toContain('Ada')
  })

  test('has the texts where the operator asks for them', async () => {
    expect(only(await logOf({ logTexts: true }), 'transcribed').text).toBe('Call Ada.')
  })

  test('says of an answer that its client had gone', async () => {
    const events = await logOf({}, true)
    expect(only(events, 'answered')).toMatchObject({ code: 'TRANSCRIPTION_FAILED', isDelivered: false })
    expect(events.some(({ kind }) => kind === 'transcribed')).toBe(false)
  })
})

test('the id of a request is in its answer, and in every line of the log that belongs to it', async () => {
  await using started = await startTestService({
    concurrency: 4,
    catalogue: scriptedCatalogue({ echo: { loadMs: 20, otherwise: { text: 'a', delayMs: 20 } } }),
  })
  const events = started.logged
  const body = { engine: 'scripted', model: 'echo', audio_base64: base64(tone(0.5)) }
  const answers = await Promise.all(Array.from({ length: 4 }, () => started.transcribe(body)))
  const ids = answers.map(({ headers }) => String(headers['x-request-id']))
  expect(new Set(ids).size).toBe(4)
  for (const id of ids) {
    expect(id).toMatch(/^[\w-]{8}$/)
    const kinds = events.filter(({ requestId }) => requestId === id).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind !== 'modelLoaded')).toEqual(['transcribed', 'answered'])
  }
  expect(ids).toContain(events.find(({ kind }) => kind === 'modelLoaded')?.requestId)
  for (const path of ['/nowhere', '/modes/%zz']) {
    const { headers } = await started.send('GET', path)
    expect(events.at(-1)).toMatchObject({ kind: 'answered', requestId: headers['x-request-id'] })
  }
})

test('the start of the log shows the settings, without a path or a key', async () => {
  await using started = await startTestService({
    env: { OPENAI_API_KEY: 'secret-key' },
    maxQueue: Number.POSITIVE_INFINITY,
  })
  const [first] = started.logged
  expect(first).toMatchObject({
    kind: 'starting',
    settings: { profile: 'linux', maxQueue: 'none', threads: 1, models: ['scripted:echo'], record: false },
  })
  expect(JSON.stringify(first)).not.toContain('secret-key')
  expect(JSON.stringify(first)).not.toContain(started.folder)
})

describe('a warm-up that failed', () => {
  const healthOf = async (started: TestService): Promise<HealthSnapshot> =>
    endpoints.health.answer.parse((await started.send('GET', '/health')).json)

  test('makes the health degraded, with the reason, until the model could be loaded', async () => {
    await using started = await startTestService({
      warmUp: ['echo', 'absent', 'unknown'],
      catalogue: scriptedCatalogue({ echo: {}, absent: { installed: false } }),
    })
    expect(await healthOf(started)).toMatchObject({
      ok: true,
      status: 'degraded',
      problems: [
        { model: 'absent', reason: 'The model absent is not installed.' },
        { model: 'unknown', reason: 'There is no such model.' },
      ],
    })
  })

  test('is none where all models could be loaded', async () => {
    await using started = await startTestService({ warmUp: ['echo'] })
    expect(await healthOf(started)).toMatchObject({ status: 'ok', problems: [] })
  })
})
