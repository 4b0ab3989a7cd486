import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { formFrame } from '#contract/transcription'
import { lazily, parseRetryAfter } from '#prelude'
import type { ProviderProtocol, ProviderStep } from '#providers/protocol'

/** What came of one request to a provider. */
export type ProviderReply =
  | {
      readonly kind: 'answered'
      readonly statusCode: number
      readonly retryAfterSeconds: number | null
      readonly text: string
    }
  | { readonly kind: 'timedOut' }
  /** By the caller. */
  | { readonly kind: 'abandoned' }
  /** More than a transcript can be. */
  | { readonly kind: 'endless' }
  /** The connection closed in the middle of the answer. */
  | { readonly kind: 'cut' }
  /** The connection closed before the answer, or was never made. */
  | { readonly kind: 'unreachable'; readonly reason: string }

/** Far more than the times of every word of half an hour take. */
const maxAnswerCharacters = 32 * 2 ** 20

/** Sends one request and reads its answer to the end. Never throws for what a server or a network can do. */
export async function askProvider(
  outbound: Outbound,
  { method, url, headers, body }: ProviderRequest,
  { timeout, signal }: { readonly timeout: AbortSignal; readonly signal: AbortSignal },
): Promise<ProviderReply> {
  let isAnswering = false
  try {
    const answer = await outbound(url, {
      method,
      headers,
      body,
      signal: AbortSignal.any([signal, timeout]),
    })
    isAnswering = true
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > maxAnswerCharacters) return { kind: 'endless' }
    }
    const retryAfterSeconds = wholeSeconds(answer.headers['retry-after'])
    return { kind: 'answered', statusCode: answer.statusCode, retryAfterSeconds, text }
  } catch (error) {
    if (signal.aborted) return { kind: 'abandoned' }
    if (timeout.aborted) return { kind: 'timedOut' }
    if (isAnswering) return { kind: 'cut' }
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { kind: 'unreachable', reason: code }
  }
}

function wholeSeconds(retryAfter: string | string[] | undefined): number | null {
  const [text = ''] = [retryAfter].flat()
  const seconds = parseRetryAfter(text, () => new Date())
  return seconds === null ? null : Math.ceil(seconds)
}

/** One request over HTTP. */
interface ProviderRequest {
  readonly method: ProviderStep['method']
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Parts that follow each other; null for none. */
  readonly body: readonly Uint8Array[] | null
}

interface AskedProvider {
  readonly protocol: Pick<ProviderProtocol, 'access'>
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Null for a server that wants none. */
  readonly key: string | null
}

/** A step of a protocol with the audio, a WAV file, in its place. */
export function makeRequest(
  { method, path, headers: more = {}, body }: ProviderStep,
  audio: Uint8Array<ArrayBuffer>,
  { protocol, baseUrl, key }: AskedProvider,
): ProviderRequest {
  const url = baseUrl + path
  const { access } = protocol
  const secret = key === null || access.kind !== 'key' ? {} : Object.fromEntries([access.header(key)])
  const carried = (contentType: string, parts: readonly Uint8Array[]): ProviderRequest => ({
    method,
    url,
    headers: { 'content-type': contentType, ...more, ...secret },
    body: parts,
  })
  switch (body.kind) {
    case 'none':
      return { method, url, headers: { ...more, ...secret }, body: null }
    case 'json':
      return carried(body.contentType ?? 'application/json', [Buffer.from(JSON.stringify(body.value))])
    case 'base64': {
      const encoded = Buffer.from(Buffer.from(audio).toString('base64'))
      return carried('application/json', [Buffer.from(body.head), encoded, Buffer.from(body.tail)])
    }
    case 'audio':
      return carried(body.contentType ?? 'audio/wav', [audio])
    case 'form': {
      const file = { name: body.file, fileName: 'audio.wav', mimeType: 'audio/wav' }
      const { contentType, head, tail } = formFrame(`transcribench-${randomUUID()}`, body.fields, file)
      return carried(contentType, [Buffer.from(head), audio, Buffer.from(tail)])
    }
  }
}

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
