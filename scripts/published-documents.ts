import { z } from 'zod'
import { historySchema } from '#analysis/comparison/trends'
import { comparisonSchema } from '#analysis/documents/comparison'
import { evaluationSchema } from '#analysis/documents/evaluation'
import { experimentSchema } from '#analysis/documents/experiment'
import { capacityFindingSchema } from '#capacity/finding'
import { attemptLine, reusedLine } from '#journal/attempt-line'
import { modeLine, stagingLine } from '#journal/mode-line'
import { planLine } from '#journal/plan-line'
import { runRecord } from '#journal/run-record'
import { telemetryLine } from '#journal/telemetry-line'
import { ratesJsonSchemas } from '#rates/documents'
import { baselinesSchema } from '#results/baselines'
import { storedCalibrationsSchema } from '#results/calibrations'
import { calibratedSchema } from '#run/experiment'

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
    // Of the files that the recorder writes; those of .jsonl files are of their lines.
    run: z.toJSONSchema(runRecord, { io: 'input' }),
    plan: z.toJSONSchema(planLine, { io: 'input' }),
    journal: z.toJSONSchema(attemptLine),
    reused: z.toJSONSchema(reusedLine),
    modes: z.toJSONSchema(modeLine, { io: 'input' }),
    staged: z.toJSONSchema(stagingLine),
    telemetry: z.toJSONSchema(telemetryLine, { io: 'input' }),
    evaluation: z.toJSONSchema(evaluationSchema),
    comparison: z.toJSONSchema(comparisonSchema),
    experiment: z.toJSONSchema(publishedExperiment),
    history: z.toJSONSchema(historySchema),
    calibration: z.toJSONSchema(calibratedSchema),
    calibrations: z.toJSONSchema(storedCalibrationsSchema),
    baselines: z.toJSONSchema(baselinesSchema),
    capacity: z.toJSONSchema(capacityFindingSchema),
    ...ratesJsonSchemas(),
  }
  return withSharedShapes(
    Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, readable(schema) as JsonSchema]),
    ),
  )
}

/** The document whose shapes others refer to, and where they find it. */
export const shapesDocument = 'shapes'
export const shapesFile = `${shapesDocument}.schema.json`

/** Moves shapes of the same name and form in several documents to one that all refer to. */
function withSharedShapes(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const forms = Map.groupBy(
    Object.values(schemas).flatMap(({ $defs = {} }) => Object.entries($defs)),
    ([name]) => name,
  )
  const shared = new Map<string, JsonSchema>()
  for (const [name, [first, ...others]] of forms) {
    const [, shape] = first ?? []
    const isSame = others.every(([, other]) => JSON.stringify(other) === JSON.stringify(shape))
    if (shape !== undefined && others.length > 0 && isSame) shared.set(name, shape)
  }
  const own = Object.entries(schemas).map(([name, { $defs = {}, ...schema }]) => {
    const left = Object.entries($defs).filter(([shape]) => !shared.has(shape))
    const whole = left.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(left) }
    return [name, referringTo(shared, whole)] as const
  })
  const shapes: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    description: 'Shapes that several documents share.',
    $defs: Object.fromEntries([...shared].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
  return { ...Object.fromEntries(own), [shapesDocument]: shapes }
}

/** How a schema refers to a shape of its own. */
export const localShape = '#/$defs/'

function referringTo(shared: ReadonlyMap<string, JsonSchema>, schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (keyword, value: unknown) =>
    keyword === '$ref' && typeof value === 'string' && shared.has(value.slice(localShape.length))
      ? `${shapesFile}${value}`
      : value,
  )
  return JSON.parse(text) as JsonSchema
}

/**
 * With the description first, with "or null" next to the type, and without what says nothing about a document: the bounds of exact whole
 * numbers, and that keys are texts.
 */
function readable(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(readable)
  if (typeof part !== 'object' || part === null) return part
  const value = withNullInType(part as JsonSchema)
  const { $schema, description } = value
  const first = {
    ...(typeof $schema === 'string' ? { $schema } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  }
  const parts: readonly [string, unknown][] = Object.entries({ ...first, ...value })
  return Object.fromEntries(
    parts
      .filter(([keyword, part]) => !saysNothing(keyword, part))
      .map(([keyword, part]) => [keyword, readable(part)]),
  )
}

function saysNothing(keyword: string, part: unknown): boolean {
  return (
    part === Number.MAX_SAFE_INTEGER ||
    part === Number.MIN_SAFE_INTEGER ||
    (keyword === 'propertyNames' && JSON.stringify(part) === '{"type":"string"}')
  )
}

/** One type or null, where the schema has a choice of both. A list of allowed values would exclude null, so it stays a choice. */
function withNullInType(schema: JsonSchema): JsonSchema {
  const { anyOf: [only, nothing, ...more] = [], ...rest } = schema
  const isChoice = only !== undefined && nothing?.type === 'null' && more.length === 0
  if (!isChoice || typeof only.type !== 'string' || 'enum' in only || 'const' in only) return schema
  if (Object.keys(rest).some((keyword) => keyword in only)) return schema
  return { ...rest, ...only, type: [only.type, 'null'] }
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
