import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { FailureCode } from '#contract/failures'

/**
 * An event that a service reports to its log. It holds no token. Transcripts are in `text`, where the option to log
 * texts is set; what a program of the engines file wrote before it failed is in `detail` in any case. Files of requests
 * are named only by such a program or the stack of a `fault`.
 */
export type ServiceEvent =
  /** What the service was started with, before it listens. */
  | {
      readonly kind: 'starting'
      readonly version: string
      readonly settings: Readonly<Record<string, number | string | boolean | null | readonly string[]>>
    }
  /** Where metrics can be scraped. */
  | { readonly kind: 'metricsListening'; readonly address: string }
  | { readonly kind: 'listening'; readonly baseUrl: string; readonly discoveryPath: string }
  | {
      readonly kind: 'answered'
      readonly method: string
      /** The endpoint's path with `:id` for ids, or null for a route that does not exist. */
      readonly route: string | null
      readonly httpStatus: number
      /** Null for a success. */
      readonly code: FailureCode | null
      /** From the request's head to the last byte of the answer. */
      readonly durationMs: number
      /** False where the client had gone away. */
      readonly isDelivered: boolean
    }
  | {
      readonly kind: 'transcribed'
      readonly engine: string
      readonly model: string
      readonly audioSeconds: number
      readonly loadMs: number
      readonly decodeMs: number
      /** After the Mode's formatting; null unless the option to log texts is set. */
      readonly text: string | null
    }
  /** What the parser of HTTP refused: no request came of it. */
  | {
      readonly kind: 'unparsed'
      readonly httpStatus: number
      /** The parser's own code, such as `HPE_INVALID_METHOD`. */
      readonly reason: string
    }
  /** An engine gave no text. */
  | {
      readonly kind: 'engineFailed'
      readonly engine: string
      readonly model: string
      readonly code: FailureCode
      readonly reason: string
      /** What a program wrote on stderr, at most a few thousand characters; null where there is nothing. */
      readonly detail: string | null
    }
  | { readonly kind: 'modelLoaded'; readonly model: string; readonly durationMs: number }
  /** The process of a model ended by itself. What it worked on has failed; the next request loads the model again. */
  | { readonly kind: 'modelLost'; readonly model: string; readonly reason: string }
  | { readonly kind: 'warmUpFailed'; readonly model: string; readonly reason: string }
  /** A language model gave no answer, and the text stayed as it was. */
  | { readonly kind: 'postProcessingFailed'; readonly provider: string | null; readonly reason: string }
  /** A transcription was answered, and its recording could not be written. */
  | { readonly kind: 'notRecorded'; readonly reason: string }
  /** A bug in the service, or an unforeseen failure of its environment. */
  | { readonly kind: 'fault'; readonly error: unknown }
  | { readonly kind: 'stopped' }

export type LoggedEvent = ServiceEvent & {
  /** The request in whose name it happened, as the header `x-request-id` of its answer says; null outside of any. */
  readonly requestId: string | null
}

export type RequestIds = ReturnType<typeof createRequestIds>

/** Gives each request an id, by which the lines of a log that belong to it can be found. */
export function createRequestIds() {
  const store = new AsyncLocalStorage<string>()
  return {
    /** Eight base64url characters: unique in any log that one can keep. */
    make: () => randomBytes(6).toString('base64url'),
    /** Does the work, and all that it starts, in the name of a request. */
    during: <Result>(id: string, work: () => Result): Result => store.run(id, work),
    /** The request that is being worked for; null outside of any. */
    current: () => store.getStore() ?? null,
  }
}

export const requestIdHeader = 'x-request-id'
