import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import { isListed, limits, modePresets, platforms } from '#contract/enums'
import {
  describeFailure,
  errorEnvelope,
  failureCodes,
  failureLabel,
  type RequestFailure,
} from '#contract/failures'
import {
  clearableModeFields,
  mode,
  modeDraft,
  modePatch,
  runOfModeName,
  windowsModeFields,
} from '#contract/modes'
import { discoveryFile } from '#contract/resources'
import { transcription, transcriptionRequest } from '#contract/transcription'

const aMode = {
  id: '3d6f0a52-93ad-4a43-9f44-b6a6f6b0a3a1',
  name: 'Dictation',
  preset: 'hyper',
  language: 'en',
  model: 'moonshine-tiny',
  punctuation: true,
  capitalization: true,
  profanityFilter: false,
  isDefault: true,
  isSystemProvided: true,
  sortOrder: 0,
  createdDate: '2026-06-02T13:57:46Z',
  modifiedDate: '2026-06-02T13:57:46Z',
}

describe('what we receive is read tolerantly', () => {
  test('unknown fields and unlisted enum values are kept, and visible', () => {
    const parsed = mode.parse({ ...aMode, preset: 'poem', mood: 'calm' })
    expect(parsed.preset).toBe('poem')
    expect(isListed(modePresets, parsed.preset)).toBe(false)
    expect(parsed).toHaveProperty('mood', 'calm')
  })

  test('the trailing group of Mode fields may be absent', () => {
    const parsed = mode.parse(aMode)
    for (const field of windowsModeFields) expect(parsed).not.toHaveProperty(field)
    expect(parsed.customInstructions).toBeNull()
  })

  test('a transcription may come with its text alone', () => {
    expect(transcription.parse({ ok: true, text: '' })).toMatchObject({
      text: '',
      language: null,
      latency_ms: null,
      timings: { load_ms: null, decode_ms: null },
    })
  })

  test('an error envelope with an unknown code is still an error envelope', () => {
    const parsed = errorEnvelope.parse({
      ok: false,
      error: { code: 'OUT_OF_TEA', message: 'no tea', hint: null },
    })
    expect(parsed.error).toEqual({ code: 'OUT_OF_TEA', message: 'no tea', hint: undefined })
  })

  test('a discovery file needs its port and token only', () => {
    expect(discoveryFile.safeParse({ port: 39201, token: 'secret' }).success).toBe(true)
    expect(discoveryFile.safeParse({ port: 0, token: 'secret' }).success).toBe(false)
    expect(discoveryFile.safeParse({ port: 39201 }).success).toBe(false)
  })
})

describe('what we send is checked strictly', () => {
  test.each([
    ['an unknown field', { name: 'x', colour: 'red' }],
    ['a preset that is not listed', { name: 'x', preset: 'poem' }],
    ['a sort order out of range', { name: 'x', sortOrder: 3_000_000_000 }],
    ['a read-only field', { name: 'x', id: aMode.id }],
    ['no name', { preset: 'note' }],
  ])('a Mode draft with %s is refused', (_what, draft) => {
    expect(modeDraft.safeParse(draft).success).toBe(false)
  })

  test('a patch may hold any subset of the fields, and null where a field can be cleared', () => {
    expect(modePatch.safeParse({}).success).toBe(true)
    for (const field of clearableModeFields) expect(modePatch.safeParse({ [field]: null }).success).toBe(true)
    expect(modePatch.safeParse({ name: null }).success).toBe(false)
  })

  test.each([
    ['both a file and base64', { file: '/a.wav', audio_base64: 'AAAA', engine: 'local', model: 'm' }],
    ['neither a file nor base64', { engine: 'local', model: 'm' }],
    ['neither a Mode nor an engine', { file: '/a.wav' }],
    ['a Mode id that is no uuid', { file: '/a.wav', mode_id: 'dictation' }],
  ])('a transcription request with %s is refused', (_what, request) => {
    expect(transcriptionRequest.safeParse(request).success).toBe(false)
  })
})

describe('the conformance table', () => {
  test('every route is there once, and only /health is open', () => {
    const routes = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`)
    expect(new Set(routes).size).toBe(13)
    const open = Object.values(endpoints).filter((endpoint) => !endpoint.authenticated)
    expect(open.map((endpoint) => endpoint.path)).toEqual(['/health'])
  })

  test('only Linux serves the recorder', () => {
    const partial = Object.values(endpoints).filter(
      (endpoint) => endpoint.platforms.length < platforms.length,
    )
    expect(partial.map(({ path, platforms: served }) => [path, served])).toEqual([
      ['/recording/toggle', ['linux']],
      ['/recording/cancel', ['linux']],
    ])
  })

  test('the codes are the closed set, without one for oversized payloads', () => {
    expect(failureCodes).toHaveLength(14)
    expect(failureCodes).not.toContain('PAYLOAD_TOO_LARGE')
  })

  test('the base64 ceiling is three quarters of the request limit', () => {
    expect((limits.requestBytes * 3) / 4).toBe(39_321_600)
    expect(limits.audioBytes).toBe(48 * 1024 * 1024)
  })
})

test('every failure has a label for counting and a sentence for reading', () => {
  const during = fc.constantFrom('connecting' as const, 'waiting' as const, 'receiving' as const)
  const failures: fc.Arbitrary<RequestFailure> = fc.oneof(
    fc.record({
      kind: fc.constant('refused' as const),
      code: fc.constantFrom(...failureCodes),
      message: fc.string(),
      hint: fc.constant(null),
      httpStatus: fc.constant(200),
    }),
    fc.record({ kind: fc.constant('timedOut' as const), afterMs: fc.nat(), during }),
    fc.record({ kind: fc.constant('unreachable' as const), cause: fc.constant('ECONNREFUSED'), during }),
    fc.record({
      kind: fc.constant('malformed' as const),
      httpStatus: fc.constant(200),
      excerpt: fc.string(),
    }),
    fc.record({ kind: fc.constant('unsendable' as const), reason: fc.string() }),
    fc.constant({ kind: 'dropped' as const }),
  )
  fc.assert(
    fc.property(failures, (failure) => {
      expect(failureLabel(failure)).not.toBe('')
      expect(describeFailure(failure)).not.toBe('')
    }),
  )
})

test.each([
  [250, 'no answer within 0.25 s'],
  [30_000, 'no answer within 30 s'],
])('a time-out of %i ms is described as long as it is', (afterMs, words) => {
  expect(describeFailure({ kind: 'timedOut', afterMs, during: 'waiting' })).toBe(words)
})

test.each([
  [200, 'Hello', 'an answer that is not of this API (HTTP 200: Hello)'],
  [418, 'Hello', 'an answer that is not of this API (HTTP 418: Hello)'],
  [500, 'Hello', 'a failure of the server (HTTP 500: Hello)'],
  [503, '', 'a failure of the server (HTTP 503: without a text)'],
])('a text with the status %d, %j, is %s', (httpStatus, excerpt, words) => {
  expect(describeFailure({ kind: 'malformed', httpStatus, excerpt })).toBe(words)
})

test('a refusal without a message is said to have none', () => {
  const refused = { kind: 'refused', code: 'RATE_LIMITED', message: '', hint: null, httpStatus: 429 } as const
  expect(describeFailure(refused)).toBe('RATE_LIMITED: without a message')
})

test('a Mode is known as one of ours by the whole of its name', () => {
  expect(runOfModeName('transcribench 2026-11-21T07-31-02Z-quick tiny 1a2b')).toBe(
    '2026-11-21T07-31-02Z-quick',
  )
  expect(runOfModeName('transcribench notes')).toBeNull()
})
