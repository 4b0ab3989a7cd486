import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { lazily } from '#prelude'

/** A request to a server of others. */
interface OutboundRequest {
  readonly method: Dispatcher.HttpMethod
  readonly headers: Readonly<Record<string, string>>
  /** Parts that follow each other; null for a request without a body. */
  readonly body: readonly Uint8Array[] | null
  /** The only limit of time. */
  readonly signal: AbortSignal
}

/** Sends requests over its own connections, and follows no redirect. */
export type Outbound = (url: string, options: OutboundRequest) => Promise<Dispatcher.ResponseData>

/**
 * Opens connections that are not shared. The HTTP library's shared connections are those of the runtime's own copy
 * of the library as soon as something has loaded it, which `node:http` does; that copy does not send the bodies of this one.
 * The library is loaded with the first request: a service with local engines alone sends none.
 */
export function openOutbound(): Outbound {
  const connections = lazily(async () => {
    const { Agent, request } = await import('undici')
    return { dispatcher: new Agent({ headersTimeout: 0, bodyTimeout: 0 }), request }
  })
  return async (url, { method, headers, body, signal }) => {
    const { dispatcher, request } = await connections()
    return await request(url, {
      dispatcher,
      method,
      signal,
      headers:
        body === null
          ? headers
          : { ...headers, 'content-length': String(body.reduce((sum, part) => sum + part.length, 0)) },
      // The parts are not copied into one: the longest recording is 58 MB.
      body: body === null ? null : Readable.from(body, { objectMode: false }),
    })
  }
}
