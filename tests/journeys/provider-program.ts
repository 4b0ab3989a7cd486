/**
 * A cloud provider on 127.0.0.1, written from the public documentation of its API (the addresses are in the table below), in a
 * separate process. What it does with a request is the model's name: see `behaviours`.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export const behaviours = ['answers', 'slow', 'limited', 'odd', 'unauthorized', 'quota', 'failing'] as const
export type Protocol =
  | 'openai'
  | 'deepgram'
  | 'elevenlabs'
  | 'google'
  | 'assemblyai'
  | 'speechmatics'
  | 'gladia'
  | 'azure'
  | 'aws'

export interface ProviderOrder {
  readonly protocol: Protocol
  readonly key: string
  readonly text: string
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly form: FormData | null
  readonly json: { readonly [key: string]: unknown } | null
  readonly bytes: number
  readonly body: Buffer
  readonly url: URL
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Recordings that were put into a storage and not removed. */
const stored = new Set<string>()

/** How each says who asks, what a request is for, and what it answers. */
interface Documented {
  /** @see the page that documents it */
  readonly see: string
  keyOf(asked: Asked): string | undefined
  /** The model of a request that begins a transcription; null for every other request. */
  modelOf(asked: Asked): string | null
  /** The answer to a request that is no refusal; `model` of the job that it belongs to. */
  answer(asked: Asked, model: string | null, text: string): Answer | null
  readonly refusals: Readonly<Record<'unauthorized' | 'limited' | 'quota', Answer>>
}

/** Jobs of those who take them: how often each was asked for. */
const jobs = new Map<string, { readonly model: string; asked: number }>()
const newJob = (model: string): string => {
  const id = `job-${jobs.size + 1}`
  jobs.set(id, { model, asked: 0 })
  return id
}
/** A job is not done when it is first asked for; one that is slow takes longer. */
const isDone = (id: string): boolean => {
  const job = jobs.get(id)
  if (job === undefined) return false
  job.asked += 1
  return job.asked > (job.model === 'slow' ? 3 : 1)
}
const modelOfJob = (id: string): string => jobs.get(id)?.model ?? ''

const bearer = ({ headers }: Asked): string | undefined => headers.authorization?.replace(/^Bearer /, '')
const field = (form: FormData | null, name: string): string | null => {
  const value = form?.get(name)
  return typeof value === 'string' ? value : null
}

const documented: Readonly<Record<Protocol, Documented>> = {
  openai: {
    see: 'https://platform.openai.com/docs/api-reference/audio/createTranscription',
    keyOf: bearer,
    modelOf: ({ form, path }) => (path === '/v1/audio/transcriptions' ? field(form, 'model') : null),
    answer: ({ path }, model, text) => {
      if (path === '/v1/models') {
        const data = behaviours.map((id) => ({
          id,
          object: 'model',
          ...(id === 'slow' ? { shutdown_date: '2027-01-31' } : {}),
        }))
        return { body: { object: 'list', data } }
      }
      return model === null ? null : { body: { text, usage: { type: 'duration', seconds: 1 } } }
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
    answer: (_, model, text) =>
      model === null
        ? null
        : {
            body: {
              metadata: { request_id: 'r', duration: 1, channels: 1 },
              results: { channels: [{ alternatives: [{ transcript: text, confidence: 0.99, words: [] }] }] },
            },
          },
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
    answer: (_, model, text) =>
      model === null ? null : { body: { language_code: 'eng', language_probability: 0.98, text, words: [] } },
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
  google: {
    see: 'https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize',
    keyOf: ({ headers }) => headers['x-goog-api-key']?.toString(),
    modelOf: ({ json, path }) =>
      path === '/v1/speech:recognize' ? String(fieldOf(json, 'config', 'model')) : null,
    answer: ({ json }, model, text) => {
      const audio = Buffer.from(String(fieldOf(json, 'audio', 'content')), 'base64')
      if (model === null || audio.subarray(0, 4).toString() !== 'RIFF') return null
      if (typeof fieldOf(json, 'config', 'languageCode') !== 'string') return null
      const alternatives = [{ transcript: text, confidence: 0.98 }]
      return {
        body: { results: [{ alternatives, languageCode: 'en-us' }], totalBilledTime: '15s', requestId: '1' },
      }
    },
    refusals: {
      unauthorized: googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
      limited: {
        ...googleError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric of requests per minute.'),
        headers: { 'retry-after': '1' },
      },
      quota: googleError(403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled.'),
    },
  },
  azure: {
    see: 'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-create',
    // Storage and results take the signature of their address, and no key.
    keyOf: ({ headers, query, path }) =>
      path.startsWith('/speechtotext/')
        ? headers['ocp-apim-subscription-key']?.toString()
        : headers['ocp-apim-subscription-key'] === undefined
          ? (query.get('sig') ?? undefined)
          : 'a key in a foreign place',
    modelOf: ({ json, path }) =>
      path === '/speechtotext/transcriptions:submit' ? String(fieldOf(json, 'model', 'self')) : null,
    answer: azureAnswer,
    refusals: {
      unauthorized: azureError(401, 'Access denied due to invalid subscription key or wrong API endpoint.'),
      limited: {
        ...azureError(429, 'Rate limit is exceeded. Try again in 1 seconds.'),
        headers: { 'retry-after': '1' },
      },
      quota: azureError(403, 'Out of call volume quota. Quota will be replenished in 12 days.'),
    },
  },
  aws: {
    see: 'https://docs.aws.amazon.com/transcribe/latest/APIReference/API_StartTranscriptionJob.html',
    keyOf: secretOfSignature,
    modelOf: ({ json, headers }) =>
      headers['x-amz-target'] === 'Transcribe.StartTranscriptionJob'
        ? String(fieldOf(json, 'ModelSettings', 'LanguageModelName'))
        : null,
    answer: awsAnswer,
    refusals: {
      unauthorized: awsError(
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
      ),
      limited: awsError('LimitExceededException', 'You have sent too many requests.'),
      quota: awsError(
        'SubscriptionRequiredException',
        'The AWS Access Key Id needs a subscription for the service.',
      ),
    },
  },
  assemblyai: {
    see: 'https://www.assemblyai.com/docs/openapi.json',
    keyOf: ({ headers }) => headers.authorization,
    modelOf: ({ json, method, path }) =>
      method === 'POST' && path === '/v2/transcript'
        ? String((json?.['speech_models'] as string[] | undefined)?.[0])
        : null,
    answer: ({ path, method, bytes }, model, text) => {
      if (path === '/v2/upload')
        return bytes > 44 ? { body: { upload_url: 'https://cdn.example/upload/1' } } : null
      if (method === 'POST' && model !== null)
        return { body: { id: newJob(model), status: 'queued', text: null } }
      const id = path.split('/').at(-1) ?? ''
      if (!isDone(id)) return { body: { id, status: 'processing', text: null } }
      return modelOfJob(id) === 'failing'
        ? { body: { id, status: 'error', error: 'Audio duration is too short.' } }
        : { body: { id, status: 'completed', text, language_code: 'en_us', words: [] } }
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
        ? String(JSON.parse(field(form, 'config') ?? '{}').transcription_config?.operating_point)
        : null,
    answer: ({ path, method, form }, model, text) => {
      if (method === 'POST') {
        const isWhole = model !== null && form?.get('data_file') instanceof File
        return isWhole ? { status: 201, body: { id: newJob(model ?? '') } } : null
      }
      const [, , , id = '', rest] = path.split('/')
      if (rest === 'transcript')
        return { body: { format: '2.9', job: { id }, metadata: {}, results: wordsOf(text) } }
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
    see: 'https://docs.gladia.io/api-reference/pre-recorded-flow',
    keyOf: ({ headers }) => headers['x-gladia-key']?.toString(),
    modelOf: ({ json, method, path }) =>
      method === 'POST' && path === '/v2/pre-recorded' ? String(json?.['model']) : null,
    answer: ({ path, method, form }, model, text) => {
      if (path === '/v2/upload') {
        return form?.get('audio') instanceof File
          ? { body: { audio_url: 'https://api.gladia.io/file/1' } }
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
      const transcription = { full_transcript: text, languages: ['en'], utterances: [] }
      return { body: { id, status: 'done', result: { metadata: {}, transcription } } }
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

function wordsOf(text: string): readonly unknown[] {
  return text.split(' ').map((content, index) => ({
    type: 'word',
    start_time: index,
    end_time: index + 0.5,
    alternatives: [{ content, confidence: 1 }],
  }))
}

function fieldOf(json: Asked['json'], ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (value as { readonly [key: string]: unknown } | undefined)?.[key],
    json,
  )
}

function googleError(code: number, status: string, message: string): Answer {
  return { status: code, body: { error: { code, message, status } } }
}

function azureError(status: number, message: string): Answer {
  return { status, body: { error: { code: String(status), message } } }
}

function awsError(type: string, message: string): Answer {
  return { status: 400, body: { __type: type, Message: message } }
}

const version = '2024-11-15'

function azureAnswer(asked: Asked, model: string | null, text: string): Answer | null {
  const { path, method, query, headers, json, bytes, url } = asked
  const name = path.split('/').at(-1) ?? ''
  if (path.startsWith('/container/')) {
    if (method === 'DELETE') return stored.delete(name) ? { status: 202, body: '' } : null
    if (method !== 'PUT' || headers['x-ms-blob-type'] !== 'BlockBlob' || bytes <= 44) return null
    stored.add(name)
    return { status: 201, body: '' }
  }
  if (path.startsWith('/results/'))
    return { body: { combinedRecognizedPhrases: [{ channel: 0, display: text }], recognizedPhrases: [] } }
  if (query.get('api-version') !== version) return null
  if (method === 'DELETE') return jobs.delete(name) ? { status: 204, body: '' } : null
  if (model !== null) {
    const [audio] = (json?.['contentUrls'] ?? []) as readonly string[]
    const blob = URL.canParse(audio ?? '') ? new URL(audio ?? '') : null
    const isThere =
      stored.has(blob?.pathname.split('/').at(-1) ?? '') && blob?.searchParams.has('sig') === true
    if (!isThere || typeof json?.['locale'] !== 'string') return null
    const self = `https://elsewhere.example/speechtotext/transcriptions/${newJob(model)}?api-version=${version}`
    return { status: 201, body: { self, status: 'NotStarted' } }
  }
  if (name === 'files') {
    const signature = new URLSearchParams({ sig: order?.key ?? '' })
    const contentUrl = `${url.origin}/results/1.json?${signature}`
    const links = { contentUrl }
    return {
      body: {
        values: [
          { kind: 'TranscriptionReport', links },
          { kind: 'Transcription', links },
        ],
      },
    }
  }
  if (!isDone(name)) return { body: { status: 'Running' } }
  return modelOfJob(name) === 'failing'
    ? { body: { status: 'Failed', properties: { error: { code: 'InvalidData', message: 'no audio' } } } }
    : { body: { status: 'Succeeded' } }
}

/** Jobs by the names that clients give them. */
const named = new Map<string, string>()

function awsAnswer(asked: Asked, model: string | null, text: string): Answer | null {
  const { path, method, headers, json, bytes } = asked
  const file = path.split('/').at(-1) ?? ''
  if (path.startsWith('/bucket/')) {
    if (method === 'DELETE') return stored.delete(file) ? { status: 204, body: '' } : null
    if (method === 'GET')
      return stored.has(file)
        ? { body: { results: { transcripts: [{ transcript: text }], items: [] } } }
        : null
    if (bytes <= 44) return null
    stored.add(file)
    return { body: '' }
  }
  const name = String(json?.['TranscriptionJobName'])
  const operation = String(headers['x-amz-target']).replace('Transcribe.', '')
  if (operation === 'DeleteTranscriptionJob') return named.delete(name) ? { body: {} } : null
  if (model !== null) {
    const source = /^s3:\/\/the-bucket\/(.+)$/.exec(String(fieldOf(json, 'Media', 'MediaFileUri')))?.[1] ?? ''
    const isLanguageGiven =
      json?.['IdentifyLanguage'] === true || /^[a-z]{2}-[A-Z]{2}$/.test(String(json?.['LanguageCode']))
    if (!stored.has(source) || !isLanguageGiven) return null
    named.set(name, newJob(model))
    return {
      body: { TranscriptionJob: { TranscriptionJobName: name, TranscriptionJobStatus: 'IN_PROGRESS' } },
    }
  }
  const id = named.get(name)
  if (operation !== 'GetTranscriptionJob' || id === undefined) return null
  const status = !isDone(id) ? 'IN_PROGRESS' : modelOfJob(id) === 'failing' ? 'FAILED' : 'COMPLETED'
  if (status === 'COMPLETED') stored.add(`${name}.json`)
  return {
    body: {
      TranscriptionJob: { TranscriptionJobStatus: status, LanguageCode: 'en-US', FailureReason: 'no audio' },
    },
  }
}

/**
 * The key where a request is signed with it, by Signature Version 4.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
function secretOfSignature({ method, url, headers, body }: Asked): string | undefined {
  const secret = order?.key ?? ''
  const { authorization = '' } = headers
  const found =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      authorization,
    )
  const [, day = '', region = '', service = '', signed = '', signature = ''] = found ?? []
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const hash = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')
  const payload = headers['x-amz-content-sha256']?.toString() ?? hash(body)
  const isPayloadRight = payload === 'UNSIGNED-PAYLOAD' || payload === hash(body)
  const names = signed.split(';')
  if (!names.includes('host') || !names.includes('x-amz-date') || !isPayloadRight) return undefined
  const canonical = [
    ...[method, url.pathname, [...url.searchParams].map(([name, value]) => `${name}=${value}`).join('&')],
    ...names.map((name) => `${name}:${headers[name]?.toString().trim()}`),
    ...['', signed, payload],
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date']?.toString(), scope, hash(canonical)].join('\n')
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day))
  return hmac(key, text).toString('hex') === signature ? secret : undefined
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
    ...{ body, url },
  }
}

let order: ProviderOrder | null = null

if (process.send !== undefined) {
  process.once('message', (given: ProviderOrder) => {
    order = given
    const counts = new Map<string, number>()
    const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
      const asked = await readRequest(request)
      const { status = 200, headers = {}, body } = answerTo(asked, given, counts)
      const model = documented[given.protocol].modelOf(asked)
      if (model === 'slow') await sleep(300)
      process.send?.({ model, method: asked.method, path: asked.path, status, storedCount: stored.size })
      const content = typeof body === 'string' ? body : JSON.stringify(body)
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(content)
    })
    server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
    process.once('disconnect', () => process.exit(0))
  })
}
