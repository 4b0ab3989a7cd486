import type { IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { brotliDecompressSync, inflateRawSync, unzipSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { z } from 'zod'
import { type CallStage, errorEnvelope, type RequestFailure } from '#contract/failures'
import type { Clock } from '#load/clock'
import { failed, lazily, type Outcome, parseJson, parseRetryAfter, succeeded } from '#prelude'

/** When things happened, in `Clock.nowMs` milliseconds. */
export interface CallTimes {
  /** Just before the request was handed to the socket. */
  readonly sentAtMs: number
  /** The answer's first byte (its head), or null where none came. */
  readonly firstByteAtMs: number | null
  /** The answer's last byte, or the moment the request was given up. */
  readonly endedAtMs: number
  /** What its socket says; left out where it never had one. */
  readonly socket?: SocketTimes | undefined
}

/** When a request had a socket, and what that did with the body. In `Clock.nowMs` milliseconds. */
export interface SocketTimes {
  /** The request's head was written: what lay before was waiting for a free socket, and connecting one. */
  readonly startedAtMs: number
  /** Of that time, what it took to connect (addresses, TCP and TLS); 0 on a socket that was there. */
  readonly connectMs: number
  /** The operating system had taken the last byte of the body; null where it never had. */
  readonly uploadedAtMs: number | null
}

/** An HTTP answer that arrived completely, whatever it says. */
export interface Reply {
  readonly status: number
  /** Unpacked, and without a mark of the byte order. */
  readonly text: string
  readonly headers: IncomingHttpHeaders
  readonly retryAfter: string | undefined
  /** The server's own stopwatch, where it sends `openai-processing-ms`. */
  readonly processingMs: number | null
}

/** What a request came to, and when: the first byte null where none came. */
export interface Received {
  readonly reply: Outcome<Reply, RequestFailure>
  readonly firstByteAtMs: number | null
  readonly endedAtMs: number
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

/** What a request reports when it starts: the pool that it leaves by. */
interface RequestStarts {
  starts(listener: LeavingListener): void
}

/** An answer larger than this is not one of this API: 64 MiB, in bytes. */
const largestAnswerBytes = 67_108_864

/**
 * A connection that the server has closed while nothing was sent is reset by the first bytes that arrive, after one round trip.
 * What is lost later was lost at work. In milliseconds.
 */
const closedWithinMs = 1000

/**
 * One request in flight: receives its answer with the socket's events, so that the stamps are those of the bytes
 * and not of a promise that was resolved for them later.
 */
export class ReplyReceiver implements Dispatcher.DispatchHandler, LeavingListener {
  /** Rejects only for a bug in transcribench. */
  readonly received: Promise<Received>
  readonly #clock: Clock
  readonly #pool: RequestStarts
  #startedAtMs: number | null = null
  #leaving: Leaving | null = null
  #uploadedAtMs: number | null = null
  #resolve: (received: Received) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #controller: Dispatcher.DispatchController | null = null
  #isOver = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #firstByteAtMs: number | null = null
  readonly #chunks: Buffer[] = []
  #sizeBytes = 0

  constructor(clock: Clock, pool: RequestStarts) {
    this.#clock = clock
    this.#pool = pool
    this.received = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Whether the request left by a connection that had carried another one before, and lost it at once. */
  get metClosedConnection(): boolean {
    if (this.#leaving?.isReused !== true || this.#startedAtMs === null || this.#firstByteAtMs !== null)
      return false
    return this.#clock.nowMs() - this.#startedAtMs < closedWithinMs
  }

  /** How far the request has come. */
  get stage(): CallStage {
    if (this.#firstByteAtMs !== null) return 'receiving'
    return this.#controller === null ? 'connecting' : 'waiting'
  }

  /** Ends the request now; its socket is closed, since an answer may still be on its way. */
  giveUp(failure: RequestFailure): void {
    this.#end(failed(failure))
    this.#controller?.abort(new (httpLibrary().errors.RequestAbortedError)())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Given up while it waited for a free socket.
    if (this.#isOver) {
      controller.abort(new (httpLibrary().errors.RequestAbortedError)())
      return
    }
    this.#startedAtMs = this.#clock.nowMs()
    this.#pool.starts(this)
  }

  leaves(leaving: Leaving): void {
    this.#leaving = leaving
  }

  /** All of the body was given to the socket, which may still hold it. */
  onRequestSent(): void {
    const socket = this.#leaving?.socket
    if (socket?.writableNeedDrain !== true) this.#uploadedAtMs = this.#clock.nowMs()
    else
      socket.once('drain', () => {
        this.#uploadedAtMs = this.#clock.nowMs()
      })
  }

  /** @returns undefined where the request never had a socket */
  socketTimes(sentAtMs: number): SocketTimes | undefined {
    if (this.#startedAtMs === null) return undefined
    const connection = this.#leaving?.connection ?? null
    // A socket may have been connecting already, for a request before; then only the waiting for it counts.
    const connectMs =
      connection === null
        ? 0
        : Math.max(0, connection.connectedAtMs - Math.max(sentAtMs, connection.beganAtMs))
    return { startedAtMs: this.#startedAtMs, connectMs, uploadedAtMs: this.#uploadedAtMs }
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    // Below 200 it is information about an answer that is still to come.
    if (statusCode < 200) return
    this.#firstByteAtMs = this.#clock.nowMs()
    this.#status = statusCode
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes <= largestAnswerBytes) this.#chunks.push(chunk)
    else
      this.giveUp({ kind: 'malformed', httpStatus: this.#status, excerpt: 'an answer of more than 64 MiB' })
  }

  onResponseEnd(): void {
    const [only] = this.#chunks
    const bytes = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks)
    const [status, headers] = [this.#status, this.#headers]
    const {
      'content-encoding': encoding,
      'retry-after': retryAfter,
      'openai-processing-ms': processing,
    } = headers
    const plain = encoding === undefined ? bytes : unpacked(bytes, encoding)
    if (plain === null) {
      const excerpt = `an answer that cannot be unpacked (content-encoding: ${encoding})`
      this.#end(failed({ kind: 'malformed', httpStatus: status, excerpt }))
      return
    }
    const processingMs =
      typeof processing === 'string' && /^\d+$/.test(processing) ? Number(processing) : null
    this.#end(
      succeeded({ status, text: withoutMark(plain.toString('utf8')), headers, retryAfter, processingMs }),
    )
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const cause = findCause(error)
    // What has no code did not come from a socket: it must not be counted as the server's.
    if (cause === null) this.#reject(error)
    else this.#end(failed({ kind: 'unreachable', cause, during: this.stage }))
  }

  #end(reply: Outcome<Reply, RequestFailure>): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#resolve({ reply, firstByteAtMs: this.#firstByteAtMs, endedAtMs: this.#clock.nowMs() })
  }
}

/** The operating system's code where there is one, else the client library's: `ECONNRESET`, `UND_ERR_SOCKET`. */
function findCause(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const below = findCause(error.cause)
  if (below !== null) return below
  if ('code' in error && typeof error.code === 'string') return error.code
  // The parser's errors come without a code: what answers there does not speak HTTP.
  return error instanceof httpLibrary().errors.HTTPParserError ? error.name : null
}

/** Servers and proxies pack answers without being asked. @returns null for what is packed in another way, or badly */
function unpacked(bytes: Buffer, encoding: string): Buffer | null {
  const options = { maxOutputLength: largestAnswerBytes }
  try {
    switch (encoding.trim().toLowerCase()) {
      case '':
      case 'identity':
        return bytes
      case 'gzip':
      case 'x-gzip':
        return unzipSync(bytes, options)
      case 'deflate':
        // Some send it without its frame: the low four bits of the frame's first byte are 8.
        return ((bytes[0] ?? 0) & 0x0f) === 8 ? unzipSync(bytes, options) : inflateRawSync(bytes, options)
      case 'br':
        return brotliDecompressSync(bytes, options)
      default:
        return null
    }
  } catch {
    // Damaged, or larger than any answer of this API.
    return null
  }
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

const require = createRequire(import.meta.url)

/** The HTTP library, loaded with the first connection: what only reads a target's name or errors needs none. */
export const httpLibrary: () => typeof import('undici') = lazily(() => require('undici'))

/** How much of an unexpected answer is kept for a person to see, in characters. */
const excerptLength = 240

/**
 * Parses an answer: the parsed success, the server's refusal, or `malformed` for anything that is
 * neither (HTML, a cut-off document, a bare 413). The `code` decides, not the HTTP status.
 *
 * @param token is taken out of everything kept, because some servers repeat the request they refuse
 * @param today for a `Retry-After` that is a date
 */
export function interpretReply<Answer>(
  reply: Reply,
  parser: z.ZodType<Answer>,
  context: { readonly token: string; readonly today: () => Date },
): Outcome<Answer, RequestFailure> {
  const json = parseJson(reply.text)
  const isSuccess = reply.status >= 200 && reply.status < 300
  const parsed = isSuccess ? parser.safeParse(json) : null
  if (parsed?.success === true) return succeeded(parsed.data)
  const envelope = errorEnvelope.safeParse(json)
  if (envelope.success) return failed(refusal(reply, envelope.data.error, context))
  const issue = json === undefined ? undefined : parsed?.error?.issues[0]
  const place = issue === undefined ? '' : `${issue.path.join('.') || 'answer'}: ${issue.message} · `
  return failed({
    kind: 'malformed',
    httpStatus: reply.status,
    excerpt: excerptFrom(withoutToken(place + reply.text, context.token)),
    ...comingBack(reply, context.today),
  })
}

function refusal(
  reply: Reply,
  error: { readonly code: string; readonly message: string; readonly hint?: string | undefined },
  { token, today }: { readonly token: string; readonly today: () => Date },
): RequestFailure {
  return {
    kind: 'refused',
    code: error.code,
    message: withoutToken(error.message, token),
    hint: error.hint === undefined ? null : withoutToken(error.hint, token),
    httpStatus: reply.status,
    ...comingBack(reply, today),
  }
}

/** When the server says that it may be asked again, where it says so. */
export function comingBack(reply: Reply, today: () => Date): { readonly retryAfterSeconds?: number } {
  const retryAfterSeconds = parseRetryAfter(reply.retryAfter ?? '', today)
  return retryAfterSeconds === null ? {} : { retryAfterSeconds }
}

/** One line of bounded length. */
export function excerptFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= excerptLength ? line : `${line.slice(0, excerptLength - 1)}…`
}

function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '[token]')
}
