import { endpoints, type RequestFailure, transcriptionOptions } from '#contract'
import { failed } from '#prelude'
import { interpretReply } from './answer.ts'
import { type AudioBody, openAudioBody, UnsendableAudio } from './audio-body.ts'
import type { Channel } from './channel.ts'
import type { TranscribeCall, TranscribeResult } from './connection.ts'
import type { HttpCall } from './exchange.ts'

const { method, path, answer } = endpoints.transcribe

/** Sends one recording, and tells what came back and when. The file is open while the request lasts. */
export async function transcribeOver(channel: Channel, call: TranscribeCall): Promise<TranscribeResult> {
  const options = transcriptionOptions.parse(call.options)
  const { timeoutMs, signal } = call
  // One per sending: a second one where the service had moved.
  const bodies: AudioBody[] = []
  const prepare = async (): Promise<HttpCall> => {
    const audio = await openAudioBody(call.audio, options)
    bodies.push(audio)
    return { method, path, isAuthenticated: true, body: audio.body, timeoutMs, signal }
  }
  try {
    const { exchange, token } = await channel.send(prepare)
    const { reply, times } = exchange
    const outcome = reply.ok
      ? interpretReply(reply.value, answer, { token, today: channel.clock.today })
      : failed(blamedRightly(reply.failure, bodies.at(-1)))
    return { outcome, times, bodyBytes: bodies.at(-1)?.body.sizeBytes ?? 0 }
  } catch (error) {
    if (!(error instanceof UnsendableAudio)) throw error
    return unsent(error.message, channel.clock.nowMs())
  } finally {
    await Promise.all(bodies.map((audio) => audio[Symbol.asyncDispose]()))
  }
}

/** A body that cannot be finished breaks the connection; that is not the server's doing. */
function blamedRightly(failure: RequestFailure, audio: AudioBody | undefined): RequestFailure {
  const reason = audio?.problem() ?? null
  return failure.kind === 'unreachable' && reason !== null ? { kind: 'unsendable', reason } : failure
}

function unsent(reason: string, nowMs: number): TranscribeResult {
  return {
    outcome: failed({ kind: 'unsendable', reason }),
    times: { sentAtMs: nowMs, firstByteAtMs: null, endedAtMs: nowMs },
    bodyBytes: 0,
  }
}
