import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'

/** A JSON Schema without its words. */
type Schema = { readonly [key: string]: unknown }

/** What a provider's own document or SDK says of its requests and answers: names, types and limits. */
export interface PublishedFacts {
  readonly source: string
  readonly date: string
  /** By method and path; of a query, the fields of a form or JSON. */
  readonly requests: Readonly<Record<string, Schema>>
  readonly answers: Readonly<Record<string, Schema>>
}

/** An OpenAPI document of a repository, at a commit. */
export interface OpenApiDocument {
  readonly file: string
  readonly repository: string
  readonly commit: string
  readonly path: string
}

export const openApiDocuments = {
  openai: {
    file: 'openai.yaml',
    repository: 'openai/openai-openapi',
    commit: 'f85dbe223d40e1a31cba812ab2d755c7e98a92a3',
    path: 'openapi.yaml',
  },
  deepgram: {
    file: 'deepgram.yml',
    repository: 'deepgram/deepgram-api-specs',
    commit: '4ba987cf0522671a6a0ec0b6012670e4946f6430',
    path: 'openapi.yml',
  },
  assemblyai: {
    file: 'assemblyai.json',
    repository: 'AssemblyAI/assemblyai-api-spec',
    commit: '3fcf678dc009e6331077ddef1d829acb6e4611fb',
    path: 'openapi.json',
  },
  speechmatics: {
    file: 'speechmatics.yaml',
    repository: 'speechmatics/docs',
    commit: '8783a7ae3c71a36801fac2cebd08234a220f873c',
    path: 'spec/batch.yaml',
  },
} as const satisfies Readonly<Record<string, OpenApiDocument>>

/** What the check needs of npm; nothing of it is a dependency of the product. */
export const npmPackages: Readonly<Record<string, string>> = {
  '@stoplight/prism-cli': '5.14.2',
  typescript: '5.9.3',
  'groq-sdk': '1.6.0',
  '@mistralai/mistralai': '2.7.0',
  '@elevenlabs/elevenlabs-js': '2.73.0',
  '@gladiaio/sdk': '2.1.0',
  '@aws-sdk/client-transcribe': '3.1141.0',
  '@azure/ai-speech-transcription': '1.0.0',
  '@google-cloud/speech': '7.5.0',
}

const readOn = '2026-11-27'

/** Paths that a recording goes through. */
const pathsOf: Readonly<Record<keyof typeof openApiDocuments, readonly string[]>> = {
  openai: ['/audio/transcriptions'],
  deepgram: ['/v1/listen'],
  assemblyai: ['/v2/upload', '/v2/transcript', '/v2/transcript/{transcript_id}'],
  speechmatics: ['/jobs', '/jobs/{jobid}', '/jobs/{jobid}/transcript'],
}

/** A document with the paths that we ask alone, for a mock server: to read the rest takes minutes. */
export async function mockDocument(folder: string, id: keyof typeof openApiDocuments): Promise<Schema> {
  const text = await readFile(join(folder, openApiDocuments[id].file), 'utf8')
  const document = parse(text, { maxAliasCount: -1 }) as Schema
  const base = typeof document['basePath'] === 'string' ? document['basePath'] : ''
  const paths = Object.fromEntries(
    pathsOf[id].map((path) => [base + path, atPath(document, ['paths', path])]),
  )
  const kept: Record<string, Record<string, Schema>> = {}
  const keep = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(keep)
    if (!isObject(value)) return
    const reference = value['$ref']
    if (typeof reference === 'string') {
      const path = reference.slice(2).split('/')
      const [place, name] = [path.slice(0, -1).join('/'), path.at(-1) ?? '']
      if (kept[place]?.[name] !== undefined) return
      const named = atPath(document, path)
      // Parts that each allow nothing more allow nothing together: they are one object.
      const found =
        named['allOf'] === undefined
          ? named
          : { ...inlined(document, named), ...pick(named, ['additionalProperties']) }
      kept[place] = { ...kept[place], [name]: found }
      keep(found)
    }
    Object.values(value).forEach(keep)
  }
  keep(paths)
  // Its page of the API says what the document does not: the recording itself is taken as well.
  const listen = atPath(paths, ['/v1/listen', 'post', 'requestBody', 'content'])
  if (listen !== undefined)
    Object.assign(listen, { 'audio/wav': { schema: { type: 'string', format: 'binary' } } })
  const { basePath: _, definitions: __, webhooks: ___, components, ...rest } = document
  const parts = Object.fromEntries(
    Object.entries(kept).map(([place, own]) => [place.replace('components/', ''), own]),
  )
  const securitySchemes = isObject(components) ? components['securitySchemes'] : undefined
  const own =
    components === undefined
      ? parts
      : { components: { ...parts, ...(isObject(securitySchemes) ? { securitySchemes } : {}) } }
  return mockable({ ...rest, paths, ...own }) as Schema
}

/** Jobs are done at once; a value that two of several schemas describe is no fault; an example of another version is left out. */
function mockable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mockable)
  if (!isObject(value)) return value
  const { oneOf, enum: values, example, ...rest } = value
  const isEnded = (one: unknown): boolean => one === 'done' || one === 'completed'
  const isMisplaced = Array.isArray(example) && rest['type'] === 'object'
  const isOutdated = isMisplaced || JSON.stringify(example ?? null).includes('"status":"transcribing"')
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, mockable(inner)])),
    ...(oneOf === undefined ? {} : { anyOf: mockable(oneOf) }),
    ...(Array.isArray(values)
      ? { enum: values.toSorted((one, other) => Number(isEnded(other)) - Number(isEnded(one))) }
      : {}),
    ...(example === undefined || isOutdated ? {} : { example }),
  }
}

/** What our reading of answers looks at, in all of them. */
const readNames: ReadonlySet<string> = new Set(
  `text language languages segments words word start end results channels detected_language alternatives transcript
  punctuated_word utterances language_code type upload_url id status error metadata language_identification language_pack_info
  word_delimiter start_time end_time attaches_to content job errors message audio_url error_code result transcription
  full_transcript combinedPhrases phrases offsetMilliseconds durationMilliseconds locale channel TranscriptionJob
  TranscriptionJobStatus LanguageCode FailureReason`.split(/\s+/),
)

interface OpenApiSource {
  readonly requests: Readonly<
    Record<string, readonly string[] | { readonly parametersOf: readonly string[] }>
  >
  readonly answers: Readonly<Record<string, readonly string[]>>
}

const openApiSources: Readonly<Record<keyof typeof openApiDocuments, OpenApiSource>> = {
  openai: {
    requests: { 'POST /audio/transcriptions': ['components', 'schemas', 'CreateTranscriptionRequest'] },
    answers: {
      json: ['components', 'schemas', 'CreateTranscriptionResponseJson'],
      verbose_json: ['components', 'schemas', 'CreateTranscriptionResponseVerboseJson'],
    },
  },
  deepgram: {
    requests: { 'POST /v1/listen': { parametersOf: ['paths', '/v1/listen', 'post'] } },
    answers: { transcript: ['components', 'schemas', 'ListenV1Response'] },
  },
  assemblyai: {
    requests: { 'POST /v2/transcript': ['components', 'schemas', 'TranscriptParams'] },
    answers: {
      upload: ['components', 'schemas', 'UploadedFile'],
      transcript: ['components', 'schemas', 'Transcript'],
    },
  },
  speechmatics: {
    requests: {
      'POST /v2/jobs': ['definitions', 'JobConfig'],
      'GET /v2/jobs/j/transcript': { parametersOf: ['paths', '/jobs/{jobid}/transcript', 'get'] },
    },
    answers: {
      submitted: ['definitions', 'CreateJobResponse'],
      job: ['definitions', 'RetrieveJobResponse'],
      transcript: ['definitions', 'RetrieveTranscriptResponse'],
    },
  },
}

interface SdkSource {
  readonly package: string
  /** A file of types inside the package, and what of it is asked about. */
  readonly requests: Readonly<Record<string, readonly [file: string, type: string]>>
  readonly answers: Readonly<Record<string, readonly [file: string, type: string]>>
  /** A name of the types as the API writes it. */
  readonly nameOf?: (name: string) => string
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const elevenlabsTypes = 'dist/api/types/SpeechToTextChunkResponseModel.d.ts'
const elevenlabsRequest =
  'dist/api/resources/speechToText/client/requests/BodySpeechToTextV1SpeechToTextPost.d.ts'
const gladiaTypes = 'dist/v2/prerecorded/generated-types.d.ts'
const awsTypes = 'dist-types/models/models_0.d.ts'
const azureTypes = 'dist/esm/models/models.d.ts'
/** What the serializer of Azure's SDK renames. */
const azureNames: Readonly<Record<string, string>> = {
  diarizationOptions: 'diarization',
  activeChannels: 'channels',
  durationInMs: 'durationMilliseconds',
  offsetInMs: 'offsetMilliseconds',
}

const sdkSources: Readonly<Record<string, SdkSource>> = {
  groq: {
    package: 'groq-sdk',
    requests: {
      'POST /audio/transcriptions': ['resources/audio/transcriptions.d.ts', 'TranscriptionCreateParams'],
    },
    answers: { json: ['resources/audio/transcriptions.d.ts', 'Transcription'] },
  },
  mistral: {
    package: '@mistralai/mistralai',
    requests: {
      'POST /audio/transcriptions': [
        'esm/models/components/audiotranscriptionrequest.d.ts',
        'AudioTranscriptionRequest',
      ],
    },
    answers: { json: ['esm/models/components/transcriptionresponse.d.ts', 'TranscriptionResponse'] },
    nameOf: snakeCase,
  },
  elevenlabs: {
    package: '@elevenlabs/elevenlabs-js',
    requests: { 'POST /v1/speech-to-text': [elevenlabsRequest, 'BodySpeechToTextV1SpeechToTextPost'] },
    answers: { transcript: [elevenlabsTypes, 'SpeechToTextChunkResponseModel'] },
    nameOf: snakeCase,
  },
  gladia: {
    package: '@gladiaio/sdk',
    requests: { 'POST /v2/pre-recorded': [gladiaTypes, 'PreRecordedV2InitTranscriptionRequest'] },
    answers: {
      upload: [gladiaTypes, 'PreRecordedV2AudioUploadResponse'],
      submitted: [gladiaTypes, 'PreRecordedV2InitTranscriptionResponse'],
      transcript: [gladiaTypes, 'PreRecordedV2Response'],
    },
  },
  'azure-fast': {
    package: '@azure/ai-speech-transcription',
    requests: { 'POST /speechtotext/transcriptions:transcribe': [azureTypes, 'TranscriptionOptions'] },
    answers: { fast: [azureTypes, 'TranscriptionResult'] },
    nameOf: (name) => azureNames[name] ?? name,
  },
  aws: {
    package: '@aws-sdk/client-transcribe',
    requests: {
      'Transcribe.StartTranscriptionJob': [awsTypes, 'StartTranscriptionJobRequest'],
      'Transcribe.GetTranscriptionJob': [awsTypes, 'GetTranscriptionJobRequest'],
      'Transcribe.DeleteTranscriptionJob': [awsTypes, 'DeleteTranscriptionJobRequest'],
    },
    answers: { job: [awsTypes, 'GetTranscriptionJobResponse'] },
  },
  google: {
    package: '@google-cloud/speech',
    requests: {
      'POST /speech:recognize': ['build/protos/protos.d.ts', 'google.cloud.speech.v1.IRecognizeRequest'],
    },
    answers: {},
  },
}

/**
 * Reads the documents and SDKs in a folder.
 *
 * @param sent names of the fields that our requests have; of others, only the name is kept
 */
export async function deriveFacts(
  folder: string,
  sent: ReadonlySet<string>,
): Promise<{
  readonly facts: Readonly<Record<string, PublishedFacts>>
  readonly missing: readonly string[]
}> {
  const facts: Record<string, PublishedFacts> = {}
  const missing: string[] = []
  for (const [id, source] of Object.entries(openApiSources)) {
    const { file, repository, commit, path } = openApiDocuments[id as keyof typeof openApiDocuments]
    if (!existsSync(join(folder, file))) {
      missing.push(id)
      continue
    }
    const document = parse(await readFile(join(folder, file), 'utf8'), { maxAliasCount: -1 }) as Schema
    const request = (at: OpenApiSource['requests'][string]): Schema =>
      prune(
        'parametersOf' in at
          ? querySchema(document, at.parametersOf)
          : inlined(document, atPath(document, at)),
        {
          kept: sent,
          isRequest: true,
        },
      )
    facts[id] = {
      source: `https://github.com/${repository}/blob/${commit}/${path}`,
      date: readOn,
      requests: mapValues(source.requests, request),
      answers: mapValues(source.answers, (at) =>
        prune(inlined(document, atPath(document, at)), { kept: readNames, isRequest: false }),
      ),
    }
  }
  const programs = join(folder, 'node_modules')
  if (!existsSync(join(programs, 'typescript'))) missing.push(...Object.keys(sdkSources))
  else {
    for (const [id, source] of Object.entries(sdkSources)) {
      if (!existsSync(join(programs, source.package))) {
        missing.push(id)
        continue
      }
      const schemaOf = typeReader(programs, source)
      facts[id] = {
        source: `https://www.npmjs.com/package/${source.package}/v/${npmPackages[source.package]}`,
        date: readOn,
        requests: mapValues(source.requests, (at) => prune(schemaOf(at), { kept: sent, isRequest: true })),
        answers: mapValues(source.answers, (at) =>
          prune(schemaOf(at), { kept: readNames, isRequest: false }),
        ),
      }
    }
  }
  return { facts, missing }
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function atPath(document: Schema, path: readonly string[]): Schema {
  return path.reduce<unknown>((value, key) => (value as Schema | undefined)?.[key], document) as Schema
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema with its references in place; one that contains itself has no properties there. */
function inlined(document: Schema, schema: unknown, open: readonly string[] = []): Schema {
  if (!isObject(schema)) return {}
  const { $ref: reference } = schema
  if (typeof reference === 'string') {
    if (open.includes(reference)) return {}
    return inlined(document, atPath(document, reference.replace('#/', '').split('/')), [...open, reference])
  }
  const inner = (value: unknown): Schema => inlined(document, value, open)
  const merged = Array.isArray(schema['allOf']) ? schema['allOf'].map(inner) : []
  const properties = Object.assign(
    {},
    ...merged.map((part) => part['properties'] ?? {}),
    schema['properties'],
  )
  const required = [
    ...merged.flatMap((part) => part['required'] ?? []),
    ...((schema['required'] as []) ?? []),
  ]
  const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly unknown[] | undefined
  return {
    ...pick(schema, [
      'type',
      'enum',
      'minimum',
      'maximum',
      'minItems',
      'maxItems',
      'maxLength',
      'pattern',
      'nullable',
    ]),
    ...(Object.keys(properties).length > 0 ? { properties: mapValues(properties, inner) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(isObject(schema['items']) ? { items: inner(schema['items']) } : {}),
    ...(choices === undefined ? {} : { anyOf: choices.map(inner) }),
  }
}

function pick(schema: Schema, keys: readonly string[]): Schema {
  return Object.fromEntries(keys.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])))
}

/** The query of an operation as an object. */
function querySchema(document: Schema, path: readonly string[]): Schema {
  const { parameters } = atPath(document, path) as { readonly parameters: readonly Schema[] }
  const query = parameters
    .map((one) => (typeof one['$ref'] === 'string' ? atPath(document, one['$ref'].slice(2).split('/')) : one))
    .filter((one) => one['in'] === 'query')
  const properties = query.map((one) => [
    one['name'],
    inlined(document, one['schema'] ?? pick(one, ['type', 'enum'])),
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Leaves out what we neither send nor read, so that only facts about our requests and answers are kept. */
function prune(
  schema: Schema,
  { kept, isRequest }: { readonly kept: ReadonlySet<string>; readonly isRequest: boolean },
): Schema {
  const inner = (value: unknown): Schema => prune(value as Schema, { kept, isRequest })
  const { properties, items, anyOf, required, nullable, ...rest } = schema
  const own = Object.entries((properties ?? {}) as Schema).flatMap(([name, value]): [string, Schema][] =>
    kept.has(name) ? [[name, inner(value)]] : isRequest ? [[name, {}]] : [],
  )
  const names = new Set(own.map(([name]) => name))
  const needed = ((required ?? []) as readonly string[]).filter((name) => names.has(name))
  const pruned: Schema = {
    ...rest,
    ...(properties === undefined ? {} : { type: 'object', properties: Object.fromEntries(own) }),
    ...(properties === undefined || !isRequest ? {} : { additionalProperties: false }),
    ...(needed.length > 0 ? { required: needed } : {}),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(anyOf === undefined
      ? {}
      : choicesOf((isRequest ? documented(anyOf as []) : (anyOf as [])).map(inner))),
  }
  return nullable === true ? { anyOf: [pruned, { type: 'null' }] } : pruned
}

function choicesOf(choices: readonly Schema[]): Schema {
  return choices.length === 1 ? (choices[0] as Schema) : { anyOf: choices }
}

/** We send no null; and where any text is taken next to a list of values, what we send is held to the list. */
function documented(choices: readonly Schema[]): readonly Schema[] {
  const isListed = choices.some((choice) => choice['enum'] !== undefined)
  const isAnyText = ({ type, enum: values }: Schema): boolean => type === 'string' && values === undefined
  return choices.filter((choice) => choice['type'] !== 'null' && !(isListed && isAnyText(choice)))
}

/** The types of a package as schemas, by TypeScript's own reading of them. */
function typeReader(
  programs: string,
  source: SdkSource,
): (at: readonly [file: string, type: string]) => Schema {
  // Its types are of another version than ours, which has no such reader.
  const typescript = createRequire(join(programs, 'x.js'))('typescript')
  const files = [...Object.values(source.requests), ...Object.values(source.answers)].map(([file]) =>
    join(programs, source.package, file),
  )
  const program = typescript.createProgram(files, {
    strict: true,
    noLib: false,
    skipLibCheck: true,
    module: typescript.ModuleKind.NodeNext,
    moduleResolution: typescript.ModuleResolutionKind.NodeNext,
    target: typescript.ScriptTarget.ES2022,
    types: [],
  })
  const checker = program.getTypeChecker()
  const nameOf = source.nameOf ?? ((name: string) => name)
  const flags = typescript.TypeFlags

  // biome-ignore lint/suspicious/noExplicitAny: The reader's types come with a package that is not ours.
  const schemaOf = (type: any, depth: number): Schema => {
    if (depth > 9) return {}
    const name: string | undefined = type.aliasSymbol?.name ?? type.symbol?.name
    // The JSON of protobuf writes these as the plain value.
    if (name === 'IBoolValue') return { type: 'boolean' }
    if (type.flags & flags.StringLiteral || type.flags & flags.NumberLiteral) return { enum: [type.value] }
    if (type.flags & flags.StringLike) return { type: 'string' }
    if (type.flags & flags.NumberLike) return { type: 'number' }
    if (type.flags & flags.BooleanLike) return { type: 'boolean' }
    if (type.flags & flags.Null) return { type: 'null' }
    if (type.isUnion?.()) return unionOf(type.types, depth)
    if (checker.isArrayType(type)) {
      return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0], depth + 1) }
    }
    // `string & {}` stands next to the values that are known.
    if (type.isIntersection?.()) return schemaOf(type.types[0], depth)
    if (!(type.flags & flags.Object)) return {}
    if (['Blob', 'File', 'Buffer', 'Uint8Array', 'Date', 'ReadStream'].includes(name ?? '')) return {}
    const own = checker.getPropertiesOfType(type)
    if (own.length === 0) return {}
    // biome-ignore lint/suspicious/noExplicitAny: The same.
    const properties = own.map((property: any) => {
      const valueType = checker.getTypeOfSymbol(property)
      const isOptional =
        (property.flags & typescript.SymbolFlags.Optional) !== 0 ||
        (valueType.isUnion?.() &&
          valueType.types.some((one: { flags: number }) => one.flags & flags.Undefined))
      return { name: nameOf(property.name), schema: schemaOf(valueType, depth + 1), isOptional }
    })
    return {
      type: 'object',
      properties: Object.fromEntries(
        properties.map((one: { name: string; schema: Schema }) => [one.name, one.schema]),
      ),
      required: properties.flatMap((one: { name: string; isOptional: boolean }) =>
        one.isOptional ? [] : [one.name],
      ),
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: The same.
  const unionOf = (types: readonly any[], depth: number): Schema => {
    const defined = types.filter(({ flags: own }) => !(own & flags.Undefined))
    const literals = defined.filter(({ flags: own }) => own & (flags.StringLiteral | flags.NumberLiteral))
    const rest = defined.filter((one) => !literals.includes(one)).map((one) => schemaOf(one, depth + 1))
    const choices = [
      ...(literals.length === 0 ? [] : [{ enum: literals.map(({ value }) => value) }]),
      ...new Map(rest.map((one) => [JSON.stringify(one), one])).values(),
    ]
    return choices.length === 1 ? (choices[0] as Schema) : { anyOf: choices }
  }

  return ([file, path]) => {
    const sourceFile = program.getSourceFile(join(programs, source.package, file))
    const exported = checker.getSymbolAtLocation(sourceFile)
    const top = path.split('.')
    let symbols = exported ? checker.getExportsOfModule(exported) : [...sourceFile.locals.values()]
    let found: unknown
    for (const part of top) {
      found = symbols.find((symbol: { name: string }) => symbol.name === part)
      if (found === undefined) throw new TypeError(`${source.package}: ${file} has no ${path}`)
      symbols = [...((found as { exports?: Map<string, { name: string }> }).exports?.values() ?? [])]
    }
    return schemaOf(checker.getDeclaredTypeOfSymbol(found), 0)
  }
}
