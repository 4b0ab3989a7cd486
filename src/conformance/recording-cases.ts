import { limits, platforms } from '#contract/enums'
import {
  ask,
  asObject,
  asObjects,
  type ConformanceCase,
  type Exchange,
  except,
  type Fault,
  type Finding,
  inTurn,
  type JsonObject,
  notApplicable,
  type Reply,
  reads,
  risks,
  unknownId,
} from './conformance-case.ts'
import {
  describeReply,
  expectAnswer,
  expectRefusal,
  expectSame,
  expectShape,
  expectStatus,
  recorderShape,
  searchShape,
} from './expect-reply.ts'

const nothingRecorded = 'the service has no recordings'

/** Cases about searching and fetching past transcripts. */
export const recordingCases: readonly ConformanceCase[] = [
  reads('recordings.shape', platforms, async (exchange) => {
    const reply = await search(exchange, {})
    return expectShape(reply, searchShape, reply.json)
  }),
  reads('recordings.limit', platforms, async (exchange) => {
    const { minimum, maximum } = limits.searchResults
    const good = [minimum, maximum].map(String)
    const bad = [String(minimum - 1), String(maximum + 1), '-1', '1.5', 'ten', '']
    return [
      await inTurn(good, async (limit) =>
        expectAnswer(await search(exchange, { limit }), 'searchRecordings'),
      ),
      await inTurn(bad, async (limit) => expectRefusal(await search(exchange, { limit }), 'INVALID_REQUEST')),
    ]
  }),
  reads('recordings.default-limit', platforms, async (exchange) => {
    const reply = await search(exchange, {})
    const due = Math.min(limits.searchResults.default, Number(reply.json['total']))
    return expectSame(reply, 'returned', reply.json['returned'], due)
  }),
  reads('recordings.counts', platforms, async (exchange) => {
    const all = await search(exchange, { limit: '500' })
    const one = await search(exchange, { limit: '1' })
    const none = await search(exchange, { q: `transcribench ${exchange.runId} was never said` })
    return [
      ...[all, one, none].map((reply) =>
        expectSame(reply, 'returned', reply.json['returned'], found(reply).length),
      ),
      expectSame(one, 'total', one.json['total'], all.json['total']),
      expectSame(one, 'returned', one.json['returned'], Math.min(1, Number(all.json['total']))),
      expectSame(none, 'total', none.json['total'], 0),
    ]
  }),
  reads('recordings.newest-first', platforms, async (exchange) => {
    const reply = await search(exchange, { limit: '500' })
    const dates = found(reply).map(readDate)
    if (dates.length < 2) return notApplicable('the service has fewer than two recordings')
    const wrong = dates.findIndex((date, index) => date > (dates[index - 1] ?? Number.POSITIVE_INFINITY))
    return wrong === -1 ? null : `${reply.request}: recording ${wrong + 1} is newer than the one before it`
  }),
  reads('recordings.query', platforms, async (exchange) => {
    const reply = await search(exchange, { limit: '500' })
    const searches = found(reply)
      .flatMap((recording) => searchable(recording))
      .slice(0, 6)
    if (searches.length === 0) return notApplicable('the service has no recordings with text')
    return await inTurn(searches, ({ id, word }) => expectFound(exchange, id, disguised(word)))
  }),
  reads('recordings.since-until', platforms, async (exchange) => {
    const reply = await search(exchange, { limit: '1' })
    const [newest] = found(reply)
    if (newest === undefined) return notApplicable(nothingRecorded)
    if (!(Math.abs(readDate(newest)) <= latestMs))
      return `${reply.request}: the recording has no date that can be read`
    return await Promise.all(listBounds(newest).map((bound) => expectBound(exchange, newest, bound)))
  }),
  reads('recordings.get', platforms, async (exchange) => {
    const [recording] = found(await search(exchange, { limit: '1' }))
    if (recording === undefined) return notApplicable(nothingRecorded)
    const reply = await ask(exchange, 'GET', `/recordings/${recording['id']}`)
    return [
      expectAnswer(reply, 'getRecording'),
      expectSame(reply, 'recording', reply.json['recording'], recording),
    ]
  }),
  reads('recordings.unknown-id', platforms, async (exchange) =>
    expectRefusal(await ask(exchange, 'GET', `/recordings/${unknownId}`), 'MODE_NOT_FOUND'),
  ),
  reads('recordings.malformed-id', platforms, async (exchange) =>
    expectRefusal(await ask(exchange, 'GET', '/recordings/not-a-uuid'), 'INVALID_REQUEST'),
  ),
]

function search(exchange: Exchange, query: Readonly<Record<string, string>>): Promise<Reply> {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return ask(
    exchange,
    'GET',
    `/recordings/search${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`,
  )
}

function found(reply: Reply): readonly JsonObject[] {
  return asObjects(reply.json['recordings'])
}

function readDate(recording: JsonObject): number {
  return Date.parse(String(recording['date']))
}

/** The longest plain word of each searchable field. */
function searchable(recording: JsonObject): readonly { readonly id: unknown; readonly word: string }[] {
  return ['text', 'postProcessedText', 'transcribedText'].flatMap((field) => {
    const words = String(recording[field] ?? '').match(/\b[a-z]{3,}\b/gi) ?? []
    const [word] = words.toSorted((left, right) => right.length - left.length)
    return word === undefined ? [] : [{ id: recording['id'], word }]
  })
}

/** The word in another form, which a search that ignores case and diacritics has to find. */
function disguised(word: string): string {
  return word.toUpperCase().replace(/[AEIOU]/, (vowel) => `${vowel}\u0301`.normalize('NFC'))
}

async function expectFound(exchange: Exchange, id: unknown, q: string): Promise<Fault> {
  const reply = await search(exchange, { q, limit: '500' })
  const isThere = found(reply).some((recording) => recording['id'] === id)
  const isCutOff = Number(reply.json['total']) > limits.searchResults.maximum
  return isThere || isCutOff ? null : `${reply.request} does not find the recording ${id}`
}

interface Bound {
  readonly query: Readonly<Record<string, string>>
  readonly includes: boolean
}

/** The last date that can be written, less the second by which a bound differs. */
const latestMs = 8.64e15 - 1000

/** `since` and `until` in both notations, before, at and after a recording's date. */
function listBounds(recording: JsonObject): readonly Bound[] {
  const date = readDate(recording)
  const iso = (offsetMs: number) => new Date(date + offsetMs).toISOString()
  const epoch = (offsetMs: number) => String((date + offsetMs) / 1000)
  return [iso, epoch].flatMap((write) => [
    { query: { since: write(0) }, includes: true },
    { query: { until: write(0) }, includes: true },
    { query: { since: write(1000) }, includes: false },
    { query: { until: write(-1000) }, includes: false },
  ])
}

async function expectBound(
  exchange: Exchange,
  recording: JsonObject,
  { query, includes }: Bound,
): Promise<Fault> {
  const reply = await search(exchange, { ...query, limit: '500' })
  const fault = expectAnswer(reply, 'searchRecordings')
  if (fault !== null) return fault
  const isThere = found(reply).some(({ id }) => id === recording['id'])
  // If there are more matches than one response can hold, the recording may be beyond the limit.
  if (isThere === includes || (includes && Number(reply.json['total']) > limits.searchResults.maximum))
    return null
  return `${reply.request} ${includes ? 'leaves out' : 'shows'} the recording of ${recording['date']}`
}

const linux = ['linux'] as const

/** Cases about the live microphone; each leaves it idle. */
export const recorderCases: readonly ConformanceCase[] = [
  reads('recorder.elsewhere', except('linux'), async (exchange) => {
    const cancelled = expectRefusal(await cancel(exchange), 'INVALID_REQUEST', { status: 404 })
    // A service that has the recorder must not be asked to start it.
    if (cancelled !== null) return cancelled
    return expectRefusal(await toggle(exchange), 'INVALID_REQUEST', { status: 404 })
  }),
  risks(
    'recorder.authentication',
    linux,
    async (exchange) =>
      await inTurn(['cancel', 'toggle'], async (verb) =>
        expectStatus(
          await ask(exchange, 'POST', `/recording/${verb}`, { headers: { authorization: null } }),
          401,
        ),
      ),
  ),
  risks('recorder.no-microphone', linux, async (exchange) => {
    await cancel(exchange)
    const reply = await toggle(exchange)
    if (reply.json['ok'] === true) {
      await cancel(exchange)
      return notApplicable('the service has a microphone')
    }
    const { hint } = asObject(reply.json['error']) as Readonly<Record<'hint', unknown>>
    return [
      expectRefusal(reply, 'ENGINE_UNAVAILABLE'),
      typeof hint === 'string' ? null : `${describeReply(reply)}; a hint was due`,
    ]
  }),
  risks('recorder.starts', linux, (exchange) =>
    whileRecording(exchange, async (started) => expectState(started, ['recording'])),
  ),
  risks('recorder.cancel/recording', linux, async (exchange) => {
    const before = (await search(exchange, {})).json['total']
    return whileRecording(exchange, async () => {
      const cancelled = await cancel(exchange)
      const after = await search(exchange, {})
      return [expectState(cancelled, ['idle']), expectSame(after, 'total', after.json['total'], before)]
    })
  }),
  risks('recorder.cancel/transcribing', linux, async (exchange) => {
    const before = (await search(exchange, {})).json['total']
    return whileRecording(exchange, async () => {
      await exchange.wait(recordingMs)
      let isOver = false
      const stopped = toggle(exchange).finally(() => {
        isOver = true
      })
      await exchange.wait(transcribingMs)
      if (isOver) return notApplicable('the transcription was over before it could be cancelled')
      const cancelled = await cancel(exchange)
      await stopped
      const after = await search(exchange, {})
      return [
        expectState(cancelled, ['idle']),
        expectSame(after, 'total', after.json['total'], before),
        expectState(await toggle(exchange), ['recording']),
      ]
    })
  }),
  risks('recorder.stops', linux, async (exchange) => {
    const before = Number((await search(exchange, {})).json['total'])
    return whileRecording(exchange, async () => {
      await exchange.wait(recordingMs)
      const stopped = await toggle(exchange)
      if (stopped.json['ok'] === false)
        return notApplicable(`nothing was transcribed: ${describeReply(stopped)}`)
      const after = await search(exchange, {})
      return [
        expectState(stopped, ['completed', 'idle']),
        expectSame(after, 'total', after.json['total'], before + 1),
      ]
    })
  }),
  risks('recorder.completed', linux, (exchange) =>
    whileRecording(exchange, async () => {
      await exchange.wait(recordingMs)
      const stopped = await toggle(exchange)
      if (stopped.json['ok'] === false)
        return notApplicable(`nothing was transcribed: ${describeReply(stopped)}`)
      return [expectState(stopped, ['completed']), expectState(await cancel(exchange), ['idle'])]
    }),
  ),
  risks('recorder.busy', linux, (exchange) =>
    whileRecording(exchange, async () => {
      await exchange.wait(recordingMs)
      const [stopped, refused] = await Promise.all([toggle(exchange), toggle(exchange)])
      if (stopped.json['ok'] === true && refused.json['ok'] === true) {
        return notApplicable('the transcription was over before it could be disturbed')
      }
      const busy = stopped.json['ok'] === true ? refused : stopped
      return expectRefusal(busy, 'INVALID_REQUEST', { status: 400 })
    }),
  ),
]

/** Duration of a recording in milliseconds: enough for some sound, but short. */
const recordingMs = 300

/** Delay in milliseconds by which a request has arrived, but its transcription is still running. */
const transcribingMs = 20

function toggle(exchange: Exchange): Promise<Reply> {
  return ask(exchange, 'POST', '/recording/toggle')
}

function cancel(exchange: Exchange): Promise<Reply> {
  return ask(exchange, 'POST', '/recording/cancel')
}

/** Starts the recorder from idle, and makes it idle again, whatever the result of the case. */
async function whileRecording(
  exchange: Exchange,
  check: (started: Reply) => Promise<Finding>,
): Promise<Finding> {
  await cancel(exchange)
  try {
    const started = await toggle(exchange)
    const hasNone = expectRefusal(started, 'ENGINE_UNAVAILABLE') === null
    if (hasNone) return notApplicable('the service has no microphone')
    return await check(started)
  } finally {
    await cancel(exchange)
  }
}

function expectState(reply: Reply, states: readonly string[]): Fault {
  const { state } = asObject(reply.json['recording']) as Readonly<Record<'state', unknown>>
  return (
    expectAnswer(reply, 'toggleRecorder') ??
    expectShape(reply, recorderShape, reply.json['recording'], 'recording') ??
    (states.some((due) => due === state)
      ? null
      : `${describeReply(reply)}; the state ${states.join(' or ')} was due`)
  )
}
