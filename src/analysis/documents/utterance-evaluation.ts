import type { ErrorCounts } from '#scoring'
import type { RequestPhases } from './latency.ts'

export type AttemptStatus = 'scored' | 'failed' | 'dropped' | 'notSent'

/**
 * Where in its block a request was sent: while the load built up, while it was what it is called, or while it ran out.
 *
 *   in flight │      ┌──────────────────┐
 *             │   ┌──┘                  └──┐
 *             │ ──┘                        └──
 *             └──ramp──┴─────steady─────┴─drain──► time
 */
export type WindowPart = 'ramp' | 'steady' | 'drain'

/** One planned request, judged. */
export interface UtteranceEvaluation {
  readonly requestIndex: number
  readonly contenderId: string
  readonly utteranceId: string
  readonly round: number
  readonly status: AttemptStatus
  /** Whether it was sent while the load built up, was steady, or ran out; null where it was not sent. */
  readonly window: WindowPart | null
  /** See `failureLabel`; null unless it failed. */
  readonly failure: string | null
  /** What the server or the system said of it, and what the server advises; null unless it failed. */
  readonly failureMessage: string | null
  readonly failureHint: string | null
  /** The server said that it heard no speech, as an error; scored as an empty transcript. */
  readonly saidNoSpeech: boolean
  readonly audioSeconds: number
  /** From where the load counts it; null unless scored. */
  readonly latencyMs: number | null
  /** How often it was sent. */
  readonly attemptCount: number
  /** Of the first attempt alone, whatever it came to; `latencyMs` is that of the whole, waits between included. */
  readonly firstAttemptMs: number | null
  readonly serviceMs: number | null
  /** What the service time went into; null where it was not recorded. */
  readonly phases: RequestPhases | null
  readonly realTimeFactor: number | null
  readonly serverDecodeMs: number | null
  readonly serverLatencyMs: number | null
  readonly reference: string
  readonly hypothesis: string | null
  readonly words: ErrorCounts | null
  readonly characters: ErrorCounts | null
  /** Null where nothing was scored or the reference holds no words. */
  readonly wordErrorRate: number | null
}
