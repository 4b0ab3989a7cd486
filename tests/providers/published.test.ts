import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { protocols } from '#providers/protocols/protocols'
import type { ProviderData } from '#providers/providers'
import { findProvider } from '#providers/providers'
import { contentOf, everyRequest, requestsOf } from './requests.ts'

/** Facts that `tests/live/providers.ts` derives from what the providers publish. */
type Schema = { readonly [key: string]: unknown }
interface PublishedFacts {
  readonly source: string
  readonly date: string
  readonly requests: Readonly<Record<string, Schema>>
  readonly answers: Readonly<Record<string, Schema>>
}

const folder = join(import.meta.dirname, 'published')
const published = readdirSync(folder).map((name) => {
  const facts: PublishedFacts = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  return { provider: findProvider(name.replace('.json', '')) as ProviderData, ...facts }
})

/** A field of a form has no type: what the schema says is what its server reads out of the text. */
function typed(value: unknown, schema: Schema | undefined): unknown {
  const choices = (schema?.['anyOf'] ?? [schema]) as readonly (Schema | undefined)[]
  const types = choices.map((choice) => choice?.['type'])
  if (Array.isArray(value)) return value
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  if (types.some((type) => type === 'number' || type === 'integer')) return Number(value)
  return types.every((type) => type === 'array') ? [value] : value
}

const readers = new Map<Schema, z.ZodType>()
function faultOf(schema: Schema, value: unknown): string | null {
  const reader = readers.get(schema) ?? z.fromJSONSchema(schema as never)
  readers.set(schema, reader)
  const read = reader.safeParse(value)
  return read.success ? null : z.prettifyError(read.error)
}

/** Models that are newer than the document. */
const newerModels: Readonly<Record<string, readonly string[]>> = { speechmatics: ['oak-1'] }

describe.each(published)('the requests of $provider.id', ({ provider, requests }) => {
  test('have the fields, types and values that it publishes', () => {
    const faults = new Set<string>()
    const seen = new Set<string>()
    const isOlder = ({ id }: { readonly id: string }): boolean =>
      newerModels[provider.id]?.includes(id) !== true
    for (const step of everyRequest({ ...provider, models: provider.models.filter(isOlder) })) {
      const { key, content, isText } = contentOf(step)
      const schema = requests[key]
      // What asks by its path alone, or carries the recording alone, is in no schema.
      if (schema === undefined || content === null) continue
      seen.add(key)
      const properties = schema['properties'] as Readonly<Record<string, Schema>>
      const value = isText
        ? Object.fromEntries(
            Object.entries(content ?? {}).map(([name, own]) => [name, typed(own, properties[name])]),
          )
        : content
      const fault = faultOf(schema, value)
      if (fault !== null) faults.add(`${key}: ${fault}\n${JSON.stringify(value).slice(0, 300)}`)
    }
    expect([...faults]).toEqual([])
    expect([...seen].sort()).toEqual(Object.keys(requests).sort())
  })
})

/** Which request the answers of a document are for. */
const stepsOf: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  assemblyai: { upload: [0], transcript: [1, 2] },
  speechmatics: { submitted: [0], job: [1], transcript: [2] },
  gladia: { upload: [0], submitted: [1], transcript: [2] },
  aws: { job: [1, 2] },
}

/** The job has ended in an example. */
const ended = ['done', 'completed', 'COMPLETED']
/** What an answer of an ended job has, although its schema does not require it. */
const always = [
  'TranscriptionJob',
  'TranscriptionJobStatus',
  'result',
  'transcription',
  'alternatives',
  'transcript',
]

function withoutNull(schema: Schema): Schema {
  const choices = (schema['anyOf'] as readonly Schema[] | undefined)?.filter(({ type }) => type !== 'null')
  return choices?.[0] ?? schema
}

/** An answer of a schema: with everything in it, or with what is required alone and null wherever that is allowed. */
function exampleOf(schema: Schema, isFull: boolean): unknown {
  const { type, enum: values, properties, required, items, anyOf } = schema
  if (Array.isArray(anyOf)) {
    const isNull = (choice: Schema): boolean => choice['type'] === 'null'
    const choice = anyOf.find((one) => isNull(one) !== isFull) ?? anyOf[0]
    return exampleOf(choice, isFull)
  }
  if (Array.isArray(values)) return values.find((value) => ended.includes(value)) ?? values[0]
  if (Array.isArray(type))
    return !isFull && type.includes('null') ? null : exampleOf({ ...schema, type: type[0] }, isFull)
  switch (type) {
    case 'object': {
      const own = Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>)
      const kept = own.filter(
        ([name]) => isFull || always.includes(name) || ((required ?? []) as readonly string[]).includes(name),
      )
      return Object.fromEntries(
        kept.map(([name, value]) => [
          name,
          exampleOf(always.includes(name) ? withoutNull(value) : value, isFull),
        ]),
      )
    }
    case 'array':
      return [exampleOf((items ?? {}) as Schema, isFull)]
    case 'string':
      return '1'
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    default:
      return null
  }
}

describe.each(published.filter(({ answers }) => Object.keys(answers).length > 0))(
  'the answers of $provider.id',
  ({ provider, answers }) => {
    test.each([true, false])('are read as it publishes them (with everything: %s)', (isFull) => {
      const everyTime = protocols[provider.protocol].timestamps
      const steps = requestsOf(provider, { model: provider.models[0]?.id ?? '', timestamps: everyTime })
      for (const [name, schema] of Object.entries(answers)) {
        for (const index of stepsOf[provider.id]?.[name] ?? [0]) {
          const answer = exampleOf(schema, isFull)
          expect(steps[index]?.read(answer), `${name}: ${JSON.stringify(answer)}`).not.toBeNull()
        }
      }
    })
  },
)
