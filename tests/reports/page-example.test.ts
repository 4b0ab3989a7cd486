import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exampleReport, makeExampleReport, withoutProgram } from '../../scripts/example-report.ts'

const root = join(import.meta.dirname, '../..')

test('the example report is what its frozen run gives, byte for byte but for the bundled program (npm run accept)', async () => {
  const made = await makeExampleReport(root)
  const committed = readFileSync(join(root, exampleReport), 'utf8')
  expect(withoutProgram(committed) === withoutProgram(made)).toBe(true)
  // What is left out is really there, once each.
  expect(made.length - withoutProgram(made).length).toBeGreaterThan(50_000)
  expect(withoutProgram(made).match(/data-part="rows"/g)).toHaveLength(1)
})
