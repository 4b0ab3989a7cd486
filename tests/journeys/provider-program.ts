/**
 * A cloud provider on 127.0.0.1, written from the public documentation of its API (the addresses are in the table below), in a
 * separate process. What it does with a request is the model's name: see `behaviours`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProtocolName } from '#providers/protocols/protocols'
import { accountProviders, setKey } from './account-providers.ts'
import { documentedTranscripts } from './documented-transcripts.ts'
import {
  type Answer,
  type Asked,
  behaviours,
  type Documented,
  isDone,
  modelOfJob,
  newJob,
  stored,
} from './provider-behaviours.ts'

export interface ProviderOrder {
  readonly protocol: ProtocolName
  readonly key: string
  readonly text: string
}

const bearer = ({ headers }: Asked): string | undefined => headers.authorization?.replace(/^Bearer /, '')
const field = (form: FormData | null, name: string): string | null => {
  const value = form?.get(name)
  return typeof value === 'string' ? value : null
}

const documented: Readonly<Record<ProtocolName, Documented>> = {
  ...accountProviders,
  openai: {
    see: 'https://platform.openai.com/docs/api-reference/audio/createTranscription',
    keyOf: bearer,
    modelOf: ({ form, path }) => (path === '/v1/audio/transcriptions' ? field(form, 'model') : null),
    answer: (asked, model, text) => {
      if (asked.path === '/v1/models') {
        const data = behaviours.map((id) => ({
          id,
          object: 'model',
          ...(id === 'slow' ? { shutdown_date: '2027-01-31' } : {}),
        }))
        return { body: { object: 'list', data } }
      }
      const isBoth = asked.form?.has('language') === true && asked.form.has('timestamp_granularities')
      return model === null || isBoth ? null : { body: documentedTranscripts.openai(asked, text) }
    },
    refusals: {
      unauthorized: {
        status: 401,
        body: {
          error: {
            message: 'Incorrect API key provided.',
            type: 'invalid_request_error',
            code: 'invalid_api_key',
          },
        },
      },
      limited: {
        status: 429,
        headers: { 'retry-after': '1' },
        body: { error: { message: 'Rate limit reached.', type: 'requests', code: 'rate_limit_exceeded' } },
      },
      quota: {
        status: 429,
        body: {
          error: {
            message: 'You exceeded your current quota.',
            type: 'insufficient_quota',
            code: 'insufficient_quota',
          },
        },
      },
    },
  },
  deepgram: {
    see: 'https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded',
    keyOf: ({ headers }) => headers.authorization?.replace(/^Token /, ''),
    modelOf: ({ path, query }) => (path === '/v1/listen' ? query.get('model') : null),
    answer: (asked, model, text) =>
      model === null ? null : { body: documentedTranscripts.deepgram(asked, text) },
    refusals: {
      unauthorized: {
        status: 401,
        body: { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.', request_id: 'r' },
      },
      limited: {
        status: 429,
        headers: { 'retry-after': '1' },
        body: { err_code: 'TOO_MANY_REQUESTS', err_msg: 'Too many requests.', request_id: 'r' },
      },
      quota: {
        status: 402,
        body: {
          err_code: 'ASR_PAYMENT_REQUIRED',
          err_msg: 'Project does not have enough credits.',
          request_id: 'r',
        },
      },
    },
  },
  elevenlabs: {
    see: 'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
    keyOf: ({ headers }) => headers['xi-api-key']?.toString(),
    modelOf: ({ form, path }) => (path === '/v1/speech-to-text' ? field(form, 'model_id') : null),
    answer: (asked, model, text) =>
      model === null ? null : { body: documentedTranscripts.elevenlabs(asked, text) },
    refusals: {
      unauthorized: {
        status: 401,
        body: { detail: { status: 'invalid_api_key', message: 'Invalid API key' } },
      },
      limited: {
        status: 429,
        headers: { 'retry-after': '1' },
        body: { detail: { status: 'too_many_concurrent_requests', message: 'Too many requests.' } },
      },
      quota: {
        status: 401,
        body: { detail: { status: 'quota_exceeded', message: 'This request exceeds your quota.' } },
      },
    },
  },
  assemblyai: {
    see: 'https://www.assemblyai.com/docs/api-reference/transcripts/get',
    keyOf: ({ headers }) => headers.authorization,
    modelOf: ({ json, method, path }) =>
      method === 'POST' && path === '/v2/transcript'
        ? String((json?.['speech_models'] as string[] | undefined)?.[0])
        : null,
    answer: (asked, model, text) => {
      const { path, method, bytes } = asked
      if (path === '/v2/upload')
        return bytes > 44 ? { body: { upload_url: 'https://cdn.example/upload/1' } } : null
      if (method === 'POST' && model !== null)
        return { body: { id: newJob(model), status: 'queued', text: null } }
      const id = path.split('/').at(-1) ?? ''
      if (!isDone(id)) return { body: { id, status: 'processing', text: null } }
      return modelOfJob(id) === 'failing'
        ? { body: { id, status: 'error', error: 'Audio duration is too short.' } }
        : { body: { id, ...documentedTranscripts.assemblyai(asked, text) } }
    },
    refusals: {
      unauthorized: { status: 401, body: { error: 'Authentication error, API token missing/invalid' } },
      limited: { status: 429, headers: { 'retry-after': '1' }, body: { error: 'Too many requests' } },
      quota: { status: 400, body: { error: 'Your current account balance is negative. Please top up.' } },
    },
  },
  speechmatics: {
    see: 'https://docs.speechmatics.com/speech-to-text/batch/output',
    keyOf: bearer,
    modelOf: ({ form, path }) =>
      path === '/v2/jobs'
        ? String(JSON.parse(field(form, 'config') ?? '{}').transcription_config?.model)
        : null,
    answer: (asked, model, text) => {
      const { path, method, form } = asked
      if (method === 'POST') {
        const isWhole = model !== null && form?.get('data_file') instanceof File
        return isWhole ? { status: 201, body: { id: newJob(model ?? '') } } : null
      }
      const [, , , id = '', rest] = path.split('/')
      if (rest === 'transcript') return { body: documentedTranscripts.speechmatics(asked, text) }
      if (!isDone(id)) return { body: { job: { id, status: 'running' } } }
      const isFailing = modelOfJob(id) === 'failing'
      return {
        body: {
          job: { id, status: isFailing ? 'rejected' : 'done', errors: [{ message: 'invalid audio' }] },
        },
      }
    },
    refusals: {
      unauthorized: {
        status: 401,
        body: '<html><head><title>401 Authorization Required</title></head></html>',
      },
      limited: {
        status: 429,
        headers: { 'retry-after': '1' },
        body: { code: 429, error: 'Too Many Requests', detail: 'Rate Limited' },
      },
      quota: { status: 402, body: { code: 402, error: 'Payment Required', detail: 'Usage limit reached' } },
    },
  },
  gladia: {
    see: 'https://docs.gladia.io/api-reference/v2/pre-recorded/get',
    keyOf: ({ headers }) => headers['x-gladia-key']?.toString(),
    modelOf: ({ json, method, path }) =>
      method === 'POST' && path === '/v2/pre-recorded' ? String(json?.['model']) : null,
    answer: (asked, model, text) => {
      const { path, method, form } = asked
      if (path === '/v2/upload') {
        const audioMetadata = { id: 'f', filename: 'one.wav', audio_duration: 0.5, number_of_channels: 1 }
        return form?.get('audio') instanceof File
          ? { body: { audio_url: 'https://api.gladia.io/file/1', audio_metadata: audioMetadata } }
          : null
      }
      if (method === 'POST' && model !== null) {
        const id = newJob(model)
        return { status: 201, body: { id, result_url: `https://elsewhere.example/v2/pre-recorded/${id}` } }
      }
      const id = path.split('/').at(-1) ?? ''
      if (!isDone(id)) return { body: { id, status: 'processing', result: null } }
      if (modelOfJob(id) === 'failing')
        return { body: { id, status: 'error', error_code: 500, result: null } }
      return { body: documentedTranscripts.gladia(asked, text) }
    },
    refusals: {
      unauthorized: {
        status: 401,
        body: { statusCode: 401, message: 'Invalid API key', path: '/v2/upload' },
      },
      limited: {
        status: 429,
        headers: { 'retry-after': '1' },
        body: { statusCode: 429, message: 'Rate limited' },
      },
      quota: { status: 402, body: { statusCode: 402, message: 'Payment required' } },
    },
  },
}

/** What a request sets, where its API looks for it: the query, the fields of a form, or JSON. A repeated name is a list. */
function settingsOf({ query, form, json }: Asked, protocol: ProtocolName): Readonly<Record<string, unknown>> {
  if (protocol === 'speechmatics') return JSON.parse(field(form, 'config') ?? '{}').transcription_config ?? {}
  if (protocol === 'google') return (json?.['config'] ?? {}) as Readonly<Record<string, unknown>>
  if (protocol === 'azure-fast') return JSON.parse(field(form, 'definition') ?? '{}')
  if (protocol === 'azure') return (json?.['properties'] ?? {}) as Readonly<Record<string, unknown>>
  if (['assemblyai', 'gladia', 'aws'].includes(protocol)) return json ?? {}
  const pairs = protocol === 'deepgram' ? [...query] : [...(form ?? [])]
  const named = Map.groupBy(pairs, ([name]) => name)
  return Object.fromEntries(
    [...named].map(([name, own]) => [name, own.length === 1 ? own[0]?.[1] : own.map(([, value]) => value)]),
  )
}

const answersBeforeQuota = 3

function answerTo(asked: Asked, { protocol, key, text }: ProviderOrder, counts: Map<string, number>): Answer {
  const { keyOf, modelOf, answer, refusals } = documented[protocol]
  if (keyOf(asked) !== key) return refusals.unauthorized
  const model = modelOf(asked)
  const count = counts.get(model ?? '') ?? 0
  if (model !== null) counts.set(model, count + 1)
  if (model === 'unauthorized') return refusals.unauthorized
  if (model === 'limited' && count % 4 === 3) return refusals.limited
  if (model === 'quota' && count >= answersBeforeQuota) return refusals.quota
  if (model === 'invalid') return { status: 400, body: { error: 'Invalid endpoint schema.' } }
  if (model === 'odd') return { body: { hello: 'world' } }
  return answer(asked, model, text) ?? { status: 400, body: { error: 'not as documented' } }
}

async function readRequest(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  const type = request.headers['content-type'] ?? ''
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    form: type.startsWith('multipart/form-data')
      ? await new Response(body, { headers: { 'content-type': type } }).formData()
      : null,
    json: /^application\/(json|x-amz-json)/.test(type) ? JSON.parse(body.toString()) : null,
    bytes: body.length,
    body,
    url,
  }
}

if (process.send !== undefined) {
  process.once('message', (given: ProviderOrder) => {
    setKey(given.key)
    const counts = new Map<string, number>()
    const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
      const asked = await readRequest(request)
      const { status = 200, headers = {}, body } = answerTo(asked, given, counts)
      const model = documented[given.protocol].modelOf(asked)
      if (model === 'slow') await sleep(300)
      process.send?.({
        model,
        method: asked.method,
        path: asked.path,
        status,
        storedCount: stored.size,
        settings: model === null ? null : settingsOf(asked, given.protocol),
      })
      const content = typeof body === 'string' ? body : JSON.stringify(body)
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(content)
    })
    server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
    process.once('disconnect', () => process.exit(0))
  })
}
