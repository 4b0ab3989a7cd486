import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

// JavaScript in the sources too: `main.js` asks for this folder before anything else is loaded.

const othersMayNothing = 0o077

/**
 * Where Node keeps what it compiled, for this program and its children. What is in there runs as this user, and Node checks it by
 * a sum that anybody can compute, so it is a folder that only this user can write to, never one below the shared temporary folder.
 *
 * @param {Readonly<Record<string, string | undefined>>} env usually `process.env`
 * @param {NodeJS.Platform} platform usually the running one
 * @returns {string | null} null where there is no such folder: nothing is kept then, and a start takes longer
 */
export function compileCacheFolder(env, platform = process.platform) {
  if (env['NODE_COMPILE_CACHE']) return env['NODE_COMPILE_CACHE']
  try {
    const folder = join(userCacheFolder(env, platform), 'transcribench', 'compile-cache')
    makeFolder(folder)
    return isOurs(folder) ? folder : null
  } catch {
    // No home folder, or one that cannot be written to: the cache only saves time.
    return null
  }
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {NodeJS.Platform} platform
 */
function userCacheFolder(env, platform) {
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local')
  const home = env['HOME'] || homedir()
  if (platform === 'darwin') return join(home, 'Library', 'Caches')
  const configured = env['XDG_CACHE_HOME'] ?? ''
  // The XDG base directory specification has relative paths ignored.
  return isAbsolute(configured) ? configured : join(home, '.cache')
}

/** Node's recursive `mkdirSync` never returns below `/proc`. @param {string} path */
function makeFolder(path) {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** @param {string} folder */
function isOurs(folder) {
  // A link is not followed: whoever could put it there chooses where it leads.
  const found = lstatSync(folder)
  if (!found.isDirectory()) return false
  // Windows shows neither owner nor these rights here; the folder of a user is that user's there.
  if (process.getuid === undefined) return true
  return found.uid === process.getuid() && (found.mode & othersMayNothing) === 0
}
