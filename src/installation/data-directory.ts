import { isAbsolute, join } from 'node:path'
import { homeDirectory } from './home-directory.ts'

/** The application's name in the per-user data directory of every platform. */
const application = 'transcribench'

type Environment = Readonly<Record<string, string | undefined>>

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
