import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, posix, win32 } from 'node:path'
import { discoveryFileName } from '#contract'
import type { Problem } from '#prelude'
import { clientErrors } from '../errors.ts'
import { checkLiveness } from './liveness.ts'
import { discoveryLocator, type Environment, howToSwitchOn } from './location.ts'

/**
 * The per-user folders in which applications keep their data.
 *
 * @see XDG Base Directory Specification for `XDG_DATA_HOME`, which counts only when it is absolute
 */
function userDataRoots(environment: Environment): readonly string[] {
  const { env, home, platform } = environment
  if (platform === 'darwin') return [posix.join(home, 'Library', 'Application Support')]
  if (platform === 'win32') return [env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local')]
  const dataHome = env['XDG_DATA_HOME']
  return [dataHome && posix.isAbsolute(dataHome) ? dataHome : posix.join(home, '.local', 'share')]
}

/**
 * Looks for `*\/local-api.json` under the user's data folders.
 *
 * @returns the path of the only file whose service is alive
 * @throws BenchError `TARGET_NOT_FOUND` with what is wrong with each file found, `TARGET_AMBIGUOUS`
 */
export async function findLiveDiscoveryFile(environment: Environment): Promise<string> {
  const roots = userDataRoots(environment)
  const paths = (await Promise.all(roots.map(discoveryFilesUnder))).flat()
  const checked = await Promise.all(
    paths.map(async (path) => ({ path, state: await checkLiveness(discoveryLocator(path, null)) })),
  )
  const live = checked.filter(({ state }) => state.kind === 'alive')
  const [found] = live
  if (found !== undefined && live.length === 1) return found.path
  if (found !== undefined) throw ambiguous(live.map(({ path }) => path))
  const stale = checked.flatMap(({ path, state }) =>
    state.kind === 'alive' ? [] : [{ where: path, what: state.reason }],
  )
  throw nothingFound(roots, stale)
}

async function discoveryFilesUnder(root: string): Promise<string[]> {
  // A root that does not exist or may not be listed holds no service that this user can measure.
  const names = await readdir(root).catch(() => [])
  const paths = names.sort().map((name) => join(root, name, discoveryFileName))
  const exists = await Promise.all(paths.map(isFile))
  return paths.filter((_, position) => exists[position])
}

function ambiguous(paths: readonly string[]): Error {
  return clientErrors.make('TARGET_AMBIGUOUS', {
    message: `${paths.length} services are running here, and "auto" does not choose between them`,
    hint: `name one: --target '${paths[0]}'`,
    problems: paths.map((path) => ({ where: path, what: 'a live service' })),
  })
}

function nothingFound(roots: readonly string[], stale: readonly Problem[]): Error {
  const pattern = roots.map((root) => join(root, '*', discoveryFileName)).join(', ')
  const message =
    stale.length === 0
      ? `no service was found: looked for ${pattern}`
      : `no running service was found: every file that matches ${pattern} is stale`
  return clientErrors.make('TARGET_NOT_FOUND', { message, hint: howToSwitchOn, problems: stale })
}

/** Whether users other than the owner can read the file. Windows has no such bits; there it is false. */
export async function isOpenToOthers(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return false
  const status = await statOrNull(path)
  return status !== null && (status.mode & 0o077) !== 0
}

export async function isFolder(path: string): Promise<boolean> {
  return (await statOrNull(path))?.isDirectory() ?? false
}

async function isFile(path: string): Promise<boolean> {
  return (await statOrNull(path))?.isFile() ?? false
}

/** Null where nothing is there, or nothing that this user may look at. */
async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null)
}
