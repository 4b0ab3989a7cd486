import type { CallTimes } from '#client'
import { timeouts } from '#contract'
import type { AttemptLine, PlannedRequest } from '#journal'
import type { Sender } from './senders/sender.ts'

export interface AttemptInput {
  readonly sender: Sender
  /** Zero of every time stamp in the journal, in the clock's milliseconds. */
  readonly startedAtMs: number
  /** How often the run was resumed, this time included; 0 for a new one. */
  readonly segment: number
  /** Null: 60 s plus twice the audio's length. */
  readonly requestTimeoutSeconds: number | null
  /** What is in flight is dropped. */
  readonly drop: AbortSignal
}

/** One sending of a request. */
export interface Sending {
  readonly dueAtMs: number
  /** From 1. */
  readonly number: number
  /** How long the server's rate limit held it back before it was due; null where it did not. */
  readonly pacedMs: number | null
}

/** Sends a request once. @returns the line of the journal that says what came of it */
export async function attempt(
  input: AttemptInput,
  request: PlannedRequest,
  { dueAtMs, number, pacedMs }: Sending,
): Promise<AttemptLine> {
  const { phase, round, block, contenderId, utteranceId, index } = request
  const { sender } = input
  const audioSeconds = sender.audioSeconds(request)
  const { outcome, times, bodyBytes, transport, refusedTransport, resent } = await sender.send(request, {
    timeoutMs: 1000 * (input.requestTimeoutSeconds ?? defaultTimeoutSeconds(audioSeconds)),
    signal: input.drop,
  })
  const since = (atMs: number): number => thousandths(atMs - input.startedAtMs)
  return {
    index,
    attempt: number,
    ...(input.segment === 0 ? {} : { segment: input.segment }),
    phase,
    round,
    block,
    contenderId,
    utteranceId,
    modeId: sender.modeId(request),
    transport,
    ...(refusedTransport === undefined ? {} : { refusedTransport }),
    ...(pacedMs === null ? {} : { pacedMs: thousandths(pacedMs) }),
    audioSeconds,
    bodyBytes,
    ...(resent === undefined ? {} : { resentFor: resent.reasons, resentMs: thousandths(resent.forMs) }),
    // What came of no answer is in no latency.
    dueAtMs: since(dueAtMs + (resent?.forMs ?? 0)),
    sentAtMs: since(times.sentAtMs),
    firstByteAtMs: times.firstByteAtMs === null ? null : since(times.firstByteAtMs),
    endedAtMs: since(times.endedAtMs),
    ...(times.socket === undefined ? {} : { socket: socketLine(times.socket, since) }),
    outcome: outcome.ok ? { ok: true, answer: outcome.value } : { ok: false, failure: outcome.failure },
  }
}

function socketLine(
  { startedAtMs, connectMs, uploadedAtMs }: NonNullable<CallTimes['socket']>,
  since: (atMs: number) => number,
): NonNullable<AttemptLine['socket']> {
  return {
    startedAtMs: since(startedAtMs),
    connectMs: thousandths(connectMs),
    uploadedAtMs: uploadedAtMs === null ? null : since(uploadedAtMs),
  }
}

function defaultTimeoutSeconds(audioSeconds: number): number {
  return timeouts.clientSeconds + timeouts.clientPerAudioSecond * audioSeconds
}

/** Microseconds: more digits would only look exact. */
function thousandths(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
