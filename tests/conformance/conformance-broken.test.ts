import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RuleId, type RuleSubject, ruleSubjects } from '#conformance/rules'
import type { ConformanceReport } from '#conformance/run-conformance-cases'
import { limitMessages } from '#contract/failures'
import { clearableModeFields } from '#contract/modes'
import {
  type Falsification,
  type LyingProxy,
  type ProxiedRequest,
  startLyingProxy,
} from '../contract/conformance-proxy.ts'
import {
  brokenWith,
  type ConformingService,
  checkAll,
  idsOf,
  startConforming,
  startKeyless,
} from '../contract/conformance-service.ts'
import {
  bodyAs,
  changes,
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

let conforming: ConformingService
let proxy: LyingProxy

beforeAll(async () => {
  conforming = await startConforming('macos')
  proxy = await startLyingProxy(conforming.service)
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await conforming[Symbol.asyncDispose]()
})

/** All but what needs the microphone; bodies of 50 MiB only where it is about them. */
const check = (only: readonly (RuleSubject | RuleId)[] = Object.keys(ruleSubjects) as RuleSubject[]) =>
  checkAll(proxy.discoveryPath, 'macos', {
    folder: conforming.folder,
    isDisposable: false,
    only,
  })

/** How each of these rules is broken by what lies in between. */
const breaches: readonly (readonly [rule: RuleId, how: Falsification])[] = [
  [
    'authentication.required',
    requestAs({ url: '/models', asked: ({ headers }) => headers.authorization === undefined }, authorised),
  ],
  ['guard.fetch-site', headerAs('sec-fetch-site', () => undefined)],
  ['service.unknown-route', replyAs({ status: 404, url: /^(?!\/recording\/)/ }, { text: '' })],
  ['health.local-models', theOne('local_models', without('local_llm'))],
  [
    'authentication.health-open',
    insteadOf(
      {
        url: '/health',
        asked: ({ headers: { authorization, host } }) =>
          authorization === undefined && host?.startsWith('127.') === true,
      },
      { status: 401, text: '' },
    ),
  ],
  ['errors.malformed-json', textAs('Invalid JSON body', 'What is this?')],
  ['health.port', textAs(/"port":\d+/, '"port":1')],
  ['modes.name-unique', textAs('MODE_NAME_TAKEN', 'INVALID_REQUEST', { says: 'Unique' })],
  ['modes.order', theList('modes', (list) => list.toReversed())],
  [
    'transcription.timestamps',
    changes('latency_ms', set({ words: [] }), { body: /^(?!.*timestamp_granularities)/s }),
  ],
  [
    'recordings.counts',
    changes('returned', (json) => ({ ...json, returned: Number(json['returned']) + 1 }), { url: /limit=/ }),
  ],
  ['models.filter', urlAs(/\?kind=text/, '')],
  ['modes.null-clears', requestAs({ method: 'PATCH', body: /"languageModel":null/ }, { body: '{}' })],
  [
    'modes.modified-date',
    theOne('mode', (mode) => ({ ...mode, modifiedDate: mode['createdDate'] }), { method: 'PATCH' }),
  ],
  [
    'modes.null-created',
    insteadOf(
      { method: 'POST', url: '/modes', body: /"sortOrder":null/ },
      refusal('INVALID_REQUEST', 'sortOrder: expected a number'),
    ),
  ],
  ['modes.null-refused', bodyAs(/^\{"punctuation":null\}$/, '{}', { method: 'PATCH' })],
  ['modes.text-limits', bodyAs(/^\{"language":"xxx.*$/s, '{"language":"xxx"}', { method: 'PATCH' })],
  ['modes.name-invisible', textAs('selectors 2', 'selectors 2\u2800')],
  [
    'errors.repeated-key',
    insteadOf({ body: /u006dodel/ }, refusal('ENGINE_UNAVAILABLE', 'There is no such engine.')),
  ],
  [
    'head.many-lines',
    insteadOf(
      {
        asked: ({ headers }) => headers['x-2099'] !== undefined && headers.host?.startsWith('127.') === false,
      },
      { status: 400, text: '' },
    ),
  ],
  ['models.text', theOne('local_models', set({ local_llm: [] }))],
  ['transcription.raw-text', changes('latency_ms', set({ raw_text: '' }), { body: /^(?!.*raw_text)/s })],
  ['transcription.language', textAs('"tlh"', '"en"', { body: /"tlh"/ })],
  ['transcription.hang-up', losesOneAfterHangUp()],
  [
    'transcription.damaged-header',
    replyAs(
      { says: 'AUDIO_DECODE_FAILED', asked: ({ body }) => formatOf(body) === 0x11 },
      { text: '{"ok":true,"text":"da da da"}' },
    ),
  ],
  ['limits.stalled-uploads', holdsUpForUploads()],
  ['transcription.answer', textAs(/"decode_ms":(\d+)/, '"decode_ms":$1.5')],
  ['post-processing.answer', textAs('"preset":"custom"', '"preset":null', { url: '/post-process' })],
  ['recordings.limit', urlAs(/limit=501/, 'limit=500')],
  [
    'transcription.outside-silent',
    jsonAs(
      { body: /missing\.wav/, says: 'FILE_ACCESS_DENIED' },
      set({ error: { code: 'FILE_ACCESS_DENIED', message: 'Not there.' } }),
    ),
  ],
  [
    'head.long-line',
    replyAs({ asked: ({ headers }) => headers['x-filler-000'] === undefined }, { closes: false }),
  ],
  [
    'limits.envelope',
    replyAs({ says: limitMessages.request, url: /^(?!\/transcribe$)/ }, { status: 413, text: '' }),
  ],
]

function hasTokenInAnyCase({ headers }: ProxiedRequest): boolean {
  return headers.authorization?.toLowerCase() === `Bearer ${conforming.service.token}`.toLowerCase()
}

function authorised(asked: ProxiedRequest): ProxiedRequest {
  return withHeader(asked, 'authorization', `Bearer ${conforming.service.token}`)
}

/**
 * As a service does that ends when a client leaves, and is started again. It goes by the minute of speech, during which every client
 * hangs up: the proxy may see a closed connection only after the next request.
 */
function losesOneAfterHangUp(): Falsification {
  let isLost = false
  return {
    instead({ url, headers }) {
      if (url !== '/transcribe') return null
      const sizeBytes = Number(headers['content-length'])
      const isMinuteOfSpeech = sizeBytes > 1_000_000 && sizeBytes < 10_000_000
      if (isMinuteOfSpeech) {
        isLost = true
        return null
      }
      if (!isLost) return null
      isLost = false
      return { status: 502, text: '' }
    },
  }
}

/** As a service does that gives every announced upload one of a few places. */
function holdsUpForUploads(): Falsification {
  let uploads = new AbortController()
  let count = 0
  return {
    hungUp() {
      // Clients hang up on other requests too.
      if (count === 0) return
      count -= 1
      if (count === 0) uploads.abort()
    },
    async instead({ headers, url }) {
      if (headers['content-length'] === String(40 * 2 ** 20)) {
        if (count === 0) uploads = new AbortController()
        count += 1
      } else if (url === '/transcribe' && count > 0) await once(uploads.signal, 'abort')
      return null
    },
  }
}

/** The format tag of a WAV file that came as base64; null for what is none. */
function formatOf(body: string | null): number | null {
  const audio = /"audio_base64":"([^"]+)"/.exec(body ?? '')?.[1]
  const bytes = Buffer.from(audio ?? '', 'base64')
  return bytes.length < 44 ? null : bytes.readUInt16LE(20)
}

describe('in front of a service of Windows', () => {
  test('modes.null-left-out is reported when it is broken, and no other', async () => {
    await using windows = await startConforming('windows')
    await using lying = await startLyingProxy(windows.service)
    lying.falsify(
      insteadOf(
        { method: 'PATCH', body: /"name":null/ },
        refusal('INVALID_REQUEST', 'name: expected a text'),
      ),
    )
    const { report } = await checkAll(lying.discoveryPath, 'windows', {
      only: ['modes'],
      isDisposable: false,
    })
    expect(idsOf(report.rules, 'broken'), brokenWith(report.rules).join('\n')).toEqual([
      'modes.null-left-out',
    ])
  })
})

const isOfLimits = ([rule]: (typeof breaches)[number]): boolean => rule.startsWith('limits.')

/**
 * Each pass breaks the rules of one row or of one column of a grid, so that two rules share one pass at most: a breach that also
 * broke another rule would be reported in its other pass. Rows are checked for all rules, columns for those that a row may hide:
 * the broken ones. Only the first row and two columns send bodies of 50 MiB.
 */
const gridWidth = 6
const inGrid = [...breaches.filter(isOfLimits), ...breaches.filter((one) => !isOfLimits(one))]
const all = Object.keys(ruleSubjects) as RuleSubject[]
const passesBy = (line: (index: number) => number, wanted: readonly (RuleSubject | RuleId)[]) =>
  [...Map.groupBy(inGrid.entries(), ([index]) => line(index)).values()].map((entries) => {
    const broken = entries.map(([, breach]) => breach)
    const only = broken.some(isOfLimits) ? wanted : wanted.filter((one) => !one.startsWith('limits'))
    return { broken, only, rules: broken.map(([rule]) => rule) }
  })
const passes = [
  ...passesBy((index) => Math.floor(index / gridWidth), all),
  ...passesBy(
    (index) => index % gridWidth,
    breaches.map(([rule]) => rule),
  ),
]

describe.each(passes)('behind a proxy that breaks $rules', ({ broken, only, rules }) => {
  let report: ConformanceReport
  beforeAll(async () => {
    proxy.falsify(falsifyAll(broken.map(([, how]) => how)))
    report = (await check(only)).report
  })

  test.each(rules)('%s is reported', (rule) => {
    expect(idsOf(report.rules, 'broken'), brokenWith(report.rules).join('\n')).toContain(rule)
  })

  test('no other rule is reported, and nothing is left behind', () => {
    const reported = idsOf(report.rules, 'broken')
    expect(reported.toSorted(), brokenWith(report.rules).join('\n')).toEqual(rules.toSorted())
    expect(report.leftBehind).toEqual([])
    if (only === all) expect(report.counts.held).toBeGreaterThan(70)
  })
})

/** All of them at once, each on what the one before it has left. */
function falsifyAll(all: readonly Falsification[]): Falsification {
  return {
    request: (request) => all.reduce((asked, how) => how.request?.(asked) ?? asked, request),
    async instead(request) {
      for (const how of all) {
        const own = await how.instead?.(request)
        if (own != null) return own
      }
      return null
    },
    hungUp() {
      for (const how of all) how.hungUp?.()
    },
    reply: (reply, request) => all.reduce((before, how) => how.reply?.(before, request) ?? before, reply),
  }
}

describe('in front of a service without a key and without a microphone', () => {
  let keyless: ConformingService
  let lying: LyingProxy

  beforeAll(async () => {
    keyless = await startKeyless('linux')
    lying = await startLyingProxy(keyless.service)
  })
  afterAll(async () => {
    await lying[Symbol.asyncDispose]()
    await keyless[Symbol.asyncDispose]()
  })

  test.each<readonly [rule: RuleId, how: Falsification]>([
    [
      'models.cloud-installed',
      falsifyAll([
        theList('models', () => [], { url: /installed_only=(true|1|yes)$/ }),
        textAs('"installed":true', '"installed":false', {
          url: /^\/models(?!.*installed_only=(true|1|yes)$)/,
        }),
      ]),
    ],
    ['transcription.missing-key', textAs('MISSING_API_KEY', 'ENGINE_UNAVAILABLE')],
    [
      'recorder.no-microphone',
      jsonAs({ says: '"hint"' }, (json) => {
        const error = json['error'] as Json
        return error['code'] === 'ENGINE_UNAVAILABLE' ? { ...json, error: without('hint')(error) } : json
      }),
    ],
  ])('%s is reported when it is broken, and no other', async (rule, how) => {
    lying.falsify(how)
    const { report } = await checkAll(lying.discoveryPath, 'linux', {
      folder: keyless.folder,
      only: ['models', 'recorder', 'transcription'],
    })
    expect(idsOf(report.rules, 'broken'), brokenWith(report.rules).join('\n')).toEqual([rule])
  })
})

test('transcription.missing-key is reported where a provider without a key is named, and none of its models', async () => {
  await using keyless = await startKeyless('linux', null)
  await using lying = await startLyingProxy(keyless.service)
  const only = ['transcription.missing-key']
  const truth = await checkAll(lying.discoveryPath, 'linux', { only })
  expect(idsOf(truth.report.rules, 'held')).toEqual(only)
  lying.falsify(textAs('MISSING_API_KEY', 'ENGINE_UNAVAILABLE'))
  const { report } = await checkAll(lying.discoveryPath, 'linux', { only })
  expect(idsOf(report.rules, 'broken')).toEqual(only)
})

describe('in front of a service that is wrong in one thing', () => {
  const cleared = Object.fromEntries(clearableModeFields.map((field) => [field, null]))

  test.each<readonly [fault: string, rule: RuleId, how: Falsification]>([
    [
      'a token in any case is taken',
      'authentication.required',
      requestAs({ asked: hasTokenInAnyCase }, authorised),
    ],
    [
      'a PATCH clears what it leaves out',
      'modes.patch-partial',
      requestAs({ method: 'PATCH', body: /^\{"language":"fr"/ }, (asked) => ({
        ...asked,
        body: JSON.stringify({ ...cleared, ...JSON.parse(asked.body ?? '') }),
      })),
    ],
    ['every text is empty', 'transcription.speech', textAs(/"text":"[^"]*"/, '"text":""')],
    [
      'the model of the answer is another one',
      'transcription.answer',
      textAs('"model":"echo"', '"model":"other"'),
    ],
  ])('%s: %s is reported', async (_, rule, how) => {
    proxy.falsify(how)
    const { report } = await checkAll(proxy.discoveryPath, 'macos', { only: [rule], isDisposable: false })
    expect(idsOf(report.rules, 'broken'), brokenWith(report.rules).join('\n')).toEqual([rule])
  })

  test('fields that are null and left out, and other names of the inventories, are no fault', async () => {
    proxy.falsify({
      request: (asked) => ({
        ...asked,
        body: asked.body?.replaceAll('"engine":"whisper"', '"engine":"engine_d"') ?? null,
      }),
      reply: (reply) =>
        reply.text.startsWith('{')
          ? {
              ...reply,
              text: JSON.stringify(JSON.parse(reply.text), (_, value) => value ?? undefined).replaceAll(
                '"engine_d"',
                '"whisper"',
              ),
            }
          : reply,
    })
    const subjects = ['health', 'models', 'modes', 'recordings', 'transcription', 'errors'] as const
    const { report } = await check(subjects)
    expect(brokenWith(report.rules)).toEqual([])
    expect(report.counts.held).toBeGreaterThan(50)
  })
})

test('a server that refuses what holds no speech is not at fault: speech is what it is sent', async () => {
  const clip = await readFile(join(import.meta.dirname, '../../corpora/quick/audio/cards-001.wav'))
  const speech = clip.toString('base64').slice(0, 1_000)
  const isSilent = ({ body }: ProxiedRequest): boolean =>
    body?.includes('"audio_base64"') === true && !body.includes(speech)
  const refused = refusal('TRANSCRIPTION_FAILED', 'No speech detected in audio.')
  proxy.falsify(replyAs({ says: '"latency_ms"', asked: isSilent }, refused))
  const { report } = await check(['transcription'])
  expect(brokenWith(report.rules)).toEqual([])
  expect(idsOf(report.rules, 'held')).toContain('transcription.speech')
})

test('Modes that a server says it deleted, and did not, are named', async () => {
  await using service = await startConforming('linux')
  await using lying = await startLyingProxy(service.service)
  lying.falsify(insteadOf({ method: 'DELETE' }, { status: 200, text: '{"ok":true}' }))
  const { report } = await checkAll(lying.discoveryPath, 'linux', {
    only: ['modes.delete'],
    isDisposable: false,
  })
  expect(idsOf(report.rules, 'broken')).toEqual(['modes.delete'])
  expect(report.leftBehind).toEqual([expect.stringMatching(/^transcribench conformance \w+ delete$/)])
})

test('a cancel that is answered and not carried out is reported, and nothing else', async () => {
  await using service = await startConforming('linux')
  await using lying = await startLyingProxy(service.service)
  let last: readonly string[] = []
  lying.falsify({
    instead({ url }) {
      const isStopped = last.every((before) => before === '/recording/toggle')
      last = [last[1] ?? '', url]
      return isStopped && url === '/recording/cancel'
        ? { status: 200, text: '{"ok":true,"recording":{"is_recording":false,"state":"idle"}}' }
        : null
    },
  })
  const { report } = await checkAll(lying.discoveryPath, 'linux', { only: ['recorder'] })
  expect(idsOf(report.rules, 'broken'), brokenWith(report.rules).join('\n')).toEqual(['recorder.cancel'])
})
