import { failureCodes, limits, platforms } from '#contract'
import { ask, objectOf, type Reply } from '../ask.ts'
import { type ConformanceCase, type Fault, judge, named, notApplicable, reads } from '../conformance-case.ts'
import type { Exchange } from '../exchange.ts'
import { describeReply, expectBare, expectRefusal, expectStatus } from '../expect-reply.ts'
import { listModes } from '../modes-of-ours.ts'
import { except, inTurn, unknownId } from './access.ts'
import { oversized } from './oversized.ts'

const malformed = ['{', '{"name": }', 'name=x', '{"name": "x"} and more']

/** The format of failures, and the handling of heads that are too long. */
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
    const asked = routes.flatMap(([method, target]) => malformed.map((body) => ({ method, target, body })))
    const fault = await inTurn(asked, async ({ method, target, body }) =>
      expectRefusal(await ask(exchange, method, target, { body }), 'INVALID_REQUEST', {
        status: 400,
        message: 'Invalid JSON body',
      }),
    )
    return judge(fault)
  }),
  reads('errors.business', platforms, async (exchange) => {
    const replies = await provokedRefusals(exchange)
    return judge(...replies.map(expectEnvelope))
  }),
  reads('errors.closed-set', platforms, async (exchange) => {
    const replies = await provokedRefusals(exchange)
    return judge(...replies.map(expectListedCode))
  }),
  reads('errors.no-payload-too-large', platforms, async (exchange) => {
    const reply = await ask(exchange, 'POST', '/transcribe', { body: oversized(limits.requestBytes + 1) })
    const code = objectOf(reply.json['error'])['code']
    return judge(code === 'PAYLOAD_TOO_LARGE' ? describeReply(reply) : null)
  }),

  reads('errors.repeated-key', platforms, async (exchange) => {
    const bodies = [
      '{"engine":"no-such-engine","model":"none","audio_base64":"AAAA","audio_base64":"AAAA"}',
      '{"engine":"no-such-engine","model":"none","\\u006dodel":"none","audio_base64":"AAAA"}',
    ]
    return judge(
      await inTurn(bodies, async (body) =>
        expectRefusal(await ask(exchange, 'POST', '/transcribe', { body }), 'INVALID_REQUEST'),
      ),
    )
  }),
  reads('head.many-lines', platforms, async (exchange) => {
    const fillers = Array.from({ length: 2_100 }, (_, index) => [`x-${index}`, 'y'] as const)
    const headers = Object.fromEntries(fillers)
    const own = await ask(exchange, 'GET', '/modes', { headers })
    const foreign = await ask(exchange, 'GET', '/modes', {
      headers: { ...headers, host: 'attacker.example' },
    })
    return judge(
      expectStatus(own, 200),
      expectStatus(foreign, 403),
      foreign.json['ok'] === false ? null : `${describeReply(foreign)}; an error envelope was due`,
    )
  }),

  reads('head.long-line', ['macos'], async (exchange) =>
    judge(
      await inTurn([headerLine(limits.requestHead.lineBytes + 1), longPath], async (asking) => {
        const { target, headers } = asking
        return expectClosed(await ask(exchange, 'GET', target, { headers, watchesClosing: true }))
      }),
    ),
  ),
  reads('head.long-head', ['macos'], async (exchange) => {
    const { target, headers } = headOf(exchange, limits.requestHead.totalBytes + 1)
    return judge(expectClosed(await ask(exchange, 'GET', target, { headers, watchesClosing: true })))
  }),
  named(
    'line',
    reads('head.accepted', ['macos'], async (exchange) => {
      const { target, headers } = headerLine(limits.requestHead.lineBytes)
      return judge(expectStatus(await ask(exchange, 'GET', target, { headers }), 200))
    }),
  ),
  named(
    'whole',
    reads('head.accepted', ['macos'], async (exchange) => {
      const { target, headers } = headOf(exchange, limits.requestHead.totalBytes)
      return judge(expectStatus(await ask(exchange, 'GET', target, { headers }), 200))
    }),
  ),
  named(
    'line',
    reads('head.elsewhere', except('macos'), async (exchange) => {
      const { target, headers } = headerLine(limits.requestHead.lineBytes + 1)
      return judge(expectStatus(await ask(exchange, 'GET', target, { headers }), 200))
    }),
  ),
  named(
    'whole',
    reads('head.elsewhere', except('macos'), async (exchange) => {
      const { target, headers } = headOf(exchange, limits.requestHead.totalBytes + 1)
      return judge(expectStatus(await ask(exchange, 'GET', target, { headers }), 200))
    }),
  ),
]

interface Head {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

function headerLine(lineBytes: number): Head {
  const name = 'x-filler'
  return { target: '/health', headers: { [name]: 'x'.repeat(lineBytes - `${name}: `.length) } }
}

/** A head of exactly this many bytes in all, none of whose lines is too long by itself. */
function headOf({ port, token }: Exchange, totalBytes: number): Head {
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
  return reply.isClosed ? null : `${reply.asked}: HTTP 431, and the connection stays open`
}

/** One request for each kind of refusal that needs nothing but a mistake. */
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
  const error = objectOf(reply.json['error'])
  const { code, message, hint } = error as Readonly<Record<'code' | 'message' | 'hint', unknown>>
  const hasTexts = typeof code === 'string' && typeof message === 'string'
  const isEnvelope =
    reply.json['ok'] === false && hasTexts && (hint === undefined || typeof hint === 'string')
  return reply.status === 200 && isEnvelope
    ? null
    : `${describeReply(reply)}; HTTP 200 with ok: false, code and message was due`
}

function expectListedCode(reply: Reply): Fault {
  const code = objectOf(reply.json['error'])['code']
  const isListed = code === undefined || (failureCodes as readonly unknown[]).includes(code)
  return isListed ? null : `${describeReply(reply)}; a code that is not listed`
}
