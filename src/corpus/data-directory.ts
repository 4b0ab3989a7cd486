import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where asrbench keeps what it fetched: `$XDG_DATA_HOME/asrbench`, else `~/.local/share/asrbench`.
 *
 * @see XDG Base Directory Specification: a relative XDG_DATA_HOME is ignored
 */
export function dataDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  homeDirectory: string = environment['HOME'] ?? homedir(),
): string {
  const configured = environment['XDG_DATA_HOME'] ?? ''
  return join(isAbsolute(configured) ? configured : join(homeDirectory, '.local', 'share'), 'asrbench')
}
