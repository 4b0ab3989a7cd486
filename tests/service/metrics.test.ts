import { request as httpRequest } from 'node:http'
import parsePrometheusTextFormat from 'parse-prometheus-text-format'
import { describe, expect, test } from 'vitest'
import type { ServiceOptions } from '#service/settings'
import { base64, startTestService, type TestService, tone } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

const audio_base64 = base64(tone(0.5))

/** A service with metrics on a separate port, and where that is. */
async function startMeasured(
  options: ServiceOptions = {},
): Promise<{ readonly started: TestService; readonly address: string }> {
  const started = await startTestService({ metricsPort: 0, ...options })
  const listening = started.logged.find((event) => event.kind === 'metricsListening')
  return { started, address: listening?.address ?? '' }
}

/** One sample of a metric, or one family of buckets, as a parser that is not ours reads it. */
type Sample = ReturnType<typeof parsePrometheusTextFormat>[number]['metrics'][number]

async function scrape(address: string): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const response = await fetch(address)
  expect(response.status).toBe(200)
  const families = parsePrometheusTextFormat(await response.text())
  return new Map(families.map(({ name, metrics }) => [name, metrics]))
}

async function scrapeUntil(
  address: string,
  isThere: (families: ReadonlyMap<string, readonly Sample[]>) => boolean,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  let families = await scrape(address)
  for (let tries = 0; tries < 2_000 && !isThere(families); tries += 1) families = await scrape(address)
  expect(isThere(families)).toBe(true)
  return families
}

const sampleOf = (
  families: ReadonlyMap<string, readonly Sample[]>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Sample | undefined =>
  families
    .get(name)
    ?.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value))

const figureOf = (...wanted: Parameters<typeof sampleOf>): number => Number(sampleOf(...wanted)?.value)

describe('metrics', () => {
  test('are of what 50 clients do while they do it, and of all of it afterwards', async () => {
    const { started, address } = await startMeasured({
      concurrency: 3,
      catalogue: scriptedCatalogue({
        echo: { otherwise: ({ index }) => (index < 3 ? { hang: true } : { text: 'a' }) },
      }),
    })
    await using _started = started
    const echo = { engine: 'scripted', model: 'echo' }
    const patience = new AbortController()
    // The first ones hold a slot until they give up; the others wait.
    const clients = Array.from({ length: 50 }, () =>
      started.transcribe({ ...echo, audio_base64 }, patience.signal).catch(() => null),
    )
    for (let count = 0; count < 5; count += 1) {
      await started.transcribe({ ...echo, model: 'none', audio_base64 })
    }
    const during = await scrapeUntil(
      address,
      (families) => figureOf(families, 'transcribench_queue_length', { model: 'echo' }) === 47,
    )
    expect(figureOf(during, 'transcribench_busy_slots', { engine: 'scripted', model: 'echo' })).toBe(3)
    expect(figureOf(during, 'transcribench_slots', { model: 'echo' })).toBe(3)
    expect(figureOf(during, 'transcribench_model_loaded', { model: 'echo' })).toBe(1)
    expect(figureOf(during, 'transcribench_request_failures_total', { code: 'MODEL_NOT_FOUND' })).toBe(5)
    expect(figureOf(during, 'process_resident_memory_bytes')).toBeGreaterThan(10e6)

    patience.abort()
    await Promise.all(clients)
    const next = await started.transcribe({ ...echo, audio_base64 })
    expect(next.json).toMatchObject({ ok: true })
    const after = await scrapeUntil(
      address,
      (families) => figureOf(families, 'transcribench_answers_undelivered_total') === 50,
    )
    expect(figureOf(after, 'transcribench_queue_length', { model: 'echo' })).toBe(0)
    const answered = sampleOf(after, 'transcribench_request_duration_seconds')
    expect(answered?.buckets?.['+Inf']).toBe('56')
    expect(answered?.buckets?.['600']).toBe('56')
    // One that took the place of a client that gave up may have been heard before it gave up itself.
    const heardSeconds = figureOf(after, 'transcribench_transcribed_audio_seconds_total', { model: 'echo' })
    expect(heardSeconds).toBeGreaterThanOrEqual(0.5)
  })

  test.runIf(process.platform === 'linux')('count the child processes of the service', async () => {
    const { started, address } = await startMeasured()
    await using _started = started
    await started.transcribe({ engine: 'scripted', model: 'echo', audio_base64 })
    const families = await scrape(address)
    // The service, and the process that decoded the clip.
    expect(figureOf(families, 'transcribench_processes')).toBeGreaterThanOrEqual(2)
    expect(figureOf(families, 'transcribench_resident_memory_bytes')).toBeGreaterThan(
      figureOf(families, 'process_resident_memory_bytes') + 20e6,
    )
    expect(figureOf(families, 'transcribench_cpu_seconds_total')).toBeGreaterThan(
      figureOf(families, 'process_cpu_seconds_total'),
    )
  })

  test('are nowhere unless the operator asks for them, and never on the port of the API', async () => {
    await using started = await startTestService()
    expect(started.logged.some(({ kind }) => kind === 'metricsListening')).toBe(false)
    expect((await started.send('GET', '/metrics')).status).toBe(404)
  })

  test('are shown on loopback under its own name only, and end with the service', async () => {
    const { started, address } = await startMeasured()
    const { port, hostname } = new URL(address)
    expect(hostname).toBe('127.0.0.1')
    const statusFor = (host: string, path = '/metrics', further = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { host, ...further }
        const request = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        request.once('error', reject).end()
      })
    expect(await statusFor(`localhost:${port}`)).toBe(200)
    expect(await statusFor(`attacker.example:${port}`)).toBe(403)
    expect(await statusFor(`127.0.0.1:${port}`, '/')).toBe(404)
    const here = `127.0.0.1:${port}`
    expect(await statusFor(here, '/metrics', { origin: 'http://attacker.example' })).toBe(403)
    expect(await statusFor(here, '/metrics', { origin: `http://${here}` })).toBe(200)
    expect(await statusFor(here, '/metrics', { 'sec-fetch-site': 'cross-site' })).toBe(403)
    await started[Symbol.asyncDispose]()
    await expect(statusFor(`127.0.0.1:${port}`)).rejects.toThrow('ECONNREFUSED')
  })

  test('on a port that is taken keep the service from starting, and say which option names it', async () => {
    const { started, address } = await startMeasured()
    await using _started = started
    await expect(startMeasured({ metricsPort: Number(new URL(address).port) })).rejects.toMatchObject({
      code: 'SERVICE_PORT_TAKEN',
      hint: expect.stringContaining('--metrics-port'),
    })
  })
})
