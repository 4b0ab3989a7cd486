import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, errors } from 'undici'
import type { CallStage, RequestFailure } from '#contract'
import type { Clock } from '#load'
import { failed, type Outcome, succeeded } from '#prelude'

/** An HTTP answer that arrived completely, whatever it says. */
export interface Reply {
  readonly status: number
  readonly text: string
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

/** An answer larger than this is not one of this API: 64 MiB, in bytes. */
const largestAnswerBytes = 67_108_864

/**
 * One request in flight: hears of its answer as the socket does, so that the stamps are those of the bytes
 * and not of a promise that was resolved for them later.
 */
export class ReplyReceiver implements Dispatcher.DispatchHandler {
  /** Rejects only with what is a bug of ours. */
  readonly received: Promise<Received>
  readonly #clock: Clock
  #resolve: (received: Received) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #controller: Dispatcher.DispatchController | null = null
  #isOver = false
  #status = 0
  #retryAfter: string | undefined
  #processingMs: number | null = null
  #firstByteAtMs: number | null = null
  readonly #chunks: Buffer[] = []
  #sizeBytes = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.received = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** How far the request has come. */
  get stage(): CallStage {
    if (this.#firstByteAtMs !== null) return 'receiving'
    return this.#controller === null ? 'connecting' : 'waiting'
  }

  /** Ends the request now; its socket is closed, since an answer may still be on its way. */
  giveUp(failure: RequestFailure): void {
    this.#end(failed(failure))
    this.#controller?.abort(new errors.RequestAbortedError())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Given up while it waited for a free socket.
    if (this.#isOver) controller.abort(new errors.RequestAbortedError())
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    statusCode: number,
    { 'retry-after': retryAfter, 'openai-processing-ms': processing }: IncomingHttpHeaders,
  ): void {
    // Below 200 it is information about an answer that is still to come.
    if (statusCode < 200) return
    this.#firstByteAtMs = this.#clock.nowMs()
    this.#status = statusCode
    this.#retryAfter = retryAfter
    this.#processingMs =
      typeof processing === 'string' && /^\d+$/.test(processing) ? Number(processing) : null
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
    this.#end(
      succeeded({
        status: this.#status,
        text: bytes.toString('utf8'),
        retryAfter: this.#retryAfter,
        processingMs: this.#processingMs,
      }),
    )
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const cause = causeOf(error)
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
function causeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const below = causeOf(error.cause)
  if (below !== null) return below
  if ('code' in error && typeof error.code === 'string') return error.code
  // The parser's errors come without a code: what answers there does not speak HTTP.
  return error instanceof errors.HTTPParserError ? error.name : null
}
