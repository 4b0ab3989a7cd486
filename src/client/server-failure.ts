import { type RequestFailure, readProviderError } from '#contract'
import { parseJson } from '#prelude'
import { comingBack, excerptOf } from './answer.ts'
import type { Reply } from './connection/reply-receiver.ts'

export interface Secrets {
  /** Texts that are in no message. */
  readonly hidden: readonly string[]
  readonly today: () => Date
}

/** A refusal in the codes of the Local Transcription API where its status has one there, otherwise `malformed`. */
export function failureOf(reply: Reply, { hidden, today }: Secrets): RequestFailure {
  const said = readProviderError(parseJson(reply.text)) ?? readXmlError(reply.text)
  const hide = (text: string): string =>
    hidden.reduce((shown, secret) => shown.replaceAll(secret, '[key]'), text)
  const code = codes[reply.status]
  const more = comingBack(reply, today)
  if (code === undefined && said === null) {
    return { kind: 'malformed', httpStatus: reply.status, excerpt: excerptOf(hide(reply.text)), ...more }
  }
  const error = said ?? { message: reply.text, code: null }
  return {
    kind: 'refused',
    code:
      ownCodes[error.code ?? ''] ??
      (spentQuota.test(error.message) ? 'QUOTA_EXCEEDED' : null) ??
      (unknownKey.test(error.message) ? 'MISSING_API_KEY' : code) ??
      `HTTP_${reply.status}`,
    message: excerptOf(hide(error.message)),
    hint: null,
    httpStatus: reply.status,
    ...(reply.status === 413 ? { isOversize: true } : {}),
    ...more,
  }
}

/** What the server's own code says more exactly than the status. An exhausted quota is no rate limit: no waiting ends it. */
const ownCodes: Readonly<Record<string, string>> = {
  model_not_found: 'MODEL_NOT_FOUND',
  insufficient_quota: 'QUOTA_EXCEEDED',
  quota_exceeded: 'QUOTA_EXCEEDED',
  INSUFFICIENT_CREDITS: 'QUOTA_EXCEEDED',
  ASR_PAYMENT_REQUIRED: 'QUOTA_EXCEEDED',
  // Amazon refuses with 400 and 403 for everything.
  LimitExceededException: 'RATE_LIMITED',
  ThrottlingException: 'RATE_LIMITED',
  SlowDown: 'RATE_LIMITED',
  UnrecognizedClientException: 'MISSING_API_KEY',
  InvalidSignatureException: 'MISSING_API_KEY',
  SubscriptionRequiredException: 'QUOTA_EXCEEDED',
  NotSignedUp: 'QUOTA_EXCEEDED',
}

/** A provider that has no code for it says it in words. */
const spentQuota =
  /balance is negative|insufficient (funds|credits|balance)|exceeded your current quota|out of call volume quota|requires billing to be enabled/i

/** Google answers 400 to a key that it does not know. */
const unknownKey = /API key not valid/i

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

/** The storages of Amazon and Azure refuse in XML: `<Error><Code>…</Code><Message>…</Message></Error>`. */
function readXmlError(text: string): ReturnType<typeof readProviderError> {
  const [, code] = /<Code>([^<]+)<\/Code>/.exec(text) ?? []
  const [, message] = /<Message>([^<]+)<\/Message>/.exec(text) ?? []
  return code === undefined || message === undefined ? null : { code, message }
}
