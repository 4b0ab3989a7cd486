/** Puts the report page, bundled, into the package that is being built. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { builtPage, bundlePage } from '#session'

const root = join(import.meta.dirname, '..')
const assets = await bundlePage()
for (const part of ['script', 'style'] as const) {
  const path = join(root, builtPage[part])
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, assets[part])
}
