import { describe, expect, test } from 'vitest'
import { publishedSchemas, unexplainedProperties } from '../../scripts/published-documents.ts'

/** The list grows with every document whose fields are explained; it goes when all are. */
const explained = [
  'evaluation',
  'comparison',
  'experiment',
  'history',
  'calibration',
  'calibrations',
  'baselines',
]

describe('published schemas', () => {
  const schemas = publishedSchemas()

  test.each(explained)('every property of the schema of %s has a description', (name) => {
    expect(unexplainedProperties(schemas[name] ?? {})).toEqual([])
  })

  test('a property without a description is found at any depth', () => {
    const bare = { properties: { a: { type: 'string' } } }
    expect(
      unexplainedProperties({
        $defs: { Named: bare },
        properties: {
          list: { description: 'A list.', items: bare },
          either: { description: 'One of two.', anyOf: [bare, { type: 'null' }] },
          byName: { description: 'By name.', additionalProperties: bare },
        },
      }),
    ).toEqual(['Named.a', '.list[].a', '.either.a', '.byName.*.a'])
  })
})
