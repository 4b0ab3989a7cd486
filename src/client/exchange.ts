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
  type Leaving,
  type LeavingListener,
  type Reply,
  ReplyReceiver,
} from './reply.ts'

/** One HTTP request, ready to be sent. */
export interface HttpCall {
  readonly method: Dispatcher.HttpMethod
  /** With the query. */
  readonly path: string
  readonly isAuthenticated: boolean
  /** Besides those that every request has. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body: HttpBody | null
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** A body. Its length is sent ahead, because the service refuses by length. */
export interface HttpBody {
  readonly content: string | Readable | readonly Buffer[]
  readonly sizeBytes: number
  readonly contentType: string
}

export function jsonBody(value: unknown): HttpBody {
  const content = JSON.stringify(value)
  return { content, sizeBytes: Buffer.byteLength(content), contentType: 'application/json' }
}

export interface Exchange {
  readonly reply: Outcome<Reply, RequestFailure>
  readonly times: CallTimes
  /** Whether it failed because the server had closed the connection since the request before. */
  readonly metClosedConnection: boolean
}

/** What a closed connection says; what keeps a body from being read says something else. */
const closedCauses: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET'])

/** Sends one request and reads its answer to the end. Nothing but the sending happens between the stamps. */
export async function exchange(
  pool: TimedPool,
  location: ServiceLocation,
  call: HttpCall,
  clock: Clock,
): Promise<Exchange> {
  if (call.signal?.aborted === true) {
    return { reply: failed({ kind: 'dropped' }), times: unsentTimes(clock), metClosedConnection: false }
  }
  const { method, path, body, timeoutMs } = call
  // The library sends whatever can be iterated, and its types have no word for it.
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

/** The same on a connection that no other request has used, nor will. */
export async function exchangeAfresh(
  location: ServiceLocation,
  call: HttpCall,
  clock: Clock,
): Promise<Exchange> {
  await using pool = new TimedPool(location.origin, { clock, connections: 1 })
  return await exchange(pool, location, call, clock)
}

/** The times of a request that ended before it began: all its moments are one. */
export function unsentTimes(clock: Clock): CallTimes {
  const nowMs = clock.nowMs()
  return { sentAtMs: nowMs, firstByteAtMs: null, endedAtMs: nowMs }
}

function headersFor(location: ServiceLocation, call: HttpCall): Record<string, string> {
  const headers: Record<string, string> = { ...call.headers }
  if (location.hostHeader !== null) headers['host'] = location.hostHeader
  if (call.isAuthenticated) headers['authorization'] = location.authorization
  if (call.body === null) return headers
  headers['content-type'] = call.body.contentType
  // The library counts text by itself; pieces it would send without saying their length.
  if (typeof call.body.content !== 'string') headers['content-length'] = String(call.body.sizeBytes)
  return headers
}

/** The longest delay of a timer, in milliseconds: 24.8 days. A longer one would fire at once. */
const maxTimerMs = 2_147_483_647

/** Why a request was given up before its answer was complete. */
type EarlyEnd = 'timedOut' | 'dropped'

/**
 * Starts a request's time-out, joined with the caller's own signal.
 *
 * @param giveUp is called at most once, with whichever came first
 * @returns a function that ends the waiting; without it the timer keeps the process alive
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
  /** Sockets at most; as many requests can be in flight. The others wait in the client. */
  readonly connections: number
}

/**
 * Kept-alive connections to one origin, whose requests are given their socket when they are sent. The client library reports
 * sockets on channels of the whole process only: a head is written right after its request was started, in the same
 * call, so that the request that was started last is the one that leaves.
 */
export class TimedPool implements AsyncDisposable {
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #beganAtMs = new WeakMap<object, number>()
  /** How the next request leaves by each socket. */
  readonly #leavings = new WeakMap<Socket, Leaving>()
  #starting: LeavingListener | null = null

  constructor(origin: string, { clock, connections }: TimedPoolOptions) {
    this.#clock = clock
    const { Pool } = httpLibrary()
    this.#pool = new Pool(origin, {
      connections,
      // The deadline of each request is ours; a second one inside the library would fire first on long audio.
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

  /** A request calls this when undici starts it. */
  starts(listener: LeavingListener): void {
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
    this.#leavings.set(socket, { socket, connection: { beganAtMs, connectedAtMs }, isReused: false })
  }

  readonly #sendHeaders = (message: unknown): void => {
    const { socket } = message as DiagnosticsChannel.ClientSendHeadersMessage
    const listener = this.#starting
    this.#starting = null
    if (listener === null) return
    const leaving = this.#leavings.get(socket) ?? { socket, connection: null, isReused: false }
    if (!leaving.isReused) {
      this.#leavings.set(socket, { ...leaving, isReused: true })
      passOverContinue(socket)
    }
    listener.leaves(leaving)
  }
}

/**
 * `HTTP/1.1 100 Continue` may come before any answer (RFC 9110, 15.2), and the client library ends the connection for it. It is
 * a separate write of the server: a piece that does not begin with it is handed on as it is.
 */
function passOverContinue(socket: Socket): void {
  const read = socket.read.bind(socket)
  socket.read = (size?: number): unknown => {
    const piece: unknown = read(size)
    if (!(piece instanceof Buffer) || piece[9] !== 0x31 || piece[10] !== 0x30 || piece[11] !== 0x30)
      return piece
    const [head] = /^HTTP\/1\.1 100[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(piece.toString('latin1')) ?? []
    if (head === undefined) return piece
    return piece.length === head.length ? socket.read() : piece.subarray(head.length)
  }
}

/** As undici names them: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel. */
const channels = {
  beforeConnect: 'undici:client:beforeConnect',
  connected: 'undici:client:connected',
  sendHeaders: 'undici:client:sendHeaders',
} as const

/** Connections to several origins: a pool for each, opened when it is first asked for. */
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
