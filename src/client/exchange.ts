import type { Readable } from 'node:stream'
import { type Dispatcher, errors, type Pool } from 'undici'
import type { RequestFailure } from '#contract'
import type { Clock } from '#load'
import { failed, type Outcome, succeeded } from '#prelude'
import type { CallTimes } from './connection.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import type { ServiceLocation } from './location.ts'

/** One HTTP request, ready to be sent. */
export interface HttpCall {
  readonly method: Dispatcher.HttpMethod
  /** With the query. */
  readonly path: string
  readonly isAuthenticated: boolean
  readonly body: HttpBody | null
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** A JSON body. Its length is sent ahead, because the service refuses by length. */
export interface HttpBody {
  readonly content: string | Buffer | Readable
  readonly sizeBytes: number
}

/** An HTTP answer that arrived completely, whatever it says. */
export interface Reply {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | undefined
}

export interface Exchange {
  readonly reply: Outcome<Reply, RequestFailure>
  readonly times: CallTimes
}

/** An answer larger than this is not one of this API: 64 MiB, in bytes. */
const largestAnswerBytes = 67_108_864

/** Sends one request and reads its answer to the end. Nothing but the sending happens between the stamps. */
export async function exchange(
  pool: Pool,
  location: ServiceLocation,
  call: HttpCall,
  clock: Clock,
): Promise<Exchange> {
  const options = requestOptions(location, call)
  const deadline = startDeadline(call.timeoutMs, call.signal)
  const sentAtMs = clock.nowMs()
  let firstByteAtMs: number | null = null
  try {
    const response = await pool.request({ ...options, signal: deadline.signal })
    firstByteAtMs = clock.nowMs()
    const text = await readText(response)
    const times = { sentAtMs, firstByteAtMs, endedAtMs: clock.nowMs() }
    return { reply: readReply(response, text), times }
  } catch (error) {
    const times = { sentAtMs, firstByteAtMs, endedAtMs: clock.nowMs() }
    return { reply: failed(failureOf(error, deadline, call.timeoutMs)), times }
  } finally {
    deadline.release()
  }
}

function requestOptions(location: ServiceLocation, call: HttpCall): Dispatcher.RequestOptions {
  const headers: Record<string, string> = { host: location.hostHeader }
  if (call.isAuthenticated) headers['authorization'] = `Bearer ${location.token}`
  if (call.body !== null) {
    headers['content-type'] = 'application/json'
    headers['content-length'] = String(call.body.sizeBytes)
  }
  return { method: call.method, path: call.path, headers, body: call.body?.content ?? null }
}

/** @returns the body as text, or null where it is larger than any answer of this API */
async function readText(response: Dispatcher.ResponseData): Promise<string | null> {
  const declared = Number(response.headers['content-length'] ?? Number.NaN)
  if (declared <= largestAnswerBytes) return response.body.text()
  const chunks: Buffer[] = []
  let sizeBytes = 0
  // Leaving the loop early destroys the body, and with it the connection.
  for await (const chunk of response.body) {
    sizeBytes += chunk.length
    if (sizeBytes > largestAnswerBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readReply(
  { statusCode, headers }: Dispatcher.ResponseData,
  text: string | null,
): Outcome<Reply, RequestFailure> {
  if (text === null) {
    return failed({ kind: 'malformed', httpStatus: statusCode, excerpt: 'an answer of more than 64 MiB' })
  }
  const retryAfter = headers['retry-after']
  return succeeded({
    status: statusCode,
    text,
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
  })
}

function failureOf(error: unknown, deadline: Deadline, timeoutMs: number): RequestFailure {
  const end = deadline.end()
  if (end === 'timedOut') return { kind: 'timedOut', afterMs: timeoutMs }
  if (end === 'dropped') return { kind: 'dropped' }
  const cause = causeOf(error)
  // What has no code did not come from a socket: it is a bug in us, and must not be counted as the server's.
  if (cause === null) throw error
  return { kind: 'unreachable', cause }
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
