import { assertNever } from '#prelude'
import type { Open } from './enums.ts'
import { type FailureCode, limitMessages } from './errors.ts'
import { limits } from './limits.ts'

/** How a request can fail. A failure is data: it is recorded and counted, never thrown. */
export type RequestFailure =
  /** The server answered, and said no. */
  | {
      readonly kind: 'refused'
      readonly code: Open<FailureCode>
      readonly message: string
      readonly hint: string | null
      readonly httpStatus: number
      /** From `Retry-After`, where the server sent one. */
      readonly retryAfterSeconds?: number | undefined
      /** The request or its audio was larger than this server takes; the code alone does not say so. */
      readonly isOversize?: boolean | undefined
    }
  /** No complete answer came within the request's time-out. */
  | { readonly kind: 'timedOut'; readonly afterMs: number; readonly during?: CallStage | undefined }
  /** No connection, or one that broke. `cause` is the operating system's or the client's code, as `ECONNREFUSED`. */
  | { readonly kind: 'unreachable'; readonly cause: string; readonly during?: CallStage | undefined }
  /** An answer that is neither a success nor an error envelope of this API. */
  | {
      readonly kind: 'malformed'
      readonly httpStatus: number
      readonly excerpt: string
      readonly retryAfterSeconds?: number | undefined
    }
  /** The audio could not be read, or changed while it was sent. Says nothing about the server. */
  | { readonly kind: 'unsendable'; readonly reason: string }
  /** We ended the request ourselves, because the run was interrupted a second time. */
  | { readonly kind: 'dropped' }

/** How far a request had come: no connection yet, no answer yet (upload included), or in the middle of it. */
export type CallStage = 'connecting' | 'waiting' | 'receiving'

/**
 * One word for counting failures: the server's code where it gave one, otherwise what went wrong and where.
 *
 *   refused       its code, or OVERSIZE             malformed    malformed, or HTTP_503 for a failing status
 *   unreachable   unreachable, connectionLost before the answer, answerCut in it
 *   timedOut      timedOut, or answerStalled where the answer had begun
 */
export function failureLabel(failure: RequestFailure): string {
  switch (failure.kind) {
    case 'refused':
      return failure.isOversize === true ? 'OVERSIZE' : failure.code
    case 'malformed':
      return isSuccess(failure.httpStatus) ? 'malformed' : `HTTP_${failure.httpStatus}`
    case 'timedOut':
      return failure.during === 'receiving' ? 'answerStalled' : 'timedOut'
    case 'unreachable':
      return failure.during === undefined ? 'unreachable' : brokenLabels[failure.during]
    case 'unsendable':
    case 'dropped':
      return failure.kind
    default:
      return assertNever(failure)
  }
}

const brokenLabels = {
  connecting: 'unreachable',
  waiting: 'connectionLost',
  receiving: 'answerCut',
} as const satisfies Record<CallStage, string>

/** Whether the server refused because too many requests came: by its code, or by HTTP 429 where it gave none. */
export function meansRateLimited(failure: RequestFailure): boolean {
  if (failure.kind === 'refused') return failure.code === 'RATE_LIMITED'
  return failure.kind === 'malformed' && failure.httpStatus === 429
}

/**
 * Whether a provider may bill a request that failed in this way. Not where nothing was sent, and not where it was refused
 * before the work: for the rate limit or the key. Of everything else most providers bill what they have received.
 */
export function isBillable(failure: RequestFailure): boolean {
  if (failure.kind === 'unsendable' || meansRateLimited(failure)) return false
  return !('httpStatus' in failure && (failure.httpStatus === 401 || failure.httpStatus === 403))
}

function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300
}

/**
 * Whether a refusal means that the request was too large: by one of the two messages of the API, or by the
 * answer of older Windows builds, which cannot be told from malformed JSON but by the size of what was sent.
 */
export function meansOversize(
  { message, httpStatus }: { readonly message: string; readonly httpStatus: number },
  bodyBytes: number,
): boolean {
  if (message === limitMessages.audio || message === limitMessages.request) return true
  const isLegacy = httpStatus === 400 && message === limitMessages.legacyWindows
  return isLegacy && bodyBytes > limits.legacyWindowsRequestBytes
}

const brokenWords = {
  connecting: 'not reachable',
  waiting: 'connection lost before the answer',
  receiving: 'connection lost in the middle of the answer',
} as const satisfies Record<CallStage, string>

/** A failure in the words that the server or the system used. */
export function describeFailure(failure: RequestFailure): string {
  switch (failure.kind) {
    case 'refused':
      return `${failure.code}: ${failure.message}`
    case 'timedOut':
      return `no ${failure.during === 'receiving' ? 'end of the answer' : 'answer'} within ${(failure.afterMs / 1000).toFixed(0)} s`
    case 'unreachable':
      return `${brokenWords[failure.during ?? 'connecting']} (${failure.cause})`
    case 'malformed':
      return `an answer that is not of this API (HTTP ${failure.httpStatus}: ${failure.excerpt})`
    case 'unsendable':
      return `could not be sent: ${failure.reason}`
    case 'dropped':
      return 'dropped by the interruption'
    default:
      return assertNever(failure)
  }
}
