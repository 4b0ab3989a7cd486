/** Google, Azure and Amazon, as their documentation describes them: two read recordings from a storage of the account. */
import { createHash, createHmac } from 'node:crypto'
import { documentedTranscripts } from './documented-transcripts.ts'
import {
  type Answer,
  type Asked,
  type Documented,
  isDone,
  jobs,
  modelOfJob,
  newJob,
  stored,
} from './provider-behaviours.ts'

let accountKey = ''

/** The key that requests have to show or to sign with. */
export function setKey(key: string): void {
  accountKey = key
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

/** Jobs that were asked for the times of words. */
const timedJobs = new Set<string>()

function azureAnswer(asked: Asked, model: string | null, text: string): Answer | null {
  const { path, method, query, headers, json, bytes, url } = asked
  const name = path.split('/').at(-1) ?? ''
  if (path.startsWith('/container/')) {
    if (method === 'DELETE') return stored.delete(name) ? { status: 202, body: '' } : null
    if (method !== 'PUT' || headers['x-ms-blob-type'] !== 'BlockBlob' || bytes <= 44) return null
    stored.add(name)
    return { status: 201, body: '' }
  }
  if (path.startsWith('/results/')) return { body: documentedTranscripts.azure(asked, text) }
  if (query.get('api-version') !== version) return null
  if (method === 'DELETE') return jobs.delete(name) ? { status: 204, body: '' } : null
  if (model !== null) {
    const [audio] = (json?.['contentUrls'] ?? []) as readonly string[]
    const blob = URL.canParse(audio ?? '') ? new URL(audio ?? '') : null
    const isThere =
      stored.has(blob?.pathname.split('/').at(-1) ?? '') && blob?.searchParams.has('sig') === true
    if (!isThere || typeof json?.['locale'] !== 'string') return null
    const id = newJob(model)
    if (fieldOf(json, 'properties', 'displayFormWordLevelTimestampsEnabled') === true) timedJobs.add(id)
    const self = `https://elsewhere.example/speechtotext/transcriptions/${id}?api-version=${version}`
    const { displayName, locale, properties } = json ?? {}
    return { status: 201, body: { self, displayName, locale, properties, status: 'NotStarted' } }
  }
  if (name === 'files') {
    const timed = String(timedJobs.has(path.split('/').at(-2) ?? ''))
    const signature = new URLSearchParams({ timed, sig: accountKey })
    const more = { properties: { size: 1230 }, createdDateTime: '2026-11-23T12:00:00Z' }
    const links = (name: string) => ({ contentUrl: `${url.origin}/results/${name}?${signature}` })
    return {
      body: {
        values: ['report.json', 'contenturl_0.json'].map((file) => ({
          self: `${url.href}/${file}`,
          name: file,
          links: links(file),
          ...more,
          kind: file === 'report.json' ? 'TranscriptionReport' : 'Transcription',
        })),
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
    if (method === 'GET') return stored.has(file) ? { body: documentedTranscripts.aws(asked, text) } : null
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
  const secret = accountKey
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

const azureRefusals: Documented['refusals'] = {
  unauthorized: azureError(401, 'Access denied due to invalid subscription key or wrong API endpoint.'),
  limited: {
    ...azureError(429, 'Rate limit is exceeded. Try again in 1 seconds.'),
    headers: { 'retry-after': '1' },
  },
  quota: azureError(403, 'Out of call volume quota. Quota will be replenished in 12 days.'),
}

/** What the form of a fast transcription says; null where it is not there. */
function definitionOf({ form, path }: Asked): { readonly models?: Readonly<Record<string, string>> } | null {
  const definition = form?.get('definition')
  const isAsked = path === '/speechtotext/transcriptions:transcribe' && typeof definition === 'string'
  return isAsked ? JSON.parse(definition) : null
}

export const accountProviders: Readonly<Record<'google' | 'azure' | 'azure-fast' | 'aws', Documented>> = {
  google: {
    see: 'https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize',
    keyOf: ({ headers }) => headers['x-goog-api-key']?.toString(),
    modelOf: ({ json, path }) =>
      path === '/v1/speech:recognize' ? String(fieldOf(json, 'config', 'model')) : null,
    answer: (asked, model, text) => {
      const { json } = asked
      const audio = Buffer.from(String(fieldOf(json, 'audio', 'content')), 'base64')
      if (model === null || audio.subarray(0, 4).toString() !== 'RIFF') return null
      if (typeof fieldOf(json, 'config', 'languageCode') !== 'string') return null
      return { body: documentedTranscripts.google(asked, text) }
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
    see: 'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-get',
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
    refusals: azureRefusals,
  },
  'azure-fast': {
    see: 'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/fast-transcription-create',
    keyOf: ({ headers }) => headers['ocp-apim-subscription-key']?.toString(),
    modelOf: (asked) => {
      const definition = definitionOf(asked)
      return definition === null ? null : (Object.values(definition.models ?? {})[0] ?? 'fast')
    },
    answer: (asked, model, text) => {
      const isWhole =
        asked.form?.get('audio') instanceof File && asked.query.get('api-version') === '2025-10-15'
      return model === null || !isWhole ? null : { body: documentedTranscripts['azure-fast'](asked, text) }
    },
    refusals: azureRefusals,
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
}
