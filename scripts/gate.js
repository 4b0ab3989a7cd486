import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { npm, ownNode, program, root, run, say, setUp } from './setup.js'

// Installs everything and runs the whole gate: `npm run gate`. The last line is the number of tests that passed and failed.
const env = setUp()

/** @param {readonly string[]} args */
const fetch = (args) => {
  const code = run(ownNode(), [...program, ...args], { env })
  if (code !== 0) process.exit(code)
}

fetch(['models', 'install', 'moonshine-tiny', 'moonshine-base'])
fetch(['corpus', 'fetch', 'quick'])

const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
if (!process.env['CHROME_PATH']) {
  // The shell has no window to draw and needs a quarter of the processor time; not every distribution has it.
  const packages = ['chromium-headless-shell', 'chromium']
  provide(browsers, packages, 'for the tests of the pages', 'or name it in CHROME_PATH')
}
provide(
  ['redis-server'],
  ['redis-server'],
  'for the tests of fleets',
  'with the package manager of this system',
)

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const steps = [...scripts.check.matchAll(/npm run -s (\w+)/g)].map(([, step]) => step)
const failed = []
for (const step of steps) {
  say(`== ${step}`)
  // The reporter repeats the failed steps next to the count: their own output is thousands of lines further up by then.
  if (npm(['run', '-s', step], { ...env, FAILED_STEPS: failed.join(' ') }) !== 0) failed.push(step)
}
process.exitCode = failed.length === 0 ? 0 : 1

/**
 * Installs a program from the distribution's packages where that is possible.
 *
 * @param {readonly string[]} names by which it may be found
 * @param {readonly string[]} packages the first that the distribution has is installed
 * @param {string} purpose
 * @param {string} otherwise what else to do
 */
function provide(names, packages, purpose, otherwise) {
  const isProvided = () => names.some((name) => isThere(name))
  if (isProvided()) return
  if (isThere('apt-get') && process.getuid?.() === 0) {
    apt('update')
    for (const name of packages) {
      say(`installing ${name} from the distribution's packages, ${purpose}`)
      apt('install', '-y', '--no-install-recommends', name)
      if (isProvided()) return
    }
  }
  say(
    `${names.join(', ')}: none was found, ${purpose}, which will fail. Install ${packages.join(' or ')}, ${otherwise}`,
  )
}

/** @param {string[]} args */
function apt(...args) {
  spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** @param {string} name */
function isThere(name) {
  return spawnSync(process.platform === 'win32' ? 'where' : 'which', [name], { stdio: 'ignore' }).status === 0
}
