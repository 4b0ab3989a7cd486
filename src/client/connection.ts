import { type Answers, type EndpointName, endpoints } from '#contract/endpoints'
import { timeouts } from '#contract/enums'
import { meansOversize, type RequestFailure } from '#contract/failures'
import { type ModeDraft, type ModePatch, modeDraft, modePatch } from '#contract/modes'
import {
  type PostProcessRequest,
  postProcessRequest,
  type TranscriptionOptions,
  type Transport,
} from '#contract/transcription'
import type { Clock } from '#load/clock'
import { failed, type Outcome } from '#prelude'
import { AudioBodies, base64Framing, type Framing, formFraming, sendAudio } from './audio-body.ts'
import {
  type Exchange,
  exchange,
  type HttpBody,
  type HttpCall,
  jsonBody,
  type TimedPoolOptions,
  TimedPools,
} from './exchange.ts'
import type { Locator, ServiceLocation } from './location.ts'
import { type CallTimes, interpretReply, type Reply } from './reply.ts'

/** The audio of one request, by transport. */
export type AudioInput =
  /** Absolute path of a file that the server opens itself. */
  | { readonly transport: Extract<Transport, 'path'>; readonly path: string }
  /** A file that is read while it is sent, never held in memory as a whole. Only Linux builds accept multipart. */
  | {
      readonly transport: Exclude<Transport, 'path'>
      readonly path: string
      readonly sizeBytes: number
      readonly mimeType: string
    }

export interface TranscribeCall {
  readonly audio: AudioInput
  readonly options: TranscriptionOptions
  readonly timeoutMs: number
  /** Aborting ends the request with the failure `dropped`. */
  readonly signal?: AbortSignal | undefined
}

interface TimedAnswer<Name extends EndpointName> {
  readonly outcome: Outcome<Answers[Name], RequestFailure>
  readonly times: CallTimes
  readonly bodyBytes: number
}
export type TranscribeResult = TimedAnswer<'transcribe'>
export type TimedPostProcess = TimedAnswer<'postProcess'>

interface PostProcessCall {
  readonly request: PostProcessRequest
  readonly timeoutMs: number
  /** Aborting ends the request with the failure `dropped`. */
  readonly signal?: AbortSignal | undefined
}

type Answer<Name extends keyof Answers> = Promise<Outcome<Answers[Name], RequestFailure>>

/**
 * A service that was found and speaks the API. All methods resolve to an outcome; none throws for a failure
 * of the server or the network.
 */
export interface Connection extends AsyncDisposable {
  readonly baseUrl: string
  health(): Answer<'health'>
  listModels(): Answer<'listModels'>
  listModes(): Answer<'listModes'>
  getMode(id: string): Answer<'getMode'>
  createMode(draft: ModeDraft): Answer<'createMode'>
  patchMode(id: string, patch: ModePatch): Answer<'patchMode'>
  deleteMode(id: string): Answer<'deleteMode'>
  searchRecordings(query: { readonly until?: string; readonly limit?: number }): Answer<'searchRecordings'>
  postProcessTimed(call: PostProcessCall): Promise<TimedPostProcess>
  transcribe(call: TranscribeCall): Promise<TranscribeResult>
}

/** The parts of a call that its row of the endpoint table does not have. */
interface CallDetails {
  readonly id?: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: HttpBody
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

/** Time-out of calls that need no engine, in milliseconds. */
const shortCallMs = timeouts.clientSeconds * 1000

/** The endpoints that a benchmark uses, as methods over one channel, which is closed with the connection. */
export function connectionOver(channel: Channel): Connection {
  const call = <Name extends EndpointName>(name: Name, details: CallDetails = {}) =>
    callEndpoint(channel, name, details)
  return {
    get baseUrl() {
      return channel.baseUrl
    },
    health: () => call('health'),
    listModels: () => call('listModels'),
    listModes: () => call('listModes'),
    getMode: (id) => call('getMode', { id }),
    createMode: async (draft) => call('createMode', { body: jsonBody(modeDraft.parse(draft)) }),
    patchMode: async (id, patch) => call('patchMode', { id, body: jsonBody(modePatch.parse(patch)) }),
    deleteMode: (id) => call('deleteMode', { id }),
    searchRecordings: (query) => call('searchRecordings', { query: { ...query } }),
    postProcessTimed: (request) => postProcessOver(channel, request),
    transcribe: (request) => transcribeOver(channel, request),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  }
}

async function postProcessOver(channel: Channel, call: PostProcessCall): Promise<TimedPostProcess> {
  const body = jsonBody(postProcessRequest.parse(call.request))
  const details = { body, timeoutMs: call.timeoutMs, signal: call.signal }
  const sent = await channel.send((send) => send(httpCall('postProcess', details)))
  const outcome = readAnswer(channel, 'postProcess', sent)
  return { outcome, times: sent.exchange.times, bodyBytes: body.sizeBytes }
}

/** Calls an endpoint. Its row of the table defines the request and the parser of the response. */
export async function callEndpoint<Name extends EndpointName>(
  channel: Channel,
  name: Name,
  details: CallDetails,
): Promise<Outcome<Answers[Name], RequestFailure>> {
  return readAnswer(channel, name, await channel.send((send) => send(httpCall(name, details))))
}

function readAnswer<Name extends EndpointName>(
  { clock }: Channel,
  name: Name,
  { exchange: { reply }, token }: ExchangeWithToken,
): Outcome<Answers[Name], RequestFailure> {
  if (!reply.ok) return reply
  return interpretReply(reply.value, endpoints[name].answer, { token, today: clock.today })
}

/** Builds the request from the endpoint's row: method, path with id and query, body. */
function httpCall(name: EndpointName, details: CallDetails): HttpCall {
  const { method, path, authenticated } = endpoints[name]
  const filled = details.id === undefined ? path : path.replace(':id', encodeURIComponent(details.id))
  return {
    method,
    path: filled + queryText(details.query ?? {}),
    isAuthenticated: authenticated,
    body: details.body ?? null,
    timeoutMs: details.timeoutMs ?? shortCallMs,
    signal: details.signal,
  }
}

function queryText(query: NonNullable<CallDetails['query']>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

/** Sends one recording, and returns the response with its times. */
async function transcribeOver(channel: Channel, call: TranscribeCall): Promise<TranscribeResult> {
  const { audio, options } = call
  if (audio.transport !== 'path') return transcribeBytes(channel, call, audio, chooseFraming(audio, options))
  const body = jsonBody({ ...options, file: audio.path })
  const request = httpCall('transcribe', { body, timeoutMs: call.timeoutMs, signal: call.signal })
  return readResult(channel, await channel.send((send) => send(request)), body.sizeBytes)
}

/** A recording whose bytes are in the request. */
type CarriedAudio = Exclude<AudioInput, { readonly transport: 'path' }>

function chooseFraming({ transport, mimeType }: CarriedAudio, options: TranscriptionOptions): Framing {
  if (transport === 'base64') return base64Framing({ ...options, mime_type: mimeType })
  const { timestamp_granularities: timestamps = [], ...others } = options
  const fields = [
    ...Object.entries(others).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    ),
    ...timestamps.map((name) => ['timestamp_granularities[]', name] as const),
  ]
  return formFraming(fields, { name: 'audio', fileName: 'audio', mimeType })
}

/**
 * Length in bytes of the body that would carry a recording; computed without reading the file.
 *
 * @param options the request's options, because they add to the length
 */
export function countBodyBytes(audio: CarriedAudio, options: TranscriptionOptions): number {
  const { head, tail, encodedBytes } = chooseFraming(audio, options)
  return head.length + encodedBytes(audio.sizeBytes) + tail.length
}

/** Sends a recording in the request; its file stays open until the request ends. */
async function transcribeBytes(
  channel: Channel,
  { timeoutMs, signal }: TranscribeCall,
  audio: CarriedAudio,
  framing: Framing,
): Promise<TranscribeResult> {
  // One body per attempt: there is a second attempt where the service has moved.
  const sent = await channel.send((send) =>
    sendAudio(channel.bodies.open(audio, framing), channel.clock, (body) =>
      send(httpCall('transcribe', { body, timeoutMs, signal })),
    ),
  )
  return readResult(channel, sent, sent.exchange.bodyBytes)
}

function readResult(channel: Channel, sent: ExchangeWithToken, bodyBytes: number): TranscribeResult {
  const outcome = readAnswer(channel, 'transcribe', sent)
  const { times } = sent.exchange
  return { outcome: outcome.ok ? outcome : failed(sized(outcome.failure, bodyBytes)), times, bodyBytes }
}

/** Marks a refusal as oversize by its message and the body's size, because the API has no code for it. */
function sized(failure: RequestFailure, bodyBytes: number): RequestFailure {
  const isOversize = failure.kind === 'refused' && meansOversize(failure, bodyBytes)
  return isOversize ? { ...failure, isOversize } : failure
}

/** An exchange and the token that it used, which must not be stored with the response. */
interface ExchangeWithToken<Sent extends Exchange = Exchange> {
  readonly exchange: Sent
  readonly token: string
}

/** One attempt of a call: makes the request, and sends it to where the service is now. */
type Attempt<Sent extends Exchange> = (send: (call: HttpCall) => Promise<Exchange>) => Promise<Sent>

/**
 * Kept-alive HTTP/1.1 connections to one service, which follow it to another port or token. The location is
 * private, so that neither inspection nor `JSON.stringify` shows the token.
 */
export class Channel implements AsyncDisposable {
  readonly bodies = new AudioBodies()
  readonly clock: Clock
  readonly #locate: Locator
  readonly #pools: TimedPools
  #location: ServiceLocation
  #lookingAgain: Promise<ServiceLocation> | null = null

  constructor(locate: Locator, location: ServiceLocation, options: TimedPoolOptions) {
    this.clock = options.clock
    this.#locate = locate
    this.#pools = new TimedPools(options)
    this.#location = location
  }

  get baseUrl(): string {
    return this.#location.origin
  }

  /**
   * Makes an attempt. After a 401 or a refused connection it reads the location again. If that has changed, it makes
   * the attempt once more.
   */
  async send<Sent extends Exchange>(attempt: Attempt<Sent>): Promise<ExchangeWithToken<Sent>> {
    const location = this.#location
    const first = await this.#sendTo(location, attempt)
    if (!suggestsMove(first.exchange.reply)) return first
    const present = await this.#lookAgain(location)
    return present === location ? first : this.#sendTo(present, attempt)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pools[Symbol.asyncDispose]()
  }

  async #sendTo<Sent extends Exchange>(
    location: ServiceLocation,
    attempt: Attempt<Sent>,
  ): Promise<ExchangeWithToken<Sent>> {
    const pool = this.#pools.to(location.origin)
    const sent = await attempt((call) => exchange(pool, location, call, this.clock))
    return { exchange: sent, token: location.token }
  }

  /** Requests fail together when a service moves, so the first one reads the location for all of them. */
  #lookAgain(left: ServiceLocation): Promise<ServiceLocation> {
    if (this.#location !== left) return Promise.resolve(this.#location)
    this.#lookingAgain ??= this.#follow(left).finally(() => {
      this.#lookingAgain = null
    })
    return this.#lookingAgain
  }

  async #follow(left: ServiceLocation): Promise<ServiceLocation> {
    // A missing discovery file means that the service has stopped, which the first failure already reports.
    const found = await this.#locate().catch(() => left)
    const { origin, hostHeader, token } = found
    const isMoved = origin !== left.origin || hostHeader !== left.hostHeader || token !== left.token
    if (isMoved) this.#location = found
    return this.#location
  }
}

function suggestsMove(reply: Outcome<Reply, RequestFailure>): boolean {
  if (reply.ok) return reply.value.status === 401
  return reply.failure.kind === 'unreachable' && reply.failure.cause === 'ECONNREFUSED'
}
