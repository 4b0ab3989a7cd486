import { basename, dirname, extname, resolve } from 'node:path'
import type { ResolvedConfig } from '#config'

/** Maximum length of `name` in a config, in characters. */
const maxLength = 64

/**
 * Names a run without a name after its config file, or else after its corpus.
 *
 * @param path of the config as typed; undefined for a run without one
 */
export function namedRun(resolved: ResolvedConfig, path: string | undefined, cwd: string): ResolvedConfig {
  const { config, sources, values } = resolved
  if (sources['name'] !== 'default') return resolved
  const found =
    path !== undefined ? stemOf(path) : sources['corpus'] === 'default' ? '' : corpusName(config.corpus, cwd)
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
