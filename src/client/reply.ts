import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { brotliDecompressSync, inflateRawSync, unzipSync, zstdDecompressSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { z } from 'zod'
import { type CallStage, errorEnvelope, type RequestFailure } from '#contract/failures'
import type { Clock } from '#load/clock'
import { failed, lazily, type Outcome, parseJson, parseRetryAfter, succeeded } from '#prelude'

/** Times of a request, in milliseconds of `Clock.nowMs`. */
export interface CallTimes {
  /** Just before the request was handed to the HTTP library. */
  readonly sentAtMs: number
  /** First byte of the response (its head); null where none came. */
  readonly firstByteAtMs: number | null
  /** Last byte of the response, or the time at which the request was abandoned. */
  readonly endedAtMs: number
  /** Times of its socket; absent where it never had one. */
  readonly socket?: SocketTimes | undefined
}

/** Times of a request on its socket, in milliseconds of `Clock.nowMs`. */
export interface SocketTimes {
  /** When the head was written. Before it the request waited for a free socket and its connection. */
  readonly startedAtMs: number
  /** Part of that time spent on connecting (DNS, TCP and TLS); 0 on an existing connection. */
  readonly connectMs: number
  /** When the operating system had accepted the last byte of the body; null where it never did. */
  readonly uploadedAtMs: number | null
}

/** A complete HTTP response of any status. */
export interface Reply {
  readonly status: number
  /** Decompressed, without a byte order mark. */
  readonly text: string
  /** By lower-case name; of a header that is repeated, the first value. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly retryAfter: string | undefined
  /** The server's own measurement, from the header `openai-processing-ms`; null where it sends none. */
  readonly processingMs: number | null
}

/** The outcome of a request with its times; `firstByteAtMs` is null where no byte came. */
export interface Received {
  readonly reply: Outcome<Reply, RequestFailure>
  readonly firstByteAtMs: number | null
  readonly endedAtMs: number
}

/** The socket of a request and its history. */
export interface RequestSocket {
  readonly socket: Socket
  /** Null where the connection is older than this pool. */
  readonly connection: { readonly beganAtMs: number; readonly connectedAtMs: number } | null
  /** Whether an earlier request used the socket. */
  readonly isReused: boolean
}

/** Receives the socket of a request when the request is sent. */
export interface SocketListener {
  gotSocket(socket: RequestSocket): void
}

/** The pool of a request, which the request notifies when it starts. */
interface RequestStarts {
  starts(listener: SocketListener): void
}

/** Maximum size of a response in bytes, 64 MiB; a larger one is not of this API. */
const largestAnswerBytes = 67_108_864

/**
 * A connection that the server closed while idle is reset one round trip after the first bytes of a request. A later
 * loss may have happened during the work on the request, which must not be sent again: it would be billed twice, and
 * the crash of a server would look like a fast answer. Connecting takes one to three round trips, and more to look up
 * the name. The least is for a busy machine, where
 * this process reads the loss long after it came.
 */
const closedWithin = { connects: 3, leastMs: 500, mostMs: 1000 } as const

/**
 * Receives the response to one request in the socket's event handlers, so that timestamps are those of the
 * bytes and not of a promise that resolves later.
 */
export class ReplyReceiver implements Dispatcher.DispatchHandler, SocketListener {
  /** Rejects only for a bug in transcribench. */
  readonly received: Promise<Received>
  readonly #clock: Clock
  readonly #pool: RequestStarts
  #startedAtMs: number | null = null
  #socket: RequestSocket | null = null
  #uploadedAtMs: number | null = null
  #resolve: (received: Received) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #controller: Dispatcher.DispatchController | null = null
  #isOver = false
  #status = 0
  #headers: Reply['headers'] = {}
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

  /** Whether the request reused a connection and lost it at once, before any byte of the response. */
  get metClosedConnection(): boolean {
    if (this.#socket?.isReused !== true || this.#startedAtMs === null || this.#firstByteAtMs !== null)
      return false
    const { connection } = this.#socket
    const connectMs = connection === null ? 0 : connection.connectedAtMs - connection.beganAtMs
    const withinMs = Math.max(closedWithin.leastMs, closedWithin.connects * connectMs)
    return this.#clock.nowMs() - this.#startedAtMs < Math.min(withinMs, closedWithin.mostMs)
  }

  /** Progress of the request. */
  get stage(): CallStage {
    if (this.#firstByteAtMs !== null) return 'receiving'
    return this.#controller === null ? 'connecting' : 'waiting'
  }

  /** Ends the request now. Its socket is closed, because a response may still be under way. */
  giveUp(failure: RequestFailure): void {
    this.#end(failed(failure))
    this.#controller?.abort(new (httpLibrary().errors.RequestAbortedError)())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The request was abandoned while it waited for a free socket.
    if (this.#isOver) {
      controller.abort(new (httpLibrary().errors.RequestAbortedError)())
      return
    }
    this.#startedAtMs = this.#clock.nowMs()
    this.#pool.starts(this)
  }

  gotSocket(socket: RequestSocket): void {
    this.#socket = socket
  }

  /** undici has passed the whole body to the socket, which may still buffer it. */
  onRequestSent(): void {
    const socket = this.#socket?.socket
    if (socket?.writableNeedDrain !== true) this.#uploadedAtMs = this.#clock.nowMs()
    else
      socket.once('drain', () => {
        this.#uploadedAtMs = this.#clock.nowMs()
      })
  }

  /** @returns undefined where the request never had a socket */
  socketTimes(sentAtMs: number): SocketTimes | undefined {
    if (this.#startedAtMs === null) return undefined
    const connection = this.#socket?.connection ?? null
    // An earlier request may have begun to connect the socket; then only this request's wait for it counts.
    const connectMs =
      connection === null
        ? 0
        : Math.max(0, connection.connectedAtMs - Math.max(sentAtMs, connection.beganAtMs))
    return { startedAtMs: this.#startedAtMs, connectMs, uploadedAtMs: this.#uploadedAtMs }
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    this.#firstByteAtMs = this.#clock.nowMs()
    this.#status = statusCode
    this.#headers = firstOfEach(headers)
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
      'content-type': contentType,
      'retry-after': retryAfter,
      'openai-processing-ms': processing,
    } = headers
    const plain = encoding === undefined ? bytes : unpacked(bytes, encoding)
    if (plain === null) {
      const excerpt = `an answer that cannot be unpacked (content-encoding: ${encoding})`
      this.#end(failed({ kind: 'malformed', httpStatus: status, excerpt }))
      return
    }
    const processingMs = processing !== undefined && /^\d+$/.test(processing) ? Number(processing) : null
    this.#end(succeeded({ status, text: decoded(plain, contentType), headers, retryAfter, processingMs }))
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const cause = findCause(error)
    // An error without a code did not come from a socket, so it must not count as a failure of the server.
    if (cause === null) this.#reject(error)
    else this.#end(failed({ kind: 'unreachable', cause, during: this.stage }))
  }

  #end(reply: Outcome<Reply, RequestFailure>): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#resolve({ reply, firstByteAtMs: this.#firstByteAtMs, endedAtMs: this.#clock.nowMs() })
  }
}

/** Proxies and servers repeat headers, of which undici gives a list; no header that is read here has several values. */
function firstOfEach(headers: IncomingHttpHeaders): Reply['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]))
}

/** The operating system's error code if there is one, else undici's: `ECONNRESET`, `UND_ERR_SOCKET`. */
function findCause(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const below = findCause(error.cause)
  if (below !== null) return below
  if ('code' in error && typeof error.code === 'string') return error.code
  // Parser errors have no code; they mean that the other side does not speak HTTP.
  return error instanceof httpLibrary().errors.HTTPParserError ? error.name : null
}

/** Decompresses a response; servers may compress unasked. @returns null for damaged data or another encoding */
function unpacked(bytes: Buffer, encodings: string): Buffer | null {
  try {
    return encodings.split(',').reduceRight((packed, encoding) => unpackOnce(packed, encoding), bytes)
  } catch {
    // The data are damaged, larger than any response of this API, or of an unknown encoding.
    return null
  }
}

function unpackOnce(bytes: Buffer, encoding: string): Buffer {
  const options = { maxOutputLength: largestAnswerBytes }
  // A refusal without a body may name the encoding that it would have had.
  if (bytes.length === 0) return bytes
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return unzipSync(bytes, options)
    case 'deflate':
      // Some servers send deflate without the zlib header, whose first byte has 8 in its low four bits.
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? unzipSync(bytes, options) : inflateRawSync(bytes, options)
    case 'br':
      return brotliDecompressSync(bytes, options)
    case 'zstd':
      return zstdDecompressSync(bytes, options)
    default:
      throw new RangeError(`${encoding} is unknown`)
  }
}

/** Decodes UTF-8, as JSON is whatever its header says; other bytes by the character set that the header names. */
function decoded(bytes: Buffer, contentType = ''): string {
  const charset = isUtf8(bytes) ? undefined : /charset="?([\w-]+)/i.exec(contentType)?.[1]
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    // The character set is unknown.
    return bytes.toString('utf8')
  }
}

const require = createRequire(import.meta.url)

/** The HTTP library, loaded with the first connection, because modules that only parse targets do not need it. */
export const httpLibrary: () => typeof import('undici') = lazily(() => require('undici'))

export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Maximum length of the excerpt of an unexpected response, in characters. */
const excerptLength = 240

/**
 * Parses a response: the success, the server's refusal, or `malformed` for anything else (HTML, a truncated
 * document, a bare 413). The `code` decides, not the HTTP status.
 *
 * @param token removed from all kept texts, because some servers repeat the request that they refuse
 * @param today current time, for a `Retry-After` that is a date
 */
export function interpretReply<Answer>(
  reply: Reply,
  parser: z.ZodType<Answer>,
  context: { readonly token: string; readonly today: () => Date },
): Outcome<Answer, RequestFailure> {
  const json = parseJson(reply.text)
  const parsed = isSuccess(reply) ? parser.safeParse(json) : null
  if (parsed?.success === true) return succeeded(parsed.data)
  const envelope = errorEnvelope.safeParse(json)
  if (envelope.success) return failed(refusal(reply, envelope.data.error, context))
  const byProxy = readProxyRefusal(reply)
  if (byProxy !== null) return failed(byProxy)
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

/** The delay in `Retry-After`, if the server sent a valid one. */
export function comingBack(reply: Reply, today: () => Date): { readonly retryAfterSeconds?: number } {
  const retryAfterSeconds = parseRetryAfter(reply.retryAfter ?? '', today)
  return retryAfterSeconds === null ? {} : { retryAfterSeconds }
}

/** A refusal for the size of the request, or by a rule, of a proxy in front of the server; null for any other response. */
export function readProxyRefusal(reply: Reply): RequestFailure | null {
  const { status: httpStatus } = reply
  const proxy = httpStatus === 413 || httpStatus === 403 ? detectProxy(reply) : null
  if (proxy === null) return null
  return httpStatus === 413
    ? {
        kind: 'refused',
        code: 'INVALID_REQUEST',
        message: `${proxy} in front of the server refuses a request of this size (HTTP 413)`,
        hint: 'raise its limit (client_max_body_size of nginx), name the server itself as the target, or leave long recordings out',
        httpStatus,
        isOversize: true,
      }
    : {
        kind: 'refused',
        code: 'HTTP_403',
        message: `${proxy} in front of the server refuses the request (HTTP 403)`,
        hint: 'see its rules for this path, or name the server itself as the target',
        httpStatus,
      }
}

/** The proxy that responded in place of the server, detected by its page or its name; null where an API responded. */
function detectProxy(reply: Reply): string | null {
  if (parseJson(reply.text) !== undefined) return null
  const [, written] = /<center>\s*((?:nginx|openresty|cloudflare)[^<]*)<\/center>/i.exec(reply.text) ?? []
  const name = reply.headers['server'] ?? written
  const isKnown =
    name !== undefined &&
    /nginx|openresty|cloudflare|envoy|haproxy|caddy|apache|awselb|varnish|traefik|squid/i.test(name)
  if (!isPage(reply) && !isKnown) return null
  return isKnown ? `a proxy (${name.trim().slice(0, 40)})` : 'a proxy'
}

const pageStart = /^\s*(<\?xml[^<>]*>\s*)?<(!doctype|html)/i

/** Whether a response is an HTML page, as proxies and wrong addresses return. */
export function isPage({ text, headers }: Pick<Reply, 'text' | 'headers'>): boolean {
  return headers['content-type']?.includes('text/html') === true || pageStart.test(text)
}

/** Collapses white space, keeps only the words of an HTML page, and shortens the text to the excerpt's maximum length. */
export function excerptFrom(text: string): string {
  const line = (pageStart.test(text) ? pageWords(text) : text).replace(/\s+/g, ' ').trim()
  return line.length <= excerptLength ? line : `${line.slice(0, excerptLength - 1)}…`
}

/** Characters of a page that are read; error pages of proxies are shorter. */
const pageLength = 8_000

/** The words of the body of a page, or else its title. */
function pageWords(text: string): string {
  const page = text.slice(0, pageLength)
  const body = page.replace(/<(head|script|style)\b.*?<\/\1>/gis, ' ').replace(/<[^<>]*>/g, ' ')
  return /\S/.test(body) ? body : (/<title[^<>]*>([^<]*)/i.exec(page)?.[1] ?? page)
}

function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '[token]')
}
