import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { formFrame } from '#contract/transcription'
import { errorCode, lazily, parseRetryAfter } from '#prelude'
import { addressBelow, type ProviderProtocol, type ProviderStep } from '#providers/protocol'

/** The outcome of one request to a provider. */
export type ProviderReply =
  | {
      readonly kind: 'answered'
      readonly statusCode: number
      readonly retryAfterSeconds: number | null
      readonly text: string
    }
  | { readonly kind: 'timedOut' }
  /** The caller aborted the request. */
  | { readonly kind: 'abandoned' }
  /** The response is larger than any transcript. */
  | { readonly kind: 'endless' }
  /** The connection closed during the response. */
  | { readonly kind: 'cut' }
  /** The connection closed before the response, or failed. */
  | { readonly kind: 'unreachable'; readonly reason: string }

/** Limit far above the size of word times for half an hour. */
const maxAnswerCharacters = 32 * 2 ** 20

/** Sends one request, and reads the response to its end. Never throws for a failure of the server or the network. */
export async function askProvider(
  outbound: Outbound,
  question: ProviderRequest,
  { timeout, signal }: { readonly timeout: AbortSignal; readonly signal: AbortSignal },
): Promise<ProviderReply> {
  let isAnswering = false
  try {
    const answer = await outbound(question, AbortSignal.any([signal, timeout]))
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
    return { kind: 'unreachable', reason: errorCode(error) || String(error) }
  }
}

function wholeSeconds(retryAfter: string | string[] | undefined): number | null {
  const [text = ''] = [retryAfter].flat()
  const seconds = parseRetryAfter(text, () => new Date())
  return seconds === null ? null : Math.ceil(seconds)
}

/** One HTTP request. */
interface ProviderRequest {
  readonly method: ProviderStep['method']
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Consecutive parts of the body; null for none. */
  readonly body: readonly Uint8Array[] | null
}

interface AskedProvider {
  readonly protocol: Pick<ProviderProtocol, 'access'>
  /** Base address without a trailing slash. */
  readonly baseUrl: string
  /** Null for a server without a key. */
  readonly key: string | null
}

/** Builds the request of a protocol step with the audio, a WAV file. */
export function makeRequest(
  { method, path, headers: more = {}, body }: ProviderStep,
  audio: Uint8Array<ArrayBuffer>,
  { protocol, baseUrl, key }: AskedProvider,
): ProviderRequest {
  // An invalid address is kept as it is, and fails when it is requested, in words that name the provider.
  const url = URL.canParse(baseUrl) ? addressBelow(baseUrl, path).href : baseUrl + path
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

/** Sends requests over separate connections, and follows no redirect. Only the signal ends a request early. */
export type Outbound = (request: ProviderRequest, signal: AbortSignal) => Promise<Dispatcher.ResponseData>

/**
 * Opens connections separate from undici's global ones. Those may belong to Node's bundled copy of undici,
 * which does not send bodies of this copy. undici is loaded with the first request, because a service with
 * only local engines sends none.
 */
export function openOutbound(): Outbound {
  const connections = lazily(async () => {
    const { Agent, request } = await import('undici')
    return { dispatcher: new Agent({ headersTimeout: 0, bodyTimeout: 0 }), request }
  })
  return async ({ method, url, headers, body }, signal) => {
    const { dispatcher, request } = await connections()
    return await request(url, {
      dispatcher,
      method,
      signal,
      headers:
        body === null
          ? headers
          : { ...headers, 'content-length': String(body.reduce((sum, part) => sum + part.length, 0)) },
      // The parts are not concatenated, because the longest recording is 58 MB.
      body: body === null ? null : Readable.from(body, { objectMode: false }),
    })
  }
}
