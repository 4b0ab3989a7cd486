/** Adds to the compiled sources what the package needs: data files, the report page, the languages, and where its modules are. */
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { builtPage, bundledLanguages, bundlePage } from '#results/page-assets'
import { languages } from '#scoring/profiles/languages/all'
import { languageSchema } from '../src/scoring/profiles/language-rules/language-schema.ts'

const root = join(import.meta.dirname, '..')
const assets = await bundlePage()
for (const part of ['script', 'style'] as const) {
  const path = join(root, builtPage[part])
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, assets[part])
}

const languageFolder = 'scoring/profiles/languages'
// Languages are written as JSON below, which is read faster than YAML.
for (const path of globSync('**/*.{yaml,tsv}', { cwd: join(root, 'src') }))
  if (!path.startsWith(languageFolder)) copyFileSync(join(root, 'src', path), join(root, 'dist', path))
for (const { name, file } of languages)
  writeFileSync(
    join(root, 'dist', languageFolder, `${name}.json`),
    JSON.stringify(languageSchema.parse(file())),
  )
writeFileSync(join(root, 'dist', languageFolder, 'bundled-languages.js'), bundledLanguages())

const { imports }: { readonly imports: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const compiled = Object.entries(imports).map(([name, path]) => [
  name,
  path.replace('./src/', './').replace(/\.ts$/, '.js'),
])
// The nearest package.json decides what `#scoring` means: in `dist/`, the compiled modules. A bundler for browsers takes the
// languages from one module, because a browser reads no files.
const nearest = {
  type: 'module',
  imports: Object.fromEntries(compiled),
  browser: { [`./${languageFolder}/read-language.js`]: `./${languageFolder}/bundled-languages.js` },
}
writeFileSync(join(root, 'dist/package.json'), `${JSON.stringify(nearest, null, 2)}\n`)
