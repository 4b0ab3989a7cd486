import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import { base64, tone } from '../service/running-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const requestCount = 10_000
/** What the scripted model of the service says of recordings of these names, which lie where nobody may read. */
const secret = 'what no request may read'
const outsideName = 'outside.wav'
const linkName = 'link.wav'

/** One request as bytes, and whether its end may be missing. */
interface Hostile {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
  /** Sent as Content-Length; null for chunks. */
  readonly length: number | null
  /** Its client waits for the answer: a transcription is given up where the client has closed its end. */
  readonly waits?: boolean
}

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.string({ unit: 'grapheme' }))
const mostly = <Value>(usual: fc.Arbitrary<Value>, strange: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: strange })

function paths(outside: string): fc.Arbitrary<string> {
  const id = fc.oneof(
    fc.uuid(),
    fc.webPath(),
    fc.constantFrom('%00', '..', '%2e%2e%2f', '%zz', 'a'.repeat(9_000)),
  )
  const known = fc
    .tuple(fc.constantFrom(...Object.values(endpoints)), id)
    .map(([{ path }, value]) => path.replace(':id', value))
  const query = fc.oneof(
    fc.constant(''),
    fc.webQueryParameters().map((value) => `?${value}`),
    fc
      .tuple(fc.constantFrom('q', 'limit', 'since', 'until', 'kind'), text)
      .map(([name, value]) => `?${name}=${encodeURIComponent(Buffer.from(value).toString())}`),
  )
  const strange = fc.oneof(
    fc.webUrl(),
    fc.constantFrom('*', '//', outside, `/..${outside}`, '/modes/../health'),
    text,
  )
  return mostly(
    fc.tuple(known, query).map((parts) => parts.join('')),
    strange.map((path) => path.replaceAll(/[^\u0021-\u00ff]/g, '') || '/'),
  )
}

function files(outside: string, inside: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      outside,
      inside,
      join(inside, '..', linkName),
      `${join(inside, '..')}/../../${outsideName}`,
      `${inside}/../../../${outsideName}`,
      `${inside}\0`,
      `file://${outside}`,
      '/dev/zero',
      '/proc/self/environ',
    ),
    text,
  )
}

function bodies(outside: string, inside: string): fc.Arbitrary<Uint8Array> {
  const file = files(outside, inside)
  const audio = fc.oneof(
    fc.constant(base64(tone(0.05))),
    fc.base64String(),
    text,
    fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => base64(Buffer.concat([tone(0.01).subarray(0, 44), bytes]))),
  )
  const values = fc.record(
    {
      engine: fc.oneof(fc.constantFrom('scripted', 'local'), fc.jsonValue()),
      model: fc.oneof(fc.constant('echo'), fc.jsonValue()),
      file: fc.oneof(file, fc.jsonValue()),
      audio_base64: fc.oneof(audio, fc.jsonValue()),
      mode_id: fc.oneof(fc.uuid(), fc.jsonValue()),
      language: fc.jsonValue(),
      timestamp_granularities: fc.oneof(fc.array(fc.constantFrom('word', 'segment', 'x')), fc.jsonValue()),
      text: fc.oneof(text, fc.jsonValue()),
      preset: fc.oneof(fc.constantFrom('mail', 'hyper'), fc.jsonValue()),
      name: fc.oneof(text, fc.jsonValue()),
      sortOrder: fc.oneof(fc.double(), fc.jsonValue()),
      customVocabulary: fc.oneof(fc.array(text), fc.jsonValue()),
      englishSpelling: fc.jsonValue(),
      ['__proto__']: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const json = values.map((value) => Buffer.from(JSON.stringify(value)))
  const broken = fc
    .tuple(json, fc.nat(), text)
    .map(([bytes, cut, more]) =>
      Buffer.concat([bytes.subarray(0, cut % (bytes.length + 1)), Buffer.from(more)]),
    )
  const deep = fc.integer({ min: 1, max: 20_000 }).map((depth) => Buffer.from('['.repeat(depth)))
  const part = fc
    .tuple(
      fc.constantFrom('audio', 'engine', 'model', 'file', 'x'),
      fc.oneof(text, audio, file),
      fc.boolean(),
    )
    .map(
      ([name, value, isFile]) =>
        `--x\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="../../a"' : ''}\r\n\r\n${value}\r\n`,
    )
  const multipart = fc
    .tuple(fc.array(part, { maxLength: 5 }), fc.constantFrom('--x--\r\n', '', '--x', '--x\r\n'))
    .map(([parts, end]) => Buffer.from(parts.join('') + end))
  return fc.oneof(
    json,
    broken,
    multipart,
    deep,
    fc.uint8Array({ maxLength: 500 }),
    fc.constant(new Uint8Array()),
  )
}

function requests(service: ServiceProcess, outside: string, inside: string): fc.Arbitrary<Hostile> {
  const header = fc.tuple(
    fc.constantFrom(
      'host',
      'origin',
      'authorization',
      'sec-fetch-site',
      'content-type',
      'expect',
      'range',
      'x-a',
    ),
    fc.oneof(
      text.map((value) => value.replaceAll(/[^\u0020-\u00ff]/g, '')),
      fc.constantFrom(
        'null',
        '*',
        '127.0.0.1',
        'Bearer ',
        'multipart/form-data; boundary=',
        '100-continue',
        'x'.repeat(70_000),
      ),
    ),
  )
  const type = fc.constantFrom('application/json', 'multipart/form-data; boundary=x', 'text/plain', 'a/b/c')
  const honest = [
    ['Host', `127.0.0.1:${service.port}`],
    ['Authorization', `Bearer ${service.token}`],
  ] as const
  // Nothing is wrong with these but the file that they name.
  const aimed = files(outside, inside).map((file): Hostile => {
    const body = Buffer.from(JSON.stringify({ engine: 'local', model: 'echo', file }))
    return { method: 'POST', path: '/transcribe', headers: honest, body, length: body.length, waits: true }
  })
  const any = fc
    .record({
      method: mostly(
        fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE'),
        fc.constantFrom('PUT', 'HEAD', 'OPTIONS', 'TRACE', 'X'),
      ),
      path: paths(outside),
      type,
      isHonest: mostly(fc.constant(true), fc.constant(false)),
      others: mostly(fc.constant([] as [string, string][]), fc.array(header, { maxLength: 4 })),
      body: bodies(outside, inside),
      length: mostly(
        fc.constant('true' as const),
        fc.constantFrom('chunked' as const, 'too long' as const, 'short' as const),
      ),
    })
    .map(({ method, path, type, isHonest, others, body, length }) => ({
      method,
      path,
      headers: [...(isHonest ? honest : []), ['Content-Type', type] as const, ...others],
      body,
      length:
        length === 'chunked'
          ? null
          : body.length + (length === 'too long' ? 10 : length === 'short' ? -1 : 0),
    }))
  return fc.oneof({ weight: 9, arbitrary: any }, { weight: 1, arbitrary: aimed })
}

/** @returns everything that came back until the service or the end of the request closed the connection */
function deliver(
  { port }: ServiceProcess,
  { method, path, headers, body, length, waits = false }: Hostile,
): Promise<string> {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    length === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    'Connection: close',
  ]
  const content =
    length === null
      ? Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
      : body
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    const patience = setTimeout(() => reject(new Error(`no answer: ${lines[0]?.slice(0, 200)}`)), 20_000)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A connection that the service has had enough of may be reset while the request is still being written.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(patience)
      resolve(Buffer.concat(chunks).toString('latin1'))
    })
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]))
    // A client that announces more than it sends goes away, so that nothing waits for the rest.
    if (!waits) socket.end()
  })
}

test(`${requestCount} malformed requests: no crash, no hang, no 5xx, nothing read outside, memory as before`, async () => {
  await using folder = await temporaryFolder()
  const outside = join(folder.path, outsideName)
  const dataDir = join(folder.path, 'data')
  const inside = join(dataDir, 'recordings', 'inside.wav')
  await mkdir(join(dataDir, 'recordings'), { recursive: true })
  await writeFile(outside, tone(0.05))
  await symlink(outside, join(dataDir, 'recordings', linkName))
  await writeFile(inside, tone(0.05))
  await using service = await startServiceProcess({ dataDir, record: true, env: {} })
  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)
  process.stdout.write(`seed ${seed}\n`)
  const before = await mebibytesAfter(service)
  const statuses = new Map<string, number>()
  let done = 0
  const attempt = fc.asyncProperty(
    fc.array(requests(service, outside, inside), { minLength: 20, maxLength: 20 }),
    async (batch) => {
      for (const answer of await Promise.all(batch.map((request) => deliver(service, request)))) {
        const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'none'
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        expect(status).not.toMatch(/^5/)
        expect(answer).not.toContain(secret)
        expect(answer).not.toContain('its log says why')
        done += 1
      }
      expect(service.child.exitCode).toBeNull()
    },
  )
  await fc.assert(attempt, { numRuns: requestCount / 20, seed, endOnFailure: true })
  const after = await mebibytesAfter(service)
  process.stdout.write(
    `${done} requests: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}; ` +
      `${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after\n`,
  )
  expect((await service.send('GET', '/health')).status).toBe(200)
  expect(await readFile(outside)).toEqual(Buffer.from(tone(0.05)))
  expect(after).toBeLessThan(before + 150)
})

/** After the service has been used enough to have everything in memory that it keeps. */
async function mebibytesAfter(service: ServiceProcess): Promise<number> {
  const body = JSON.stringify({ engine: 'scripted', model: 'echo', audio_base64: base64(tone(0.05)) })
  for (let index = 0; index < 200; index += 1) await service.send('POST', '/transcribe', { body })
  return service.memory().nowBytes / 2 ** 20
}
