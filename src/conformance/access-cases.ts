import { type EndpointName, endpoints, type Platform, platforms } from '#contract'
import { ask, type Reply } from '../ask.ts'
import {
  broken,
  type ConformanceCase,
  type Fault,
  held,
  judge,
  named,
  notApplicable,
  reads,
  writes,
} from '../conformance-case.ts'
import type { Exchange } from '../exchange.ts'
import { describeReply, expectAnswer, expectRefusal, expectStatus } from '../expect-reply.ts'
import { draftOf } from '../modes-of-ours.ts'

/** An id that no Mode and no recording has. */
export const unknownId = '7d1c9c5e-0f3b-4a52-9d7e-3b1a5c2f8e60'

/** The recorder's own cases ask for it: moving it has consequences. */
const harmless = (Object.keys(endpoints) as EndpointName[])
  .map((name) => endpoints[name])
  .filter((endpoint) => endpoint.platforms.length === platforms.length)

const everyRoute = [
  ...Object.values(harmless).map(({ method, path }) => ({ method, target: path.replace(':id', unknownId) })),
  { method: 'GET', target: '/transcribench-no-such-route' },
]

/** Asks in turn and says what was wrong first. */
export async function inTurn<Item>(
  items: readonly Item[],
  look: (item: Item) => Promise<Fault>,
): Promise<Fault> {
  for (const item of items) {
    const fault = await look(item)
    if (fault !== null) return fault
  }
  return null
}

/** The server's address, the token, and what turns a request away before anything else is looked at. */
export const accessCases: readonly ConformanceCase[] = [
  reads('service.loopback', platforms, async (exchange) => {
    const addresses = await exchange.answeringElsewhere()
    if (addresses === null)
      return notApplicable('the service is not on this machine, or this machine has no other address')
    return addresses.length === 0 ? held : broken(`the port answers on ${addresses.join(', ')}`)
  }),
  writes('service.field-case', platforms, async (exchange) => {
    const { name, ...rest } = draftOf(exchange, 'field case')
    const reply = await ask(exchange, 'POST', '/modes', { json: { ...rest, Name: name, NAME: name } })
    return judge(expectRefusal(reply, 'INVALID_REQUEST'))
  }),
  reads('service.unknown-route', platforms, async (exchange) => {
    const known = await ask(exchange, 'GET', '/transcribench-no-such-route')
    return judge(expectRefusal(known, 'INVALID_REQUEST', { status: 404 }))
  }),

  reads('authentication.health-open', platforms, async (exchange) =>
    judge(expectStatus(await ask(exchange, 'GET', '/health', { headers: { authorization: null } }), 200)),
  ),
  named(
    'missing',
    reads('authentication.required', platforms, async (exchange) =>
      judge(
        await inTurn(
          everyRoute.filter(({ target }) => target !== '/health'),
          async ({ method, target }) =>
            expectRefused(await ask(exchange, method, target, { headers: { authorization: null } }), 401),
        ),
      ),
    ),
  ),
  named(
    'invalid',
    reads('authentication.required', platforms, async (exchange) =>
      judge(
        await inTurn(wrongCredentials(exchange.token), async (authorization) =>
          expectRefused(await ask(exchange, 'GET', '/modes', { headers: { authorization } }), 401),
        ),
      ),
    ),
  ),
  reads('authentication.token-format', platforms, async ({ token }) =>
    /^[A-Za-z0-9_-]{43}$/.test(token)
      ? held
      : broken(`the token is ${token.length} characters long, or has others than base64url`),
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
    return away.kind === 'broken' ? away : letIn(exchange, 'sec-fetch-site', ['same-origin', 'none'])
  }),
  reads('guard.first', platforms, async (exchange) =>
    judge(
      await inTurn(everyRoute, async ({ method, target }) => {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{' }
        const headers = { authorization: null, host: 'attacker.example' }
        return expectRefused(await ask(exchange, method, target, { ...body, headers }), 403)
      }),
    ),
  ),
]

/** The specification gives no code for what is turned away; that there is an envelope is our decision. */
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
  return judge(
    await inTurn(values, async (value) => {
      const reply = await ask(exchange, 'GET', '/health', { headers: { [header]: value } })
      const fault = expectRefused(reply, 403)
      return fault === null ? null : `${header} ${value ?? '(none)'}: ${fault}`
    }),
  )
}

async function letIn(exchange: Exchange, header: string, values: readonly string[]) {
  return judge(
    await inTurn(values, async (value) => {
      const fault = expectAnswer(
        await ask(exchange, 'GET', '/modes', { headers: { [header]: value } }),
        'listModes',
      )
      return fault === null ? null : `${header} ${value}: ${fault}`
    }),
  )
}

/** The builds that are not one of these. */
export function except(...left: readonly Platform[]): readonly Platform[] {
  return platforms.filter((platform) => !left.includes(platform))
}
