import { access } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import type { ResolvedConfig } from '#config'

/** Names of a config that is found by itself. */
export const configNames = ['transcribench.config.yaml', 'transcribench.config.json'] as const

/**
 * Looks for a config in a folder and those above it.
 *
 * @returns its path as one would type it in the folder; undefined where there is none
 */
export async function findConfig(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    for (const name of configNames) {
      const path = join(at, name)
      const isThere = await access(path).then(
        () => true,
        () => false,
      )
      if (isThere) return relative(folder, path)
    }
    if (dirname(at) === at) return undefined
  }
}

/** Maximum length of `name` in a config, in characters. */
const maxLength = 64

/**
 * Names a run without a name after its config file, where that has a name of its own, or else after its corpus.
 *
 * @param path of the config as typed; undefined for a run without one
 */
export function namedRun(resolved: ResolvedConfig, path: string | undefined, cwd: string): ResolvedConfig {
  const { config, sources, values } = resolved
  if (sources['name'] !== 'default') return resolved
  const isNamedFile = path !== undefined && !configNames.some((usual) => usual === basename(path))
  const found = isNamedFile
    ? stemOf(path)
    : sources['corpus'] === 'default'
      ? ''
      : corpusName(config.corpus, cwd)
  const name = found
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, maxLength)
  return name === '' ? resolved : { config: { ...config, name }, sources, values: { ...values, name } }
}

/** A manifest of the usual name says nothing; its folder does. */
function corpusName(corpus: string, cwd: string): string {
  const stem = stemOf(corpus)
  return stem === 'manifest' ? basename(dirname(resolve(cwd, corpus))) : stem
}

function stemOf(path: string): string {
  return basename(path, extname(path))
}
