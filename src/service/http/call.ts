import type { IncomingMessage } from 'node:http'
import type { Answers, EndpointName } from '#contract'
import type { Outcome } from '#prelude'
import type { Memory } from '../memory/memory.ts'
import type { Refusal } from './refusal.ts'

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
