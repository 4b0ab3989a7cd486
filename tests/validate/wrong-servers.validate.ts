import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import type { RuleSubject } from '#conformance/rules'
import type { Platform } from '#contract/enums'
import {
  type Falsification,
  type LyingProxy,
  type ProxiedReply,
  startLyingProxy,
  withJson,
} from '../contract/conformance-proxy.ts'
import { type ConformingService, checkAll, idsOf, startConforming } from '../contract/conformance-service.ts'

/**
 * Servers that are wrong in one thing each, beside those of tests/conformance/conformance-broken.test.ts: `conformance` finds all but
 * those that are named as beyond it.
 */

type Json = Record<string, unknown>
type Row = readonly [fault: string, subjects: readonly RuleSubject[], how: Falsification, on?: Platform]

const services = new Map<Platform, { conforming: ConformingService; proxy: LyingProxy }>()
const platforms: readonly Platform[] = ['linux', 'macos', 'windows']

beforeAll(async () => {
  for (const platform of platforms) {
    const conforming = await startConforming(platform)
    services.set(platform, { conforming, proxy: await startLyingProxy(conforming.service) })
    await makeHistory(conforming)
  }
})
afterAll(async () => {
  for (const { conforming, proxy } of services.values()) {
    await proxy[Symbol.asyncDispose]()
    await conforming[Symbol.asyncDispose]()
  }
})

/** More recordings than a search shows of itself. */
async function makeHistory({ service }: ConformingService): Promise<void> {
  const audio_base64 = Buffer.from(encodeWav(new Float32Array(1600), 16_000)).toString('base64')
  const body = JSON.stringify({ audio_base64, mime_type: 'audio/wav', engine: 'engine_d', model: 'echo' })
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
  for (let count = 0; count < 52; count += 1) {
    const answer = await fetch(`${service.baseUrl}/transcribe`, { method: 'POST', body, headers })
    expect(await answer.json()).toMatchObject({ ok: true })
  }
}

const refusal = (code: string, message = 'No.', status = 200): ProxiedReply => ({
  status,
  text: JSON.stringify({ ok: false, error: { code, message } }),
})
const isJson = ({ text }: ProxiedReply): boolean => text.startsWith('{')

/** Changes every answer that has this field. */
const changes = (field: string, change: (json: Json) => Json): Falsification => ({
  reply: (reply) => {
    if (!isJson(reply)) return reply
    const json = JSON.parse(reply.text) as Json
    return field in json && json['ok'] !== false ? withJson(reply, change) : reply
  },
})
const eachOf = (list: string, change: (item: Json, index: number) => Json): Falsification =>
  changes(list, (json) => ({ ...json, [list]: (json[list] as Json[]).map(change) }))
const theOne = (field: string, change: (item: Json) => Json): Falsification =>
  changes(field, (json) => ({ ...json, [field]: change(json[field] as Json) }))
const without =
  (name: string) =>
  (item: Json): Json => {
    const { [name]: _, ...others } = item
    return others
  }
const answersAs = (from: string, to: string): Falsification => ({
  reply: (reply) => ({ ...reply, text: reply.text.replaceAll(from, to) }),
})
const refusesAs = (status: number): Falsification => ({
  reply: (reply) =>
    reply.text.includes('"ok":false') && reply.status === 200 ? { ...reply, status } : reply,
})
const bodyAs = (pattern: RegExp, to: string, on = /./): Falsification => ({
  request: (asked) =>
    asked.body !== null && on.test(`${asked.method} ${asked.url}`)
      ? { ...asked, body: asked.body.replace(pattern, to) }
      : asked,
})
const urlAs = (pattern: RegExp, to: string): Falsification => ({
  request: (asked) => ({ ...asked, url: asked.url.replace(pattern, to) }),
})
const headerAs = (name: string, change: (value: string) => string | undefined): Falsification => ({
  request: (asked) => {
    const value = asked.headers[name]
    if (typeof value !== 'string') return asked
    const { [name]: _, ...others } = asked.headers
    const changed = change(value)
    return { ...asked, headers: changed === undefined ? others : { ...others, [name]: changed } }
  },
})
const insteadOf = (on: RegExp, reply: ProxiedReply): Falsification => ({
  instead: ({ method, url }) => (on.test(`${method} ${url}`) ? reply : null),
})
const transcribed = (change: (json: Json) => Json): Falsification => changes('latency_ms', change)
/** The right token for whatever is sent and looks like this. */
const takes = (isTaken: (value: string) => boolean): Falsification => ({
  request: (asked) => {
    const { token } = services.get('linux')?.conforming.service ?? { token: '' }
    const value = asked.headers.authorization ?? ''
    return isTaken(value)
      ? { ...asked, headers: { ...asked.headers, authorization: `Bearer ${token}` } }
      : asked
  },
})
const ownToken = (): string => services.get('linux')?.conforming.service.token ?? ''

const rows: readonly Row[] = [
  ['any token is taken', ['authentication'], takes((value) => value.startsWith('Bearer '))],
  ['Basic is taken', ['authentication'], takes((value) => value.startsWith('Basic '))],
  ['a token without a scheme is taken', ['authentication'], takes((value) => value === ownToken())],
  ['a token with more behind it is taken', ['authentication'], takes((value) => value.includes(ownToken()))],
  [
    'a beginning of the token is taken',
    ['authentication'],
    takes((value) => value.length > 40 && `Bearer ${ownToken()}`.startsWith(value)),
  ],
  [
    '401 has no envelope',
    ['authentication'],
    { reply: (reply) => (reply.status === 401 ? { ...reply, text: '' } : reply) },
  ],
  [
    '401 is 403',
    ['authentication'],
    { reply: (reply) => (reply.status === 401 ? { ...reply, status: 403 } : reply) },
  ],
  [
    '401 is 200',
    ['authentication'],
    { reply: (reply) => (reply.status === 401 ? { ...reply, status: 200 } : reply) },
  ],
  [
    'no Host is taken',
    ['guard'],
    {
      request: (asked) =>
        asked.headers.host === undefined
          ? {
              ...asked,
              headers: {
                ...asked.headers,
                host: `127.0.0.1:${services.get('linux')?.conforming.service.port}`,
              },
            }
          : asked,
    },
  ],
  ['any Origin is taken', ['guard'], headerAs('origin', () => undefined)],
  [
    'the Origin null is taken',
    ['guard'],
    headerAs('origin', (value) => (value === 'null' ? undefined : value)),
  ],
  ['any Sec-Fetch-Site is taken', ['guard'], headerAs('sec-fetch-site', () => undefined)],
  [
    'Sec-Fetch-Site none is refused',
    ['guard'],
    headerAs('sec-fetch-site', (value) => (value === 'none' ? 'cross-site' : value)),
  ],
  [
    'a loopback Origin is refused',
    ['guard'],
    headerAs('origin', (value) => value.replace('127.0.0.1', 'x.example')),
  ],
  [
    '403 has no envelope',
    ['guard'],
    { reply: (reply) => (reply.status === 403 ? { ...reply, text: '' } : reply) },
  ],
  ['403 is 400', ['guard'], { reply: (reply) => (reply.status === 403 ? { ...reply, status: 400 } : reply) }],
  [
    'the token comes before the guard',
    ['guard'],
    {
      reply: (reply, { headers }) =>
        reply.status === 403 && headers.authorization === undefined
          ? refusal('INVALID_REQUEST', 'No token', 401)
          : reply,
    },
  ],
  [
    'unknown routes are 200',
    ['service'],
    { reply: (reply) => (reply.status === 404 ? { ...reply, status: 200 } : reply) },
  ],
  ['field names in any case', ['service'], bodyAs(/"NAME"/, '"name"')],
  [
    'the port is missing from health',
    ['health'],
    {
      reply: (reply, { url }) =>
        url === '/health' && isJson(reply) ? withJson(reply, without('port')) : reply,
    },
  ],
  [
    'api_version is a text',
    ['health'],
    {
      reply: (reply, { url }) =>
        url === '/health' && isJson(reply)
          ? withJson(reply, (json) => ({ ...json, api_version: '1' }))
          : reply,
    },
  ],
  ['a provider without a status', ['health'], theOneList('post_processing_providers', without('status'))],
  [
    'a provider of an unlisted status',
    ['health'],
    theOneList('post_processing_providers', (item) => ({ ...item, status: 'fine' })),
  ],
  [
    'key_present is a number',
    ['health'],
    theOneList('post_processing_providers', (item) => ({ ...item, key_present: 1 })),
  ],
  [
    'local models without a name',
    ['health'],
    theOne('local_models', (all) =>
      Object.fromEntries(
        Object.entries(all).map(([key, list]) => [key, (list as Json[]).map(without('displayName'))]),
      ),
    ),
  ],
  [
    'local models are no lists',
    ['health'],
    theOne('local_models', (all) => Object.fromEntries(Object.entries(all).map(([key]) => [key, {}]))),
  ],
  ['models without a kind', ['models'], eachOf('models', without('kind'))],
  ['models of an unlisted kind', ['models'], eachOf('models', (item) => ({ ...item, kind: 'speech' }))],
  ['size_mb is a text', ['models'], eachOf('models', (item) => ({ ...item, size_mb: '12' }))],
  ['installed is missing', ['models'], eachOf('models', without('installed'))],
  ['kind=voice lists all', ['models'], urlAs(/\?kind=voice$/, '')],
  ['kind=all lists voices', ['models'], urlAs(/\?kind=all$/, '?kind=voice')],
  ['an unknown kind lists all', ['models'], urlAs(/\?kind=picture$/, '')],
  ['installed_only=1 is not read', ['models'], urlAs(/installed_only=1$/, '')],
  ['installed_only=0 is true', ['models'], urlAs(/installed_only=0$/, 'installed_only=1')],
  ['installed_only is never read', ['models'], urlAs(/installed_only=\w+/, '')],
  ['a Mode without its model', ['modes'], eachOf('modes', without('model'))],
  [
    'isDefault is a number',
    ['modes'],
    eachOf('modes', (item) => ({ ...item, isDefault: item['isDefault'] === true ? 1 : 0 })),
  ],
  ['createdDate is a number', ['modes'], eachOf('modes', (item) => ({ ...item, createdDate: 1 }))],
  ['sortOrder is missing', ['modes'], eachOf('modes', without('sortOrder'))],
  ['ids are no UUIDs', ['modes'], eachOf('modes', (item, index) => ({ ...item, id: `mode-${index}` }))],
  ['two default Modes', ['modes'], eachOf('modes', (item) => ({ ...item, isDefault: true }))],
  ['no default Mode', ['modes'], eachOf('modes', (item) => ({ ...item, isDefault: false }))],
  [
    'GET of a Mode answers another name',
    ['modes'],
    {
      reply: (reply, { method, url }) =>
        method === 'GET' && url.startsWith('/modes/') && reply.text.includes('"mode"')
          ? withJson(reply, (json) => ({ ...json, mode: { ...(json['mode'] as Json), name: 'x' } }))
          : reply,
    },
  ],
  [
    'an unknown Mode is 404',
    ['modes'],
    { reply: (reply) => (reply.text.includes('MODE_NOT_FOUND') ? { ...reply, status: 404 } : reply) },
  ],
  ['an unknown Mode is INVALID_REQUEST', ['modes'], answersAs('MODE_NOT_FOUND', 'INVALID_REQUEST')],
  [
    'an id that is none is MODE_NOT_FOUND',
    ['modes'],
    { reply: (reply, { url }) => (url === '/modes/not-a-uuid' ? refusal('MODE_NOT_FOUND') : reply) },
  ],
  [
    'POST /modes is 201',
    ['modes'],
    {
      reply: (reply, { method, url }) =>
        method === 'POST' && url === '/modes' && reply.text.includes('"ok":true')
          ? { ...reply, status: 201 }
          : reply,
    },
  ],
  [
    'DELETE answers the Mode',
    ['modes'],
    {
      reply: (reply, { method }) =>
        method === 'DELETE' && reply.text.includes('"ok":true')
          ? { ...reply, text: '{"ok":true,"mode":{"id":"x"}}' }
          : reply,
    },
  ],
  [
    'DELETE is 204',
    ['modes'],
    {
      reply: (reply, { method }) =>
        method === 'DELETE' && reply.text.includes('"ok":true') ? { status: 204, text: '' } : reply,
    },
  ],
  [
    'a deleted Mode is still there',
    ['modes'],
    { instead: ({ method }) => (method === 'DELETE' ? { status: 200, text: '{"ok":true}' } : null) },
  ],
  ['PATCH changes nothing', ['modes'], bodyAs(/^\{.*\}$/s, '{}', /^PATCH/)],
  ['PATCH answers, and does not store', ['modes'], forgetsPatches()],
  [
    'PATCH resets punctuation',
    ['modes'],
    bodyAs(/^\{"language":"fr"/, '{"punctuation":false,"language":"fr"', /^PATCH/),
  ],
  [
    'PATCH renames',
    ['modes'],
    {
      reply: (reply, { method }) =>
        method === 'PATCH' && reply.text.includes('"mode"')
          ? withJson(reply, (json) => ({ ...json, mode: { ...(json['mode'] as Json), name: 'x' } }))
          : reply,
    },
  ],
  [
    'modifiedDate from the body',
    ['modes'],
    {
      reply: (reply, { body }) =>
        body?.includes('2001-02-03') === true && reply.text.includes('"mode"')
          ? withJson(reply, (json) => ({
              ...json,
              mode: { ...(json['mode'] as Json), modifiedDate: '2001-02-03T04:05:06.000Z' },
            }))
          : reply,
    },
  ],
  [
    'isSystemProvided from the body',
    ['modes'],
    {
      reply: (reply, { body }) =>
        body?.includes('2001-02-03') === true && reply.text.includes('"mode"')
          ? withJson(reply, (json) => ({
              ...json,
              mode: { ...(json['mode'] as Json), isSystemProvided: true },
            }))
          : reply,
    },
  ],
  [
    'names are unique by case',
    ['modes'],
    {
      reply: (reply) =>
        reply.text.includes('MODE_NAME_TAKEN')
          ? { ...reply, text: reply.text.replace('MODE_NAME_TAKEN', 'TRANSCRIPTION_FAILED') }
          : reply,
    },
  ],
  ['an empty name is taken', ['modes'], bodyAs(/"name":"( |\\t \\n)?"/, '"name":"unnamed"')],
  [
    'names are not trimmed',
    ['modes'],
    {
      reply: (reply) =>
        reply.text.includes('trimmed"')
          ? { ...reply, text: reply.text.replace('trimmed"', 'trimmed "') }
          : reply,
    },
    'windows',
  ],
  ['a preset in any case', ['modes'], bodyAs(/"preset":"Note"/, '"preset":"note"')],
  ['one preset is unknown', ['modes'], bodyAs(/"preset":"meeting"/, '"preset":"x"')],
  ['an unknown preset is custom', ['modes'], bodyAs(/"preset":"poem"/, '"preset":"custom"')],
  [
    'an unknown spelling is american',
    ['modes'],
    bodyAs(/"englishSpelling":"welsh"/, '"englishSpelling":"american"'),
  ],
  ['postProcessingMode 3 is taken', ['modes'], bodyAs(/"postProcessingMode":3/, '"postProcessingMode":2')],
  ['texts for booleans are taken', ['modes'], bodyAs(/"punctuation":"yes"/, '"punctuation":true')],
  ['texts for numbers are taken', ['modes'], bodyAs(/"sortOrder":"1"/, '"sortOrder":1')],
  [
    'a large sortOrder is refused',
    ['modes'],
    {
      instead: ({ body }) =>
        body?.includes('"sortOrder":32768') === true ? refusal('INVALID_REQUEST') : null,
    },
  ],
  ['sortOrder 32768 is taken on macOS', ['modes'], bodyAs(/"sortOrder":32768/, '"sortOrder":3'), 'macos'],
  ['one null does not clear', ['modes'], bodyAs(/"vendorCustomPrompt":null,?/, '')],
  [
    'null clears on Windows',
    ['modes'],
    bodyAs(/"customInstructions":null/, '"customInstructions":""', /^PATCH/),
    'windows',
  ],
  [
    'macOS shows fields of Windows',
    ['modes'],
    theOne('mode', (mode) => ({ ...mode, localEngine: '' })),
    'macos',
  ],
  [
    'macOS has defaults on create',
    ['modes'],
    {
      request: (asked) =>
        asked.method === 'POST' &&
        asked.url === '/modes' &&
        asked.body !== null &&
        !asked.body.includes('"preset"')
          ? { ...asked, body: asked.body.replace('{', '{"preset":"note",') }
          : asked,
    },
    'macos',
  ],
  ['the default does not move', ['modes'], bodyAs(/"isDefault":true/, '"punctuation":true', /^PATCH/)],
  ['refusals are 400', ['errors', 'modes'], refusesAs(400)],
  ['refusals are 422', ['errors', 'modes'], refusesAs(422)],
  [
    'malformed JSON is 200',
    ['errors'],
    { reply: (reply) => (reply.status === 400 ? { ...reply, status: 200 } : reply) },
  ],
  [
    'malformed JSON has another code',
    ['errors'],
    {
      reply: (reply) =>
        reply.status === 400
          ? { ...reply, text: reply.text.replace('INVALID_REQUEST', 'TRANSCRIPTION_FAILED') }
          : reply,
    },
  ],
  ['a code of its own', ['errors'], answersAs('MODE_NOT_FOUND', 'NOT_FOUND')],
  [
    'errors without a message',
    ['errors'],
    {
      reply: (reply) =>
        isJson(reply) && reply.text.includes('"error"')
          ? withJson(reply, (json) => ({ ...json, error: without('message')(json['error'] as Json) }))
          : reply,
    },
  ],
  [
    'the error is a text',
    ['errors'],
    {
      reply: (reply) =>
        isJson(reply) && reply.text.includes('"error"')
          ? withJson(reply, (json) => ({ ...json, error: 'wrong' }))
          : reply,
    },
  ],
  [
    'ok is missing from refusals',
    ['errors'],
    {
      reply: (reply) =>
        isJson(reply) && reply.text.includes('"error"') ? withJson(reply, without('ok')) : reply,
    },
  ],
  ['trailing text after JSON is taken', ['errors'], bodyAs(/ and more$/, '')],
  [
    'total is what is returned',
    ['recordings'],
    changes('returned', (json) => ({ ...json, total: json['returned'] })),
  ],
  ['recordings without a duration', ['recordings'], eachOf('recordings', without('duration'))],
  [
    'recordings of an unlisted status',
    ['recordings'],
    eachOf('recordings', (item) => ({ ...item, status: 'done' })),
  ],
  [
    'oldest first',
    ['recordings'],
    changes('recordings', (json) => ({ ...json, recordings: (json['recordings'] as Json[]).toReversed() })),
  ],
  ['q is not read', ['recordings'], urlAs(/q=[^&]*&?/, '')],
  [
    'q with regard to case',
    ['recordings'],
    {
      reply: (reply, { url }) =>
        /q=[A-Z%]/.test(url) && isJson(reply)
          ? withJson(reply, (json) => ({ ...json, total: 0, returned: 0, recordings: [] }))
          : reply,
    },
  ],
  ['limit is not read', ['recordings'], urlAs(/limit=1(?=$|&)/, 'limit=50')],
  ['limit=0 is taken', ['recordings'], urlAs(/limit=0$/, 'limit=1')],
  ['limit=1.5 is taken', ['recordings'], urlAs(/limit=1\.5$/, 'limit=1')],
  ['no limit is all', ['recordings'], urlAs(/\/search$/, '/search?limit=500')],
  ['since is not read', ['recordings'], urlAs(/since=[^&]*&?/, '')],
  [
    'until is exclusive',
    ['recordings'],
    {
      reply: (reply, { url }) =>
        url.includes('until=') && isJson(reply)
          ? withJson(reply, (json) => ({ ...json, recordings: (json['recordings'] as Json[]).slice(1) }))
          : reply,
    },
  ],
  ['a recording is another one', ['recordings'], theOne('recording', (item) => ({ ...item, text: 'x' }))],
  ['a recording has no sound', ['recordings'], theOne('recording', without('audioFilePath'))],
  [
    'an unknown recording is 404',
    ['recordings'],
    {
      reply: (reply, { url }) =>
        url.startsWith('/recordings/') && reply.text.includes('MODE_NOT_FOUND')
          ? { ...reply, status: 404 }
          : reply,
    },
  ],
  [
    'an unknown recording is FILE_NOT_FOUND',
    ['recordings'],
    {
      reply: (reply, { url }) =>
        url.startsWith('/recordings/')
          ? { ...reply, text: reply.text.replace('MODE_NOT_FOUND', 'FILE_NOT_FOUND') }
          : reply,
    },
  ],
  ['the text is null', ['transcription'], transcribed((json) => ({ ...json, text: null }))],
  ['the engine is missing', ['transcription'], transcribed(without('engine'))],
  [
    'timings in seconds',
    ['transcription'],
    transcribed((json) => ({ ...json, timings: { load_ms: 0.001, decode_ms: 0.05 } })),
  ],
  ['timings are missing', ['transcription'], transcribed(without('timings'))],
  ['latency is negative', ['transcription'], transcribed((json) => ({ ...json, latency_ms: -1 }))],
  ['latency is below the decode', ['transcription'], transcribed((json) => ({ ...json, latency_ms: 0 }))],
  [
    'segments in milliseconds',
    ['transcription'],
    transcribed((json) => ({
      ...json,
      ...(json['segments'] === undefined
        ? {}
        : {
            segments: (json['segments'] as Json[]).map((one) => ({ ...one, end: Number(one['end']) * 1000 })),
          }),
    })),
  ],
  [
    'words end before they begin',
    ['transcription'],
    transcribed((json) => ({
      ...json,
      ...(json['words'] === undefined ? {} : { words: [{ word: 'x', start: 2, end: 1 }] }),
    })),
  ],
  [
    'words without a text',
    ['transcription'],
    transcribed((json) => ({
      ...json,
      ...(json['words'] === undefined ? {} : { words: [{ start: 0, end: 1 }] }),
    })),
  ],
  ['segments come unasked', ['transcription'], transcribed((json) => ({ ...json, segments: [] }))],
  ['raw_text comes unasked', ['transcription'], transcribed((json) => ({ ...json, raw_text: '' }))],
  ['both kinds of audio are taken', ['transcription'], bodyAs(/"file":"[^"]*",/, '')],
  [
    'no audio is an empty text',
    ['transcription'],
    {
      reply: (reply, { url, body }) =>
        url === '/transcribe' && body?.startsWith('{"mode_id"') === true
          ? { status: 200, text: '{"ok":true,"text":""}' }
          : reply,
    },
  ],
  [
    'neither Mode nor engine is taken',
    ['transcription'],
    {
      reply: (reply, { url, body }) =>
        url === '/transcribe' &&
        body !== null &&
        !/mode_id|engine/.test(body) &&
        reply.text.includes('INVALID_REQUEST')
          ? { status: 200, text: '{"ok":true,"text":""}' }
          : reply,
    },
  ],
  [
    'an unknown engine is MODEL_NOT_FOUND',
    ['transcription'],
    {
      reply: (reply, { body }) =>
        body?.includes('no-such-engine') === true ? refusal('MODEL_NOT_FOUND') : reply,
    },
  ],
  [
    'an unknown model is the default one',
    ['transcription'],
    bodyAs(/"model":"no-such-model"/, '"model":"echo"'),
  ],
  [
    'an absent model is MODEL_NOT_FOUND',
    ['transcription'],
    answersAs('MODEL_NOT_INSTALLED', 'MODEL_NOT_FOUND'),
  ],
  [
    'an unknown mode_id is not read',
    ['transcription'],
    bodyAs(/"mode_id":"7d1c9c5e[^"]*"/, '"engine":"engine_d","model":"echo"'),
  ],
  [
    'text is decoded as silence',
    ['transcription'],
    {
      reply: (reply, { url }) =>
        url === '/transcribe' && reply.text.includes('AUDIO_DECODE_FAILED')
          ? {
              status: 200,
              text: '{"ok":true,"text":"","engine":"x","model":"echo","language":null,"timings":{"load_ms":0,"decode_ms":0},"latency_ms":0}',
            }
          : reply,
    },
  ],
  [
    'undecodable is TRANSCRIPTION_FAILED',
    ['transcription'],
    answersAs('AUDIO_DECODE_FAILED', 'TRANSCRIPTION_FAILED'),
  ],
  [
    'the Mode is not read',
    ['transcription'],
    {
      instead: ({ url, body }) =>
        url === '/transcribe' &&
        body?.includes('mode_id') === true &&
        body.includes('audio_base64') &&
        !body.includes('file') &&
        !body.includes('7d1c9c5e') &&
        !body.includes('not-a-uuid')
          ? refusal('INVALID_REQUEST')
          : null,
    },
  ],
  [
    'the Mode beats the request',
    ['transcription'],
    {
      request: (asked) =>
        asked.body?.includes('mode_id') === true
          ? { ...asked, body: asked.body.replace(',"model":"no-such-model"', '') }
          : asked,
    },
  ],
  [
    'a malformed language is not read',
    ['transcription'],
    bodyAs(/"language":"not a language"/, '"language":"en"'),
  ],
  ['the language is always English', ['transcription'], transcribed((json) => ({ ...json, language: 'en' }))],
  [
    'files are not read',
    ['transcription'],
    {
      instead: ({ url, body }) =>
        url === '/transcribe' && body?.includes('tone.wav') === true ? refusal('FILE_NOT_FOUND') : null,
    },
  ],
  ['files outside are FILE_NOT_FOUND', ['transcription'], answersAs('FILE_NOT_ALLOWED', 'FILE_NOT_FOUND')],
  [
    'files outside are FILE_ACCESS_DENIED on Linux',
    ['transcription'],
    answersAs('FILE_NOT_ALLOWED', 'FILE_ACCESS_DENIED'),
  ],
  [
    'a missing file is AUDIO_DECODE_FAILED',
    ['transcription'],
    answersAs('FILE_NOT_FOUND', 'AUDIO_DECODE_FAILED'),
  ],
  [
    'links are followed outside',
    ['transcription'],
    {
      reply: (reply, { body }) =>
        body?.includes('link.wav') === true ? { status: 200, text: '{"ok":true,"text":"x"}' } : reply,
    },
  ],
  [
    'multipart is taken on macOS',
    ['transcription'],
    {
      reply: (reply, { headers }) =>
        headers['content-type']?.startsWith('multipart') === true
          ? { status: 200, text: '{"ok":true,"text":"x"}' }
          : reply,
    },
    'macos',
  ],
  [
    'multipart is refused on Linux',
    ['transcription'],
    {
      reply: (reply, { headers }) =>
        headers['content-type']?.startsWith('multipart') === true ? refusal('INVALID_REQUEST') : reply,
    },
  ],
  ['a blank text is edited', ['post-processing'], bodyAs(/"text":" \\n"/, '"text":"x"')],
  ['preset and prompt together', ['post-processing'], bodyAs(/"preset":"note",(?="prompt")/, '')],
  ['an edit without a provider', ['post-processing'], changes('post_processed', without('provider'))],
  [
    'post_processed is a text',
    ['post-processing'],
    changes('post_processed', (json) => ({ ...json, post_processed: 'true' })),
  ],
  [
    'false comes with another text',
    ['post-processing'],
    changes('post_processed', (json) => ({ ...json, post_processed: false })),
  ],
  [
    'a Mode without post-processing edits',
    ['post-processing'],
    {
      reply: (reply, { url, body }) =>
        url === '/post-process' &&
        body?.includes('mode_id') === true &&
        reply.text.includes('off in this Mode')
          ? { status: 200, text: '{"ok":true,"text":"x"}' }
          : reply,
    },
  ],
  ['the microphone is on from the start', ['recorder'], answersAs('"state":"idle"', '"state":"recording"')],
  [
    'is_recording is the other way',
    ['recorder'],
    theOne('recording', (one) =>
      'is_recording' in one ? { ...one, is_recording: one['is_recording'] !== true } : one,
    ),
  ],
  ['a toggle does not stop', ['recorder'], answersAs('"state":"completed"', '"state":"transcribing"')],
  [
    'a busy toggle is HTTP 200',
    ['recorder'],
    {
      reply: (reply, { url }) =>
        url === '/recording/toggle' && reply.status === 400 ? { ...reply, status: 200 } : reply,
    },
  ],
  [
    'the recorder is there on macOS',
    ['recorder'],
    insteadOf(/\/recording\/cancel$/, {
      status: 200,
      text: '{"ok":true,"recording":{"is_recording":false,"state":"idle"}}',
    }),
    'macos',
  ],
  [
    'the recorder has no 404 envelope on Windows',
    ['recorder'],
    { reply: (reply) => (reply.status === 404 ? { ...reply, text: '' } : reply) },
    'windows',
  ],
]

function theOneList(list: string, change: (item: Json) => Json): Falsification {
  return {
    reply: (reply) =>
      isJson(reply) && reply.text.includes(`"${list}"`)
        ? withJson(reply, (json) => ({ ...json, [list]: (json[list] as Json[]).map(change) }))
        : reply,
  }
}

/** The answer to a PATCH is right, and the next GET shows the Mode as it was. */
function forgetsPatches(): Falsification {
  const before = new Map<string, string>()
  return {
    reply: (reply, { method, url }) => {
      if (!url.startsWith('/modes/') || !reply.text.includes('"mode"')) return reply
      if (method === 'GET') return { ...reply, text: before.get(url) ?? reply.text }
      if (method === 'PATCH' && !before.has(url)) before.set(url, reply.text)
      return reply
    },
  }
}

/** What the specification does not say is not held against a server. */
const unseen: readonly string[] = ['latency is below the decode']

test.each(rows.map(([fault, only, how, on = 'linux']) => ({ fault, only, how, on })))(
  '$fault',
  async ({ fault, only, how, on }) => {
    const served = services.get(on)
    if (served === undefined) throw new TypeError(`no service of ${on}`)
    const { conforming, proxy } = served
    proxy.falsify(how)
    const { report } = await checkAll(proxy.discoveryPath, on, { folder: conforming.folder, only })
    const broken = idsOf(report.rules, 'broken')
    expect(broken.length > 0, broken.join(', ')).toBe(!unseen.includes(fault))
  },
)
