import { endpoints, meansOversize, type RequestFailure, type TranscriptionOptions } from '#contract'
import { failed } from '#prelude'
import { interpretReply } from './answer.ts'
import {
  type AudioBody,
  base64Framing,
  type Framing,
  formFraming,
  openAudioBody,
  UnsendableAudio,
} from './audio-body.ts'
import type { Channel, Sent } from './connection/channel.ts'
import type { AudioInput, TranscribeCall, TranscribeResult } from './connection/connection.ts'
import { type HttpBody, type HttpCall, jsonBody, unsentTimes } from './connection/exchange.ts'

/** Sends one recording, and returns the answer with its times. */
export async function transcribeOver(channel: Channel, call: TranscribeCall): Promise<TranscribeResult> {
  const { audio, options } = call
  if (audio.transport !== 'path') return transcribeBytes(channel, call, audio, framingOf(audio, options))
  const body = jsonBody({ ...options, file: audio.path })
  const request = requestWith(body, call)
  const { exchange, token } = await channel.send(() => request)
  return resultOf(channel, { exchange, token }, body.sizeBytes)
}

/** A recording that travels in the request. */
type CarriedAudio = Exclude<AudioInput, { readonly transport: 'path' }>

function framingOf({ transport, mimeType }: CarriedAudio, options: TranscriptionOptions): Framing {
  if (transport === 'base64') return base64Framing({ ...options, mime_type: mimeType })
  const { timestamp_granularities: timestamps = [], ...others } = options
  const fields = [
    ...Object.entries(others).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    ),
    ...timestamps.map((name) => ['timestamp_granularities[]', name] as const),
  ]
  return formFraming(fields, { name: 'audio', fileName: 'audio', mimeType })
}

/**
 * Length of the body that carries a recording in this way, in bytes; computed without reading it.
 *
 * @param options as they will be sent: they take some of the room
 */
export function bodyBytesOf(audio: CarriedAudio, options: TranscriptionOptions): number {
  const { head, tail, encodedBytes } = framingOf(audio, options)
  return head.length + encodedBytes(audio.sizeBytes) + tail.length
}

/** The file is open while the request lasts. */
async function transcribeBytes(
  channel: Channel,
  call: TranscribeCall,
  audio: CarriedAudio,
  framing: Framing,
): Promise<TranscribeResult> {
  // One per sending: a second one where the service had moved.
  const bodies: AudioBody[] = []
  try {
    const sent = await channel.send(async () => {
      const opened = await openAudioBody(audio, framing)
      bodies.push(opened)
      return requestWith(opened.body, call)
    })
    const result = resultOf(channel, sent, bodies.at(-1)?.body.sizeBytes ?? 0)
    const { outcome } = result
    return outcome.ok ? result : { ...result, outcome: failed(blamedRightly(outcome.failure, bodies.at(-1))) }
  } catch (error) {
    if (!(error instanceof UnsendableAudio)) throw error
    const outcome = failed({ kind: 'unsendable', reason: error.message } as const)
    return { outcome, times: unsentTimes(channel.clock), bodyBytes: 0 }
  } finally {
    for (const opened of bodies) await opened[Symbol.asyncDispose]()
  }
}

function requestWith(body: HttpBody, { timeoutMs, signal }: TranscribeCall): HttpCall {
  const { method, path, authenticated } = endpoints.transcribe
  return { method, path, isAuthenticated: authenticated, body, timeoutMs, signal }
}

function resultOf(channel: Channel, { exchange, token }: Sent, bodyBytes: number): TranscribeResult {
  const { reply, times } = exchange
  const outcome = reply.ok
    ? interpretReply(reply.value, endpoints.transcribe.answer, { token, today: channel.clock.today })
    : reply
  return { outcome: outcome.ok ? outcome : failed(sized(outcome.failure, bodyBytes)), times, bodyBytes }
}

/** The API has no code for what is too large; its messages and the size of the body identify it. */
function sized(failure: RequestFailure, bodyBytes: number): RequestFailure {
  const isOversize = failure.kind === 'refused' && meansOversize(failure, bodyBytes)
  return isOversize ? { ...failure, isOversize } : failure
}

/** A body that cannot be finished breaks the connection; that is not the server's doing. */
function blamedRightly(failure: RequestFailure, audio: AudioBody | undefined): RequestFailure {
  const reason = audio?.problem() ?? null
  return failure.kind === 'unreachable' && reason !== null ? { kind: 'unsendable', reason } : failure
}
