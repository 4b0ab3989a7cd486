import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  test('takes the name of this machine in capitals', async () => {
    const answer = await started.send('GET', '/health', { headers: { host: `LOCALHOST:${port()}` } })
    expect(answer.status).toBe(200)
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
    ['http://[::1]:PORT', 200],
    ['', 403],
  ])('answers the origin "%s" with %i', async (origin, status) => {
    const headers = { origin: origin.replace('PORT', String(port())) }
    expect((await started.send('GET', '/health', { headers })).status).toBe(status)
  })
})

test('a token that is wrong gives 401 with its scheme, also where there is no such route', async () => {
  for (const path of ['/modes', '/nowhere', '/modes/%zz']) {
    for (const authorization of [undefined, 'Bearer ']) {
      const answer = await started.send('GET', path, { headers: { authorization } })
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
  }
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
  const tooLarge = /^HTTP\/1\.1 431 .*\r\n\r\n$/s

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
})

describe('a head of very many lines', () => {
  const head = (host: string, count: number): string => {
    const lines = Array.from({ length: count }, (_, index) => `x-${index}: y`)
    return ['GET /modes HTTP/1.1', ...lines, `Host: ${host}`, 'Connection: close', '', ''].join('\r\n')
  }

  test.each([900, 50_000])('is looked at like any other: %d lines', async (count) => {
    const foreign = await sendRaw(port(), head(`attacker.example:${port()}`, count))
    expect(foreign).toMatch(/^HTTP\/1\.1 403 /)
    const own = await sendRaw(port(), head(`127.0.0.1:${port()}`, count))
    expect(own).toMatch(/^HTTP\/1\.1 401 /)
    for (const answer of [foreign, own])
      expect(answer).toContain('{"ok":false,"error":{"code":"INVALID_REQUEST"')
  })
})

describe('what is no HTTP', () => {
  test('gets a bare 400, closes the connection, and is in the log, although it never becomes a request', async () => {
    await using own = await startTestService()
    expect(await sendRaw(own.service.port, 'HELLO\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\n$/s)
    expect(own.logged.filter(({ kind }) => kind === 'unparsed')).toEqual([
      { kind: 'unparsed', httpStatus: 400, reason: expect.stringMatching(/^HPE_/), requestId: null },
    ])
  })

  test('is logged with its status where a head is far too long on macOS', async () => {
    await using macos = await startTestService({ profile: 'macos' })
    const answer = await sendRaw(macos.service.port, `GET / HTTP/1.1\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(macos.logged).toContainEqual(expect.objectContaining({ kind: 'unparsed', httpStatus: 431 }))
  })
})
