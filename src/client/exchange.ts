import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RequestFailure } from '#contract'
import type { Clock } from '#load'
import { failed, type Outcome } from '#prelude'
import type { ServiceLocation } from '../discovery/location.ts'
import type { CallTimes } from './connection.ts'
import { startDeadline } from './deadline.ts'
import { type Reply, ReplyReceiver } from './reply-receiver.ts'
import { TimedPool } from './timed-pool.ts'

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
  readonly content: string | Buffer | Readable
  readonly sizeBytes: number
  readonly contentType: string
}

/** A value as the whole body of a request. */
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
  const request = { method, path, headers: headersFor(location, call), body: body?.content ?? null }
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
  // The library counts text and bytes by itself; a stream it would send without saying its length.
  if (call.body.content instanceof Readable) headers['content-length'] = String(call.body.sizeBytes)
  return headers
}
