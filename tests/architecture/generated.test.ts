import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generatedFiles } from '../../scripts/generated-files.ts'

const root = join(import.meta.dirname, '../..')

describe('files made from tables in the code', () => {
  test.each(generatedFiles())(
    '$path is what the code says; if you meant it, npm run accept',
    ({ path, text }) => {
      expect(readFileSync(join(root, path), 'utf8')).toBe(text)
    },
  )
})
