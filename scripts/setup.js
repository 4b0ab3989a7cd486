import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, statSync, utimesSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

// JavaScript without packages: it is what installs them, under whatever Node the machine has.

export const root = fileURLToPath(new URL('..', import.meta.url))
export const isWindows = process.platform === 'win32'
const installed = join(root, 'node_modules/.package-lock.json')

/** @param {string} text */
export function say(text) {
  process.stderr.write(`${text}\n`)
}

/**
 * Runs a program of the checkout, its output shown.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly env?: Readonly<Record<string, string | undefined>>, readonly argv0?: string }} [options] `argv0`: how it is to see itself called
 * @returns {number} its exit code
 */
export function run(command, args, { env = process.env, argv0 = command } = {}) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...env }, argv0 }).status ?? 1
}

/**
 * Runs npm: as this program was started by it, else by its name. Windows starts its .cmd file by a shell only; no argument needs quotes.
 *
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string | undefined>>} [env]
 */
export function npm(args, env = process.env) {
  const path = process.env['npm_execpath']
  if (path?.endsWith('.js')) return run(process.execPath, [path, ...args], { env })
  const options = { cwd: root, stdio: /** @type {const} */ ('inherit'), env: { ...env }, shell: isWindows }
  return spawnSync('npm', args, options).status ?? 1
}

/** The Node that the packages bring. */
export function ownNode() {
  return join(root, 'node_modules/node/bin', isWindows ? 'node.exe' : 'node')
}

/**
 * Puts everything the checkout needs into place, and does nothing when it is there: npm's packages, among them the Node that runs
 * the sources.
 *
 * @returns {Readonly<Record<string, string | undefined>>} environment in which `node` is that Node
 */
export function setUp() {
  if (!isInstalled()) {
    say('installing packages')
    const code = npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'])
    if (code !== 0) process.exit(code)
    touch(installed)
  }
  // npm may hold back install scripts; the one of the package `node` only links its own binary.
  if (spawnSync(ownNode(), ['--version']).status !== 0) {
    const script = join(root, 'node_modules/node/installArchSpecificPackage.js')
    spawnSync(process.execPath, [script], { cwd: join(root, 'node_modules/node'), stdio: 'inherit' })
  }
  return ownEnvironment()
}

/** @returns {Readonly<Record<string, string | undefined>>} environment in which `node` is the Node that the packages bring */
export function ownEnvironment() {
  // Windows calls it Path.
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH'
  const folders = [join(root, 'node_modules/node/bin'), join(root, 'node_modules/.bin'), process.env[name]]
  return { ...process.env, [name]: folders.join(delimiter), npm_config_globalconfig: npmSettings() }
}

/**
 * npm looks for the settings of the whole machine (registry, proxy, certificates) by the place of the Node that runs it, and would
 * not find them by this Node's.
 *
 * @returns their file
 */
function npmSettings() {
  const ask = ['config', 'get', 'globalconfig']
  const answer = spawnSync('npm', ask, { cwd: root, encoding: 'utf8', shell: isWindows })
  return answer.status === 0 ? answer.stdout.trim() : undefined
}

function isInstalled() {
  if (!existsSync(installed)) return false
  const since = statSync(installed).mtimeMs
  return ['package-lock.json', 'package.json'].every((name) => statSync(join(root, name)).mtimeMs <= since)
}

/** @param {string} path */
function touch(path) {
  closeSync(openSync(path, 'a'))
  utimesSync(path, new Date(), new Date())
}

/** The program of the checkout, under its Node. */
export const program = ['--disable-warning=ExperimentalWarning', 'src/cli/main.js']
