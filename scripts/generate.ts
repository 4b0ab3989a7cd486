/** Writes every file that is made from a table in the code: `npm run accept`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exampleReport, renewedExample } from './example-report.ts'
import { generatedFiles } from './generated-files.ts'

const root = join(import.meta.dirname, '..')
for (const { path, text } of generatedFiles()) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  const current = readFileSync(join(root, path), { encoding: 'utf8', flag: 'a+' })
  if (current === text) continue
  writeFileSync(join(root, path), text)
  process.stdout.write(`${path} written\n`)
}
const example = await renewedExample(root)
if (example !== null) {
  writeFileSync(join(root, exampleReport), example)
  process.stdout.write(`${exampleReport} written\n`)
}
