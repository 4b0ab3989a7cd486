import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conformanceRules } from '#conformance/rules'
import { conformanceCases } from '#conformance/run-conformance-cases'
import { implementationOf, unseenRules } from '../../scripts/conformance-page.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

describe('the page of rules', () => {
  test('every rule has a row with a file that exists, and every case is in one', () => {
    const page = read('docs/conformance.md')
    for (const rule of conformanceRules) {
      const files = implementationOf(rule)
      expect(files.length).toBeGreaterThan(0)
      expect(
        files.filter((file) => !existsSync(join(root, file))),
        rule.id,
      ).toEqual([])
      expect(page).toContain(`| ${rule.id} |`)
    }
    for (const { id } of conformanceCases) expect(page).toContain(`${id} (`)
  })

  test('every rule that no client can see names a file and a test that exist', () => {
    for (const { file, test: proof } of unseenRules) {
      expect(existsSync(join(root, 'src/service', file)), file).toBe(true)
      expect(read(proof.path)).toContain(`'${proof.name}'`)
    }
  })
})
