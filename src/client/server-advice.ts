import { type RequestFailure, readProviderError } from '#contract'
import { parseJson } from '#prelude'
import type { OptionValues } from '#providers'
import type { Reply } from './connection/reply-receiver.ts'
import { addressAdvice, type ServerAddress } from './server-address.ts'
import { isEventStream, isPage, isSuccess } from './server-transcript.ts'

/**
 * What a refusal has to do with a field of the request. `named`: it is for the field. `open`: it may be, the words do not say it.
 *
 * @param values of the field, which a message may name in its place
 */
export function blameOf(reply: Reply, field: string, values: readonly string[]): 'named' | 'open' | 'other' {
  const isOfRequest = reply.status === 400 || reply.status === 422 || reply.status === 501
  if (!isOfRequest && reply.status !== 500) return 'other'
  const said = readProviderError(parseJson(reply.text))
  if (said?.field !== undefined && said.field !== '') {
    return said.field.includes(field) || said.message.includes(field) ? 'named' : 'other'
  }
  const words = said?.message ?? reply.text
  if ([field, ...values.filter((value) => value.includes('_'))].some((name) => words.includes(name)))
    return 'named'
  return isOfRequest ? 'open' : 'other'
}

interface Asked {
  readonly reply: Reply
  readonly url: URL
  readonly model: string | undefined
  readonly options: OptionValues | undefined
  /** The variable of the key; null where none was named. */
  readonly keyFrom: string | null
  readonly address: ServerAddress
}

/** A failure in terms of what a person can do about it: who refused, what for, and what to change. */
export function adviseOnServer(failure: RequestFailure, asked: Asked): RequestFailure {
  const { reply, url } = asked
  const { status, headers } = reply
  if (isSuccess(reply)) {
    if (!isEventStream(reply) || failure.kind !== 'malformed') return failure
    return { ...failure, excerpt: `a stream of events that was not asked for: ${failure.excerpt}` }
  }
  const refused = (code: string, message: string, hint: string): RequestFailure => ({
    ...(failure.kind === 'refused' ? failure : {}),
    ...{ kind: 'refused', code, message, hint, httpStatus: status },
  })
  const own = failure.kind === 'refused' ? failure : null
  if (status >= 300 && status < 400) {
    const to = headers.location ?? 'nowhere'
    return refused(
      `HTTP_${status}`,
      `${shown(url)} redirects to ${withoutQuery(to)}, which is not followed`,
      'name the address that it redirects to as the target, if it is the server that you mean',
    )
  }
  const proxy = proxyOf(reply)
  if (proxy !== null && (status === 413 || status === 403)) {
    return status === 413
      ? refused(
          own?.code ?? 'INVALID_REQUEST',
          `${proxy} in front of the server refuses a request of this size (HTTP 413)`,
          'raise its limit (client_max_body_size of nginx), name the server itself as the target, or leave long recordings out',
        )
      : refused(
          'HTTP_403',
          `${proxy} in front of the server refuses the request (HTTP 403)`,
          'see its rules for this path, or name the server itself as the target',
        )
  }
  if (status === 403 && own !== null && isOfModel(reply, asked)) {
    return { ...own, code: 'MODEL_NOT_FOUND', hint: 'name a model that the server allows' }
  }
  if (status === 401 || (status === 403 && own?.code === 'MISSING_API_KEY')) {
    return refused(
      own?.code ?? 'MISSING_API_KEY',
      own?.message ?? 'the server wants a key',
      asked.keyFrom === null
        ? 'name the environment variable that holds its key: --key-from <variable>'
        : `see that ${asked.keyFrom} holds the key of this server: export ${asked.keyFrom}=<key>, or name another one with --key-from`,
    )
  }
  if ((status === 404 || status === 405) && !isOfModel(reply, asked)) {
    const said = own === null || own.message.trim() === '' ? '' : `: ${own.message}`
    return refused(
      `HTTP_${status}`,
      `nothing takes recordings at ${shown(url)} (HTTP ${status}${isPage(reply) ? '' : said})`,
      addressAdvice(asked.address, reply),
    )
  }
  const field = readProviderError(parseJson(reply.text))?.field?.split('.')[0]
  if (own !== null && field !== undefined && asked.options?.[field] !== undefined) {
    return { ...own, hint: `the server does not take the option ${field}: correct it, or leave it out` }
  }
  return failure
}

/** Whether a 404 is about the model and not about the path: it says so, by its code or in words. */
function isOfModel(reply: Reply, { model }: Asked): boolean {
  const said = readProviderError(parseJson(reply.text))
  if (said === null) return false
  if (said.code === 'model_not_found') return true
  return /\bmodel\b/i.test(said.message) || (model !== undefined && said.message.includes(model))
}

/** The proxy that answered in place of the server, by its page or its name; null where an API answered. */
function proxyOf(reply: Reply): string | null {
  if (parseJson(reply.text) !== undefined) return null
  const [, written] = /<center>\s*((?:nginx|openresty|cloudflare)[^<]*)<\/center>/i.exec(reply.text) ?? []
  const name = [reply.headers['server'] ?? written].flat()[0]
  const isKnown =
    name !== undefined &&
    /nginx|openresty|cloudflare|envoy|haproxy|caddy|apache|awselb|varnish|traefik|squid/i.test(name)
  if (!isPage(reply) && !isKnown) return null
  return isKnown ? `a proxy (${name.trim().slice(0, 40)})` : 'a proxy'
}

function shown({ origin, pathname }: URL): string {
  return origin + pathname
}

function withoutQuery(location: string): string {
  return location.replace(/[?#].*$/s, '?…').slice(0, 200)
}
