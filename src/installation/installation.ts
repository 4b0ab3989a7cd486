/**
 * What is installed here: where the package is, its version, its programs for other threads and processes, and where it
 * keeps data. Reads package.json and nothing else.
 *
 *   programVersion()                                             // '0.1.0'
 */

import { readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { env } from 'node:process'
import { defineErrors, type ErrorTable } from '#prelude'
import { compileCacheFolder } from './compile-cache.js'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The home folder of the user; null where nothing says which it is.
 *
 * @param env usually `process.env`; an empty HOME is none
 */
export function knownHome(env: Environment): string | null {
  if (env['HOME']) return env['HOME']
  try {
    return homedir() || userInfo().homedir
  } catch {
    // In a container a user may be a number without a name.
    return null
  }
}

/** @throws BenchError HOME_UNKNOWN */
export function homeDirectory(env: Environment): string {
  const home = knownHome(env)
  if (home !== null) return home
  throw installationErrors.make('HOME_UNKNOWN', {
    message: 'this user has no home folder',
    hint: 'name a folder for models and other data: HOME=<folder> transcribench …',
  })
}

/** The application's name in the per-user data directory of every platform. */
const application = 'transcribench'

/**
 * Where transcribench keeps what it fetched and what it remembers, and by default the Modes, token and discovery file of the
 * reference service: a client that searches the per-user data directories finds it.
 *
 * Linux `$XDG_DATA_HOME/transcribench` (`~/.local/share/transcribench`), macOS `~/Library/Application Support/transcribench`,
 * Windows `%LOCALAPPDATA%\transcribench`.
 *
 * @param env usually `process.env`
 * @param platform usually the running one
 * @throws BenchError HOME_UNKNOWN where the environment names no folder
 */
export function dataDirectory(env: Environment, platform: NodeJS.Platform = process.platform): string {
  return join(perUserDataDirectory(env, platform), application)
}

function perUserDataDirectory(env: Environment, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(homeDirectory(env), 'Library', 'Application Support')
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(homeDirectory(env), 'AppData', 'Local')
  const configured = env['XDG_DATA_HOME'] ?? ''
  // The XDG base directory specification has relative paths ignored.
  return isAbsolute(configured) ? configured : join(homeDirectory(env), '.local', 'share')
}

/** What can be wrong with the place that transcribench runs in. */
export const installationErrors: ErrorTable<'HOME_UNKNOWN'> = defineErrors({ HOME_UNKNOWN: 'badInput' })

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

/** The folder that holds `package.json`, in a checkout and in an installed package alike. */
export const packageFolder: string = join(import.meta.dirname, '../..')

export function programVersion(): string {
  const description: unknown = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  return (description as { readonly version: string }).version
}
