import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { FailureCode } from '#contract/failures'

/**
 * A log event of a service. It holds no token. `text` holds transcripts only if text logging is enabled;
 * `detail` always holds what a failed program of the engines file wrote. Paths of requested files occur only
 * in `detail`, and in the stack of a `fault`.
 */
export type ServiceEvent =
  /** The settings of the service, before it listens. */
  | {
      readonly kind: 'starting'
      readonly version: string
      readonly settings: Readonly<Record<string, number | string | boolean | null | readonly string[]>>
    }
  /** The address of the metrics endpoint. */
  | { readonly kind: 'metricsListening'; readonly address: string }
  | { readonly kind: 'listening'; readonly baseUrl: string; readonly discoveryPath: string }
  | {
      readonly kind: 'answered'
      readonly method: string
      /** The endpoint's path with `:id` for ids; null for an unknown route. */
      readonly route: string | null
      readonly httpStatus: number
      /** Null for a success. */
      readonly code: FailureCode | null
      /** Time from the request's head to the last byte of the response, in milliseconds. */
      readonly durationMs: number
      /** False where the client had disconnected. */
      readonly isDelivered: boolean
    }
  | {
      readonly kind: 'transcribed'
      readonly engine: string
      readonly model: string
      readonly audioSeconds: number
      readonly loadMs: number
      readonly decodeMs: number
      /** Transcript after the Mode's formatting; null unless text logging is enabled. */
      readonly text: string | null
    }
  /** Input that the HTTP parser refused, so that it never became a request. */
  | {
      readonly kind: 'unparsed'
      readonly httpStatus: number
      /** The parser's error code, such as `HPE_INVALID_METHOD`. */
      readonly reason: string
    }
  /** An engine that returned no text. */
  | {
      readonly kind: 'engineFailed'
      readonly engine: string
      readonly model: string
      readonly code: FailureCode
      readonly reason: string
      /** The program's stderr, up to a few thousand characters; null where it wrote nothing. */
      readonly detail: string | null
    }
  | { readonly kind: 'modelLoaded'; readonly model: string; readonly durationMs: number }
  /** A model's process that ended by itself. Its requests have failed; the next one loads the model again. */
  | { readonly kind: 'modelLost'; readonly model: string; readonly reason: string }
  | { readonly kind: 'warmUpFailed'; readonly model: string; readonly reason: string }
  /** A language model that did not answer, so that the text was left unchanged. */
  | { readonly kind: 'postProcessingFailed'; readonly provider: string | null; readonly reason: string }
  /** A transcription that was answered, but whose recording could not be saved. */
  | { readonly kind: 'notRecorded'; readonly reason: string }
  /** A request that failed because the disk is full, so nothing was written. */
  | { readonly kind: 'diskFull'; readonly reason: string }
  /** A bug in the service, or an unforeseen failure of its environment. */
  | { readonly kind: 'fault'; readonly error: unknown }
  | { readonly kind: 'stopped' }

export type LoggedEvent = ServiceEvent & {
  /** Id of the request that caused the event, as in its response's header `x-request-id`; null outside of requests. */
  readonly requestId: string | null
}

export type Events = ReturnType<typeof createEvents>

/**
 * The events of a service. Each request gets an id, which marks what is logged on its behalf.
 *
 * @param receivers get every event, in this order
 */
export function createEvents(...receivers: readonly ((event: LoggedEvent) => void)[]) {
  const store = new AsyncLocalStorage<string>()
  return {
    log(event: ServiceEvent) {
      const requestId = store.getStore() ?? null
      for (const receive of receivers) receive({ ...event, requestId })
    },
    /** Eight base64url characters, which are unique in a log of any realistic size. */
    make: () => randomBytes(6).toString('base64url'),
    /** Runs work in the context of a request; the context includes everything that the work starts. */
    during: <Result>(id: string, work: () => Result): Result => store.run(id, work),
  }
}

export const requestIdHeader = 'x-request-id'
