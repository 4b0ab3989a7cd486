import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import { platforms } from '#contract/enums'
import { openApiDocument } from '../../scripts/openapi.ts'

type Operation = Readonly<Record<string, unknown>> & {
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>
}
interface Document extends Record<string, unknown> {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

const document = (): Document => structuredClone(openApiDocument()) as Document

describe('the OpenAPI document', () => {
  test('is valid as OpenAPI 3.1, as it is checked in', async () => {
    const path = join(import.meta.dirname, '../../docs/openapi.json')
    const validator = new Validator()
    const result = await validator.validate(JSON.parse(readFileSync(path, 'utf8')))
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('the validator notices a document that is not valid', async () => {
    const broken = document()
    for (const operations of Object.values(broken.paths)) {
      for (const operation of Object.values(operations)) Object.assign(operation, { responses: 'none' })
    }
    expect((await new Validator().validate(broken)).valid).toBe(false)
  })

  test('describes every endpoint of the table and no other, with the platforms that serve it', () => {
    const { paths } = document()
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [
        `${method.toUpperCase()} ${path.replace('{id}', ':id')}`,
        operation['operationId'],
        operation['x-platforms'],
      ]),
    )
    const due = Object.values(endpoints).map((endpoint) => [
      `${endpoint.method} ${endpoint.path}`,
      endpoint.name,
      endpoint.platforms,
    ])
    expect(described.toSorted()).toEqual(due.toSorted())
  })

  test('every reference leads to something, and everything named is referred to', () => {
    const text = JSON.stringify(openApiDocument())
    const referred = new Set([...text.matchAll(/"#\/components\/(\w+\/\w+)"/g)].map((match) => match[1]))
    const { schemas = {}, responses = {} } = document().components
    const present = [
      ...Object.keys(schemas).map((name) => `schemas/${name}`),
      ...Object.keys(responses).map((name) => `responses/${name}`),
    ]
    expect(present.length).toBeGreaterThan(20)
    expect([...referred].toSorted()).toEqual(present.toSorted())
  })

  test('only /health is open, and every response that only some builds give says which', () => {
    const { paths, components } = document()
    const open = Object.entries(paths).filter(([, operations]) =>
      Object.values(operations).some((operation) => Array.isArray(operation['security'])),
    )
    expect(open.map(([path]) => path)).toEqual(['/health'])
    for (const response of Object.values(components['responses'] ?? {})) {
      for (const platform of (response as Operation)['x-platforms'] as string[])
        expect(platforms).toContain(platform)
    }
  })
})
