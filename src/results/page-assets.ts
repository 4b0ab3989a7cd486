import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Plugin } from 'esbuild'
import { packageFolder } from '#installation/installation'
import type { PageAssets } from '#reports/html-page'
import { languages } from '#scoring/profiles/languages/all'

/** Paths of the built page relative to the package's root. */
export const builtPage: Readonly<Record<keyof PageAssets, string>> = {
  script: 'dist/page/page.js',
  style: 'dist/page/page.css',
}

/**
 * Script and style of the report page. The package contains them built. A checkout bundles them again whenever their
 * sources have changed, so that they are never stale.
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
  /** Size and modification time of each source file. */
  readonly inputs: Readonly<Record<string, string>>
  readonly assets: PageAssets
}

const keptBundle = join(packageFolder, 'node_modules/.cache/report-page.json')

/** Bundles the page from its sources, or uses the last bundle if none of them has changed. */
export async function bundlePage(): Promise<PageAssets> {
  const bundled = await readKept().catch(() => null)
  if (bundled !== null) return bundled
  const { paths, assets } = await buildPage()
  const bundle: Bundle = { inputs: await readStates(paths), assets }
  // If the checkout is read-only, the page is bundled again next time.
  await mkdir(dirname(keptBundle), { recursive: true })
    .then(() => writeFile(keptBundle, JSON.stringify(bundle)))
    .catch(() => undefined)
  return assets
}

async function readKept(): Promise<PageAssets | null> {
  const { inputs, assets }: Bundle = JSON.parse(await readFile(keptBundle, 'utf8'))
  return isDeepStrictEqual(inputs, await readStates(Object.keys(inputs))) ? assets : null
}

async function readStates(paths: readonly string[]): Promise<Bundle['inputs']> {
  const states = paths.map(async (path) => {
    const { size, mtimeMs } = await stat(join(packageFolder, path))
    return [path, `${size} bytes of ${mtimeMs}`] as const
  })
  return Object.fromEntries(await Promise.all(states))
}

async function buildPage(): Promise<{ readonly paths: readonly string[]; readonly assets: PageAssets }> {
  // esbuild is a dev dependency, which is available because only a checkout calls this.
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

/** A browser reads no files, so the module that reads a language is replaced by one that contains them all. */
export const withLanguages: Plugin = {
  name: 'languages',
  setup({ onLoad }) {
    onLoad({ filter: /languages[\\/]read-language\.ts$/ }, () => ({
      contents: bundledLanguages(),
      loader: 'js',
    }))
  },
}

/** The source of that module. Number words are half of it, so they are passed as a compact call. */
export function bundledLanguages(): string {
  const files = JSON.stringify(Object.fromEntries(languages.map(({ name, file }) => [name, file()])))
  const shorter = files.replace(/\{"value":("\d+"),"words":\[([^\]]+)\]\}/g, 'n($1,$2)')
  return `const n = (value, ...words) => ({ value, words })
const files = ${shorter}
export const readLanguage = (name) => files[name]
`
}
