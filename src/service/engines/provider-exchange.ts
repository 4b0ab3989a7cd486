import { parseRetryAfter } from '#prelude'
import type { Outbound } from '../outbound.ts'
import type { ProviderRequest } from './provider-request.ts'

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
