import { type EndpointName, endpoints } from '#contract/endpoints'
import { limits, type Platform, platforms } from '#contract/enums'
import { failureCodes } from '#contract/failures'
import {
  ask,
  asObject,
  type ConformanceCase,
  type Exchange,
  except,
  type Fault,
  inTurn,
  notApplicable,
  type Reply,
  reads,
  unknownId,
  writes,
} from './conformance-case.ts'
import {
  describeReply,
  draftFinding,
  expectAnswer,
  expectBare,
  expectRefusal,
  expectStatus,
  listModes,
} from './expect-reply.ts'
import type { RuleId } from './rules.ts'

/** Endpoints that every build serves. The recorder is excluded, because it has consequences; its own cases test it. */
const harmless = (Object.keys(endpoints) as EndpointName[])
  .map((name) => endpoints[name])
  .filter((endpoint) => endpoint.platforms.length === platforms.length)

const everyRoute = [
  ...Object.values(harmless).map(({ method, path }) => ({ method, target: path.replace(':id', unknownId) })),
  { method: 'GET', target: '/transcribench-no-such-route' },
]

/** Cases about the server's address, the token, and the header checks that precede everything else. */
export const accessCases: readonly ConformanceCase[] = [
  reads('service.loopback', platforms, async (exchange) => {
    const addresses = await exchange.answeringElsewhere()
    if (addresses === null)
      return notApplicable('the service is not on this machine, or this machine has no other address')
    return addresses.length === 0 ? null : `the port answers on ${addresses.join(', ')}`
  }),
  writes('service.field-case', platforms, async (exchange) => {
    const { name, ...rest } = draftFinding(exchange, 'field case')
    const reply = await ask(exchange, 'POST', '/modes', { json: { ...rest, Name: name, NAME: name } })
    return expectRefusal(reply, 'INVALID_REQUEST')
  }),
  reads('service.unknown-route', platforms, async (exchange) => {
    const reply = await ask(exchange, 'GET', '/transcribench-no-such-route')
    return expectRefusal(reply, 'INVALID_REQUEST', { status: 404 })
  }),

  reads('authentication.health-open', platforms, async (exchange) =>
    expectStatus(await ask(exchange, 'GET', '/health', { headers: { authorization: null } }), 200),
  ),
  reads(
    'authentication.required/missing',
    platforms,
    async (exchange) =>
      await inTurn(
        everyRoute.filter(({ target }) => target !== '/health'),
        async ({ method, target }) =>
          expectRefused(await ask(exchange, method, target, { headers: { authorization: null } }), 401),
      ),
  ),
  reads(
    'authentication.required/invalid',
    platforms,
    async (exchange) =>
      await inTurn(wrongCredentials(exchange.token), async (authorization) =>
        expectRefused(await ask(exchange, 'GET', '/modes', { headers: { authorization } }), 401),
      ),
  ),
  reads('authentication.token-format', platforms, async ({ token }) =>
    /^[A-Za-z0-9_-]{43}$/.test(token)
      ? null
      : `the token is ${token.length} characters long, or has others than base64url`,
  ),

  reads('guard.host', platforms, async (exchange) =>
    turnedAway(exchange, 'host', [
      `attacker.example:${exchange.port}`,
      '127.0.0.1:1',
      '127.0.0.1',
      `localhost.attacker.example:${exchange.port}`,
      `0.0.0.0:${exchange.port}`,
      null,
    ]),
  ),
  reads('guard.host-accepted', platforms, async (exchange) =>
    letIn(exchange, 'host', [`127.0.0.1:${exchange.port}`, `localhost:${exchange.port}`]),
  ),
  reads('guard.origin', platforms, async (exchange) =>
    turnedAway(exchange, 'origin', [
      'https://attacker.example',
      'http://127.0.0.1:1',
      `http://attacker.example:${exchange.port}`,
      'null',
    ]),
  ),
  reads('guard.origin-accepted', platforms, async (exchange) =>
    letIn(exchange, 'origin', [`http://127.0.0.1:${exchange.port}`, `http://localhost:${exchange.port}`]),
  ),
  reads('guard.fetch-site', platforms, async (exchange) => {
    const away = await turnedAway(exchange, 'sec-fetch-site', ['cross-site', 'same-site'])
    return away ?? letIn(exchange, 'sec-fetch-site', ['same-origin', 'none'])
  }),
  reads(
    'guard.first',
    platforms,
    async (exchange) =>
      await inTurn(everyRoute, async ({ method, target }) => {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{' }
        const headers = { authorization: null, host: 'attacker.example' }
        return expectRefused(await ask(exchange, method, target, { ...body, headers }), 403)
      }),
  ),
]

/** Expects a refusal with an error envelope; the envelope is this project's decision, and the code is left open. */
function expectRefused(reply: Reply, status: number): Fault {
  if (reply.status !== status) return expectStatus(reply, status)
  return reply.json['ok'] === false ? null : `${describeReply(reply)}; an error envelope was due`
}

function wrongCredentials(token: string): readonly string[] {
  return [
    `Bearer ${'x'.repeat(43)}`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token}x`,
    `Bearer ${withOtherCase(token)}`,
    'Bearer',
    `Basic ${token}`,
    token,
  ]
}

function withOtherCase(text: string): string {
  return text.replace(/\p{L}/gu, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )
}

async function turnedAway(exchange: Exchange, header: string, values: readonly (string | null)[]) {
  return await inTurn(values, async (value) => {
    const reply = await ask(exchange, 'GET', '/health', { headers: { [header]: value } })
    const fault = expectRefused(reply, 403)
    return fault === null ? null : `${header} ${value ?? '(none)'}: ${fault}`
  })
}

async function letIn(exchange: Exchange, header: string, values: readonly string[]) {
  return await inTurn(values, async (value) => {
    const fault = expectAnswer(
      await ask(exchange, 'GET', '/modes', { headers: { [header]: value } }),
      'listModes',
    )
    return fault === null ? null : `${header} ${value}: ${fault}`
  })
}

const malformed = ['{', '{"name": }', 'name=x', '{"name": "x"} and more']

/** Cases about the error envelope and about long request heads. */
export const protocolCases: readonly ConformanceCase[] = [
  reads('errors.malformed-json', platforms, async (exchange) => {
    const [mode] = await listModes(exchange)
    if (mode === undefined) return notApplicable('there is no Mode to send a PATCH to')
    const routes = [
      ['POST', '/modes'],
      ['PATCH', `/modes/${mode['id']}`],
      ['POST', '/transcribe'],
      ['POST', '/post-process'],
    ] as const
    const requests = routes.flatMap(([method, target]) => malformed.map((body) => ({ method, target, body })))
    return await inTurn(requests, async ({ method, target, body }) =>
      expectRefusal(await ask(exchange, method, target, { body }), 'INVALID_REQUEST', {
        status: 400,
        message: 'Invalid JSON body',
      }),
    )
  }),
  reads('errors.business', platforms, async (exchange) => {
    const replies = await provokedRefusals(exchange)
    return replies.map(expectEnvelope)
  }),
  reads('errors.closed-set', platforms, async (exchange) => {
    const replies = await provokedRefusals(exchange)
    return replies.map(expectListedCode)
  }),
  reads('errors.no-payload-too-large', platforms, async (exchange) => {
    const reply = await ask(exchange, 'POST', '/transcribe', { body: oversized(limits.requestBytes + 1) })
    const code = asObject(reply.json['error'])['code']
    return code === 'PAYLOAD_TOO_LARGE' ? describeReply(reply) : null
  }),

  reads('errors.repeated-key', platforms, async (exchange) => {
    const bodies = [
      '{"engine":"no-such-engine","model":"none","audio_base64":"AAAA","audio_base64":"AAAA"}',
      '{"engine":"no-such-engine","model":"none","\\u006dodel":"none","audio_base64":"AAAA"}',
    ]
    return await inTurn(bodies, async (body) =>
      expectRefusal(await ask(exchange, 'POST', '/transcribe', { body }), 'INVALID_REQUEST'),
    )
  }),
  reads('head.many-lines', platforms, async (exchange) => {
    const fillers = Array.from({ length: 2_100 }, (_, index) => [`x-${index}`, 'y'] as const)
    const headers = Object.fromEntries(fillers)
    const plain = await ask(exchange, 'GET', '/modes', { headers })
    const foreign = await ask(exchange, 'GET', '/modes', {
      headers: { ...headers, host: 'attacker.example' },
    })
    return [
      expectStatus(plain, 200),
      expectStatus(foreign, 403),
      foreign.json['ok'] === false ? null : `${describeReply(foreign)}; an error envelope was due`,
    ]
  }),

  reads(
    'head.long-line',
    ['macos'],
    async (exchange) =>
      await inTurn([headerLine(limits.requestHead.lineBytes + 1), longPath], async (asking) => {
        const { target, headers } = asking
        return expectClosed(await ask(exchange, 'GET', target, { headers, watchesClosing: true }))
      }),
  ),
  reads('head.long-head', ['macos'], async (exchange) => {
    const { target, headers } = fillHead(exchange, limits.requestHead.totalBytes + 1)
    return expectClosed(await ask(exchange, 'GET', target, { headers, watchesClosing: true }))
  }),
  ...acceptedHeads('head.accepted', ['macos'], 0),
  ...acceptedHeads('head.elsewhere', except('macos'), 1),
]

interface Head {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** Cases that send a long line, and a long head, each `overBytes` above the limit of macOS. */
function acceptedHeads(rule: RuleId, on: readonly Platform[], overBytes: number): ConformanceCase[] {
  const { lineBytes, totalBytes } = limits.requestHead
  const accepts = (name: string, head: (exchange: Exchange) => Head): ConformanceCase =>
    reads(`${rule}/${name}`, on, async (exchange) => {
      const { target, headers } = head(exchange)
      return expectStatus(await ask(exchange, 'GET', target, { headers }), 200)
    })
  return [
    accepts('line', () => headerLine(lineBytes + overBytes)),
    accepts('whole', (exchange) => fillHead(exchange, totalBytes + overBytes)),
  ]
}

function headerLine(lineBytes: number): Head {
  const name = 'x-filler'
  return { target: '/health', headers: { [name]: 'x'.repeat(lineBytes - `${name}: `.length) } }
}

/** A head of exactly `totalBytes`, none of whose lines is too long by itself. */
function fillHead({ port, token }: Exchange, totalBytes: number): Head {
  const target = '/health'
  const shortest = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}`, connection: 'keep-alive' }
  const ends = '\r\n'.length
  const lineBytes = (name: string, value: string): number => `${name}: ${value}`.length + ends
  let leftBytes = totalBytes - `GET ${target} HTTP/1.1`.length - 2 * ends
  for (const [name, value] of Object.entries(shortest)) leftBytes -= lineBytes(name, value)
  const count = Math.ceil(leftBytes / 7_000)
  const fillers = Array.from({ length: count }, (_, index) => {
    const name = `x-filler-${String(index).padStart(3, '0')}`
    const sizeBytes = Math.floor(leftBytes / count) + (index < leftBytes % count ? 1 : 0)
    return [name, 'x'.repeat(sizeBytes - lineBytes(name, ''))] as const
  })
  return { target, headers: { ...shortest, ...Object.fromEntries(fillers) } }
}

const longPath: Head = { target: `/health?${'x'.repeat(limits.requestHead.lineBytes)}`, headers: {} }

function expectClosed(reply: Reply): Fault {
  const fault = expectBare(reply, 431)
  if (fault !== null) return fault
  return reply.isClosed ? null : `${reply.request}: HTTP 431, and the connection stays open`
}

/** Provokes one refusal of each kind that a faulty request alone can cause. */
async function provokedRefusals(exchange: Exchange): Promise<readonly Reply[]> {
  const mistakes = [
    ['GET', `/modes/${unknownId}`],
    ['GET', '/modes/not-a-uuid'],
    ['GET', `/recordings/${unknownId}`],
    ['GET', '/recordings/search?limit=0'],
    ['GET', '/models?kind=none'],
    ['POST', '/modes', []],
    ['POST', '/transcribe', {}],
    ['POST', '/transcribe', { audio_base64: 'AAAA', mime_type: 'audio/wav', engine: 'none', model: 'none' }],
    ['POST', '/transcribe', { audio_base64: 'AAAA', mime_type: 'audio/wav', mode_id: unknownId }],
    ['POST', '/post-process', { text: '' }],
  ] as const
  const replies: Reply[] = []
  for (const [method, target, json] of mistakes) {
    replies.push(await ask(exchange, method, target, json === undefined ? {} : { json }))
  }
  return replies
}

function expectEnvelope(reply: Reply): Fault {
  const error = asObject(reply.json['error'])
  const { code, message, hint } = error as Readonly<Record<'code' | 'message' | 'hint', unknown>>
  const hasTexts = typeof code === 'string' && typeof message === 'string'
  const isEnvelope =
    reply.json['ok'] === false && hasTexts && (hint === undefined || typeof hint === 'string')
  return reply.status === 200 && isEnvelope
    ? null
    : `${describeReply(reply)}; HTTP 200 with ok: false, code and message was due`
}

function expectListedCode(reply: Reply): Fault {
  const code = asObject(reply.json['error'])['code']
  const isListed = code === undefined || (failureCodes as readonly unknown[]).includes(code)
  return isListed ? null : `${describeReply(reply)}; a code that is not listed`
}

const pieceBytes = 1_048_576

/** An unterminated JSON string of `sizeBytes`, in pieces, so that memory never holds all of it. */
export function* oversized(sizeBytes: number): Iterable<Uint8Array> {
  yield* framed('{"name":"', '', sizeBytes)
}

/** A text of `sizeBytes` in pieces: `head`, a filling of `A`, `tail`. */
export function* framed(head: string, tail: string, sizeBytes: number): Iterable<Uint8Array> {
  const utf8 = new TextEncoder()
  const start = utf8.encode(head)
  const end = utf8.encode(tail)
  yield start
  const piece = new Uint8Array(pieceBytes).fill('A'.charCodeAt(0))
  for (let rest = sizeBytes - start.length - end.length; rest > 0; rest -= piece.length) {
    yield piece.subarray(0, Math.min(rest, piece.length))
  }
  if (end.length > 0) yield end
}

export function inOnePiece(pieces: Iterable<Uint8Array>): Uint8Array {
  const all = [...pieces]
  const whole = new Uint8Array(all.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of all) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
