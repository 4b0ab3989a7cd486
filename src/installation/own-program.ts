import { env } from 'node:process'
import { compileCacheFolder } from './compile-cache.js'

/** A program of this package, for a separate thread or process. */
export interface OwnProgram {
  readonly url: URL
  /** What Node needs to run it. */
  readonly execArgv: readonly string[]
  /** Variables for a separate process: it starts in a third of the time where Node keeps what it compiled before. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * A file next to a module. In a checkout the sources run as they are; in the package everything is built.
 *
 * @param moduleUrl `import.meta.url` of the module
 * @param name without its ending
 */
export function ownProgram(moduleUrl: string, name: string): OwnProgram {
  const cacheFolder = compileCacheFolder(env)
  const runsFromSource = moduleUrl.endsWith('.ts')
  return {
    url: new URL(`./${name}.${runsFromSource ? 'ts' : 'js'}`, moduleUrl),
    execArgv: runsFromSource ? ['--disable-warning=ExperimentalWarning'] : [],
    environment: cacheFolder === null ? {} : { NODE_COMPILE_CACHE: cacheFolder },
  }
}
