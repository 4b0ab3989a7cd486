import { z } from 'zod'
import type { FileColumn } from './table.ts'

export interface DescribedColumn<Row> extends FileColumn<Row>, DescribedField {}

export type FileCell = ReturnType<FileColumn<never>['value']>

interface SchemaColumns<Row> {
  part(row: Row): object
  /** Column names by the path of the value, if they differ from the field's own name. */
  readonly names?: Readonly<Record<string, string>>
  /** Prefixes of column names by the path of the enclosing object. */
  readonly groups?: Readonly<Record<string, string>>
}

/**
 * A column for every value of a schema, in its order: type, unit and description are the schema's. A column is called as the
 * field (`audioSeconds` is `audio_seconds`, `contenderId` is `contender`).
 */
export function columnsOfSchema<Row>(
  schema: z.ZodType,
  { part, names = {}, groups = {} }: SchemaColumns<Row>,
): readonly DescribedColumn<Row>[] {
  return [...describedFields(schema)].map(([path, field]) => {
    const keys = path.split('.')
    const group = groups[keys.slice(0, -1).join('.')]
    const fieldName = names[path] ?? snakeCase(keys.at(-1) ?? '')
    return {
      ...field,
      name: group === undefined ? fieldName : `${group}_${fieldName}`,
      value: (row) => cellAt(part(row), keys),
    }
  })
}

function snakeCase(name: string): string {
  return name.replace(/(?<=.)Id$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export function cellAt(part: object, keys: readonly string[]): FileCell {
  let value: unknown = part
  for (const key of keys) {
    if (value === null || value === undefined) return null
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : (value as FileCell)
}

/** Type of the cells of a column; arrays and objects are written as JSON. */
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'

export interface DescribedField {
  readonly type: FieldType
  /** The unit in words, such as `milliseconds`; null if the value has none. */
  readonly unit: string | null
  readonly description: string
}

type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * Every value of a schema of objects by its path (`socket.startedAtMs`), at any depth. The fields of all alternatives of a union are
 * fields of the object: each row has the values of one alternative, and null for the others.
 */
export function describedFields(schema: z.ZodType): ReadonlyMap<string, DescribedField> {
  const root: JsonSchema = z.toJSONSchema(schema)
  const found = new Map<string, { readonly types: Set<string>; readonly descriptions: Set<string> }>()
  const collect = (part: JsonSchema, path: string, description: string | undefined): void => {
    for (const alternative of listAlternatives(part, root)) {
      if (alternative.properties !== undefined) {
        for (const [key, property] of Object.entries(alternative.properties)) {
          if (typeof property === 'boolean') continue
          collect(property, path === '' ? key : `${path}.${key}`, property.description)
        }
        continue
      }
      if (listTypes(alternative).length === 0) continue
      const { types, descriptions } = found.get(path) ?? { types: new Set(), descriptions: new Set() }
      found.set(path, { types, descriptions })
      for (const type of listTypes(alternative)) types.add(type)
      const text = description ?? alternative.description ?? ''
      descriptions.add(alternative.const === undefined ? text : `\`${alternative.const}\`: ${text}`)
    }
  }
  collect(root, '', undefined)
  return new Map(
    [...found].map(([path, { types, descriptions }]) => [
      path,
      { type: onlyType(types, path), unit: findUnit(path), description: [...descriptions].join(' ') },
    ]),
  )
}

/** The alternatives of a value, with references resolved. */
function listAlternatives(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const name = schema.$ref?.replace('#/$defs/', '')
  const shape = name === undefined ? schema : root.$defs?.[name]
  if (shape === undefined) throw new TypeError(`the schema has no shape ${name}`)
  const alternatives = [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])]
  if (alternatives.length === 0) return [shape]
  return alternatives.flatMap((alternative) =>
    typeof alternative === 'boolean' ? [] : listAlternatives(alternative, root),
  )
}

/** The types of a value without null, because any cell may be empty. */
function listTypes({ type, const: only, enum: words }: JsonSchema): readonly string[] {
  const types = type === undefined ? [typeof (only ?? words?.[0])] : [type].flat()
  return types.filter((each) => each !== 'null')
}

function onlyType(types: ReadonlySet<string>, path: string): FieldType {
  const [first, ...others] = types
  if (others.length === 0 && isFieldType(first)) return first
  if ([...types].every((type) => type === 'integer' || type === 'number')) return 'number'
  throw new TypeError(`${path} is ${[...types].join(' or ')}, which is no type of a column`)
}

function isFieldType(type: string | undefined): type is FieldType {
  return type !== undefined && ['string', 'integer', 'number', 'boolean', 'array', 'object'].includes(type)
}

/** Units by the ending of a field's name. */
const units: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/Ms$/, 'milliseconds'],
  [/Seconds$/, 'seconds'],
  [/Bytes$/, 'bytes'],
  [/Pages$/, 'pages'],
  [/Watts$/, 'watts'],
  [/Joules$/, 'joules'],
  [/(Rate|Factor)$/, 'ratio'],
]

function findUnit(path: string): string | null {
  return units.find(([ending]) => ending.test(path))?.[1] ?? null
}

/** Path of a value in a document: `words.counts.hits`. */
export type PathOf<Type> = Type extends readonly unknown[] | string | number | boolean | null | undefined
  ? never
  : { [Key in keyof Type & string]: Key | `${Key}.${PathOf<NonNullable<Type[Key]>>}` }[keyof Type & string]
