import { assertNever } from '#prelude'
import type { Open } from './enums.ts'
import type { FailureCode } from './errors.ts'

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
    }
  /** No complete answer came within the request's time-out. */
  | { readonly kind: 'timedOut'; readonly afterMs: number }
  /** No connection, or one that broke. `cause` is the operating system's or the client's code, as `ECONNREFUSED`. */
  | { readonly kind: 'unreachable'; readonly cause: string }
  /** An answer that is neither a success nor an error envelope of this API. */
  | { readonly kind: 'malformed'; readonly httpStatus: number; readonly excerpt: string }
  /** The audio could not be read, or changed while it was sent. Says nothing about the server. */
  | { readonly kind: 'unsendable'; readonly reason: string }
  /** We ended the request ourselves, because the run was interrupted a second time. */
  | { readonly kind: 'dropped' }

/** One word for counting failures: the server's code where it gave one, otherwise the kind. */
export function failureLabel(failure: RequestFailure): string {
  return failure.kind === 'refused' ? failure.code : failure.kind
}

/** A failure in the words that the server or the system used. */
export function describeFailure(failure: RequestFailure): string {
  switch (failure.kind) {
    case 'refused':
      return `${failure.code}: ${failure.message}`
    case 'timedOut':
      return `no answer within ${(failure.afterMs / 1000).toFixed(0)} s`
    case 'unreachable':
      return `not reachable (${failure.cause})`
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
