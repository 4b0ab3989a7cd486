import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { platforms } from '#contract/enums'
import type { LoggedEvent } from '#service/service-event'
import { startTestService, type TestService } from './running-service.ts'

let started: TestService

beforeAll(async () => {
  started = await startTestService()
})
afterAll(() => started[Symbol.asyncDispose]())

/** Sends bytes as they are and reads until the server closes. */
async function sendRaw(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(head)
  return text(socket)
}

const port = (): number => started.service.port

describe('the guard', () => {
  test.each(['127.0.0.1', 'localhost', 'LOCALHOST'])('lets Host %s through', async (name) => {
    const answer = await started.send('GET', '/health', { headers: { host: `${name}:${port()}` } })
    expect(answer.status).toBe(200)
  })

  test.each([
    ['another name', () => `attacker.example:${port()}`],
    ['another port', () => '127.0.0.1:1'],
    ['no port', () => '127.0.0.1'],
    ['a name that only begins like one of ours', () => `localhost.attacker.example:${port()}`],
    ['the address of every interface', () => `0.0.0.0:${port()}`],
    ['nothing', () => undefined],
  ])('turns away a Host with %s, on every route, before the token is looked at', async (_what, host) => {
    for (const [method, path] of [
      ['GET', '/health'],
      ['GET', '/modes'],
      ['POST', '/transcribe'],
      ['GET', '/nowhere'],
    ]) {
      const answer = await started.send(method ?? '', path ?? '', {
        headers: { host: host(), authorization: undefined },
      })
      expect(answer).toMatchObject({ status: 403, json: { ok: false, error: { code: 'INVALID_REQUEST' } } })
    }
  })

  const host = (): string => `Host: 127.0.0.1:${port()}`
  const foreign = 'Host: attacker.example'
  const token = (): string => `Authorization: Bearer ${started.service.token}`
  test.each([
    ['100-continue', foreign, 403],
    ['something else', foreign, 403],
    ['something else', host, 417],
  ] as const)(
    'looks at a request with Expect: %s and %s before anything is answered',
    async (expect_, named, status) => {
      const line = typeof named === 'string' ? named : named()
      const answer = await sendRaw(
        port(),
        `POST /transcribe HTTP/1.1\r\n${line}\r\nExpect: ${expect_}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      )
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    },
  )

  test('lets a client that waits for 100 Continue go on', async () => {
    const answer = await sendRaw(
      port(),
      `POST /modes HTTP/1.1\r\n${host()}\r\n${token()}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })

  test.each([
    ['http://attacker.example/health', 403],
    ['http://127.0.0.1:1/health', 403],
    ['http://user@127.0.0.1:PORT/health', 403],
    ['ftp://127.0.0.1:PORT/health', 403],
    ['http://127.0.0.1:PORT/health', 200],
    ['HTTP://localhost:PORT/health?a', 200],
    ['http://127.0.0.1:PORT', 401],
  ])('goes by the host of a request line in absolute form: %s', async (target, status) => {
    const answer = await sendRaw(
      port(),
      `GET ${target.replace('PORT', String(port()))} HTTP/1.1\r\n${host()}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  test.each([
    ['a foreign Host', () => foreign, 403],
    ['no token', host, 401],
    ['a token', () => `${host()}\r\n${token()}`, 404],
  ])('answers CONNECT with %s', async (_what, lines, status) => {
    const answer = await sendRaw(port(), `CONNECT attacker.example:80 HTTP/1.1\r\n${lines()}\r\n\r\n`)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toMatch(/\{"ok":false,"error":\{"code":"INVALID_REQUEST"/)
  })

  test('turns away two Hosts, of which one would do', async () => {
    const answer = await sendRaw(
      port(),
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nHost: attacker.example\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  })

  test.each([
    ['origin', () => `http://127.0.0.1:${port()}`, 200],
    ['origin', () => `http://localhost:${port()}`, 200],
    ['origin', () => `http://[::1]:${port()}`, 200],
    ['origin', () => 'http://127.0.0.1:1', 403],
    ['origin', () => 'https://attacker.example', 403],
    ['origin', () => 'null', 403],
    ['origin', () => '', 403],
    ['sec-fetch-site', () => 'same-origin', 200],
    ['sec-fetch-site', () => 'none', 200],
    ['sec-fetch-site', () => 'same-site', 403],
    ['sec-fetch-site', () => 'cross-site', 403],
  ])('answers %s %s with %i', async (name, value, status) => {
    expect((await started.send('GET', '/health', { headers: { [name]: value() } })).status).toBe(status)
  })
})

describe('the token', () => {
  test('is not asked for by /health', async () => {
    expect((await started.send('GET', '/health', { headers: { authorization: undefined } })).status).toBe(200)
  })

  test.each([
    ['is missing', () => undefined],
    ['is wrong', () => `Bearer ${'x'.repeat(43)}`],
    ['is cut short', (token: string) => `Bearer ${token.slice(0, -1)}`],
    ['has more behind it', (token: string) => `Bearer ${token}x`],
    ['is empty', () => 'Bearer '],
    ['comes in another scheme', (token: string) => `Basic ${token}`],
    ['comes without a scheme', (token: string) => token],
  ])('that %s gives 401, also where there is no such route', async (_what, header) => {
    for (const path of ['/modes', '/nowhere', '/modes/%zz']) {
      const answer = await started.send('GET', path, {
        headers: { authorization: header(started.service.token) },
      })
      expect(answer).toMatchObject({ status: 401, json: { ok: false, error: { code: 'INVALID_REQUEST' } } })
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
  })
})

describe('a route that does not exist', () => {
  test.each([
    ['GET', '/nowhere'],
    ['GET', '/'],
    ['POST', '/health'],
    ['PUT', '/modes'],
    ['HEAD', '/modes'],
    ['OPTIONS', '/modes'],
    ['GET', '/modes/%zz'],
    ['GET', '/../etc/passwd'],
  ])('%s %s is 404 with an envelope, after authentication', async (method, path) => {
    const answer = await started.send(method, path)
    expect(answer.status).toBe(404)
    if (method !== 'HEAD')
      expect(answer.json).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } })
  })
})

describe('a request head', () => {
  /** Of exactly that many bytes, in lines of a few thousand. */
  function head(service: TestService, totalBytes: number): string {
    const start = `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${service.service.port}\r\nConnection: close\r\n`
    let fillers = ''
    for (let left = totalBytes - start.length - 2; left > 0; ) {
      // What is left for the last line has to hold a name.
      const sizeBytes = left > 14_000 ? 7_000 : Math.min(left, 8_000)
      const lineBytes = left - sizeBytes < 20 ? left : sizeBytes
      fillers += `x-filler: ${'x'.repeat(lineBytes - 'x-filler: \r\n'.length)}\r\n`
      left -= lineBytes
    }
    return `${start}${fillers}\r\n`
  }
  const tooLarge = /^HTTP\/1\.1 431 .*\r\n\r\n$/s

  test.each(platforms)('over 64 KiB gets a bare 431 on macOS alone: %s', async (profile) => {
    await using service = await startTestService({ profile })
    const { port } = service.service
    expect(head(service, 65_536)).toHaveLength(65_536)
    expect(await sendRaw(port, head(service, 65_536))).toMatch(/^HTTP\/1\.1 200 /)
    for (const totalBytes of [65_537, 70_000, 500_000]) {
      const answer = await sendRaw(port, head(service, totalBytes))
      expect(answer).toMatch(profile === 'macos' ? tooLarge : /^HTTP\/1\.1 200 /)
    }
  })

  test('of many short lines is counted whole, with names and ends of lines', async () => {
    await using macos = await startTestService({ profile: 'macos' })
    const lines = 'a: b\r\n'.repeat(11_000)
    const short = `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${macos.service.port}\r\n${lines}\r\n`
    expect(await sendRaw(macos.service.port, short)).toMatch(tooLarge)
  })

  test('without an end is given up, on a build without a limit as well', async () => {
    const endless = `GET /health HTTP/1.1\r\nx: ${'x'.repeat(2 ** 20 + 1)}`
    expect(await sendRaw(port(), endless)).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\n$/s)
  })

  test('that is no HTTP gets a bare 400, and the connection closes', async () => {
    expect(await sendRaw(port(), 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\n$/s)
  })

  test('with a line over 8 KiB gets a bare 431 on macOS, and an answer elsewhere', async () => {
    await using macos = await startTestService({ profile: 'macos' })
    const longLine = { headers: { 'x-filler': 'x'.repeat(8_192 - 'x-filler: '.length + 1) } }
    const shorter = { headers: { 'x-filler': 'x'.repeat(8_192 - 'x-filler: '.length) } }
    expect(await macos.send('GET', '/health', longLine)).toMatchObject({ status: 431, text: '' })
    expect((await macos.send('GET', '/health', longLine)).headers.connection).toBe('close')
    expect((await macos.send('GET', '/health', shorter)).status).toBe(200)
    expect((await started.send('GET', '/health', longLine)).status).toBe(200)
  })
})

describe('a head of very many lines', () => {
  const head = (host: string, count: number): string => {
    const lines = Array.from({ length: count }, (_, index) => `x-${index}: y`)
    return ['GET /modes HTTP/1.1', ...lines, `Host: ${host}`, 'Connection: close', '', ''].join('\r\n')
  }

  test.each([900, 2_100, 50_000])('is looked at like any other: %d lines', async (count) => {
    const foreign = await sendRaw(port(), head(`attacker.example:${port()}`, count))
    expect(foreign).toMatch(/^HTTP\/1\.1 403 /)
    const own = await sendRaw(port(), head(`127.0.0.1:${port()}`, count))
    expect(own).toMatch(/^HTTP\/1\.1 401 /)
    for (const answer of [foreign, own])
      expect(answer).toContain('{"ok":false,"error":{"code":"INVALID_REQUEST"')
  })
})

describe('what is no HTTP', () => {
  test('is in the log, although it never becomes a request', async () => {
    const events: LoggedEvent[] = []
    await using logged = await startTestService({ log: (event) => void events.push(event) })
    expect(await sendRaw(logged.service.port, 'HELLO\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
    expect(events.filter(({ kind }) => kind === 'unparsed')).toEqual([
      { kind: 'unparsed', httpStatus: 400, reason: expect.stringMatching(/^HPE_/), requestId: null },
    ])
  })

  test('is logged with its status where a head is far too long on macOS', async () => {
    const events: LoggedEvent[] = []
    await using logged = await startTestService({ profile: 'macos', log: (event) => void events.push(event) })
    const answer = await sendRaw(logged.service.port, `GET / HTTP/1.1\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(events).toContainEqual(expect.objectContaining({ kind: 'unparsed', httpStatus: 431 }))
  })
})
