import { z } from 'zod'
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints'
import { limits, type Platform, platforms } from '#contract/enums'
import { errorEnvelope } from '#contract/failures'
import { mode, modeTextLimits, type WritableModeField } from '#contract/modes'
import {
  healthProblem,
  localModel,
  modelEntry,
  providerStatus,
  recorderState,
  recording,
} from '#contract/resources'
import { transcriptionOptions } from '#contract/transcription'

type Json = Readonly<Record<string, unknown>>

/** Version of the API description. */
const interfaceVersion = '1.0.0'
const examplePort = '39201'

/**
 * The OpenAPI description of the Local Transcription API, generated from the endpoint table and the parsers.
 * Differences between builds are in descriptions and in `x-platforms`.
 *
 * @returns a JSON document
 * @see OpenAPI Specification 3.1.1, https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument(): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Local Transcription API',
      version: interfaceVersion,
      summary: 'Transcription, Modes and recordings of the service on this machine.',
      description:
        'Refusals of the work itself are HTTP 200 with `ok: false`: read the `code`, not the status. Port and token ' +
        'are in the discovery file `local-api.json`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: 'http://127.0.0.1:{port}',
        description: 'Loopback only; the real port is the one in the discovery file.',
        variables: { port: { default: examplePort } },
      },
    ],
    security: [{ bearer: [] }],
    paths: describePaths(Object.values(endpoints)),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: '32 random bytes in base64url' },
      },
      schemas: { ...answerSchemas(), ...requestSchemas() },
      responses: protocolResponses,
    },
  }
}

function describePaths(all: readonly Endpoint<EndpointName>[]): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const endpoint of all) {
    const path = endpoint.path.replace(':id', '{id}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint) }
  }
  return paths
}

function describeOperation(endpoint: Endpoint<EndpointName>): Json {
  const { name, summary, tag, authenticated, body } = endpoint
  const parameters = describeParameters(endpoint)
  return {
    operationId: name,
    summary,
    tags: [tag],
    'x-platforms': endpoint.platforms,
    ...(authenticated ? {} : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === 'none' ? {} : { requestBody: describeRequestBody(endpoint) }),
    responses: describeResponses(endpoint),
  }
}

function describeParameters({ path, query }: Endpoint<EndpointName>): Json[] {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }
  const ofQuery = query.map(([parameter, schema, description]) => ({
    name: parameter,
    in: 'query',
    description,
    schema: bare(z.toJSONSchema(schema, { io: 'input' })),
  }))
  return [...(path.includes(':id') ? [id] : []), ...ofQuery]
}

function describeRequestBody({ request, body }: Endpoint<EndpointName>): Json {
  const content = { 'application/json': { schema: reference('schemas', request?.[0] ?? '') } }
  if (body !== 'audio') return { required: true, content }
  return {
    required: true,
    description:
      'Either `file` or `audio_base64`, and either `mode_id` or `engine` with `model`. Multipart on Linux only.',
    content: { ...content, 'multipart/form-data': { schema: reference('schemas', 'TranscriptionParts') } },
  }
}

function describeResponses({ name, body, authenticated, platforms: served }: Endpoint<EndpointName>): Json {
  const schema = { oneOf: [reference('schemas', answerName(name)), reference('schemas', 'ErrorEnvelope')] }
  const isBusyPossible = name === 'toggleRecorder'
  const isBare413Possible = body === 'json'
  return {
    200: { description: 'Done, or refused with `ok: false`', content: { 'application/json': { schema } } },
    ...(body === 'none' ? {} : { 400: reference('responses', 'Malformed') }),
    ...(isBusyPossible ? { 400: reference('responses', 'Busy') } : {}),
    ...(authenticated ? { 401: reference('responses', 'Unauthorized') } : {}),
    403: reference('responses', 'Forbidden'),
    ...(served.length < platforms.length ? { 404: reference('responses', 'NotServed') } : {}),
    ...(isBare413Possible ? { 413: reference('responses', 'TooLarge') } : {}),
    431: reference('responses', 'HeadTooLarge'),
  }
}

const protocolResponses: Json = {
  Malformed: withEnvelope(
    'The body is not JSON; older Windows builds: or it is over 30,000,000 bytes',
    platforms,
  ),
  Busy: withEnvelope('The recorder is stopping or transcribing', ['linux']),
  Unauthorized: withEnvelope('Missing or invalid bearer token', platforms),
  Forbidden: withEnvelope('Rejected Host, Origin or Sec-Fetch-Site header', platforms),
  NotServed: withEnvelope('This build has no recorder', ['macos', 'windows', 'windows-legacy']),
  TooLarge: { description: 'The body is over the request limit', 'x-platforms': ['linux'] },
  HeadTooLarge: {
    description: 'The request head is over 8 KiB in a line or 64 KiB in all; the connection closes',
    'x-platforms': ['macos'],
  },
}

function withEnvelope(description: string, on: readonly Platform[]): Json {
  const content = { 'application/json': { schema: reference('schemas', 'ErrorEnvelope') } }
  return { description, 'x-platforms': on, content }
}

function answerName(name: EndpointName): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Answer`
}

function reference(kind: 'schemas' | 'responses', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` }
}

/** Schemas of the parsers' output, which clients can rely on because defaults replace missing fields. */
function answerSchemas(): Json {
  const named = z.registry<{ id: string }>()
  const parts = {
    Mode: mode,
    ModelEntry: modelEntry,
    Recording: recording,
    RecorderState: recorderState,
    ProviderStatus: providerStatus,
    LocalModel: localModel,
    HealthProblem: healthProblem,
  }
  for (const [id, schema] of Object.entries({ ...parts, ErrorEnvelope: errorEnvelope }))
    named.add(schema, { id })
  for (const { name, answer } of Object.values(endpoints)) named.add(answer, { id: answerName(name) })
  return componentSchemas(named, 'output')
}

function requestSchemas(): Json {
  const named = z.registry<{ id: string }>()
  for (const { request } of Object.values(endpoints)) {
    if (request !== null) named.add(request[1], { id: request[0] })
  }
  const schemas = componentSchemas(named, 'input')
  return {
    ...schemas,
    ModeDraft: withTextLimits(schemas['ModeDraft']),
    ModePatch: withTextLimits(schemas['ModePatch']),
    TranscriptionParts: transcriptionParts(),
  }
}

/** Adds the service's length limits, which the parsers do not check because other servers may have other limits. */
function withTextLimits(schema: unknown): Json {
  const { properties, ...rest } = asObject(schema)
  const limited = Object.entries(asObject(properties)).map(([field, property]) => [
    field,
    { ...asObject(property), ...describeLengths(field as WritableModeField) },
  ])
  return { ...rest, properties: Object.fromEntries(limited) }
}

function describeLengths(field: WritableModeField): Json {
  const maxLength = modeTextLimits[field]
  if (maxLength === undefined) return {}
  if (field !== 'customVocabulary') return { maxLength }
  return { maxItems: limits.vocabularyWords, description: `Words of ${maxLength} characters at most` }
}

function transcriptionParts(): Json {
  const { properties } = bare(z.toJSONSchema(transcriptionOptions, { io: 'input' }))
  return {
    type: 'object',
    properties: {
      ...asObject(properties),
      audio: { type: 'string', contentMediaType: 'application/octet-stream' },
    },
    required: ['audio'],
  }
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

function componentSchemas(named: z.core.$ZodRegistry<{ id: string }>, io: 'input' | 'output'): Json {
  const { schemas } = z.toJSONSchema(named, { io, uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]))
}

/** Removes the schema members that only a standalone document needs. */
function bare(schema: Json): Json {
  const { $schema: _dialect, $id: _id, id: _name, '~standard': _standard, ...rest } = schema
  return rest
}
