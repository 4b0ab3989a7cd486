import { endpoints, type RequestFailure, type TranscriptionOptions, transcriptionOptions } from '#contract'
import { failed } from '#prelude'
import { interpretReply } from './answer.ts'
import { type AudioBody, openAudioBody, UnsendableAudio } from './audio-body.ts'
import type { Channel, Sent } from './channel.ts'
import type { AudioInput, TranscribeCall, TranscribeResult } from './connection.ts'
import { type HttpBody, type HttpCall, jsonBody, unsentTimes } from './exchange.ts'

/** Sends one recording, and tells what came back and when. */
export async function transcribeOver(channel: Channel, call: TranscribeCall): Promise<TranscribeResult> {
  const options = transcriptionOptions.parse(call.options)
  const { audio } = call
  if (audio.transport === 'base64') return transcribeBytes(channel, call, audio, options)
  const body = jsonBody({ ...options, file: audio.path })
  const request = requestWith(body, call)
  const { exchange, token } = await channel.send(() => request)
  return resultOf(channel, { exchange, token }, body.sizeBytes)
}

/** The file is open while the request lasts. */
async function transcribeBytes(
  channel: Channel,
  call: TranscribeCall,
  audio: Extract<AudioInput, { readonly transport: 'base64' }>,
  options: TranscriptionOptions,
): Promise<TranscribeResult> {
  // One per sending: a second one where the service had moved.
  const bodies: AudioBody[] = []
  try {
    const sent = await channel.send(async () => {
      const opened = await openAudioBody(audio, options)
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
  return { outcome, times, bodyBytes }
}

/** A body that cannot be finished breaks the connection; that is not the server's doing. */
function blamedRightly(failure: RequestFailure, audio: AudioBody | undefined): RequestFailure {
  const reason = audio?.problem() ?? null
  return failure.kind === 'unreachable' && reason !== null ? { kind: 'unsendable', reason } : failure
}
