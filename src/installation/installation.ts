/**
 * The installed package: its folder, its version, its programs for other threads and processes, and its data folders.
 * Reads only package.json.
 */

import { readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { env } from 'node:process'
import { defineErrors, type ErrorTable } from '#prelude'
import { compileCacheFolder } from './compile-cache.js'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The user's home folder; null where neither the environment nor the system names one.
 *
 * @param env usually `process.env`; an empty HOME counts as unset
 */
export function knownHome(env: Environment): string | null {
  if (env['HOME']) return env['HOME']
  try {
    return homedir() || userInfo().homedir
  } catch {
    // A container can run as a numeric user that the system has no entry for.
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

/**
 * The folder of downloads and saved state, and by default of the reference service's Modes, token and
 * discovery file. A client that searches the per-user data directories finds it.
 *
 * Linux `$XDG_DATA_HOME/transcribench` (`~/.local/share/transcribench`), macOS `~/Library/Application
 * Support/transcribench`, Windows `%LOCALAPPDATA%\transcribench`.
 *
 * @throws BenchError HOME_UNKNOWN where the environment names no folder
 */
export function dataDirectory(env: Environment, platform: NodeJS.Platform = process.platform): string {
  return join(perUserDataDirectory(env, platform), 'transcribench')
}

function perUserDataDirectory(env: Environment, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(homeDirectory(env), 'Library', 'Application Support')
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(homeDirectory(env), 'AppData', 'Local')
  const configured = env['XDG_DATA_HOME'] ?? ''
  // The XDG base directory specification says that relative paths are ignored.
  return isAbsolute(configured) ? configured : join(homeDirectory(env), '.local', 'share')
}

/** Errors of the environment that transcribench runs in. */
export const installationErrors: ErrorTable<'HOME_UNKNOWN'> = defineErrors({ HOME_UNKNOWN: 'badInput' })

/** A program of this package, for a separate thread or process. */
export interface OwnProgram {
  readonly url: URL
  /** Node arguments that the program needs. */
  readonly execArgv: readonly string[]
  /** Environment of a separate process; Node's compile cache cuts its start-up time to a third. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Finds a program file next to a module. A checkout runs the sources; the package has compiled files.
 *
 * @param moduleUrl `import.meta.url` of the module
 * @param name file name without its extension
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

/** The folder that holds `package.json`, both in a checkout and in an installed package. */
export const packageFolder: string = join(import.meta.dirname, '../..')

export function programVersion(): string {
  const description: unknown = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  return (description as { readonly version: string }).version
}
