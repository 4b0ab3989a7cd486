import { z } from 'zod'
import type { TimestampGranularity } from '#contract/enums'
import type { RequestFailure } from '#contract/failures'
import type { Clock } from '#load/clock'
import { failed, type Outcome, parseJson, succeeded } from '#prelude'
import { findLanguageCode, languageTables } from '#providers/languages'
import { type OptionValues, optionFields } from '#providers/options'
import { AudioBodies, describeFile, formFraming, sendAudio } from './audio-body.ts'
import { type Exchange, exchange, exchangeAfresh, type HttpCall, TimedPools } from './exchange.ts'
import { addressText, type ServerAddress, type ServiceLocation } from './location.ts'
import { type CallTimes, isSuccess, type Reply } from './reply.ts'
import { type AnswerFormat, readServerAnswer, type ServerTranscript } from './server-answer.ts'
import { adviseOnServer, findBlame, readFailure } from './server-failure.ts'

export interface ServerCall {
  readonly audio: { readonly path: string; readonly sizeBytes: number; readonly mimeType: string }
  readonly model: string
  /** BCP 47 tag; null lets the server detect the language. */
  readonly language: string | null
  /** Requested times; empty for none. A server may not support them. */
  readonly timestamps: readonly TimestampGranularity[]
  /** Options of the API that the contender sets, by the API's names. */
  readonly options: OptionValues
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Earlier attempts of a request; the times of the result exclude them. */
export interface Resent {
  readonly reasons: readonly ('closedConnection' | 'redirect' | 'format' | 'timestamps')[]
  /** Time from the first attempt to the one that counts, in milliseconds. */
  readonly forMs: number
}

export interface ServerResult {
  readonly outcome: Outcome<ServerTranscript, RequestFailure>
  readonly times: CallTimes
  readonly bodyBytes: number
  readonly resent?: Resent | undefined
}

/** A model as a server lists it. */
export interface ListedModel {
  readonly id: string
  /** Date on which the model stops, `2027-02-26`; null where the server names none. */
  readonly shutdownDate: string | null
}

/** A server that may or may not answer. No method throws for a failure of the server or the network. */
export interface TranscriptionServer extends AsyncDisposable {
  /** Address without credentials: `http://127.0.0.1:8000/v1`, with the query of each request. */
  readonly baseUrl: string
  /** Lists the server's models over a new connection, so that a failure means that the server is unreachable. */
  listModels(): Promise<Outcome<readonly ListedModel[], RequestFailure>>
  transcribe(call: ServerCall): Promise<ServerResult>
}

export const listMs = 10_000

const modelList = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), shutdown_date: z.string().nullish().catch(null) })),
})

/** Reads the response to `GET /models`; null for one of another shape. */
export function readModelList(answer: unknown): readonly ListedModel[] | null {
  const listed = modelList.safeParse(answer)
  if (!listed.success) return null
  return listed.data.data.map(({ id, shutdown_date }) => ({ id, shutdownDate: shutdown_date ?? null }))
}

interface ServerAccess {
  /** Null for a server without a key. */
  readonly key: string | null
  /** Environment variable of the key; null where none was named. */
  readonly keyFrom?: string | null | undefined
  readonly clock: Clock
  readonly connections: number
}

/** Maximum number of redirects that a request follows. */
const maxRedirects = 3

/**
 * Opens connections to a transcription server; sends nothing yet. Requests `json`, the cheapest format for a
 * server, or `verbose_json` for times; `response_format` overrides both. A rejected format, times of words or
 * a redirected path is requested once; what works is remembered.
 *
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function openTranscriptionServer(
  address: ServerAddress,
  { key, keyFrom = null, clock, connections }: ServerAccess,
): TranscriptionServer {
  const pools = new TimedPools({ clock, connections })
  const bodies = new AudioBodies()
  const secrets = { hidden: key === null ? [] : [key], today: clock.today }
  const urlBelow = (path: string): URL => new URL(address.origin + address.basePath + path + address.query)
  let transcriptions = urlBelow('/audio/transcriptions')
  /** The format that replaces a refused one, by format and model. */
  const formatsInstead = new Map<string, AnswerFormat>()
  /** Formats in which a model has answered, so that a later refusal is not about the format. */
  const answeredFormats = new Set<string>()
  /** Language codes by tag, cached because finding one takes a tenth of a request's processor time. */
  const languageCodes = new Map<string, string>()
  const languageCode = (tag: string): string => {
    const code = languageCodes.get(tag) ?? findLanguageCode(tag, languageTables.whisper)
    languageCodes.set(tag, code)
    return code
  }
  /** Models that refused to time words. */
  const untimedModels = new Set<string>()

  const callTo = (url: URL, call: Omit<HttpCall, 'isAuthenticated' | 'path'>) => {
    const location: ServiceLocation = {
      origin: url.origin,
      hostHeader: null,
      token: key ?? '',
      pid: null,
    }
    return { location, call: { ...call, path: url.pathname + url.search, isAuthenticated: key !== null } }
  }
  const failureIn = (reply: Reply, url: URL, { model, options }: Partial<ServerCall> = {}): RequestFailure =>
    adviseOnServer(readFailure(reply, secrets), {
      ...{ reply, url, model, options, keyFrom, address },
      redirectCount: redirection(reply, url) === null ? 0 : maxRedirects,
    })

  /** Sends one request for a transcript. @param isFresh sends it over a new connection */
  const sendOnce = async (
    call: ServerCall,
    { format, timestamps, url }: FormRequest,
    isFresh = false,
  ): Promise<SentOnce> => {
    const { audio, model, language, options, timeoutMs, signal } = call
    const fields = [
      ['model', model],
      ...(language === null ? [] : [['language', languageCode(language)] as const]),
      ['response_format', format],
      ...timestamps.map((name) => ['timestamp_granularities[]', name] as const),
      ...optionFields(options).filter(([name]) => name !== 'response_format'),
    ] as const
    const opening = bodies.open(audio, formFraming(fields, describeFile(audio, 'file')))
    return sendAudio(opening, clock, (body) => {
      const { location, call: http } = callTo(url, { method: 'POST', body, timeoutMs, signal })
      return isFresh
        ? exchangeAfresh(location, http, clock)
        : exchange(pools.to(url.origin), location, http, clock)
    })
  }

  /** Sends a request, and sends it again where the server had closed the kept connection. */
  const sendForm = async (call: ServerCall, sending: FormRequest): Promise<SentForm> => {
    const first = await sendOnce(call, sending)
    const { sentAtMs: firstSentAtMs } = first.times
    if (!first.metClosedConnection) return { ...first, firstSentAtMs, wasClosed: false }
    const second = await sendOnce(call, sending, true)
    const { reply } = second
    // A server that accepts no new connection either has died during the first request.
    const isGone = !reply.ok && reply.failure.kind === 'unreachable' && reply.failure.during === 'connecting'
    return { ...(isGone ? first : second), firstSentAtMs, wasClosed: !isGone }
  }

  const transcribe = async (call: ServerCall): Promise<ServerResult> => {
    const { model, options } = call
    const wanted = wantedFormat(call)
    const formatKey = `${wanted} ${model}`
    const reasons: Resent['reasons'][number][] = []
    let firstSentAtMs: number | null = null
    let firstRefusal: RequestFailure | null = null
    let format = formatsInstead.get(formatKey) ?? wanted
    for (;;) {
      const timestamps = format === 'verbose_json' && !untimedModels.has(model) ? call.timestamps : []
      const url = transcriptions
      const sent = await sendForm(call, { format, timestamps, url })
      firstSentAtMs ??= sent.firstSentAtMs
      const noteResend = (reason: Resent['reasons'][number]): void => void reasons.push(reason)
      if (sent.wasClosed) noteResend('closedConnection')
      const { times, bodyBytes } = sent
      const resent = reasons.length === 0 ? undefined : { reasons, forMs: times.sentAtMs - firstSentAtMs }
      if (!sent.reply.ok) return { outcome: sent.reply, times, bodyBytes, resent }
      const reply = sent.reply.value
      const moved = redirection(reply, url)
      if (moved !== null && reasons.filter((reason) => reason === 'redirect').length < maxRedirects) {
        transcriptions = moved
        noteResend('redirect')
        continue
      }
      const answer = readServerAnswer(reply, {
        format,
        isTimed: format === 'verbose_json' && call.timestamps.length > 0,
      })
      if (answer !== null) {
        answeredFormats.add(`${format} ${model}`)
        if (format !== wanted) formatsInstead.set(formatKey, format)
        const isPlain = wanted === 'json' && format === 'json'
        return {
          outcome: succeeded(isPlain ? answer : { ...answer, format }),
          times,
          bodyBytes,
          resent,
        }
      }
      const failure = failureIn(reply, url, { model, options })
      if (timestamps.length > 0 && findBlame(reply, 'timestamp_granularities', []) === 'named') {
        untimedModels.add(model)
        noteResend('timestamps')
        continue
      }
      const next = simplerFormat(format)
      const blame = findBlame(reply, 'response_format', [format])
      // A message that may be about anything is tested with another format, unless this format has worked before.
      const mayBeFormat =
        blame === 'named' || (blame === 'open' && !answeredFormats.has(`${format} ${model}`))
      if (next === null || !mayBeFormat) {
        return { outcome: failed(firstRefusal ?? failure), times, bodyBytes, resent }
      }
      if (blame === 'open') firstRefusal ??= failure
      else formatsInstead.set(formatKey, next)
      format = next
      noteResend('format')
    }
  }

  return {
    baseUrl: addressText(address),
    async listModels() {
      let url = urlBelow('/models')
      for (let redirects = 0; ; redirects += 1) {
        const { location, call } = callTo(url, {
          method: 'GET',
          body: null,
          timeoutMs: listMs,
          signal: undefined,
        })
        const { reply } = await exchangeAfresh(location, call, clock)
        if (!reply.ok) return reply
        const moved = redirection(reply.value, url)
        if (moved !== null && redirects < maxRedirects) {
          url = moved
          continue
        }
        const listed = readModelList(parseJson(reply.value.text))
        if (isSuccess(reply.value) && listed !== null) return succeeded(listed)
        return failed(failureIn(reply.value, url))
      }
    },
    transcribe,
    [Symbol.asyncDispose]: () => pools[Symbol.asyncDispose](),
  }
}

interface FormRequest {
  readonly format: AnswerFormat
  readonly timestamps: readonly TimestampGranularity[]
  readonly url: URL
}

type SentOnce = Exchange & { readonly bodyBytes: number }

interface SentForm extends SentOnce {
  readonly firstSentAtMs: number
  /** Whether a second connection was used, because the server had closed the first one. */
  readonly wasClosed: boolean
}

/** The format to request from a server that nothing is known of yet. */
function wantedFormat({ options, timestamps }: ServerCall): AnswerFormat {
  const format = options['response_format']
  if (format === 'json' || format === 'text' || format === 'verbose_json') return format
  return timestamps.length > 0 ? 'verbose_json' : 'json'
}

/** The next simpler format. Servers support fewer of them in this order, and all support the last. */
function simplerFormat(format: AnswerFormat): AnswerFormat | null {
  return format === 'verbose_json' ? 'json' : format === 'json' ? 'text' : null
}

/**
 * The target of a redirect that keeps the method, on the same host; null otherwise. It never leads from https
 * to http, nor to another port unless both are default ones, so that the key reaches no other program.
 */
function redirection({ status, headers: { location } }: Reply, from: URL): URL | null {
  if ((status !== 307 && status !== 308) || location === undefined || !URL.canParse(location, from.href))
    return null
  const to = new URL(location, from.href)
  const isUpgrade =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === ''
  return to.origin === from.origin || (to.hostname === from.hostname && isUpgrade) ? to : null
}
