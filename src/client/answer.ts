import type { z } from 'zod'
import { errorEnvelope, type RequestFailure } from '#contract'
import { failed, type Outcome, parseJson, parseRetryAfter, succeeded } from '#prelude'
import type { Reply } from './connection/reply-receiver.ts'

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
    excerpt: excerptOf(withoutToken(place + reply.text, context.token)),
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
export function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= excerptLength ? line : `${line.slice(0, excerptLength - 1)}…`
}

function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '[token]')
}
