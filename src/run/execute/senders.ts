import { rehearseAudio } from '#client/audio-body'
import type { AudioInput, Connection, TimedPostProcess } from '#client/connection'
import type { CallTimes } from '#client/reply'
import type { Resent, ServerResult, TranscriptionServer } from '#client/transcription-server'
import { type TimestampGranularity, timestampGranularities } from '#contract/enums'
import type { RequestFailure } from '#contract/failures'
import type { PostProcessRequest, Transcription, TranscriptionOptions } from '#contract/transcription'
import type { VerifiedUtterance } from '#corpus/utterance'
import type { AnswerTimes, AttemptAnswer, UsedTransport } from '#journal/attempt-line'
import type { PlannedRequest, PlannedUtterance } from '#journal/plan-line'
import type { RecordedContender } from '#journal/run-record'
import { type Outcome, succeeded } from '#prelude'
import type { ModeLease } from './modes.ts'

export interface SendCall {
  readonly timeoutMs: number
  /** Aborting ends the request with the failure `dropped`. */
  readonly signal: AbortSignal
}

export interface Sent {
  readonly outcome: Outcome<AttemptAnswer, RequestFailure>
  readonly times: CallTimes
  readonly bodyBytes: number
  readonly transport: UsedTransport
  /** Transport that the server refused just before; absent if it refused none. */
  readonly refusedTransport?: UsedTransport | undefined
  /** Earlier tries of the client that got no response; absent without any. */
  readonly resent?: Resent | undefined
}

/**
 * Sends a planned request to a target. It is the only difference between kinds of targets and of work. It never
 * throws for errors of a server or a network.
 */
export interface Sender {
  /** Address of the requests for display, without credentials. */
  readonly baseUrl: string
  /** Seconds of audio in the request; 0 for one that carries text. */
  audioSeconds(request: PlannedRequest): number
  /** The Mode that the request uses, or null. */
  modeId(request: PlannedRequest): string | null
  send(request: PlannedRequest, call: SendCall): Promise<Sent>
  /** Reads the payload of a request as sending does, without sending. Absent if there is nothing to read. */
  rehearse?(request: PlannedRequest): Promise<void>
  /** Whether the target still responds. Called after a request that got no response. */
  isAlive(): Promise<boolean>
  /** The targets behind the sender if there are several; absent for one. */
  readonly parts?: readonly SenderPart[] | undefined
}

/** One of several targets of a run. */
export interface SenderPart {
  readonly contenderIds: readonly string[]
  readonly sender: Sender
}

/** A route of `planRoutes` that is ready, with the path of its copy if it is staged. */
export interface OpenRoute {
  readonly transport: UsedTransport
  readonly audio: AudioInput
}

/** One utterance, ready to be sent. */
interface Sendable {
  /** At least one. The first is used until the server refuses it. */
  readonly routes: readonly OpenRoute[]
  readonly audioSeconds: number
  /** Times of the reference; if there are any, times are requested. */
  readonly times: VerifiedUtterance['times']
}

/**
 * Sends utterances to `POST /transcribe`. If the server may not read a file that it was expected to read, the request
 * is repeated by the next route, which is then kept for that utterance.
 */
export function transcriptionSender({
  connection,
  sendables,
  leases,
}: {
  readonly connection: Pick<Connection, 'baseUrl' | 'health' | 'transcribe'>
  /** Functions by contender id that return the payload of an utterance. */
  readonly sendables: ReadonlyMap<string, (utteranceId: string) => Sendable>
  /** Leases by contender id. */
  readonly leases: ReadonlyMap<string, Pick<ModeLease, 'modeId'>>
}): Sender {
  // Refused transports by utterance, because a file that the server may not read is refused for every contender.
  const outOfReach = new Map<string, Set<UsedTransport>>()
  const entryOf = <Value>(table: ReadonlyMap<string, Value>, id: string): Value => {
    const found = table.get(id)
    if (found === undefined) throw new TypeError(`${id} is not in the plan`)
    return found
  }
  const sendableOf = ({ contenderId, utteranceId }: PlannedRequest): Sendable =>
    entryOf(sendables, contenderId)(utteranceId)
  const routesOf = (request: PlannedRequest): readonly OpenRoute[] => {
    const { routes } = sendableOf(request)
    const refused = outOfReach.get(request.utteranceId)
    const usable = routes.filter(({ transport }) => refused?.has(transport) !== true)
    return usable.length > 0 ? usable : routes.slice(-1)
  }
  const modeIdOf = ({ contenderId }: PlannedRequest): string => entryOf(leases, contenderId).modeId

  const sendBy = async (
    { audio, transport }: OpenRoute,
    request: PlannedRequest,
    call: SendCall,
  ): Promise<Sent> => {
    const options = optionsFor(modeIdOf(request), sendableOf(request))
    const result = await connection.transcribe({ audio, options, ...call })
    const { outcome } = result
    return { ...result, outcome: outcome.ok ? succeeded(readAnswer(outcome.value)) : outcome, transport }
  }

  return {
    get baseUrl() {
      return connection.baseUrl
    },
    audioSeconds: (request) => sendableOf(request).audioSeconds,
    modeId: modeIdOf,
    async send(request, call) {
      const [route, next] = routesOf(request)
      if (route === undefined) throw new TypeError(`${request.utteranceId} has no route`)
      const sent = await sendBy(route, request, call)
      if (next === undefined || sent.outcome.ok || !isOutOfReach(sent.outcome.failure)) return sent
      outOfReach.set(
        request.utteranceId,
        (outOfReach.get(request.utteranceId) ?? new Set()).add(route.transport),
      )
      return { ...(await sendBy(next, request, call)), refusedTransport: route.transport }
    },
    async rehearse(request) {
      const [route] = routesOf(request)
      if (route !== undefined && route.audio.transport !== 'path') await rehearseAudio(route.audio)
    },
    isAlive: async () => (await connection.health()).ok,
  }
}

/** Whether the server refused to open the file: macOS uses one of the codes, Windows and Linux the other. */
function isOutOfReach(failure: RequestFailure): boolean {
  return failure.kind === 'refused' && ['FILE_NOT_ALLOWED', 'FILE_ACCESS_DENIED'].includes(failure.code)
}

function readAnswer(transcription: Transcription): AttemptAnswer {
  const { text, raw_text, engine, model, language, timings, latency_ms, cuts } = transcription
  return {
    text,
    rawText: raw_text ?? null,
    engine,
    model,
    language,
    serverLoadMs: timings.load_ms,
    serverDecodeMs: timings.decode_ms,
    serverLatencyMs: latency_ms,
    cutsSeconds: cuts,
    ...readTimes(transcription),
  }
}

/** Sends utterances to a server of `/v1/audio/transcriptions`, which has models and no Modes. */
export function serverSender(
  server: TranscriptionServer,
  utterances: readonly VerifiedUtterance[],
  contenders: readonly Pick<RecordedContender, 'id' | 'model' | 'language' | 'options' | 'defaultOptions'>[],
): Sender {
  const contenderById = new Map(contenders.map((contender) => [contender.id, contender]))
  const utteranceById = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const utteranceOf = (id: string): VerifiedUtterance => {
    const utterance = utteranceById.get(id)
    if (utterance === undefined) throw new TypeError(`${id} is not in the plan`)
    return utterance
  }
  return {
    baseUrl: server.baseUrl,
    audioSeconds: ({ utteranceId }) => utteranceOf(utteranceId).durationSeconds,
    modeId: () => null,
    async send({ contenderId, utteranceId }, call) {
      const utterance = utteranceOf(utteranceId)
      const { audioPath: path, sizeBytes, mimeType } = utterance
      const contender = contenderById.get(contenderId)
      const { model = null, language = null } = contender ?? {}
      if (model === null) throw new TypeError(`${contenderId} names no model`)
      const audio = { path, sizeBytes, mimeType }
      const result = await server.transcribe({
        audio,
        model,
        language: language === 'auto' ? null : language,
        timestamps: timestampsFor(utterance),
        options: { ...contender?.defaultOptions, ...contender?.options },
        ...call,
      })
      return {
        ...result,
        outcome: serverAnswered(result.outcome, utterance.durationSeconds),
        transport: 'multipart',
      }
    },
    rehearse: ({ utteranceId }) => {
      const { audioPath: path, sizeBytes } = utteranceOf(utteranceId)
      return rehearseAudio({ path, sizeBytes })
    },
    // Servers answer this differently, so any answer counts.
    async isAlive() {
      const listed = await server.listModels()
      if (listed.ok) return true
      const { failure } = listed
      // A server that accepts the connection and is too busy to answer is alive.
      return failure.kind === 'timedOut' ? failure.during !== 'connecting' : failure.kind !== 'unreachable'
    },
  }
}

function serverAnswered(outcome: ServerResult['outcome'], audioSeconds: number): Sent['outcome'] {
  if (!outcome.ok) return outcome
  const { text, language, processingMs, format } = outcome.value
  return succeeded({
    text,
    rawText: null,
    // Such a server reports neither; the contender names what was requested.
    engine: '',
    model: '',
    language,
    serverLoadMs: null,
    serverDecodeMs: null,
    serverLatencyMs: processingMs,
    ...(format === undefined ? {} : { format }),
    ...readTimes(outcome.value, audioSeconds),
  })
}

/** The options of one contender for post-processing: a Mode, or a preset or a prompt, with provider and model. */
export type PostProcessOptions = Omit<PostProcessRequest, 'text'>

/**
 * Sends texts to `POST /post-process`.
 *
 * @param texts by utterance id
 * @param options by contender id
 */
export function postProcessSender(
  connection: Connection,
  texts: ReadonlyMap<string, string>,
  options: ReadonlyMap<string, PostProcessOptions>,
): Sender {
  return {
    get baseUrl() {
      return connection.baseUrl
    },
    audioSeconds: () => 0,
    modeId: ({ contenderId }) => options.get(contenderId)?.mode_id ?? null,
    async send({ contenderId, utteranceId }, call) {
      const text = texts.get(utteranceId)
      const contenderOptions = options.get(contenderId)
      if (text === undefined || contenderOptions === undefined)
        throw new TypeError(`${utteranceId} is not in the plan`)
      const result = await connection.postProcessTimed({ request: { ...contenderOptions, text }, ...call })
      return { ...result, outcome: postProcessAnswered(result.outcome), transport: 'text' }
    },
    isAlive: async () => (await connection.health()).ok,
  }
}

function postProcessAnswered(outcome: TimedPostProcess['outcome']): Sent['outcome'] {
  if (!outcome.ok) return outcome
  const { text, provider, model, latency_ms, post_processed } = outcome.value
  return succeeded({
    text,
    rawText: null,
    engine: provider ?? '',
    model: model ?? '',
    language: null,
    serverLoadMs: null,
    serverDecodeMs: null,
    serverLatencyMs: latency_ms,
    isPostProcessed: post_processed,
  })
}

/** Sends each request to the target of its contender. */
export function routedSender(parts: readonly SenderPart[]): Sender {
  const byContender = new Map(
    parts.flatMap(({ contenderIds, sender }) => contenderIds.map((id) => [id, sender] as const)),
  )
  const senderFor = ({ contenderId }: Pick<PlannedRequest, 'contenderId'>): Sender => {
    const sender = byContender.get(contenderId)
    if (sender === undefined) throw new TypeError(`${contenderId} has no target`)
    return sender
  }
  return {
    get baseUrl() {
      return parts.map(({ sender }) => sender.baseUrl).join(', ')
    },
    audioSeconds: (request) => senderFor(request).audioSeconds(request),
    modeId: (request) => senderFor(request).modeId(request),
    rehearse: async (request) => senderFor(request).rehearse?.(request),
    send: (request, call) => senderFor(request).send(request, call),
    async isAlive() {
      const answers = await Promise.all(parts.map(({ sender }) => sender.isAlive()))
      return answers.includes(true)
    },
    parts,
  }
}

/** The target of a contender; null if the sender has only one target. */
export function partFor(sender: Sender, contenderId: string): SenderPart | null {
  return sender.parts?.find(({ contenderIds }) => contenderIds.includes(contenderId)) ?? null
}

type Timed = Pick<PlannedUtterance, 'times'>

/**
 * The kinds of times to request for an utterance: none if its reference has no times to compare with. Both kinds are
 * requested, because some servers return only segments.
 */
function timestampsFor({ times = [] }: Timed): readonly TimestampGranularity[] {
  return times.length === 0 ? [] : timestampGranularities
}

/** The options of an API request for an utterance, besides its audio. */
export function optionsFor(modeId: string, utterance: Timed): TranscriptionOptions {
  const timestamps = timestampsFor(utterance)
  return {
    mode_id: modeId,
    ...(timestamps.length === 0 ? {} : { timestamp_granularities: timestamps }),
  }
}

/** Whisper may end a segment with its window of 30 seconds, however short the recording is. */
const maxLateSeconds = 60

/**
 * The times of an answer: those of words if it has them, else of segments; absent without any. Times far behind the
 * recording are not in seconds, as LocalAI counts nanoseconds, and are left out.
 */
export function readTimes(
  { words = [], segments = [] }: Pick<Transcription, 'words' | 'segments'>,
  audioSeconds = Number.POSITIVE_INFINITY,
): { readonly times?: AnswerTimes } {
  const [unit, parts] =
    words.length > 0
      ? (['word', words.map((word) => makePart(word.word, word))] as const)
      : (['segment', segments.map((segment) => makePart(segment.text, segment))] as const)
  const isLate = parts.some(({ endSeconds }) => endSeconds > audioSeconds + maxLateSeconds)
  return parts.length === 0 || isLate ? {} : { times: { unit, parts } }
}

function makePart(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): AnswerTimes['parts'][number] {
  return { text: text.trim(), startSeconds: start, endSeconds: end }
}
