import { type RequestFailure, readProviderError } from '#contract'
import { parseJson } from '#prelude'
import { comingBack, excerptOf } from './answer.ts'
import type { Reply } from './reply-receiver.ts'

export interface Secrets {
  readonly key: string | null
  readonly today: () => Date
}

/** A refusal in the codes of the Local Transcription API where its status has one there, otherwise `malformed`. */
export function failureOf(reply: Reply, { key, today }: Secrets): RequestFailure {
  const said = readProviderError(parseJson(reply.text))
  const hide = (text: string): string => (key === null ? text : text.replaceAll(key, '[key]'))
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
      (spentQuota.test(error.message) ? 'QUOTA_EXCEEDED' : code) ??
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
}

/** A provider that has no code for it says it in words. */
const spentQuota = /balance is negative|insufficient (funds|credits|balance)|exceeded your current quota/i

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
