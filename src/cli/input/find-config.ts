import { access } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

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
