import { contenderColumns } from '#reports/run/contender-columns'
import { utteranceColumns } from '#reports/run/result-tables'
import { markdownTable } from './markdown-table.ts'
import { type JsonSchema, localShape, shapesDocument, shapesFile } from './published-documents.ts'
import { closing, describedDocuments, opening } from './results-page-text.ts'

/** `docs/results-format.md`: what each document holds, field by field, from the descriptions of its schema. */
export function renderResultsPage(schemas: Readonly<Record<string, JsonSchema>>): string {
  const introduced = [shapesDocument, ...describedDocuments.map(({ name }) => name)]
  const unintroduced = Object.keys(schemas).filter((name) => !introduced.includes(name))
  if (unintroduced.length > 0) throw new Error(`no introduction of ${unintroduced.join(', ')}`)
  return [
    opening,
    ...describedDocuments.flatMap(({ name, title, introduction }) => {
      const schema = schemas[name]
      if (schema === undefined) throw new Error(`no published schema is called ${name}`)
      return [
        `## ${title}\n`,
        `${introduction}\n`,
        `JSON Schema: [${name}.schema.json](schemas/${name}.schema.json).\n`,
        ...fieldTable(schema),
        '',
      ]
    }),
    '## Named shapes\n',
    `Shapes that several fields have, in the order of the alphabet. Those of several documents are in [${shapesFile}](schemas/${shapesFile}).\n`,
    ...namedShapes(Object.values(schemas)).flatMap(([name, shape]) => [
      `### ${name}\n`,
      ...(shape.description === undefined ? [] : [`${shape.description}\n`]),
      ...fieldTable(shape),
      '',
    ]),
    ...summaryColumns(),
    ...requestColumns(),
    closing,
  ].join('\n')
}

/** The columns of `summary.csv`, from their definitions; percentiles of one metric together. */
function summaryColumns(): readonly string[] {
  const columns = contenderColumns('words')
  const families = Map.groupBy(columns, ({ name }) => name.replace(/_p\d\d(?=$|_ms$)/, ''))
  const rows = [...families.values()].map((family) => [
    family.map(({ name }) => `\`${name}\``).join(', '),
    (family[0]?.describe() ?? '').replace(/, p\d\d\./, '.'),
  ])
  return [
    '## Columns of `summary.csv`\n',
    'One row per contender. An absent value is an empty cell. With a profile whose characters lead, their columns come first.\n',
    ...markdownTable(['column', 'meaning'], rows),
    '',
  ]
}

/** The columns of `utterances.csv`, from their definitions. */
function requestColumns(): readonly string[] {
  const rows = utteranceColumns('words').map(({ name, type, unit, description }) => [
    `\`${name}\``,
    unit === null ? type : `${type}, ${unit}`,
    description,
  ])
  return [
    '## Columns of `utterances.csv`\n',
    'One row per planned request, without the warm-up. An absent value is an empty cell. With a profile whose characters lead, their columns precede those of words.\n',
    ...markdownTable(['column', 'type', 'meaning'], rows),
    '',
  ]
}

/** By name. A shape is the same in every document, or one name would say two things. */
function namedShapes(schemas: readonly JsonSchema[]): readonly (readonly [string, JsonSchema])[] {
  const shapes = new Map<string, JsonSchema>()
  for (const { $defs = {} } of schemas) {
    for (const [name, shape] of Object.entries($defs)) {
      const known = shapes.get(name)
      if (known !== undefined && fieldTable(known).join() !== fieldTable(shape).join())
        throw new Error(`two documents have different shapes of the name ${name}`)
      shapes.set(name, shape)
    }
  }
  return [...shapes].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** A table of the fields, at any depth as far as they are not shapes with a name; what a shape without fields is. */
function fieldTable(schema: JsonSchema): readonly string[] {
  const rows = fieldsOf(schema, '').map(({ path, type, description }) => [`\`${path}\``, type, description])
  const choice = rows.length === 0 || hasNamedWays(schema) ? [`${typeOf(schema)}\n`] : []
  // Ways that share a field with all that is said about it show it once.
  const seen = new Set<string>()
  const distinct = rows.filter((row) => !seen.has(row.join()) && seen.add(row.join()))
  return [...choice, ...(rows.length === 0 ? [] : markdownTable(['field', 'type', 'meaning'], distinct))]
}

interface Field {
  readonly path: string
  readonly type: string
  readonly description: string
}

function fieldsOf(schema: JsonSchema, path: string): readonly Field[] {
  const { properties = {}, required = [], items, additionalProperties } = schema
  const own = Object.entries(properties).flatMap(([key, property]) => {
    const at = path === '' ? key : `${path}.${key}`
    const type = required.includes(key) ? typeOf(property) : `${typeOf(property)}, optional`
    return [{ path: at, type, description: property.description ?? '' }, ...fieldsOf(property, at)]
  })
  return [
    ...own,
    ...waysOf(schema).flatMap((way) => fieldsOf(way, path)),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`)),
    ...(typeof additionalProperties === 'object' ? fieldsOf(additionalProperties, `${path}.<key>`) : []),
  ]
}

function waysOf({ anyOf = [], oneOf = [] }: JsonSchema): readonly JsonSchema[] {
  return [...anyOf, ...oneOf]
}

/** Whether one of several ways is a shape with a name, which no table of fields shows. */
function hasNamedWays(schema: JsonSchema): boolean {
  return waysOf(schema).some(({ $ref }) => $ref !== undefined)
}

/** Of a list of allowed words so many are shown; the schema has them all. */
const mostWords = 12

function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf(type === 'null' ? { type } : { ...schema, type })).join(' or ')
  }
  const { $ref, const: only, enum: words, items, type, additionalProperties } = schema
  if ($ref !== undefined) return referenceTo($ref)
  if (only !== undefined) return `\`${JSON.stringify(only)}\``
  if (Array.isArray(words)) {
    return words.length > mostWords
      ? `one of ${words.length} words`
      : words.map((word) => `\`${JSON.stringify(word)}\``).join(' or ')
  }
  const ways = waysOf(schema)
  if (ways.length > 0) return [...new Set(ways.map(typeOf))].join(' or ')
  if (items !== undefined) return `list of ${typeOf(items)}`
  if (typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties)}`
  if (type === undefined) return 'any JSON'
  return [type].flat().join(' or ')
}

/** A link to a named shape of this page, or to another document of it. */
function referenceTo($ref: string): string {
  const [file, shape] = $ref.split(localShape)
  if (shape !== undefined && (file === '' || file === shapesFile))
    return `[${shape}](#${shape.toLowerCase()})`
  const document = describedDocuments.find(({ name }) => $ref === `${name}.schema.json`)
  if (document === undefined) throw new Error(`nothing is published as ${$ref}`)
  return `[${document.name}](#${anchorOf(document.title)})`
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
