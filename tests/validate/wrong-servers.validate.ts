import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import type { RuleSubject } from '#conformance/rules'
import type { Platform } from '#contract/enums'
import { type Falsification, type LyingProxy, startLyingProxy } from '../contract/conformance-proxy.ts'
import { type ConformingService, checkAll, idsOf, startConforming } from '../contract/conformance-service.ts'
import {
  bodyAs,
  changes,
  eachOf,
  headerAs,
  insteadOf,
  type Json,
  jsonAs,
  refusal,
  replyAs,
  requestAs,
  set,
  textAs,
  theList,
  theOne,
  urlAs,
  withHeader,
  without,
} from '../contract/falsifications.ts'

/**
 * Servers that are wrong in one thing each, beside those of tests/conformance/conformance-broken.test.ts: `conformance` finds all but
 * those that are named as beyond it.
 */

type Row = readonly [fault: string, how: Falsification, on?: Platform]

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

const own = (): { readonly token: string; readonly port: number } => {
  const served = services.get('linux')
  if (served === undefined) throw new TypeError('no service of linux')
  return served.conforming.service
}
const transcribed = (change: (json: Json) => Json): Falsification => changes('latency_ms', change)
/** The right token for whatever is sent and looks like this. */
const takes = (isTaken: (value: string) => boolean): Falsification =>
  requestAs({ asked: ({ headers }) => isTaken(headers.authorization ?? '') }, (asked) =>
    withHeader(asked, 'authorization', `Bearer ${own().token}`),
  )
const accepted = { status: 200, text: '{"ok":true,"text":"x"}' }
const isIdle = { status: 200, text: '{"ok":true,"recording":{"is_recording":false,"state":"idle"}}' }
const silence =
  '{"ok":true,"text":"","engine":"x","model":"echo","language":null,"timings":{"load_ms":0,"decode_ms":0},"latency_ms":0}'
const deleted = { method: 'DELETE', says: '"ok":true' }

const wrong: Readonly<Partial<Record<RuleSubject, readonly Row[]>>> = {
  authentication: [
    ['any token is taken', takes((value) => value.startsWith('Bearer '))],
    ['Basic is taken', takes((value) => value.startsWith('Basic '))],
    ['a token without a scheme is taken', takes((value) => value === own().token)],
    ['a token with more behind it is taken', takes((value) => value.includes(own().token))],
    [
      'a beginning of the token is taken',
      takes((value) => value.length > 40 && `Bearer ${own().token}`.startsWith(value)),
    ],
    ['401 has no envelope', replyAs({ status: 401 }, { text: '' })],
    ['401 is 403', replyAs({ status: 401 }, { status: 403 })],
    ['401 is 200', replyAs({ status: 401 }, { status: 200 })],
  ],
  guard: [
    [
      'no Host is taken',
      requestAs({ asked: ({ headers }) => headers.host === undefined }, (asked) =>
        withHeader(asked, 'host', `127.0.0.1:${own().port}`),
      ),
    ],
    ['any Origin is taken', headerAs('origin', () => undefined)],
    ['the Origin null is taken', headerAs('origin', (value) => (value === 'null' ? undefined : value))],
    [
      'Sec-Fetch-Site none is refused',
      headerAs('sec-fetch-site', (value) => value.replace(/^none$/, 'cross-site')),
    ],
    ['a loopback Origin is refused', headerAs('origin', (value) => value.replace('127.0.0.1', 'x.example'))],
    ['403 has no envelope', replyAs({ status: 403 }, { text: '' })],
    ['403 is 400', replyAs({ status: 403 }, { status: 400 })],
    [
      'the token comes before the guard',
      replyAs(
        { status: 403, asked: ({ headers }) => headers.authorization === undefined },
        refusal('INVALID_REQUEST', 'No token', 401),
      ),
    ],
  ],
  service: [
    ['unknown routes are 200', replyAs({ status: 404 }, { status: 200 })],
    ['field names in any case', bodyAs(/"NAME"/, '"name"')],
  ],
  health: [
    ['the port is missing from health', jsonAs({ url: '/health' }, without('port'))],
    ['api_version is a text', jsonAs({ url: '/health' }, set({ api_version: '1' }))],
    ['a provider without a status', eachOf('post_processing_providers', without('status'))],
    ['a provider of an unlisted status', eachOf('post_processing_providers', set({ status: 'fine' }))],
    ['key_present is a number', eachOf('post_processing_providers', set({ key_present: 1 }))],
    ['local models without a name', localModelsAs((list) => list.map(without('displayName')))],
    ['local models are no lists', localModelsAs(() => ({}))],
  ],
  models: [
    ['models without a kind', eachOf('models', without('kind'))],
    ['models of an unlisted kind', eachOf('models', set({ kind: 'speech' }))],
    ['size_mb is a text', eachOf('models', set({ size_mb: '12' }))],
    ['installed is missing', eachOf('models', without('installed'))],
    ['kind=voice lists all', urlAs(/\?kind=voice$/, '')],
    ['kind=all lists voices', urlAs(/\?kind=all$/, '?kind=voice')],
    ['an unknown kind lists all', urlAs(/\?kind=picture$/, '')],
    ['installed_only=1 is not read', urlAs(/installed_only=1$/, '')],
    ['installed_only=0 is true', urlAs(/installed_only=0$/, 'installed_only=1')],
    ['installed_only is never read', urlAs(/installed_only=\w+/, '')],
  ],
  modes: [
    ['a Mode without its model', eachOf('modes', without('model'))],
    ['isDefault is a number', eachOf('modes', (item) => ({ ...item, isDefault: Number(item['isDefault']) }))],
    ['createdDate is a number', eachOf('modes', set({ createdDate: 1 }))],
    ['sortOrder is missing', eachOf('modes', without('sortOrder'))],
    ['ids are no UUIDs', eachOf('modes', (item, index) => ({ ...item, id: `mode-${index}` }))],
    ['two default Modes', eachOf('modes', set({ isDefault: true }))],
    ['no default Mode', eachOf('modes', set({ isDefault: false }))],
    [
      'GET of a Mode answers another name',
      theOne('mode', set({ name: 'x' }), { method: 'GET', url: /^\/modes\// }),
    ],
    ['an unknown Mode is 404', replyAs({ says: 'MODE_NOT_FOUND' }, { status: 404 })],
    ['an unknown Mode is INVALID_REQUEST', textAs('MODE_NOT_FOUND', 'INVALID_REQUEST')],
    [
      'an id that is none is MODE_NOT_FOUND',
      replyAs({ url: '/modes/not-a-uuid' }, refusal('MODE_NOT_FOUND')),
    ],
    ['POST /modes is 201', replyAs({ method: 'POST', url: '/modes', says: '"ok":true' }, { status: 201 })],
    ['DELETE answers the Mode', replyAs(deleted, { text: '{"ok":true,"mode":{"id":"x"}}' })],
    ['DELETE is 204', replyAs(deleted, { status: 204, text: '' })],
    ['PATCH changes nothing', bodyAs(/^\{.*\}$/s, '{}', { method: 'PATCH' })],
    ['PATCH answers, and does not store', forgetsPatches()],
    [
      'PATCH resets punctuation',
      bodyAs(/^\{"language":"fr"/, '{"punctuation":false,"language":"fr"', { method: 'PATCH' }),
    ],
    ['PATCH renames', theOne('mode', set({ name: 'x' }), { method: 'PATCH' })],
    [
      'modifiedDate from the body',
      theOne('mode', set({ modifiedDate: '2001-02-03T04:05:06.000Z' }), { body: /2001-02-03/ }),
    ],
    [
      'isSystemProvided from the body',
      theOne('mode', set({ isSystemProvided: true }), { body: /2001-02-03/ }),
    ],
    ['names are unique by case', textAs('MODE_NAME_TAKEN', 'TRANSCRIPTION_FAILED')],
    ['an empty name is taken', bodyAs(/"name":"( |\\t \\n)?"/, '"name":"unnamed"')],
    ['names are not trimmed', textAs(/trimmed"/, 'trimmed "'), 'windows'],
    ['a preset in any case', bodyAs(/"preset":"Note"/, '"preset":"note"')],
    ['one preset is unknown', bodyAs(/"preset":"meeting"/, '"preset":"x"')],
    ['an unknown preset is custom', bodyAs(/"preset":"poem"/, '"preset":"custom"')],
    ['an unknown spelling is american', bodyAs(/"englishSpelling":"welsh"/, '"englishSpelling":"american"')],
    ['postProcessingMode 3 is taken', bodyAs(/"postProcessingMode":3/, '"postProcessingMode":2')],
    ['texts for booleans are taken', bodyAs(/"punctuation":"yes"/, '"punctuation":true')],
    ['texts for numbers are taken', bodyAs(/"sortOrder":"1"/, '"sortOrder":1')],
    ['a large sortOrder is refused', insteadOf({ body: /"sortOrder":32768/ }, refusal())],
    ['sortOrder 32768 is taken on macOS', bodyAs(/"sortOrder":32768/, '"sortOrder":3'), 'macos'],
    ['one null does not clear', bodyAs(/"vendorCustomPrompt":null,?/, '')],
    [
      'null clears on Windows',
      bodyAs(/"customInstructions":null/, '"customInstructions":""', { method: 'PATCH' }),
      'windows',
    ],
    ['macOS shows fields of Windows', theOne('mode', set({ localEngine: '' })), 'macos'],
    [
      'macOS has defaults on create',
      bodyAs(/^(?!.*"preset")([^{]*)\{/s, '$1{"preset":"note",', { method: 'POST', url: '/modes' }),
      'macos',
    ],
    ['the default does not move', bodyAs(/"isDefault":true/, '"punctuation":true', { method: 'PATCH' })],
  ],
  errors: [
    ['malformed JSON is 200', replyAs({ status: 400 }, { status: 200 })],
    ['malformed JSON has another code', textAs('INVALID_REQUEST', 'TRANSCRIPTION_FAILED', { status: 400 })],
    ['a code of its own', textAs('MODE_NOT_FOUND', 'NOT_FOUND')],
    [
      'errors without a message',
      jsonAs({ says: '"error"' }, (json) => ({ ...json, error: without('message')(json['error'] as Json) })),
    ],
    ['the error is a text', jsonAs({ says: '"error"' }, set({ error: 'wrong' }))],
    ['ok is missing from refusals', jsonAs({ says: '"error"' }, without('ok'))],
    ['trailing text after JSON is taken', bodyAs(/ and more$/, '')],
    // A case of Modes finds these too.
    ['refusals are 400', replyAs({ status: 200, says: '"ok":false' }, { status: 400 })],
    ['refusals are 422', replyAs({ status: 200, says: '"ok":false' }, { status: 422 })],
  ],
  recordings: [
    ['total is what is returned', changes('returned', (json) => ({ ...json, total: json['returned'] }))],
    ['recordings without a duration', eachOf('recordings', without('duration'))],
    ['recordings of an unlisted status', eachOf('recordings', set({ status: 'done' }))],
    ['oldest first', theList('recordings', (list) => list.toReversed())],
    ['q is not read', urlAs(/q=[^&]*&?/, '')],
    ['q with regard to case', jsonAs({ url: /q=[A-Z%]/ }, set({ total: 0, returned: 0, recordings: [] }))],
    ['limit is not read', urlAs(/limit=1(?=$|&)/, 'limit=50')],
    ['limit=0 is taken', urlAs(/limit=0$/, 'limit=1')],
    ['limit=1.5 is taken', urlAs(/limit=1\.5$/, 'limit=1')],
    ['no limit is all', urlAs(/\/search$/, '/search?limit=500')],
    ['since is not read', urlAs(/since=[^&]*&?/, '')],
    ['until is exclusive', theList('recordings', (list) => list.slice(1), { url: /until=/ })],
    ['a recording is another one', theOne('recording', set({ text: 'x' }))],
    ['a recording has no sound', theOne('recording', without('audioFilePath'))],
    [
      'an unknown recording is 404',
      replyAs({ url: /^\/recordings\//, says: 'MODE_NOT_FOUND' }, { status: 404 }),
    ],
    [
      'an unknown recording is FILE_NOT_FOUND',
      textAs('MODE_NOT_FOUND', 'FILE_NOT_FOUND', { url: /^\/recordings\// }),
    ],
  ],
  transcription: [
    ['the text is null', transcribed(set({ text: null }))],
    ['the engine is missing', transcribed(without('engine'))],
    ['timings in seconds', transcribed(set({ timings: { load_ms: 0.001, decode_ms: 0.05 } }))],
    ['timings are missing', transcribed(without('timings'))],
    ['latency is negative', transcribed(set({ latency_ms: -1 }))],
    ['latency is below the decode', transcribed(set({ latency_ms: 0 }))],
    ['segments in milliseconds', eachOf('segments', (one) => ({ ...one, end: Number(one['end']) * 1000 }))],
    ['words end before they begin', theList('words', () => [{ word: 'x', start: 2, end: 1 }])],
    ['words without a text', theList('words', () => [{ start: 0, end: 1 }])],
    ['segments come unasked', transcribed(set({ segments: [] }))],
    ['raw_text comes unasked', transcribed(set({ raw_text: '' }))],
    ['both kinds of audio are taken', bodyAs(/"file":"[^"]*",/, '')],
    ['no audio is an empty text', replyAs({ url: '/transcribe', body: /^\{"mode_id"/ }, accepted)],
    [
      'neither Mode nor engine is taken',
      replyAs({ url: '/transcribe', body: /^(?!.*(mode_id|engine))/s, says: 'INVALID_REQUEST' }, accepted),
    ],
    ['an unknown engine is MODEL_NOT_FOUND', replyAs({ body: /no-such-engine/ }, refusal('MODEL_NOT_FOUND'))],
    ['an unknown model is the default one', bodyAs(/"model":"no-such-model"/, '"model":"echo"')],
    ['an absent model is MODEL_NOT_FOUND', textAs('MODEL_NOT_INSTALLED', 'MODEL_NOT_FOUND')],
    [
      'an unknown mode_id is not read',
      bodyAs(/"mode_id":"7d1c9c5e[^"]*"/, '"engine":"engine_d","model":"echo"'),
    ],
    [
      'text is decoded as silence',
      replyAs({ url: '/transcribe', says: 'AUDIO_DECODE_FAILED' }, { status: 200, text: silence }),
    ],
    ['undecodable is TRANSCRIPTION_FAILED', textAs('AUDIO_DECODE_FAILED', 'TRANSCRIPTION_FAILED')],
    [
      'the Mode is not read',
      insteadOf(
        { url: '/transcribe', body: /^(?=.*mode_id)(?=.*audio_base64)(?!.*(file|7d1c9c5e|not-a-uuid))/s },
        refusal(),
      ),
    ],
    ['the Mode beats the request', bodyAs(/^(.*mode_id.*),"model":"no-such-model"/s, '$1')],
    ['a malformed language is not read', bodyAs(/"language":"not a language"/, '"language":"en"')],
    ['the language is always English', transcribed(set({ language: 'en' }))],
    ['files are not read', insteadOf({ url: '/transcribe', body: /tone\.wav/ }, refusal('FILE_NOT_FOUND'))],
    ['files outside are FILE_NOT_FOUND', textAs('FILE_NOT_ALLOWED', 'FILE_NOT_FOUND')],
    ['files outside are FILE_ACCESS_DENIED on Linux', textAs('FILE_NOT_ALLOWED', 'FILE_ACCESS_DENIED')],
    ['a missing file is AUDIO_DECODE_FAILED', textAs('FILE_NOT_FOUND', 'AUDIO_DECODE_FAILED')],
    ['links are followed outside', replyAs({ body: /link\.wav/ }, accepted)],
    ['multipart is taken on macOS', replyAs({ asked: isMultipart }, accepted), 'macos'],
    ['multipart is refused on Linux', replyAs({ asked: isMultipart }, refusal())],
  ],
  'post-processing': [
    ['a blank text is edited', bodyAs(/"text":" \\n"/, '"text":"x"')],
    ['preset and prompt together', bodyAs(/"preset":"note",(?="prompt")/, '')],
    ['an edit without a provider', changes('post_processed', without('provider'))],
    ['post_processed is a text', changes('post_processed', set({ post_processed: 'true' }))],
    ['false comes with another text', changes('post_processed', set({ post_processed: false }))],
    [
      'a Mode without post-processing edits',
      replyAs({ url: '/post-process', body: /mode_id/, says: 'off in this Mode' }, accepted),
    ],
  ],
  recorder: [
    ['the microphone is on from the start', textAs('"state":"idle"', '"state":"recording"')],
    [
      'is_recording is the other way',
      theOne('recording', (one) =>
        'is_recording' in one ? { ...one, is_recording: one['is_recording'] !== true } : one,
      ),
    ],
    ['a toggle does not stop', textAs('"state":"completed"', '"state":"transcribing"')],
    ['a busy toggle is HTTP 200', replyAs({ url: '/recording/toggle', status: 400 }, { status: 200 })],
    ['the recorder is there on macOS', insteadOf({ url: /\/recording\/cancel$/ }, isIdle), 'macos'],
    ['the recorder has no 404 envelope on Windows', replyAs({ status: 404 }, { text: '' }), 'windows'],
  ],
}

function isMultipart({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): boolean {
  return String(headers['content-type']).startsWith('multipart')
}

function localModelsAs(change: (list: Json[]) => unknown): Falsification {
  return theOne('local_models', (all) =>
    Object.fromEntries(Object.entries(all).map(([key, list]) => [key, change(list as Json[])])),
  )
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

for (const [subject, rows = []] of Object.entries(wrong) as [RuleSubject, readonly Row[]][]) {
  test.for(rows.map(([fault, how, on = 'linux']) => ({ fault, how, on })))(
    `a server wrong in its ${subject} is found where $fault`,
    async ({ fault, how, on }) => {
      const served = services.get(on)
      if (served === undefined) throw new TypeError(`no service of ${on}`)
      const { conforming, proxy } = served
      proxy.falsify(how)
      const { report } = await checkAll(proxy.discoveryPath, on, {
        folder: conforming.folder,
        only: [subject],
      })
      const broken = idsOf(report.rules, 'broken')
      expect(broken.length > 0, broken.join(', ')).toBe(!unseen.includes(fault))
    },
  )
}
