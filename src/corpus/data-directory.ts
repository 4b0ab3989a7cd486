import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where transcribench keeps what it fetched: `$XDG_DATA_HOME/transcribench`, else `~/.local/share/transcribench`.
 *
 * @see XDG Base Directory Specification: a relative XDG_DATA_HOME is ignored
 */
export function dataDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  homeDirectory: string = environment['HOME'] ?? homedir(),
): string {
  const configured = environment['XDG_DATA_HOME'] ?? ''
  return join(isAbsolute(configured) ? configured : join(homeDirectory, '.local', 'share'), 'transcribench')
}
