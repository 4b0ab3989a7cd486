import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Handler, type OddServer, sendJson, startOddServer } from './odd-server.ts'

/** What a transcription request brought. */
interface SeenForm {
  readonly fields: Readonly<Record<string, string>>
  /** What is to be timed. */
  readonly granularities: readonly string[]
  readonly fileName: string
  readonly audio: Uint8Array
}

export interface OpenAiDouble extends AsyncDisposable {
  /** As a target names it: `openai:http://127.0.0.1:…/v1`. */
  readonly target: string
  readonly forms: SeenForm[]
}

export interface OpenAiScript {
  readonly key?: string
  /** Null: it does not list its models. */
  readonly models?: readonly string[] | null
  /** Takes these, and does not list them. */
  readonly aliases?: readonly string[]
  /** Refuses every format but these, as gpt-4o-transcribe refuses `verbose_json`; default: knows all. */
  readonly formats?: readonly string[]
  /** How it refuses a format; default: as OpenAI does. */
  refusal?(format: string): readonly [status: number, body: unknown]
  /** Refuses to time words. */
  readonly untimed?: boolean
  /** How long each model takes to answer; default: 0. */
  readonly delaysMs?: Readonly<Record<string, number | (() => number)>>
  /** The transcript of a file of this name by a model; null where the server fails with 500 instead. */
  textOf(fileName: string, model: string): string | null
  /** Words or segments of a verbose answer; default: no words, and no segment. */
  timesOf?(fileName: string, model: string): Readonly<Record<string, unknown>>
  /** Refuses a request for a transcript, or breaks its connection and gives no answer; null where it goes on. */
  before?(request: IncomingMessage, form: SeenForm): readonly [status: number, body: unknown] | Socket | null
  /** Answers instead of the transcript. */
  readonly instead?: Handler
  /** Answers what was redirected: requests for transcripts with `there` as their query. */
  readonly elsewhere?: Handler
}

/** A double of `/v1/audio/transcriptions` on a real socket. */
export async function startOpenAiDouble(script: OpenAiScript): Promise<OpenAiDouble> {
  const { key, models = ['tiny', 'large'], formats = ['json', 'verbose_json', 'text'] } = script
  const {
    refusal = (format) => [400, { error: { message: `response_format '${format}' is not compatible` } }],
  } = script
  const forms: SeenForm[] = []
  const server: OddServer = await startOddServer(async (seen, response, request) => {
    const error = (status: number, message: string, code: string | null = null): void =>
      sendJson(response, { error: { message, type: 'invalid_request_error', code } }, status)
    if (key !== undefined && seen.headers.authorization !== `Bearer ${key}`) {
      return error(401, `Incorrect API key provided: ${seen.headers.authorization}`)
    }
    if (seen.url.split('?')[0] === '/v1/models') {
      if (models === null) return void response.writeHead(404).end('Not Found')
      return sendJson(response, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
    }
    if (seen.url.split('?')[0] !== '/v1/audio/transcriptions')
      return sendJson(response, { detail: 'Not Found' }, 404)
    if (script.elsewhere !== undefined && seen.url.endsWith('?there'))
      return script.elsewhere(seen, response, request)
    if (script.instead !== undefined) return script.instead(seen, response, request)
    const form = await readForm(seen.body, seen.headers['content-type'] ?? '')
    forms.push(form)
    const refused = script.before?.(request, form) ?? null
    if (Array.isArray(refused)) return sendJson(response, refused[1], refused[0])
    if (refused !== null) return
    const { model = '', response_format: format = 'json' } = form.fields
    if (models !== null && ![...models, ...(script.aliases ?? [])].includes(model))
      return error(404, `No ${model}`, 'model_not_found')
    if (!formats.includes(format)) {
      const [status, body] = refusal(format)
      return sendJson(response, body, status)
    }
    if (script.untimed === true && form.granularities.length > 0) {
      return error(400, 'timestamp_granularities is not supported by this model')
    }
    const delayMs = script.delaysMs?.[model] ?? 0
    await delay(typeof delayMs === 'number' ? delayMs : delayMs())
    const text = script.textOf(form.fileName, model)
    if (text === null) return error(500, 'The server had an error while processing your request')
    response.setHeader('openai-processing-ms', '12')
    if (format === 'text')
      return void response.writeHead(200, { 'content-type': 'text/plain' }).end(`${text}\n`)
    sendJson(
      response,
      format === 'json'
        ? { text }
        : {
            text,
            language: 'english',
            duration: 1.5,
            segments: [],
            ...script.timesOf?.(form.fileName, model),
          },
    )
  })
  return {
    target: `openai:http://127.0.0.1:${server.port}/v1`,
    forms,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function readForm(body: Buffer, contentType: string): Promise<SeenForm> {
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': contentType },
  }).formData()
  const fields: Record<string, string> = {}
  let fileName = ''
  let audio = new Uint8Array()
  const granularities: string[] = []
  for (const [name, value] of form) {
    if (name === 'timestamp_granularities[]') granularities.push(String(value))
    else if (typeof value === 'string') fields[name] = value
    else {
      fileName = value.name
      audio = new Uint8Array(await value.arrayBuffer())
    }
  }
  return { fields, granularities, fileName, audio }
}
