import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { DiagnosticsChannel, Dispatcher, Pool } from 'undici'
import type { RequestFailure } from '#contract/failures'
import type { Clock } from '#load/clock'
import { failed, type Outcome } from '#prelude'
import type { ServiceLocation } from './location.ts'
import {
  type CallTimes,
  httpLibrary,
  type Reply,
  ReplyReceiver,
  type RequestSocket,
  type SocketListener,
} from './reply.ts'

/** One HTTP request, ready to be sent. */
export interface HttpCall {
  readonly method: Dispatcher.HttpMethod
  /** Path with the query. */
  readonly path: string
  readonly isAuthenticated: boolean
  /** Headers besides the common ones. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body: HttpBody | null
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** A request body; the service needs its length in advance, because it refuses by length. */
export interface HttpBody {
  readonly content: string | Readable | readonly Buffer[]
  readonly sizeBytes: number
  readonly contentType: string
}

export function jsonBody(value: unknown, contentType = 'application/json'): HttpBody {
  const content = JSON.stringify(value)
  return { content, sizeBytes: Buffer.byteLength(content), contentType }
}

export interface Exchange {
  readonly reply: Outcome<Reply, RequestFailure>
  readonly times: CallTimes
  /** Whether the request failed because the server had closed the kept connection after the previous request. */
  readonly metClosedConnection: boolean
}

/** Error codes of a closed connection; errors of reading a body have other codes. */
const closedCauses: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET'])

/** Sends one request and reads its response to the end. Only the sending lies between the timestamps. */
export async function exchange(
  pool: TimedPool,
  location: ServiceLocation,
  call: HttpCall,
  clock: Clock,
): Promise<Exchange> {
  if (call.signal?.aborted === true) {
    return unsentExchange({ kind: 'dropped' }, clock)
  }
  const { method, path, body, timeoutMs } = call
  // undici accepts any iterable as a body, but its types do not allow one.
  const content = (body?.content ?? null) as string | Readable | null
  const request = { method, path, headers: headersFor(location, call), body: content }
  const receiver = new ReplyReceiver(clock, pool)
  const release = startDeadline(timeoutMs, call.signal, (end) =>
    receiver.giveUp(
      end === 'timedOut' ? { kind: end, afterMs: timeoutMs, during: receiver.stage } : { kind: end },
    ),
  )
  const sentAtMs = clock.nowMs()
  pool.dispatch(request, receiver)
  try {
    const { reply, firstByteAtMs, endedAtMs } = await receiver.received
    return {
      reply,
      times: { sentAtMs, firstByteAtMs, endedAtMs, socket: receiver.socketTimes(sentAtMs) },
      metClosedConnection:
        !reply.ok &&
        reply.failure.kind === 'unreachable' &&
        closedCauses.has(reply.failure.cause) &&
        receiver.metClosedConnection,
    }
  } finally {
    release()
  }
}

/** The outcome of a request that is not sent. */
export function unsentExchange(failure: RequestFailure, clock: Clock): Exchange {
  return { reply: failed(failure), times: unsentTimes(clock), metClosedConnection: false }
}

/** Sends one request over a connection of its own. */
export async function exchangeAfresh(
  location: ServiceLocation,
  call: HttpCall,
  clock: Clock,
): Promise<Exchange> {
  await using pool = new TimedPool(location.origin, { clock, connections: 1 })
  return await exchange(pool, location, call, clock)
}

/** The times of a request that was never sent: start and end are now. */
export function unsentTimes(clock: Clock): CallTimes {
  const nowMs = clock.nowMs()
  return { sentAtMs: nowMs, firstByteAtMs: null, endedAtMs: nowMs }
}

function headersFor(location: ServiceLocation, call: HttpCall): Record<string, string> {
  const headers: Record<string, string> = { ...call.headers }
  if (location.hostHeader !== null) headers['host'] = location.hostHeader
  if (call.isAuthenticated) headers['authorization'] = `Bearer ${location.token}`
  if (call.body === null) return headers
  headers['content-type'] = call.body.contentType
  // undici computes the length of a text only; without this header it would send buffers chunked.
  if (typeof call.body.content !== 'string') headers['content-length'] = String(call.body.sizeBytes)
  return headers
}

/** Maximum delay of a timer in milliseconds, 24.8 days; a longer one would fire at once. */
const maxTimerMs = 2_147_483_647

/** The reason why a request was abandoned before its response was complete. */
type EarlyEnd = 'timedOut' | 'dropped'

/**
 * Starts a request's time-out, and listens to the caller's signal.
 *
 * @param giveUp called at most once, with the first of the two reasons
 * @returns a function that stops both; without calling it the timer keeps the process alive
 */
function startDeadline(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  giveUp: (end: EarlyEnd) => void,
): () => void {
  const release = (): void => {
    clearTimeout(timer)
    outer?.removeEventListener('abort', drop)
  }
  const endAs = (end: EarlyEnd): void => {
    release()
    giveUp(end)
  }
  const drop = (): void => endAs('dropped')
  const timer = setTimeout(endAs, Math.min(timeoutMs, maxTimerMs), 'timedOut')
  outer?.addEventListener('abort', drop, { once: true })
  return release
}

export interface TimedPoolOptions {
  readonly clock: Clock
  /** Maximum number of sockets, and so of requests in flight; further requests wait in the client. */
  readonly connections: number
}

/**
 * Kept-alive connections to one origin, which report to each request its socket. undici publishes sockets on
 * process-wide channels only. It writes a request's head in the call that starts it, so the head belongs to
 * the request started last.
 */
export class TimedPool implements AsyncDisposable {
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #beganAtMs = new WeakMap<object, number>()
  /** Data about each socket for the next request that uses it. */
  readonly #sockets = new WeakMap<Socket, RequestSocket>()
  #starting: SocketListener | null = null

  constructor(origin: string, { clock, connections }: TimedPoolOptions) {
    this.#clock = clock
    const { Pool } = httpLibrary()
    this.#pool = new Pool(origin, {
      connections,
      // Requests have their own deadline; those of undici would fire earlier on long audio.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    subscribe(channels.beforeConnect, this.#beforeConnect)
    subscribe(channels.connected, this.#connected)
    subscribe(channels.sendHeaders, this.#sendHeaders)
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#pool.dispatch(request, handler)
  }

  /** Registers a request that undici starts now. */
  starts(listener: SocketListener): void {
    this.#starting = listener
  }

  async [Symbol.asyncDispose](): Promise<void> {
    unsubscribe(channels.beforeConnect, this.#beforeConnect)
    unsubscribe(channels.connected, this.#connected)
    unsubscribe(channels.sendHeaders, this.#sendHeaders)
    await this.#pool.destroy()
  }

  readonly #beforeConnect = (message: unknown): void => {
    const { connector } = message as DiagnosticsChannel.ClientBeforeConnectMessage
    this.#beganAtMs.set(connector, this.#clock.nowMs())
  }

  readonly #connected = (message: unknown): void => {
    const { connector, socket } = message as DiagnosticsChannel.ClientConnectedMessage
    const connectedAtMs = this.#clock.nowMs()
    const beganAtMs = this.#beganAtMs.get(connector) ?? connectedAtMs
    this.#sockets.set(socket, { socket, connection: { beganAtMs, connectedAtMs }, isReused: false })
  }

  readonly #sendHeaders = (message: unknown): void => {
    const { socket } = message as DiagnosticsChannel.ClientSendHeadersMessage
    const listener = this.#starting
    this.#starting = null
    if (listener === null) return
    const requestSocket = this.#sockets.get(socket) ?? { socket, connection: null, isReused: false }
    if (!requestSocket.isReused) this.#sockets.set(socket, { ...requestSocket, isReused: true })
    passOverInterim(socket)
    listener.gotSocket(requestSocket)
  }
}

/** Complete interim responses at the beginning of a text; 101 is final, because it ends HTTP. */
const interimHeads = /^(?:HTTP\/1\.1 1(?!01)\d\d[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)+/

/** Maximum length of an incomplete interim response in bytes, which is Node's for the head of any response. */
const longestHeadBytes = 16_384

/**
 * Removes interim responses, such as `100 Continue` and `103 Early Hints`, until the response begins. Any number may
 * precede it (RFC 9110, 15.2), in pieces of any size, but undici closes the connection at a 100.
 */
function passOverInterim(socket: Socket): void {
  const { read } = socket
  let held = Buffer.alloc(0)
  socket.read = (size?: number): unknown => {
    for (;;) {
      const piece: unknown = read.call(socket, size)
      if (!(piece instanceof Buffer)) return piece
      held = held.length === 0 ? piece : Buffer.concat([held, piece])
      const [heads = ''] = interimHeads.exec(held.toString('latin1', 0, longestHeadBytes)) ?? []
      held = held.subarray(heads.length)
      const start = held.toString('latin1', 0, 12)
      const isInterim = 'HTTP/1.1 1'.startsWith(start.slice(0, 10)) && start.slice(9) !== '101'
      if (isInterim && held.length < longestHeadBytes) continue
      socket.read = read
      return held
    }
  }
}

/** Channels of undici: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel. */
const channels = {
  beforeConnect: 'undici:client:beforeConnect',
  connected: 'undici:client:connected',
  sendHeaders: 'undici:client:sendHeaders',
} as const

/** Connection pools for several origins, each opened on first use. */
export class TimedPools implements AsyncDisposable {
  readonly #options: TimedPoolOptions
  readonly #pools = new Map<string, TimedPool>()

  constructor(options: TimedPoolOptions) {
    this.#options = options
  }

  to(origin: string): TimedPool {
    const pool = this.#pools.get(origin) ?? new TimedPool(origin, this.#options)
    this.#pools.set(origin, pool)
    return pool
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool[Symbol.asyncDispose]()))
  }
}
