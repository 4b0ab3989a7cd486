import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawReply, RawRequest } from '#conformance'

/** No answer of the API takes longer on a machine that is not overloaded. */
const patienceMs = 180_000
/** A server that means to close a connection after its answer does so within this time. */
const closingMs = 2_000

/**
 * Sends one request byte for byte on a separate connection.
 *
 * @returns also where no answer came; never throws for what a server or a network can do
 */
export async function sendRaw(origin: URL, raw: RawRequest): Promise<RawReply> {
  const agent = new Agent({ keepAlive: true })
  try {
    return await exchange(origin, raw, agent)
  } finally {
    agent.destroy()
  }
}

function exchange(origin: URL, raw: RawRequest, agent: Agent): Promise<RawReply> {
  return new Promise((resolve) => {
    const request = openRequest({
      host: origin.hostname.replace(/^\[|\]$/g, ''),
      port: origin.port,
      method: raw.method,
      path: raw.target,
      headers: [...raw.headers, ...framing(raw)].flat(),
      setHost: false,
      agent,
      timeout: patienceMs,
    })
    let hasAnswer = false
    request.once('response', (response) => {
      hasAnswer = true
      resolve(read(response, raw.watchesClosing === true))
    })
    request.once('timeout', () => request.destroy(new Error(`no answer within ${patienceMs / 1000} s`)))
    // A server may answer and close before it has read the whole body; then the answer counts.
    request.on('error', (error) => {
      if (!hasAnswer) resolve(unanswered(error))
    })
    void raw.hangUp?.then(() => {
      if (!hasAnswer) request.destroy(new Error('the client hung up'))
    })
    void send(request, raw)
  })
}

function framing({ body, announcedBytes }: RawRequest): readonly (readonly [string, string])[] {
  if (announcedBytes !== undefined) return [['content-length', String(announcedBytes)]]
  if (body === undefined) return []
  if (body instanceof Uint8Array) return [['content-length', String(body.length)]]
  return [['transfer-encoding', 'chunked']]
}

async function send(request: ClientRequest, { body, announcedBytes }: RawRequest): Promise<void> {
  if (announcedBytes !== undefined) {
    if (body instanceof Uint8Array) request.write(body)
    else request.flushHeaders()
    return
  }
  if (body === undefined || body instanceof Uint8Array) {
    request.end(body)
    return
  }
  for (const piece of body) {
    if (request.destroyed) return
    if (!request.write(piece)) await drained(request)
  }
  request.end()
}

/** Resolves when there is room again, and also when there will be none any more. */
function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'response'] as const
    const end = (): void => {
      for (const event of events) request.off(event, end)
      resolve()
    }
    for (const event of events) request.on(event, end)
  })
}

async function read(response: IncomingMessage, watchesClosing: boolean): Promise<RawReply> {
  const { socket } = response
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)))
  const chunks: Buffer[] = []
  let fault: string | null = null
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer)
  } catch (error) {
    fault = describe(error as Error)
  }
  const isClosed = watchesClosing && (await Promise.race([closed, sleep(closingMs, false)]))
  return {
    status: response.statusCode ?? null,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    text: Buffer.concat(chunks).toString('utf8'),
    fault,
    isClosed,
  }
}

function unanswered(error: Error): RawReply {
  return { status: null, headers: {}, text: '', fault: describe(error), isClosed: true }
}

function describe(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}
