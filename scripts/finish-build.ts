/** Adds to the compiled sources what the package needs: the bundled report page, and where its modules are. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { builtPage, bundlePage } from '#session/stored'

const root = join(import.meta.dirname, '..')
const assets = await bundlePage()
for (const part of ['script', 'style'] as const) {
  const path = join(root, builtPage[part])
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, assets[part])
}

const { imports }: { readonly imports: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const compiled = Object.entries(imports).map(([name, path]) => [
  name,
  path.replace('./src/', './').replace(/\.ts$/, '.js'),
])
// The nearest package.json decides what `#scoring` means: in `dist/`, the compiled modules.
writeFileSync(
  join(root, 'dist/package.json'),
  `${JSON.stringify({ type: 'module', imports: Object.fromEntries(compiled) }, null, 2)}\n`,
)
