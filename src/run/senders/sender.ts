import type { CallTimes, Resent } from '#client'
import type { RequestFailure } from '#contract'
import type { AttemptAnswer, PlannedRequest, UsedTransport } from '#journal'
import type { Outcome } from '#prelude'

export interface SendCall {
  readonly timeoutMs: number
  /** Aborting ends the request with the failure `dropped`. */
  readonly signal: AbortSignal
}

/** What became of one sending. */
export interface Sent {
  readonly outcome: Outcome<AttemptAnswer, RequestFailure>
  readonly times: CallTimes
  readonly bodyBytes: number
  readonly transport: UsedTransport
  /** Present where the server refused this transport just before. */
  readonly refusedTransport?: UsedTransport | undefined
  /** Present where the client sent it before, and nothing came of that. */
  readonly resent?: Resent | undefined
}

/**
 * Carries a planned request to a target: the one thing in which kinds of target and of work differ. Never throws
 * for what a server or a network can do.
 */
export interface Sender {
  /** Where the requests go, as a person would name it; without credentials. */
  readonly baseUrl: string
  /** Seconds of audio in the request; 0 for one that carries text. */
  audioSeconds(request: PlannedRequest): number
  /** The Mode that the request uses, or null. */
  modeId(request: PlannedRequest): string | null
  send(request: PlannedRequest, call: SendCall): Promise<Sent>
  /** Whether the target still answers anything. Asked after a request that did not get through. */
  isAlive(): Promise<boolean>
  /** The targets behind it, where there are several; absent where it is one. */
  readonly parts?: readonly SenderPart[] | undefined
}

/** One of several targets of a run. */
export interface SenderPart {
  readonly contenderIds: readonly string[]
  readonly sender: Sender
}
