/** One request of a level, as the server left it. Times from the start of the level. */
export interface LevelSample {
  /** Names the recording, so that its text can be held against that of the recording alone. */
  readonly utteranceId: string
  readonly audioSeconds: number
  readonly dueAtMs: number
  readonly sentAtMs: number
  readonly endedAtMs: number
  /** Whether it came back with a text. */
  readonly isAnswered: boolean
  /** Refused because it could take no more; the cause is the load, not the request. */
  readonly isTurnedAway?: boolean | undefined
  /** Null where there is no text, or it is not kept. */
  readonly text: string | null
}

/** A load to put on a server, and for how long. */
export type LoadOrder =
  /** Poisson arrivals; `prefill` requests are due at once, so that the queue need not be waited for. */
  | {
      readonly kind: 'open'
      readonly perSecond: number
      readonly forSeconds: number
      readonly prefill: number
      readonly seed: number
      /** What is offered afterwards, whatever has come back. */
      readonly after?: { readonly perSecond: number; readonly forSeconds: number } | undefined
    }
  /** Always so many in flight, until the time is over. */
  | {
      readonly kind: 'closed'
      readonly inFlight: number
      readonly forSeconds: number
      readonly seed: number
    }

/**
 * A server that can be put under load: a real one over HTTP, or a simulated one on a virtual clock. The search
 * for its capacity is the same code.
 */
export interface LoadedServer {
  /** Puts a load on and resolves when the last request of it is over; samples in the order of sending. */
  measure(order: LoadOrder): Promise<readonly LevelSample[]>
  /** Seconds of the server's clock since the search began. */
  elapsedSeconds(): number
}
