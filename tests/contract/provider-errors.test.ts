import { expect, test } from 'vitest'
import { readProviderError } from '#contract/provider-errors'

/** Bodies of refusals as the pages of the providers show them. */
const documented = [
  {
    // https://developers.deepgram.com/reference/errors
    body: {
      err_code: 'Bad Request',
      err_msg: 'Bad Request: failed to process audio: corrupt or unsupported data',
      request_id: 'uuid',
    },
    message: 'Bad Request: failed to process audio: corrupt or unsupported data',
    code: 'Bad Request',
  },
  {
    // The same page has another shape, too.
    body: {
      category: 'INVALID_JSON',
      message: 'Invalid JSON submitted.',
      details: 'Json deserialize error: missing field `xxx` at line 7 column 1',
      request_id: 'uuid',
    },
    message: 'Invalid JSON submitted. Json deserialize error: missing field `xxx` at line 7 column 1',
    code: 'INVALID_JSON',
  },
  {
    // https://docs.speechmatics.com/introduction/troubleshooting
    body: { code: 403, detail: 'Entitlement check failed', error: 'Forbidden' },
    message: 'Forbidden: Entitlement check failed',
    code: null,
  },
  {
    // faster-whisper-server 0.0.3 of the Python index, api.py
    body: {
      detail: { error: { message: 'Unsupported response_format: text', type: 'invalid_request_error' } },
    },
    message: 'Unsupported response_format: text',
    code: null,
  },
  {
    // https://help.elevenlabs.io/hc/en-us/articles/19572237925521
    body: { detail: { status: 'quota_exceeded', message: 'This request exceeds your quota.' } },
    message: 'This request exceeds your quota.',
    code: 'quota_exceeded',
  },
]

test.each(documented)(
  'a refusal is read with its words and its name: $message',
  ({ body, message, code }) => {
    expect(readProviderError(body)).toEqual({ message, code })
  },
)
