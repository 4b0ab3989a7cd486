import type { Recorded } from './provider-server.ts'

/** Whether the WAV file in the request holds more than silence. */
function isLoud({ audio }: Recorded): boolean {
  if (Buffer.from(audio.subarray(0, 4)).toString() !== 'RIFF')
    throw new TypeError('the audio is not a WAV file')
  return audio.subarray(44).some((byte) => byte !== 0)
}

export type ProtocolName = 'openai' | 'deepgram' | 'elevenlabs'

/** An answer for each protocol, in the shape that the provider's API reference shows. */
export const documentedAnswers: Readonly<Record<ProtocolName, (request: Recorded) => unknown>> = {
  openai: (request) => {
    if (!isLoud(request)) return { text: '', segments: [], words: [] }
    if (request.fields['response_format']?.[0] === 'json')
      return { text: 'Hello there.', usage: { type: 'tokens' } }
    return {
      task: 'transcribe',
      language: 'english',
      duration: 1,
      text: ' Hello there.',
      segments: [
        {
          id: 0,
          seek: 0,
          start: 0,
          end: 0.9,
          text: ' Hello there.',
          tokens: [1],
          temperature: 0,
          no_speech_prob: 0.01,
        },
      ],
      words: [
        { word: 'Hello', start: 0, end: 0.4 },
        { word: 'there', start: 0.4, end: 0.9 },
      ],
    }
  },
  deepgram: (request) => {
    const words = [
      { word: 'hello', start: 0.08, end: 0.32, confidence: 0.99, punctuated_word: 'Hello' },
      { word: 'there', start: 0.32, end: 0.79, confidence: 0.98, punctuated_word: 'there.' },
    ]
    const isSpeech = isLoud(request)
    const transcript = isSpeech ? 'Hello there.' : ''
    return {
      metadata: { request_id: 'a', channels: 1, duration: 1, models: ['b'] },
      results: {
        channels: [
          {
            alternatives: [{ transcript, confidence: 0.99, words: isSpeech ? words : [] }],
            ...(request.query.has('detect_language')
              ? { detected_language: 'en', language_confidence: 0.9 }
              : {}),
          },
        ],
        ...(request.query.has('utterances')
          ? {
              utterances: [
                { start: 0.08, end: 0.79, confidence: 0.9, channel: 0, transcript, words, id: 'c' },
              ],
            }
          : {}),
      },
    }
  },
  elevenlabs: (request) => ({
    language_code: 'eng',
    language_probability: 0.98,
    text: isLoud(request) ? 'Hello there.' : '',
    words: isLoud(request)
      ? [
          { text: 'Hello', start: 0.1, end: 0.3, type: 'word', speaker_id: null, logprob: 0 },
          { text: ' ', start: 0.3, end: 0.3, type: 'spacing', speaker_id: null, logprob: 0 },
          { text: 'there.', start: 0.3, end: 0.8, type: 'word', speaker_id: null, logprob: 0 },
        ]
      : [],
  }),
}

type Refusals = Readonly<Record<401 | 429 | 500, unknown>>

/** What each protocol's provider writes when it refuses, as its API reference shows; some repeat the key. */
export const documentedRefusals: Readonly<Record<ProtocolName, (key: string) => Refusals>> = {
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
  elevenlabs: (key) => ({
    401: { detail: { status: 'invalid_api_key', message: `Invalid credentials ${key}.` } },
    429: { detail: { status: 'too_many_concurrent_requests', message: 'Too many requests at once.' } },
    500: { detail: { status: 'internal_error', message: 'Internal error.' } },
  }),
}
