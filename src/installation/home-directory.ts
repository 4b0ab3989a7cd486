import { homedir, userInfo } from 'node:os'
import { installationErrors } from './errors.ts'

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
