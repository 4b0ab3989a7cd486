import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '#installation'
import type { PageAssets } from '#reports'

/** Where `npm run build` puts the page; relative to the top of the package. */
export const builtPage: Readonly<Record<keyof PageAssets, string>> = {
  script: 'dist/page/page.js',
  style: 'dist/page/page.css',
}

/**
 * The program and the style of the report page. The package carries them built; a checkout, which runs its
 * sources, bundles them whenever they are wanted (a fifth of a second), so that they are never stale.
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

/** Bundles the page from its sources. */
export async function bundlePage(): Promise<PageAssets> {
  // A dev dependency: only a checkout comes here.
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: packageFolder,
    entryPoints: ['src/page/main.tsx', 'src/page/page.css'],
    outdir: 'dist',
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    tsconfig: 'src/page/tsconfig.json',
    legalComments: 'none',
    charset: 'utf8',
  })
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return { script: textOf('.js').trimEnd(), style: textOf('.css').trimEnd() }
}
