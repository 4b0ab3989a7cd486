import { describe, expect, test } from 'vitest'
import { publishedSchemas, shapesDocument, unexplainedProperties } from '../../scripts/published-documents.ts'
import { anchorOf, renderResultsPage } from '../../scripts/results-page.ts'

describe('published schemas', () => {
  const schemas = publishedSchemas()

  test.each(Object.keys(schemas))('every property of the schema of %s has a description', (name) => {
    expect(unexplainedProperties(schemas[name] ?? {})).toEqual([])
  })

  test('shapes of several documents are in one schema, and every reference leads to a shape', () => {
    const shapes = Object.keys(schemas[shapesDocument]?.$defs ?? {})
    expect(shapes).toContain('RequestFailure')
    for (const [name, schema] of Object.entries(schemas)) {
      const text = JSON.stringify(schema)
      const shared = [...text.matchAll(/"shapes\.schema\.json#\/\$defs\/(\w+)"/g)].map(([, shape]) => shape)
      expect(shapes, name).toEqual(expect.arrayContaining(shared))
      const own = [...text.matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, shape]) => shape)
      expect(Object.keys(schema.$defs ?? {}), name).toEqual(expect.arrayContaining(own))
    }
  })

  test('every link inside the page of results leads to a heading of it', () => {
    const page = renderResultsPage(schemas)
    const headings = [...page.matchAll(/^##+ (.*)$/gm)].map(([, title = '']) => anchorOf(title))
    const links = new Set([...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor))
    expect(links.size).toBeGreaterThan(50)
    expect([...links].filter((anchor) => !headings.includes(anchor ?? ''))).toEqual([])
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
