import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The application's name in the per-user data directory of every platform. */
const application = 'transcribench'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Where the reference service keeps its Modes, token and discovery file by default, so that
 * a client that searches the per-user data directories finds it.
 *
 * Linux `$XDG_DATA_HOME/transcribench` (`~/.local/share/transcribench`), macOS `~/Library/Application Support/transcribench`,
 * Windows `%LOCALAPPDATA%\transcribench`.
 *
 * @param env usually `process.env`
 * @param platform usually the running one
 */
export function defaultDataDir(env: Environment, platform: NodeJS.Platform = process.platform): string {
  return join(perUserDataDir(env, platform), application)
}

/** Where models are installed by default: `models` in the default data directory. */
export function defaultModelsDir(env: Environment, platform: NodeJS.Platform = process.platform): string {
  return modelsDirOf(defaultDataDir(env, platform))
}

export function modelsDirOf(dataDir: string): string {
  return join(dataDir, 'models')
}

function perUserDataDir(env: Environment, platform: NodeJS.Platform): string {
  const home = env['HOME'] || homedir()
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(home, 'AppData', 'Local')
  const configured = env['XDG_DATA_HOME'] ?? ''
  // The XDG base directory specification has relative paths ignored.
  return isAbsolute(configured) ? configured : join(home, '.local', 'share')
}
