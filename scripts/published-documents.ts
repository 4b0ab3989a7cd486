import { z } from 'zod'
import { comparisonSchema, evaluationSchema, historySchema } from '#analysis'
import { capacityJsonSchema } from '#capacity'
import { journalJsonSchemas } from '#journal'
import { ratesJsonSchemas } from '#rates'
import { calibratedSchema, experimentSchema } from '#session/experiment'
import { baselinesSchema, storedCalibrationsSchema } from '#session/stored'

/** A JSON Schema as far as this repository writes them. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
}

/** An experiment holds comparisons: their form is a separate document. */
const publishedExperiment = experimentSchema
  .extend({
    comparisons: z
      .array(z.unknown().meta({ $ref: 'comparison.schema.json' }))
      .describe(experimentSchema.shape.comparisons.description ?? ''),
  })
  .describe(experimentSchema.description ?? '')

/** The JSON Schema of every published document, by its name: `docs/schemas/<name>.schema.json`. */
export function publishedSchemas(): Readonly<Record<string, JsonSchema>> {
  const schemas = {
    ...journalJsonSchemas(),
    evaluation: z.toJSONSchema(evaluationSchema),
    comparison: z.toJSONSchema(comparisonSchema),
    experiment: z.toJSONSchema(publishedExperiment),
    history: z.toJSONSchema(historySchema),
    calibration: z.toJSONSchema(calibratedSchema),
    calibrations: z.toJSONSchema(storedCalibrationsSchema),
    baselines: z.toJSONSchema(baselinesSchema),
    capacity: capacityJsonSchema(),
    ...ratesJsonSchemas(),
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, readable(schema) as JsonSchema]),
  )
}

/** With the description first, and without the bounds of exact whole numbers, which say nothing about a document. */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable)
  if (typeof value !== 'object' || value === null) return value
  const { $schema, description } = value as JsonSchema
  const first = {
    ...(typeof $schema === 'string' ? { $schema } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  }
  const parts: readonly [string, unknown][] = Object.entries({ ...first, ...value })
  return Object.fromEntries(
    parts
      .filter(([, part]) => part !== Number.MAX_SAFE_INTEGER && part !== Number.MIN_SAFE_INTEGER)
      .map(([keyword, part]) => [keyword, readable(part)]),
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
