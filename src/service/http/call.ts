import type { IncomingMessage } from 'node:http'
import type { Answers, EndpointName } from '#contract/endpoints'
import type { FailureCode } from '#contract/failures'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Memory } from '../waiting.ts'

/** One authenticated request, as a handler sees it. */
export interface Call {
  /** The `:id` of the path, decoded; empty where the path has none. */
  readonly id: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  /** Aborted when the client has gone away, or the service stops. */
  readonly signal: AbortSignal
  /** Where bodies and recordings wait for memory. */
  readonly memory: Memory
  /** `performance.now()` when the request's head had been read. */
  readonly arrivedAtMs: number
}

export type Handler<Name extends EndpointName> = (call: Call) => Promise<Outcome<Answers[Name], Refusal>>

/** What answers each endpoint. An endpoint without a handler is a route that does not exist. */
export type Handlers = { readonly [Name in EndpointName]?: Handler<Name> }

/** Why a request gets no answer: a failure of the closed set, or a bare HTTP status. */
export type Refusal =
  | {
      readonly kind: 'envelope'
      /** 200 for every failure of the work itself; 4xx where the protocol was not kept. */
      readonly httpStatus: number
      readonly code: FailureCode
      readonly message: string
      readonly hint: string | null
      /** Sent as the header `Retry-After`; null where nothing is known of it. */
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'bare'; readonly httpStatus: number }

type RefusalDetails = Partial<
  Pick<Extract<Refusal, { kind: 'envelope' }>, 'hint' | 'httpStatus' | 'retryAfterSeconds'>
>

export function envelope(
  code: FailureCode,
  message: string,
  { hint = null, httpStatus = 200, retryAfterSeconds = null }: RefusalDetails = {},
): Refusal {
  return { kind: 'envelope', httpStatus, code, message, hint, retryAfterSeconds }
}

/** A failed outcome with an envelope. */
export function refused(
  code: FailureCode,
  message: string,
  hint: string | null = null,
): Outcome<never, Refusal> {
  return failed(envelope(code, message, { hint }))
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @returns the id in the spelling in which ids are stored */
export function readId(text: string): Outcome<string, Refusal> {
  const id = text.toLowerCase()
  return uuid.test(id) ? succeeded(id) : refused('INVALID_REQUEST', 'The id is not a UUID.')
}
