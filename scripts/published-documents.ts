import { documentJsonSchemas } from '#analysis'
import { capacityJsonSchema } from '#capacity'
import { journalJsonSchemas } from '#journal'
import { sessionJsonSchemas } from '#session'

/** A JSON Schema as far as this repository writes them. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
}

/** The JSON Schema of every published document, by its name: `docs/schemas/<name>.schema.json`. */
export function publishedSchemas(): Readonly<Record<string, JsonSchema>> {
  const schemas = {
    ...journalJsonSchemas(),
    ...documentJsonSchemas(),
    ...sessionJsonSchemas(),
    capacity: capacityJsonSchema(),
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withoutMachineLimits(schema) as JsonSchema]),
  )
}

/** Without the bounds of exact whole numbers, which say nothing about a document. */
function withoutMachineLimits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMachineLimits)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([keyword, limit]) =>
          !(keyword === 'maximum' && limit === Number.MAX_SAFE_INTEGER) &&
          !(keyword === 'minimum' && limit === Number.MIN_SAFE_INTEGER),
      )
      .map(([keyword, part]) => [keyword, withoutMachineLimits(part)]),
  )
}

/** The paths of all properties without a description, from the top of the document or of a named shape. */
export function unexplainedProperties(schema: JsonSchema, path = ''): readonly string[] {
  const { $defs = {}, properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = schema
  const parts: [string, JsonSchema][] = [
    ...Object.entries($defs).map(([name, def]): [string, JsonSchema] => [name, def]),
    ...Object.entries(properties).map(([key, property]): [string, JsonSchema] => [
      `${path}.${key}`,
      property,
    ]),
    ...[...anyOf, ...oneOf].map((way): [string, JsonSchema] => [path, way]),
  ]
  if (items !== undefined) parts.push([`${path}[]`, items])
  if (typeof additionalProperties === 'object') parts.push([`${path}.*`, additionalProperties])
  const unexplained = Object.entries(properties)
    .filter(([, { description }]) => description === undefined)
    .map(([key]) => `${path}.${key}`)
  return [...unexplained, ...parts.flatMap(([at, part]) => unexplainedProperties(part, at))]
}
