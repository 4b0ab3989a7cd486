import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Plugin } from 'esbuild'
import { packageFolder } from '#installation'
import type { PageAssets } from '#reports'
import { languages } from '#scoring/languages'

/** Where `npm run build` puts the page; relative to the top of the package. */
export const builtPage: Readonly<Record<keyof PageAssets, string>> = {
  script: 'dist/page/page.js',
  style: 'dist/page/page.css',
}

/**
 * The program and the style of the report page. The package carries them built; a checkout, which runs its
 * sources, bundles them where the sources have changed since the last time, so that they are never stale.
 */
export function pageAssets(): Promise<PageAssets> {
  return import.meta.filename.endsWith('.ts') ? bundlePage() : readBuiltPage()
}

async function readBuiltPage(): Promise<PageAssets> {
  const [script, style] = await Promise.all(
    [builtPage.script, builtPage.style].map((path) => readFile(join(packageFolder, path), 'utf8')),
  )
  return { script: script ?? '', style: style ?? '' }
}

interface Bundle {
  /** Size and time of change of each file that it was made from. */
  readonly inputs: Readonly<Record<string, string>>
  readonly assets: PageAssets
}

const keptBundle = join(packageFolder, 'node_modules/.cache/report-page.json')

/** Bundles the page from its sources, or takes the last bundle where none of them has changed since. */
export async function bundlePage(): Promise<PageAssets> {
  const kept = await readKept().catch(() => null)
  if (kept !== null) return kept
  const { paths, assets } = await buildPage()
  const bundle: Bundle = { inputs: await statesOf(paths), assets }
  // A checkout that cannot be written to bundles again next time.
  await mkdir(dirname(keptBundle), { recursive: true })
    .then(() => writeFile(keptBundle, JSON.stringify(bundle)))
    .catch(() => undefined)
  return assets
}

async function readKept(): Promise<PageAssets | null> {
  const { inputs, assets }: Bundle = JSON.parse(await readFile(keptBundle, 'utf8'))
  return isDeepStrictEqual(inputs, await statesOf(Object.keys(inputs))) ? assets : null
}

async function statesOf(paths: readonly string[]): Promise<Bundle['inputs']> {
  const states = paths.map(async (path) => {
    const { size, mtimeMs } = await stat(join(packageFolder, path))
    return [path, `${size} bytes of ${mtimeMs}`] as const
  })
  return Object.fromEntries(await Promise.all(states))
}

async function buildPage(): Promise<{ readonly paths: readonly string[]; readonly assets: PageAssets }> {
  // A dev dependency: only a checkout comes here.
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: packageFolder,
    entryPoints: ['src/page/main.tsx', 'src/page/page.css'],
    outdir: 'dist',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    tsconfig: 'src/page/tsconfig.json',
    legalComments: 'none',
    charset: 'utf8',
    plugins: [withLanguages],
  })
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return {
    paths: ['package.json', ...languages.map(({ path }) => path), ...Object.keys(metafile.inputs)],
    assets: { script: textOf('.js').trimEnd(), style: textOf('.css').trimEnd() },
  }
}

/** A browser reads no files: in a bundle the module that reads a language becomes one that holds them all. */
export const withLanguages: Plugin = {
  name: 'languages',
  setup({ onLoad }) {
    onLoad({ filter: /languages[\\/]read-language\.ts$/ }, () => ({
      contents: bundledLanguages(),
      loader: 'js',
    }))
  },
}

/** The source of that module. Number words are half of it, and a call is shorter than an object. */
export function bundledLanguages(): string {
  const files = JSON.stringify(Object.fromEntries(languages.map(({ name, file }) => [name, file()])))
  const shorter = files.replace(/\{"value":("\d+"),"words":\[([^\]]+)\]\}/g, 'n($1,$2)')
  return `const n = (value, ...words) => ({ value, words })
const files = ${shorter}
export const readLanguage = (name) => files[name]
`
}
