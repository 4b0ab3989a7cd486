import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { type Answers, type EndpointName, endpoints } from '#contract/endpoints'
import type { ErrorEnvelope } from '#contract/failures'
import { errorCode, failed, type Outcome } from '#prelude'
import { type CurrentToken, carriesToken } from '../folder/data-dir.ts'
import { isStoreFull } from '../folder/database.ts'
import { type Events, requestIdHeader } from '../service-event.ts'
import type { Memory } from '../waiting.ts'
import { type Call, envelope, type Handlers, type PlatformProfile, type Refusal } from './call.ts'

export interface ServerInput {
  readonly profile: PlatformProfile
  readonly handlers: Handlers
  readonly token: CurrentToken
  readonly memory: Memory
  /** Aborted when the service stops, which ends all current requests. */
  readonly stopping: AbortSignal
  readonly events: Events
}

/** When a request arrived, by `performance.now()`, and its id in the log. */
interface Arrival {
  readonly atMs: number
  readonly id: string
}

/** What every response needs: the input, and the arrival of each request. */
interface Answering extends ServerInput {
  readonly arrivalOf: (request: IncomingMessage) => Arrival
}

type Result = Outcome<Answers[EndpointName], Refusal>

/** Time limit in milliseconds for a client to send the rest of a body that is no longer read. */
const unwantedBodyMs = 30_000

/** Maximum size of a head on a build without a specified limit. */
const maxHeadBytes = 2 ** 20

/** The API over HTTP: guard, then token, then route. It is not listening yet. */
export function createServer(serverInput: ServerInput): FastifyInstance {
  const arrivals = new WeakMap<IncomingMessage, Arrival>()
  const arrivalOf = (request: IncomingMessage): Arrival => {
    const arrival = arrivals.get(request) ?? { atMs: performance.now(), id: serverInput.events.make() }
    arrivals.set(request, arrival)
    return arrival
  }
  const input: Answering = { ...serverInput, arrivalOf }
  const { head } = input.profile
  const headBytes = head?.totalBytes ?? maxHeadBytes
  const app = fastify({
    exposeHeadRoutes: false,
    // While the server closes, requests end by their aborted signal, with an envelope of the API.
    return503OnClosing: false,
    // Bodies may wait long for memory; the reader of a body has its own time-outs.
    requestTimeout: 0,
    // The guard refuses a request without a Host, with an envelope.
    http: { requireHostHeader: false, maxHeaderSize: headBytes + 1 },
    routerOptions: { maxParamLength: headBytes },
    rewriteUrl: ownPath,
    clientErrorHandler: (error, socket) => refuseUnparsed(input, error, socket),
    // Fastify calls this for an undecodable path, without running hooks.
    frameworkErrors: (_error, request, reply) => {
      send(input, request, reply, failed(admit(input, request) ?? noSuchRoute))
    },
  })
  // Only the size of the head is limited, because Node rejects more than 1,000 lines as invalid HTTP by default.
  app.server.maxHeadersCount = 0
  // Arrival is recorded before all hooks, because hooks do not run for a malformed path.
  app.server.prependListener('request', arrivalOf)
  app.server.on('checkContinue', (request, response) => {
    // Otherwise Node would request the body before the guard has checked the request.
    if (guard(request, head) === null) response.writeContinue()
    app.server.emit('request', request, response)
  })
  app.server.on('checkExpectation', (request, response) => {
    if (guard(request, head) === null) response.writeHead(417).end()
    else app.server.emit('request', request, response)
  })
  app.server.on('connect', (request, socket: Socket) => refuseTunnel(input, request, socket))
  app.removeAllContentTypeParsers()
  // Handlers read the body themselves, as a stream with a limit.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.addHook('onRequest', async (request, reply) => {
    const refusal = admit(input, request)
    return refusal === null ? undefined : send(input, request, reply, failed(refusal))
  })
  app.setNotFoundHandler((request, reply) => send(input, request, reply, failed(noSuchRoute)))
  app.setErrorHandler((error, request, reply) =>
    send(input, request, reply, failed(explainFault(error, request, input))),
  )
  for (const name of Object.keys(endpoints) as EndpointName[]) addRoute(app, input, name)
  return app
}

/** Answers input that the HTTP parser refuses: it never becomes a request, so it has no route and no envelope. */
function refuseUnparsed({ profile, events }: ServerInput, error: Error, socket: Socket): void {
  const reason = 'code' in error ? String(error.code) : error.message
  const isHeadTooLarge = reason === 'HPE_HEADER_OVERFLOW'
  // Only a build with a limit answers 431; the others treat such a head as invalid HTTP.
  const [httpStatus, phrase] =
    isHeadTooLarge && profile.head !== null ? [431, 'Request Header Fields Too Large'] : [400, 'Bad Request']
  if (socket.writable) {
    socket.write(`HTTP/1.1 ${httpStatus} ${phrase}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    events.log({ kind: 'unparsed', httpStatus, reason })
  }
  socket.destroySoon()
}

/** Refuses CONNECT, for which Node passes the bare connection. Without a listener Node would close it unanswered. */
function refuseTunnel(
  { profile, token, events }: ServerInput,
  request: IncomingMessage,
  socket: Socket,
): void {
  // The target of CONNECT is another host, so the path is replaced for the guard.
  request.url = '/'
  const isKnown = carriesToken(request.headers.authorization, token())
  const refusal = guard(request, profile.head) ?? (isKnown ? noSuchRoute : unauthorized)
  const body = refusal.kind === 'bare' ? '' : JSON.stringify(toEnvelope(refusal))
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${refusal.httpStatus} ${STATUS_CODES[refusal.httpStatus]}\r\nConnection: close\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  events.log({ kind: 'unparsed', httpStatus: refusal.httpStatus, reason: 'CONNECT' })
}

/** Additional paths of this service. */
const aliases: { readonly [Name in EndpointName]?: readonly string[] } = {
  searchRecordings: ['/recordings'],
}

function addRoute(app: FastifyInstance, input: Answering, name: EndpointName): void {
  const { method, path, platforms } = endpoints[name]
  const handler = input.handlers[name]
  if (handler === undefined || !platforms.includes(input.profile.platform)) return
  for (const url of [path, ...(aliases[name] ?? [])])
    app.route({
      method,
      url,
      async handler(request, reply) {
        const disconnection = new AbortController()
        reply.raw.once('close', () => {
          if (!reply.raw.writableFinished) disconnection.abort()
        })
        const call = createCall(request, input, AbortSignal.any([disconnection.signal, input.stopping]))
        const result = await input.events.during(input.arrivalOf(request.raw).id, () => handler(call))
        return send(input, request, reply, result)
      },
    })
}

function createCall(request: FastifyRequest, input: Answering, signal: AbortSignal): Call {
  const { id = '' } = request.params as { readonly id?: string }
  const query = new URLSearchParams(request.raw.url?.split('?').slice(1).join('?') ?? '')
  const arrivedAtMs = input.arrivalOf(request.raw).atMs
  const { profile, memory } = input
  return { id, query, request: request.raw, profile, memory, signal, arrivedAtMs }
}

/** @returns the refusal, or null for an admitted request */
function admit({ profile, token }: ServerInput, request: FastifyRequest): Refusal | null {
  const refusal = guard(request.raw, profile.head)
  if (refusal !== null) return refusal
  const { config, method } = request.routeOptions
  const { health } = endpoints
  if (config?.url === health.path && method === health.method) return null
  return carriesToken(request.headers.authorization, token()) ? null : unauthorized
}

function send(input: Answering, request: FastifyRequest, reply: FastifyReply, result: Result): FastifyReply {
  const refusal = result.ok ? null : result.failure
  const httpStatus = refusal?.httpStatus ?? 200
  const { atMs: arrivedAtMs, id: requestId } = input.arrivalOf(request.raw)
  const { method } = request
  const route = request.routeOptions?.config?.url ?? null
  const code = refusal?.kind === 'envelope' ? refusal.code : null
  const logAnswer = (): void => {
    const durationMs = performance.now() - arrivedAtMs
    const isDelivered = reply.raw.writableFinished
    input.events.during(requestId, () =>
      input.events.log({ kind: 'answered', method, route, httpStatus, code, durationMs, isDelivered }),
    )
  }
  reply.header(requestIdHeader, requestId)
  // The response is already closed if the client has disconnected.
  if (reply.raw.closed) logAnswer()
  else reply.raw.once('close', logAnswer)
  if (httpStatus === 401) reply.header('www-authenticate', 'Bearer')
  // The request's body may still be arriving, and is not read.
  if (httpStatus === 431) reply.header('connection', 'close')
  else endUnwanted(request, reply)
  const retryAfterSeconds = retryAfter(refusal)
  if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds))
  reply.code(httpStatus)
  if (result.ok) return reply.send(result.value)
  return result.failure.kind === 'bare' ? reply.send() : reply.send(toEnvelope(result.failure))
}

/** The delay to announce; one second by default, because a slot is free as soon as a current request ends. */
function retryAfter(refusal: Refusal | null): number | null {
  if (refusal?.kind !== 'envelope') return null
  return refusal.retryAfterSeconds ?? (refusal.code === 'RATE_LIMITED' ? 1 : null)
}

/**
 * Discards the rest of the body of an answered request, for a limited time. A connection that closes after
 * the response stays open until then, because closing it early would lose the response.
 */
function endUnwanted({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || raw.destroyed) return
  if (!reply.raw.shouldKeepAlive) {
    reply.raw.shouldKeepAlive = true
    raw.once('end', () => raw.socket.end())
  }
  const timer = setTimeout(() => raw.destroy(), unwantedBodyMs)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
}

function toEnvelope(refusal: Extract<Refusal, { kind: 'envelope' }>): ErrorEnvelope {
  const { code, message, hint } = refusal
  return { ok: false, error: hint === null ? { code, message } : { code, message, hint } }
}

const unauthorized = envelope('INVALID_REQUEST', 'Missing or invalid bearer token.', {
  httpStatus: 401,
  hint: 'Send "Authorization: Bearer" with the token of the discovery file.',
})

const noSuchRoute = envelope('INVALID_REQUEST', 'There is no such route.', { httpStatus: 404 })

function explainFault(error: unknown, { raw }: FastifyRequest, input: Answering): Refusal {
  if (errorCode(error) === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return envelope('INVALID_REQUEST', 'The Content-Type header is not a media type.')
  }
  const isFull = error instanceof Error && isStoreFull(error)
  input.events.during(input.arrivalOf(raw).id, () =>
    input.events.log(isFull ? { kind: 'diskFull', reason: error.message } : { kind: 'fault', error }),
  )
  return isFull
    ? envelope('TRANSCRIPTION_FAILED', 'The disk of the service is full: nothing was written.', {
        hint: 'Free space where its data directory is, and send it again.',
      })
    : envelope('TRANSCRIPTION_FAILED', 'The service failed; its log says why.')
}

const loopbackHosts = ['127.0.0.1', 'localhost']
const loopbackOrigins = [...loopbackHosts, '[::1]']
const friendlySites = ['same-origin', 'none']

/**
 * Refuses requests that a web page or a rebound DNS name may have sent, before any other check.
 *
 * @param head the limits of a request head; null for none
 * @returns null for an accepted request
 */
export function guard(request: IncomingMessage, head: PlatformProfile['head']): Refusal | null {
  if (head !== null && isTooLong(request, head)) return { kind: 'bare', httpStatus: 431 }
  const port = request.socket.localPort
  const { host, origin, 'sec-fetch-site': site } = request.headers
  if (
    request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length !==
      1 ||
    !isLoopback(host, port)
  ) {
    return forbidden('The Host header does not name this service.')
  }
  if (!(request.url ?? '').startsWith('/') && request.url !== '*') {
    return forbidden('The request line names another host.')
  }
  if (origin !== undefined && !isLoopbackOrigin(origin, port)) {
    return forbidden('The Origin header names another origin.')
  }
  if (site !== undefined && !friendlySites.includes(String(site))) {
    return forbidden('The request comes from another site.')
  }
  return null
}

/** Strips this service's origin from a request line in absolute form; the guard refuses another host's. */
function ownPath(request: IncomingMessage): string {
  const { url = '/', socket } = request
  const [origin, host] = /^http:\/\/([^/?#]*)/i.exec(url) ?? []
  if (origin === undefined || !isLoopback(host, socket.localPort)) return url
  const path = url.slice(origin.length)
  return path.startsWith('/') ? path : `/${path}`
}

function isLoopback(host: string | undefined, port: number | undefined): boolean {
  return loopbackHosts.some((name) => host?.toLowerCase() === `${name}:${port}`)
}

function isLoopbackOrigin(origin: string, port: number | undefined): boolean {
  return loopbackOrigins.some((name) =>
    ['http', 'https'].some((scheme) => origin.toLowerCase() === `${scheme}://${name}:${port}`),
  )
}

function isTooLong(request: IncomingMessage, limits: NonNullable<PlatformProfile['head']>): boolean {
  const lines = headLines(request)
  // Each line ends with CRLF, as does the empty line after the last one.
  const totalBytes = lines.reduce((sum, line) => sum + line.length + 2, 2)
  return totalBytes > limits.totalBytes || lines.some((line) => line.length > limits.lineBytes)
}

/** Reconstructs the lines of the head as probably sent; each character is one byte. */
function headLines({ method, url, httpVersion, rawHeaders }: IncomingMessage): string[] {
  const headers = rawHeaders.flatMap((text, index) =>
    index % 2 === 1 ? [`${rawHeaders[index - 1]}: ${text}`] : [],
  )
  return [`${method} ${url} HTTP/${httpVersion}`, ...headers]
}

function forbidden(message: string): Refusal {
  return envelope('INVALID_REQUEST', message, { httpStatus: 403 })
}
