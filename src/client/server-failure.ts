import type { RequestFailure } from '#contract/failures'
import { meansUnknownKey, readProviderError } from '#contract/provider-errors'
import { ownValue, parseJson } from '#prelude'
import type { OptionValues } from '#providers/options'
import type { ServerAddress } from './location.ts'
import { comingBack, excerptFrom, isPage, isSuccess, type Reply, readProxyRefusal } from './reply.ts'
import { isEventStream } from './server-answer.ts'

interface Secrets {
  /** Secrets that are removed from messages. */
  readonly hidden: readonly string[]
  readonly today: () => Date
}

/** A refusal in the codes of the Local Transcription API where its status maps to one; otherwise `malformed`. */
export function readFailure(reply: Reply, { hidden, today }: Secrets): RequestFailure {
  const said = readProviderError(parseJson(reply.text)) ?? readXmlError(reply.text)
  const hide = (text: string): string =>
    hidden.reduce((shown, secret) => shown.replaceAll(secret, '[key]'), text)
  const code = codes[reply.status]
  const more = comingBack(reply, today)
  if (code === undefined && said === null) {
    return { kind: 'malformed', httpStatus: reply.status, excerpt: excerptFrom(hide(reply.text)), ...more }
  }
  const error = said ?? { message: reply.text, code: null }
  return {
    kind: 'refused',
    code:
      ownValue(ownCodes, error.code ?? '') ??
      (spentQuota.test(error.message) ? 'QUOTA_EXCEEDED' : null) ??
      (meansUnknownKey(error.message) ? 'MISSING_API_KEY' : code) ??
      `HTTP_${reply.status}`,
    message: excerptFrom(hide(error.message)),
    hint: null,
    httpStatus: reply.status,
    ...(reply.status === 413 ? { isOversize: true } : {}),
    ...more,
  }
}

/** Codes of servers that say more than the status. A spent quota is no rate limit, because waiting does not end it. */
const ownCodes: Readonly<Record<string, string>> = {
  model_not_found: 'MODEL_NOT_FOUND',
  insufficient_quota: 'QUOTA_EXCEEDED',
  quota_exceeded: 'QUOTA_EXCEEDED',
  INSUFFICIENT_CREDITS: 'QUOTA_EXCEEDED',
  ASR_PAYMENT_REQUIRED: 'QUOTA_EXCEEDED',
  // Amazon uses only the statuses 400 and 403.
  LimitExceededException: 'RATE_LIMITED',
  ThrottlingException: 'RATE_LIMITED',
  SlowDown: 'RATE_LIMITED',
  UnrecognizedClientException: 'MISSING_API_KEY',
  InvalidSignatureException: 'MISSING_API_KEY',
  SubscriptionRequiredException: 'QUOTA_EXCEEDED',
  NotSignedUp: 'QUOTA_EXCEEDED',
}

/** Messages of providers that have no code for a spent quota. */
const spentQuota =
  /balance is negative|insufficient (funds|credits|balance)|exceeded your current quota|out of call volume quota|requires billing to be enabled/i

const codes: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'MISSING_API_KEY',
  402: 'QUOTA_EXCEEDED',
  403: 'MISSING_API_KEY',
  404: 'MODEL_NOT_FOUND',
  408: 'TIMEOUT',
  413: 'INVALID_REQUEST',
  422: 'INVALID_REQUEST',
  429: 'RATE_LIMITED',
  504: 'TIMEOUT',
}

/** Reads an XML error of Amazon's or Azure's storage: `<Error><Code>…</Code><Message>…</Message></Error>`. */
function readXmlError(text: string): ReturnType<typeof readProviderError> {
  const [, code] = /<Code>([^<]+)<\/Code>/.exec(text) ?? []
  const [, message] = /<Message>([^<]+)<\/Message>/.exec(text) ?? []
  return code === undefined || message === undefined ? null : { code, message }
}

/**
 * Whether a field of the request caused a refusal. `named`: the response names it. `open`: it may be the
 * cause.
 *
 * @param values values of the field, which a message may name instead of the field
 */
export function findBlame(
  reply: Reply,
  field: string,
  values: readonly string[],
): 'named' | 'open' | 'other' {
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
  /** Environment variable of the key; null where none was named. */
  readonly keyFrom: string | null
  readonly address: ServerAddress
  /** Number of redirects that were followed before one more was not; 0 for a redirect of a kind that is never followed. */
  readonly redirectCount: number
}

/** Rewrites a failure so that it says what the user can do: who refused, why, and what to change. */
export function adviseOnServer(failure: RequestFailure, asked: Asked): RequestFailure {
  const { reply, url } = asked
  const { status, headers } = reply
  if (isSuccess(reply)) {
    if (!isEventStream(reply) || failure.kind !== 'malformed') return failure
    return { ...failure, excerpt: `a stream of events that was not asked for: ${failure.excerpt}` }
  }
  const refused = (code: string, message: string, hint: string): RequestFailure => ({
    ...(failure.kind === 'refused' ? failure : {}),
    kind: 'refused',
    code,
    message,
    hint,
    httpStatus: status,
  })
  const refusal = failure.kind === 'refused' ? failure : null
  if (status >= 300 && status < 400) {
    const to = headers['location']?.replace(/[?#].*$/s, '?…').slice(0, 200)
    const followed =
      asked.redirectCount > 0 ? `after ${asked.redirectCount} redirects that were followed, ` : ''
    return refused(
      `HTTP_${status}`,
      to === undefined
        ? `${shown(url)} answers with neither a transcript nor another address (HTTP ${status})`
        : `${followed}${shown(url)} redirects to ${to}, which is not followed`,
      followed === ''
        ? 'name the server that you mean as the target, which may be the one behind this address'
        : 'correct the redirects of the server, which may form a circle, or name the address at which they end as the target',
    )
  }
  const byProxy = readProxyRefusal(reply)
  if (byProxy !== null) return byProxy
  if (status === 403 && refusal !== null && isOfModel(reply, asked)) {
    return { ...refusal, code: 'MODEL_NOT_FOUND', hint: 'name a model that the server allows' }
  }
  if (status === 401 || (status === 403 && refusal?.code === 'MISSING_API_KEY')) {
    return refused(
      refusal?.code ?? 'MISSING_API_KEY',
      refusal?.message ?? 'the server wants a key',
      asked.keyFrom === null
        ? 'name the environment variable that holds its key: --key-from <variable>'
        : `see that ${asked.keyFrom} holds the key of this server: export ${asked.keyFrom}=<key>, or name another one with --key-from`,
    )
  }
  if ((status === 404 || status === 405) && !isOfModel(reply, asked)) {
    const said = refusal === null || refusal.message.trim() === '' ? '' : `: ${refusal.message}`
    return refused(
      `HTTP_${status}`,
      `nothing takes recordings at ${shown(url)} (HTTP ${status}${isPage(reply) ? '' : said})`,
      addressAdvice(asked.address, reply),
    )
  }
  const field = readProviderError(parseJson(reply.text))?.field?.split('.')[0]
  if (refusal !== null && field !== undefined && ownValue(asked.options ?? {}, field) !== undefined) {
    return { ...refusal, hint: `the server does not take the option ${field}: correct it, or leave it out` }
  }
  return failure
}

/** Whether a refusal is about the model and not the path, by its code or its message. */
function isOfModel(reply: Reply, { model }: Asked): boolean {
  const said = readProviderError(parseJson(reply.text))
  if (said === null) return false
  if (said.code === 'model_not_found') return true
  return /\bmodel\b/i.test(said.message) || (model !== undefined && said.message.includes(model))
}

function shown({ origin, pathname }: URL): string {
  return origin + pathname
}

/** Advice on the likely path of a transcription server. */
function addressAdvice({ origin, basePath, query }: ServerAddress, { text }: Pick<Reply, 'text'>): string {
  const pasted = /^(.*?)\/(audio\/transcriptions|audio|inference|transcriptions|models)$/.exec(basePath)
  const target = (path: string): string => `openai:${origin}${path}${query}`
  const likely = [
    ...(pasted === null ? [] : [target(pasted[1] === '' ? '/v1' : (pasted[1] ?? ''))]),
    ...(basePath === '/v1' || pasted !== null ? [] : [target('/v1')]),
    ...(basePath.endsWith('/v1') || basePath === '' || pasted !== null ? [] : [target(`${basePath}/v1`)]),
  ]
  // whisper.cpp answers this to unknown paths; by default it accepts recordings at /inference only.
  const isWhisperCpp = text.startsWith('File Not Found (')
  return [
    ...(likely.length === 0
      ? []
      : [`the address ends before /audio/transcriptions: try ${[...new Set(likely)].join(' or ')}`]),
    ...(isWhisperCpp || likely.length === 0
      ? [
          `start whisper-server of whisper.cpp with --inference-path ${basePath === '' ? '/v1' : basePath}/audio/transcriptions`,
        ]
      : []),
    ...(likely.length === 0 && !isWhisperCpp
      ? ['see in the documentation of the server where it takes recordings']
      : []),
  ].join('; or ')
}
