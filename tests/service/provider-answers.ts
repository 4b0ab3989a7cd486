import { documentedTranscripts } from '../journeys/documented-transcripts.ts'
import type { Recorded } from './provider-server.ts'

/** Whether the WAV file in the request holds more than silence. */
function isLoud({ audio }: Recorded): boolean {
  if (Buffer.from(audio.subarray(0, 4)).toString() !== 'RIFF')
    throw new TypeError('the audio is not a WAV file')
  return audio.subarray(44).some((byte) => byte !== 0)
}

export type ProtocolName = 'openai' | 'deepgram' | 'elevenlabs'

/** What a provider answers to speech and to silence, in the shape that its API reference shows. */
export function documentedAnswer(protocol: ProtocolName, request: Recorded): unknown {
  return documentedTranscripts[protocol](request, isLoud(request) ? 'Hello there.' : '')
}

type Refusals = Readonly<Record<401 | 429 | 500, unknown>>

/** What a provider writes when it refuses, as its API reference shows; some repeat the key. */
export const documentedRefusals: Readonly<Record<'openai' | 'deepgram', (key: string) => Refusals>> = {
  openai: (key) => ({
    401: {
      error: {
        message: `Incorrect credentials provided: ${key}.`,
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    },
    429: {
      error: {
        message: 'Too many requests: rate limit reached for requests.',
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
    500: { error: { message: 'Internal error.', type: 'server_error', param: null, code: null } },
  }),
  deepgram: (key) => ({
    401: { err_code: 'INVALID_AUTH', err_msg: `Invalid credentials ${key}.`, request_id: 'a' },
    429: {
      err_code: 'TOO_MANY_REQUESTS',
      err_msg: 'Too many requests. Please try again later.',
      request_id: 'a',
    },
    500: { err_code: 'INTERNAL_SERVER_ERROR', err_msg: 'Internal error.', request_id: 'a' },
  }),
}
