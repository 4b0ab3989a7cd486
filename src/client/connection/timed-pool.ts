import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { DiagnosticsChannel, Dispatcher, Pool } from 'undici'
import type { Clock } from '#load'
import { httpLibrary } from './http-library.ts'

export interface TimedPoolOptions {
  readonly clock: Clock
  /** Sockets at most; as many requests can be in flight. The others wait in the client. */
  readonly connections: number
}

/** The socket that a request leaves by, and how that came about. */
export interface Leaving {
  readonly socket: Socket
  /** Null where the connection was there before this pool looked. */
  readonly connection: { readonly beganAtMs: number; readonly connectedAtMs: number } | null
  /** Whether another request has left by it before. */
  readonly isReused: boolean
}

/** Is called with the socket of a request when the request is sent. */
export interface LeavingListener {
  leaves(leaving: Leaving): void
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

  /** To be said by a request when it is started. */
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
