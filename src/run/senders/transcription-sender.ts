import type { AudioInput, Connection, TranscribeResult } from '#client'
import type { RequestFailure, Transcription } from '#contract'
import type { VerifiedUtterance } from '#corpus'
import type { AttemptAnswer, PlannedRequest, UsedTransport } from '#journal'
import { type Outcome, succeeded } from '#prelude'
import type { ModeLease } from '../modes/mode-lease.ts'
import { optionsFor, timesOf } from './answer-times.ts'
import type { SendCall, Sender, Sent } from './sender.ts'

/** One way that an utterance can go now: what `planRoutes` found, with staged copies in their place. */
export interface Way {
  readonly transport: UsedTransport
  readonly audio: AudioInput
}

/** One utterance, ready to be sent. */
export interface Sendable {
  /** The first is used until the server refuses it. At least one. */
  readonly ways: readonly Way[]
  readonly audioSeconds: number
  /** Of the reference: where there are some, times are requested. */
  readonly times: VerifiedUtterance['times']
}

export interface TranscriptionSending {
  readonly connection: Pick<Connection, 'baseUrl' | 'health' | 'transcribe'>
  /** By contender: what is sent for an utterance, by its id. */
  readonly sendables: ReadonlyMap<string, (utteranceId: string) => Sendable>
  /** By contender id. */
  readonly leases: ReadonlyMap<string, Pick<ModeLease, 'modeId'>>
}

/**
 * Sends utterances to `POST /transcribe`. Where the server may not read a file that was thought to be in its
 * reach, the request is sent once more by the next way, which that utterance then keeps to.
 */
export function transcriptionSender({ connection, sendables, leases }: TranscriptionSending): Sender {
  // By utterance: a file that the server may not read is out of reach for every contender.
  const outOfReach = new Map<string, Set<UsedTransport>>()
  const known = <Value>(table: ReadonlyMap<string, Value>, id: string): Value => {
    const found = table.get(id)
    if (found === undefined) throw new TypeError(`${id} is not in the plan`)
    return found
  }
  const sendableOf = ({ contenderId, utteranceId }: PlannedRequest): Sendable =>
    known(sendables, contenderId)(utteranceId)
  const waysOf = (request: PlannedRequest): readonly Way[] => {
    const { ways } = sendableOf(request)
    const refused = outOfReach.get(request.utteranceId)
    const left = ways.filter(({ transport }) => refused?.has(transport) !== true)
    return left.length > 0 ? left : ways.slice(-1)
  }
  const modeIdOf = ({ contenderId }: PlannedRequest): string => known(leases, contenderId).modeId

  const sendBy = async (way: Way, request: PlannedRequest, call: SendCall): Promise<Sent> => {
    const { audio, transport } = way
    const options = optionsFor(modeIdOf(request), sendableOf(request))
    const result = await connection.transcribe({ audio, options, ...call })
    return { ...result, outcome: answered(result.outcome), transport }
  }

  return {
    get baseUrl() {
      return connection.baseUrl
    },
    audioSeconds: (request) => sendableOf(request).audioSeconds,
    modeId: modeIdOf,
    async send(request, call) {
      const [way, next] = waysOf(request)
      if (way === undefined) throw new TypeError(`${request.utteranceId} has no way to go`)
      const sent = await sendBy(way, request, call)
      if (next === undefined || sent.outcome.ok || !isOutOfReach(sent.outcome.failure)) return sent
      outOfReach.set(
        request.utteranceId,
        (outOfReach.get(request.utteranceId) ?? new Set()).add(way.transport),
      )
      return { ...(await sendBy(next, request, call)), refusedTransport: way.transport }
    },
    isAlive: async () => (await connection.health()).ok,
  }
}

/** The server sees the request, and may not open the file: macOS says the one, Windows and Linux the other. */
function isOutOfReach(failure: RequestFailure): boolean {
  return failure.kind === 'refused' && ['FILE_NOT_ALLOWED', 'FILE_ACCESS_DENIED'].includes(failure.code)
}

function answered(outcome: TranscribeResult['outcome']): Outcome<AttemptAnswer, RequestFailure> {
  return outcome.ok ? succeeded(answerOf(outcome.value)) : outcome
}

function answerOf(transcription: Transcription): AttemptAnswer {
  const { text, raw_text, engine, model, language, timings, latency_ms, cuts } = transcription
  return {
    text,
    rawText: raw_text ?? null,
    engine,
    model,
    language,
    serverLoadMs: timings.load_ms,
    serverDecodeMs: timings.decode_ms,
    serverLatencyMs: latency_ms,
    cutsSeconds: cuts,
    ...timesOf(transcription),
  }
}
